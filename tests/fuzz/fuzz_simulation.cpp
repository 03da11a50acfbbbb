// Any bytes are hardware and a message set, or an InputError with printable text; small sets run on
// every network to their end or to a limit, without harm.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/hardware_file.h"
#include "model/input_error.h"
#include "model/message_set.h"
#include "sim/message_run.h"

namespace {

void demand(bool condition) {
  if (!condition) __builtin_trap();
}

template <class Read>
void try_to(const Read& read) {
  try {
    read();
  } catch (const waferloom::InputError& error) {
    demand(error.source() == "fuzz");
    for (const char c : std::string_view(error.what())) demand(c == '\n' || (c >= ' ' && c <= '~'));
  }
}

void run_small(const waferloom::MessageSet& set) {
  using namespace waferloom;
  constexpr std::int64_t kMostTiles = 1'000;
  if (set.columns * set.rows > kMostTiles) return;
  for (const NetworkKind network :
       {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair, NetworkKind::packet}) {
    int questions = 0;
    MessageRunOptions options;
    options.network = network;
    options.stopped = [&] { return ++questions > 100; };
    const MessageTimes times = run_messages(set, options);
    for (const std::int64_t cycle : times.complete_cycle) demand(times.stopped || cycle >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_to([&] { waferloom::hardware_figures(waferloom::read_hardware(text, "fuzz")); });
  try_to([&] { run_small(waferloom::read_message_set(text, "fuzz")); });
  return 0;
}
