#include "model/plan.h"
#include "optimize/plan.h"
#include "placer/place_options.h"
#include "sim/simulate.h"

namespace waferloom::optimize {
namespace {

constexpr std::uint64_t kMostBatch = 1'000'000;
constexpr std::uint64_t kMostTop = 1'000;
constexpr std::int64_t kBatch = 64;

OptionSpec objective_option() {
  return {.name = "objective",
          .value = "NAME",
          .help = "{choices}.",
          .choices = {{"throughput"},
                      {"time", "of a batch; of inference of a sample"},
                      {"cost"},
                      {"energy", "of a sample"}},
          .fallback =
              std::string(planner::kObjectiveNames[static_cast<std::size_t>(PlanJob{}.objective)])};
}

}  // namespace

OptionSpec batch_option() {
  return {.name = "batch",
          .value = "N",
          .help = "Samples of a batch {default}.",
          .range = WholeRange{1, kMostBatch},
          .fallback = std::to_string(kBatch)};
}

std::vector<OptionSpec> plan_options() {
  const PlanJob defaults;
  return {
      batch_option(),
      {.name = "model",
       .value = "NAME",
       .help = "That ranks plans first: {choices}.",
       .choices = choices_of(kRankingModelNames),
       .fallback = std::string(kRankingModelNames[static_cast<std::size_t>(defaults.model)])},
      objective_option(),
      {.name = "top",
       .value = "N",
       .help = "Plans to simulate {default}.",
       .range = WholeRange{1, kMostTop},
       .fallback = std::to_string(defaults.top)},
      with_help(placer::strategy_option(), "How to place, as for place {default}."),
      {.name = "inference", .help = "Forward alone."},
      {.name = "optimizer",
       .value = "NAME",
       .help = "{choices}.",
       .choices = {{"adam"}, {"sgd"}},
       .fallback = std::string(optimizer_name(Plan{}.optimizer))},
      {.name = "data-type",
       .value = "NAME",
       .help = "Whose peak rate counts {default}.",
       .fallback = Plan{}.data_type},
      sim::network_option(),
      sim::planned_routing_option(),
      {.name = "no-dram", .help = "What streams from and to memory takes no time in simulation."}};
}

}  // namespace waferloom::optimize
