#include "model/run_control.h"

#include <exception>
#include <vector>

#ifdef WAFERLOOM_STD_THREADS
#include <thread>
#else
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace waferloom {

RunCut::RunCut(CutReason reason)
    : std::runtime_error(reason == CutReason::interrupted
                             ? "interrupted before there was a result"
                             : "the time limit passed before there was a result"),
      reason_(reason) {}

std::optional<Clock::time_point> RunControl::deadline() const {
  if (!time_limit) return std::nullopt;
  return start + *time_limit;
}

bool RunControl::is_cut(Clock::duration step) const {
  if (asked && asked()) return true;
  if (interrupted()) return true;
  const auto end = deadline();
  return end && step >= *end - Clock::now();
}

void RunControl::end_if_cut() const {
  if (is_cut()) throw RunCut(cut_reason());
}

CutReason RunControl::cut_reason() const {
  const auto end = deadline();
  const bool is_late = end && Clock::now() >= *end;
  return is_late && !interrupted() ? CutReason::time_limit : CutReason::interrupted;
}

void RunControl::tell(const ProgressNote& note) const {
  if (on_progress) on_progress(note);
}

RunControl RunControl::with_share_of_rest(double share) const {
  const auto end = deadline();
  if (!end) return *this;
  const std::chrono::duration<double> left = *end - Clock::now();
  return with_time(std::chrono::duration_cast<Clock::duration>(left * share));
}

RunControl RunControl::with_time(Clock::duration time) const {
  RunControl part = *this;
  part.start = Clock::now();
  part.time_limit = std::chrono::duration_cast<std::chrono::microseconds>(time);
  return part;
}

void parallel_tasks(std::size_t count, int threads, const std::function<void(std::size_t)>& task) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) task(i);
  };
#ifdef WAFERLOOM_STD_THREADS
  std::vector<std::thread> helpers;
  for (int t = 1; t < threads; ++t) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
#else
  const oneapi::tbb::global_control at_least(oneapi::tbb::global_control::max_allowed_parallelism,
                                             static_cast<std::size_t>(threads));
  oneapi::tbb::task_arena arena(threads);
  arena.execute([&] {
    // One loop a thread: a parallel_for over the tasks would begin some of the last ones first.
    oneapi::tbb::parallel_for(
        0, threads, [&](int) { work(); }, oneapi::tbb::simple_partitioner{});
  });
#endif
}

void parallel_tasks(std::size_t count, int threads, const RunControl& control,
                    const std::function<void(std::size_t)>& task) {
  std::vector<std::exception_ptr> errors(count);
  // Tasks begin in their order, so those that are left out come behind all that may throw.
  std::atomic<bool> is_over{false};
  parallel_tasks(count, threads, [&](std::size_t i) {
    if (is_over) return;
    try {
      control.end_if_cut();
      task(i);
    } catch (...) {
      errors[i] = std::current_exception();
      is_over = true;
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace waferloom
