#include "cli/console/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "cli/console/failure.h"
#include "cli/console/progress.h"

namespace waferloom::cli {
namespace {

constexpr int kSignalExit = 128;

std::atomic<bool> stop_requested{false};
std::atomic<int> caught_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int number) {
  if (number == SIGINT && caught_signal.load() == SIGINT) _exit(kSignalExit + SIGINT);
  caught_signal.store(number);
  stop_requested.store(true);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

std::atomic<bool>& stop_flag() { return stop_requested; }

bool interrupted() { return caught_signal.load() != 0; }

int interrupted_exit_code() { return kSignalExit + caught_signal.load(); }

int exit_code_with_best(Progress& progress) {
  if (!interrupted()) return 0;
  progress.note("interrupted: the best so far is written");
  return interrupted_exit_code();
}

void throw_if_interrupted() {
  if (!interrupted()) return;
  throw Failure(FailureKind::interrupted, caught_signal.load() == SIGINT
                                              ? "interrupted by SIGINT"
                                              : "interrupted by SIGTERM");
}

}  // namespace waferloom::cli
