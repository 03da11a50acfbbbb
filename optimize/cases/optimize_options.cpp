#include <fmt/format.h>

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
          .help = fmt::format("Candidates to simulate: of a case in each round (default {}), of a "
                              "network (default {}).",
                              CaseSearchOptions{}.top, kSimulatedPlans),
          .range = WholeRange{1, kMostSimulated}};
}

}  // namespace

Options<OptimizeRequest> optimize_options() {
  using Request = OptimizeRequest;
  using Run = sim::RunRequest;
  const auto run = [](const Option<Run>& row) { return option_inside(&Request::run, row); };
  return {option(&Request::top, top_option()),
          run(option(&Run::network, sim::network_option())),
          run(sim::routing_row(sim::planned_routing_option())),
          run(option(&Run::samples, with_help(sim::samples_option(), "Samples to run {default}."))),
          run(option(&Run::training,
                     {.name = "training", .help = "Gradients flow back, as for simulate."})),
          option(&Request::batch, with_help(batch_option(), "Samples of a batch {default}.")),
          option(&Request::inference, {.name = "inference", .help = "Forward alone."}),
          flag(&Request::memory_model,
               {.name = "no-dram", .help = "What streams from and to memory takes no time."},
               sim::MemoryModel::ignored),
          option(&Request::strategy,
                 with_help(placer::strategy_option(), "How to place, as for place {default}."))};
}

}  // namespace waferloom::optimize
