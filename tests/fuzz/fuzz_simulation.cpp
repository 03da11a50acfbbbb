// Any bytes are hardware and a message set, or an InputError with printable text; small sets, and a
// small placement on small hardware, run on every network to their end or to a limit, without harm.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "sim/contest_pipeline.h"
#include "sim/message_run.h"
#include "sim/simulate.h"
#include "tests/fuzz/demand.h"
#include "tests/support/chain_placement.h"

using waferloom::fuzz::demand;
using waferloom::fuzz::try_to;

namespace {

constexpr std::int64_t kMostTiles = 1'000;
constexpr std::int64_t kMostTilesOfChain = 3'000;
constexpr waferloom::sim::NetworkKind kNetworks[] = {
    waferloom::sim::NetworkKind::analytic, waferloom::sim::NetworkKind::exclusive,
    waferloom::sim::NetworkKind::fair, waferloom::sim::NetworkKind::packet};

void make_mesh(const waferloom::Hardware& hardware) {
  waferloom::hardware_figures(hardware);
  if (hardware.wafer.width * hardware.wafer.height > kMostTiles) return;
  const waferloom::Mesh mesh(hardware);
  for (waferloom::NodeIndex tile = 0; tile < mesh.node_count(); ++tile) {
    for (const waferloom::Direction direction : waferloom::sim::kDirections) {
      demand(mesh.has_neighbour(tile, direction) ||
             mesh.is_dead_link(waferloom::Mesh::link(tile, direction)));
    }
  }
}

void run_small(const waferloom::MessageSet& set) {
  using namespace waferloom;
  using namespace waferloom::sim;
  if (set.columns * set.rows > kMostTiles) return;
  for (const sim::NetworkKind network : kNetworks) {
    int questions = 0;
    sim::MessageRunOptions options;
    options.network = network;
    options.control.asked = [&] { return ++questions > 100; };
    try {
      const sim::MessageTimes times = sim::run_messages(set, options);
      for (const std::int64_t cycle : times.complete_cycle) demand(times.stopped || cycle >= 0);
    } catch (const RequestError& error) {
      demand(error.what()[0] != '\0');  // packets in a circle, or too long a time
    }
  }
}

void run_chain(const waferloom::Hardware& hardware) {
  using namespace waferloom;
  using namespace waferloom::sim;
  if (hardware.wafer.width * hardware.wafer.height > kMostTilesOfChain) return;
  const Problem problem = test::chain_with_skip();
  for (const sim::NetworkKind network : kNetworks) {
    int questions = 0;
    sim::SimulateOptions options;
    options.network = network;
    options.samples = 30;
    options.control.asked = [&] { return ++questions > 100; };
    try {
      const bool training = network == sim::NetworkKind::exclusive;
      const sim::PipelineSpec spec =
          sim::contest_pipeline(problem, test::in_a_row(problem), hardware, training);
      const sim::ThroughputReport report = simulate(spec, hardware, options);
      for (const sim::StageTimes& stage : report.stages) {
        demand(stage.total() == report.simulated_time);
      }
    } catch (const RequestError& error) {
      demand(error.what()[0] != '\0');  // what the hardware has no room for, or too long a time
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_to([&] {
    const waferloom::Hardware hardware = waferloom::read_hardware(text, "fuzz");
    make_mesh(hardware);
    run_chain(hardware);
  });
  try_to([&] { run_small(waferloom::read_message_set(text, "fuzz")); });
  return 0;
}
