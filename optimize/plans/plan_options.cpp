#include "model/plan.h"
#include "optimize/plan.h"
#include "placer/place_options.h"
#include "sim/simulate.h"

namespace waferloom::optimize {
namespace {

constexpr std::uint64_t kMostBatch = 1'000'000;
constexpr std::uint64_t kMostTop = 1'000;

OptionSpec objective_option() {
  return {.name = "objective",
          .value = "NAME",
          .help = "{choices}.",
          .choices = {{"throughput"},
                      {"time", "of a batch; of inference of a sample"},
                      {"cost"},
                      {"energy", "of a sample"}}};
}

}  // namespace

OptionSpec batch_option() {
  return {.name = "batch",
          .value = "N",
          .help = "Samples of a batch {default}.",
          .range = WholeRange{1, kMostBatch}};
}

Options<CutRequest> plan_options() {
  using Request = CutRequest;
  using Run = sim::RunRequest;
  const auto run = [](const Option<Run>& row) { return option_inside(&Request::run, row); };
  return {
      option(&Request::batch, batch_option()),
      option(&Request::model,
             {.name = "model", .value = "NAME", .help = "That ranks plans first: {choices}."}),
      option(&Request::objective, objective_option()),
      option(&Request::top, {.name = "top",
                             .value = "N",
                             .help = "Plans to simulate {default}.",
                             .range = WholeRange{1, kMostTop},
                             .fallback = std::to_string(PlanJob{}.top)}),
      option(&Request::strategy,
             with_help(placer::strategy_option(), "How to place, as for place {default}.")),
      option(&Request::inference, {.name = "inference", .help = "Forward alone."}),
      option(&Request::optimizer, {.name = "optimizer",
                                   .value = "NAME",
                                   .help = "{choices}.",
                                   .choices = {{"adam"}, {"sgd"}}}),
      option(&Request::data_type,
             {.name = "data-type", .value = "NAME", .help = "Whose peak rate counts {default}."}),
      option(&Request::reuse,
             {.name = "reuse",
              .value = "NAME",
              .help = "How products go through SRAM whose sides both stream: {choices}.",
              .choices = {{"whole", "rows or columns of one side (PALM, Algorithm 1)"},
                          {"blocks", "where these move less"}}}),
      run(option(&Run::network, sim::network_option())),
      run(sim::routing_row(sim::planned_routing_option())),
      flag(&Request::memory_model,
           {.name = "no-dram",
            .help = "What streams from and to memory takes no time in simulation."},
           sim::MemoryModel::ignored)};
}

}  // namespace waferloom::optimize
