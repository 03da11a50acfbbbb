#include "optimize/optimize.h"
#include "optimize/plan.h"
#include "placer/place_options.h"
#include "sim/simulate.h"

namespace waferloom::optimize {
namespace {

constexpr std::uint64_t kMostSimulated = 10'000;

OptionSpec top_option() {
  return {.name = "top",
          .value = "N",
          .help = "Candidates to simulate: of a case in each round (default " +
                  std::to_string(CaseSearchOptions{}.top) + "), of a network (default " +
                  std::to_string(kSimulatedPlans) + ").",
          .range = WholeRange{1, kMostSimulated}};
}

}  // namespace

std::vector<OptionSpec> optimize_options() {
  return {top_option(),
          sim::network_option(),
          sim::planned_routing_option(),
          with_help(sim::samples_option(), "Samples to run {default}."),
          {.name = "training", .help = "Gradients flow back, as for simulate."},
          with_help(batch_option(), "Samples of a batch {default}."),
          {.name = "inference", .help = "Forward alone."},
          {.name = "no-dram", .help = "What streams from and to memory takes no time."},
          with_help(placer::strategy_option(), "How to place, as for place {default}.")};
}

}  // namespace waferloom::optimize
