// Any bytes are hardware and a message set, or an InputError with printable text; small sets run on
// every network to their end or to a limit, without harm.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "model/hardware_file.h"
#include "model/message_set.h"
#include "sim/mesh.h"
#include "sim/message_run.h"
#include "tests/fuzz/demand.h"

using waferloom::fuzz::demand;
using waferloom::fuzz::try_to;

namespace {

constexpr std::int64_t kMostTiles = 1'000;

void make_mesh(const waferloom::Hardware& hardware) {
  waferloom::hardware_figures(hardware);
  if (hardware.wafer.width * hardware.wafer.height > kMostTiles) return;
  const waferloom::Mesh mesh(hardware);
  for (waferloom::NodeIndex tile = 0; tile < mesh.node_count(); ++tile) {
    for (const waferloom::Direction direction : waferloom::kDirections) {
      demand(mesh.has_neighbour(tile, direction) ||
             mesh.is_dead_link(waferloom::Mesh::link(tile, direction)));
    }
  }
}

void run_small(const waferloom::MessageSet& set) {
  using namespace waferloom;
  if (set.columns * set.rows > kMostTiles) return;
  for (const NetworkKind network :
       {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair, NetworkKind::packet}) {
    int questions = 0;
    MessageRunOptions options;
    options.network = network;
    options.stopped = [&] { return ++questions > 100; };
    try {
      const MessageTimes times = run_messages(set, options);
      for (const std::int64_t cycle : times.complete_cycle) demand(times.stopped || cycle >= 0);
    } catch (const std::invalid_argument& error) {
      demand(error.what()[0] != '\0');  // packets in a circle, or too long a time
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_to([&] { make_mesh(waferloom::read_hardware(text, "fuzz")); });
  try_to([&] { run_small(waferloom::read_message_set(text, "fuzz")); });
  return 0;
}
