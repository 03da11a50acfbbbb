#include <algorithm>
#include <limits>

#include "sim/report_json.h"

namespace waferloom {
namespace {

/// The degrees of one operator; in a plan's file any may be missing.
struct ReportedDegrees {
  Degrees degrees;
};

/// What a stage of the cut keeps of one operator.
struct KeptOperator {
  std::string name;
  const sim::OperatorMemory* memory = nullptr;
};

struct KeptStage {
  const sim::StageMemory* memory = nullptr;
  bool fits = false;
  std::vector<KeptOperator> operators;
};

/// A stage of the cut.
struct PlannedStage {
  const sim::StageWork* work = nullptr;
  const sim::StageService* service = nullptr;
  Rectangle tiles;
  std::int64_t tensor = 1;
  std::int64_t data = 1;
  std::vector<std::string> operators;
  KeptStage memory;
};

KeptStage kept_stage(const sim::PlannedRun& run, std::size_t index) {
  const sim::PlanMemory& memory = run.planned->memory;
  KeptStage stage{&memory.stages[index], memory.fits[index % memory.fits.size()], {}};
  for (const sim::OperatorMemory& at : stage.memory->operators) {
    stage.operators.push_back({run.workload->operators[at.index].name, &at});
  }
  return stage;
}

std::vector<PlannedStage> planned_stages(const sim::PlannedRun& run) {
  const sim::PlannedPipeline& planned = *run.planned;
  std::vector<PlannedStage> stages;
  for (std::size_t i = 0; i < planned.cut.stages.size(); ++i) {
    const Plan own = planned.plan.of_part(i);
    PlannedStage stage{
        &planned.cut.stages[i], &planned.services[i], planned.tiles_of(i), own.tensor, own.data, {},
        kept_stage(run, i)};
    for (const std::size_t at : stage.work->operators) {
      stage.operators.push_back(run.workload->operators[at].name);
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

/// Nothing where something else than the plan says where stages lie.
std::optional<StageLayout> layout_of(const sim::PlannedRun& run) {
  const std::vector<StageBinding>& stages = run.planned->plan.stages;
  const bool is_bound = std::any_of(stages.begin(), stages.end(), [](const StageBinding& stage) {
    return stage.tiles.has_value();
  });
  if (run.is_placed || is_bound) return std::nullopt;
  return run.planned->plan.layout;
}

std::map<std::string, ReportedDegrees> degrees_of_run(const sim::PlannedRun& run) {
  std::map<std::string, ReportedDegrees> all;
  for (const auto& [name, degrees] : run.planned->plan.degrees) all[name] = {degrees};
  return all;
}

constexpr OwnForm<Plan> kReportedSchedule{
    .write = [](const Plan& plan, ValueSink& sink) { sink.text(schedule_text(plan)); },
    .describe =
        [](ValueSink& schema) {
          schema.pair("type", "string");
          schema.pair("pattern", "^(inference|gpipe|1f1b|interleaved:[1-9][0-9]*)$");
        }};

/// In full where JSON's numbers are.
template <Int128 sim::ThroughputReport::*bytes>
constexpr OwnForm<sim::ThroughputReport> kManyBytes{
    .write =
        [](const sim::ThroughputReport& found, ValueSink& sink) {
          const Int128 value = found.*bytes;
          if (value > std::numeric_limits<std::int64_t>::max()) {
            sink.real(static_cast<double>(value));
          } else {
            sink.whole(static_cast<std::int64_t>(value));
          }
        },
    .describe =
        [](ValueSink& schema) {
          schema.pair("type", "number");
          schema.pair("minimum", 0);
        }};

}  // namespace

template <>
const TypeRows& rows_of<ReportedDegrees>() {
  static const TypeRows rows = report_rows(through<ReportedDegrees>(
      [](const ReportedDegrees& at) -> const Degrees& { return at.degrees; },
      {row("batch", &Degrees::batch, {.range = kPositiveCount}),
       row("rows", &Degrees::rows, {.range = kPositiveCount}),
       row("out", &Degrees::out, {.range = kPositiveCount}),
       row("in", &Degrees::in, {.range = kPositiveCount})}));
  return rows;
}

template <>
const TypeRows& rows_of<sim::MemoryTraffic>() {
  using sim::MemoryTraffic;
  static const TypeRows rows =
      report_rows({row("read", &MemoryTraffic::read, {.range = kCount}),
                   row("written", &MemoryTraffic::written, {.range = kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<KeptOperator>() {
  using sim::OperatorMemory;
  const auto memory = [](const KeptOperator& op) -> const OperatorMemory& { return *op.memory; };
  static const TypeRows rows = report_rows(
      joined({{row("name", &KeptOperator::name)},
              through<KeptOperator>(memory, {row("use", &OperatorMemory::use),
                                             row("forward", &OperatorMemory::forward),
                                             row("backward", &OperatorMemory::backward)})}));
  return rows;
}

template <>
const TypeRows& rows_of<KeptStage>() {
  using sim::StageMemory;
  const auto memory = [](const KeptStage& stage) -> const StageMemory& { return *stage.memory; };
  static const TypeRows rows = report_rows(joined(
      {through<KeptStage>(
           memory, {row("weights_bytes", &StageMemory::weights, {.range = kCount}),
                    row("gradients_bytes", &StageMemory::gradients, {.range = kCount}),
                    row("optimizer_bytes", &StageMemory::optimizer_states, {.range = kCount}),
                    row("activations_bytes", &StageMemory::activations, {.range = kCount}),
                    row("working_bytes", &StageMemory::working, {.range = kCount}),
                    row("in_flight", &StageMemory::in_flight, {.range = kCount}),
                    row("total_bytes", &StageMemory::total, {.range = kCount})}),
       {row("fits", &KeptStage::fits)},
       through<KeptStage>(memory, {row("sram_use", &StageMemory::use)}),
       {row("operators", &KeptStage::operators)},
       through<KeptStage>(memory, {row("update", &StageMemory::update)})}));
  return rows;
}

template <>
const TypeRows& rows_of<PlannedStage>() {
  using sim::StageService;
  using sim::StageWork;
  const auto work = [](const PlannedStage& stage) -> const StageWork& { return *stage.work; };
  const auto tiles = [](const PlannedStage& stage) -> const Rectangle& { return stage.tiles; };
  const auto service = [](const PlannedStage& stage) -> const StageService& {
    return *stage.service;
  };
  static const TypeRows rows = report_rows(joined(
      {through<PlannedStage>(work, {row("name", &StageWork::name)}),
       {row("tensor", &PlannedStage::tensor, {.range = kPositiveCount}),
        row("data", &PlannedStage::data, {.range = kPositiveCount})},
       through<PlannedStage>(tiles, {row("x", &Rectangle::x, {.range = kCount}),
                                     row("y", &Rectangle::y, {.range = kCount}),
                                     row("width", &Rectangle::width, {.range = kPositiveCount}),
                                     row("height", &Rectangle::height, {.range = kPositiveCount})}),
       {row("operators", &PlannedStage::operators)},
       through<PlannedStage>(work,
                             {row("forward_flop", &StageWork::forward_flop, {.range = kCount}),
                              row("backward_flop", &StageWork::backward_flop, {.range = kCount}),
                              row("parameters", &StageWork::parameters, {.range = kCount})}),
       through<PlannedStage>(
           service, {row("forward_ps", &StageService::forward, {.range = kCount}),
                     row("backward_ps", &StageService::backward, {.range = kCount}),
                     row("recompute_ps", &StageService::recompute, {.range = kCount}),
                     row("tensor_exchange_ps", &StageService::tensor_exchange, {.range = kCount}),
                     row("data_exchange_ps", &StageService::data_exchange, {.range = kCount}),
                     row("update_ps", &StageService::update, {.range = kCount}),
                     row("update_left_ps", &StageService::update_left, {.range = kCount})}),
       {row("memory", &PlannedStage::memory)}}));
  return rows;
}

template <>
const TypeRows& rows_of<sim::TileUse>() {
  using sim::TileUse;
  const auto share = [](const TileUse& use) {
    return static_cast<double>(use.plan_tiles) / static_cast<double>(use.wafer_tiles);
  };
  static const TypeRows rows =
      report_rows({row("plan_tiles", &TileUse::plan_tiles, {.range = kPositiveCount}),
                   row("wafer_tiles", &TileUse::wafer_tiles, {.range = kPositiveCount}),
                   computed<TileUse>("share_of_wafer", share, {.range = kShare}),
                   row("mfu_of_plan", &TileUse::peak_share_of_plan, {.range = kShare}),
                   row("mfu_of_wafer", &TileUse::peak_share_of_wafer, {.range = kShare})});
  return rows;
}

namespace {

std::vector<Row> rows_of_plan() {
  const auto plan = [](const sim::PlannedRun& run) -> const Plan& { return run.planned->plan; };
  const auto settled = [](const Plan& at) { return recompute_name(at.recompute); };
  return joined({through<sim::PlannedRun>(
                     plan, {row("tensor", &Plan::tensor, {.range = kPositiveCount}),
                            row("data", &Plan::data, {.range = kPositiveCount}),
                            row("pipeline", &Plan::pipeline, {.range = kPositiveCount}),
                            row("micro_batch", &Plan::micro_batch, {.range = kPositiveCount}),
                            row("micro_batches", &Plan::micro_batches, {.range = kPositiveCount}),
                            formed("schedule", kReportedSchedule)}),
                 {computed<sim::PlannedRun>("layout", layout_of)},
                 through<sim::PlannedRun>(
                     plan, {row("groups", &Plan::groups), row("collective", &Plan::collective)}),
                 {computed<sim::PlannedRun>("degrees", degrees_of_run)},
                 through<sim::PlannedRun>(
                     plan, {listed_row(computed<Plan>("recompute", settled), kMadeRecomputeNames),
                            row("optimizer", &Plan::optimizer),
                            row("zero", &Plan::zero, {.range = NumberRange{0, 3}}),
                            row("overlap", &Plan::overlap), row("data_type", &Plan::data_type),
                            row("leave_out", &Plan::leave_out)})});
}

std::vector<Row> rate_rows() {
  using sim::PlanReport;
  using sim::ThroughputReport;
  const auto found = [](const sim::PlannedRun& run) -> const PlanReport& { return *run.found; };
  const auto pipeline = [](const sim::PlannedRun& run) -> const ThroughputReport& {
    return run.found->run;
  };
  const auto tokens_per_s = [](const sim::PlannedRun& run) {
    return run.found->samples_per_s * static_cast<double>(run.workload->tokens);
  };
  Row exchanges =
      group("exchanges",
            {formed("network_bytes", kManyBytes<&ThroughputReport::exchange_bytes>),
             formed("apart_bytes", kManyBytes<&ThroughputReport::exchange_bytes_apart>)},
            {"Bytes of all flows of the stages' exchanges in the run: of those that meet other "
             "traffic in the network, and of those whose time is known without it. links counts "
             "both."});
  return joined(
      {through<sim::PlannedRun>(
           found,
           {row("batch_ps", &PlanReport::batch, {.range = kCount}),
            row("samples_per_s", &PlanReport::samples_per_s),
            listed_row(computed<PlanReport>("rate_of", sim::rate_of<PlanReport>, {kRateOfMeaning}),
                       sim::kRateNames)}),
       through<sim::PlannedRun>(
           pipeline, {row("micro_batches_per_s", &ThroughputReport::samples_per_s,
                          {"In the steady state, or over the whole run; one is micro_batch x data "
                           "samples."})}),
       {computed<sim::PlannedRun>("tokens_per_s", tokens_per_s)},
       through<sim::PlannedRun>(pipeline, {std::move(exchanges)}),
       through<sim::PlannedRun>(
           found,
           {row("ideal_samples_per_s", &PlanReport::ideal_samples_per_s),
            row("bubble", &PlanReport::bubble), row("use", &PlanReport::use, {kTileUseMeaning})})});
}

}  // namespace

template <>
const TypeRows& rows_of<sim::PlannedRun>() {
  using sim::PlanCut;
  using sim::PlanMemory;
  using sim::PlannedRun;
  const auto workload = [](const PlannedRun& run) -> const Workload& { return *run.workload; };
  const auto cut = [](const PlannedRun& run) -> const PlanCut& { return run.planned->cut; };
  const auto memory = [](const PlannedRun& run) -> const PlanMemory& {
    return run.planned->memory;
  };
  static const TypeRows rows = report_rows(joined(
      {through<PlannedRun>(workload, {row("workload", &Workload::name)}),
       rows_of_plan(),
       rate_rows(),
       through<PlannedRun>(cut, {row("sample_flop", &PlanCut::sample_flop, {.range = kCount})}),
       through<PlannedRun>(memory, {group("memory", {row("home", &PlanMemory::home),
                                                     row("capacity_bytes", &PlanMemory::capacity),
                                                     row("fits", &PlanMemory::fits_all)})}),
       {computed<PlannedRun>("stages", planned_stages)}}));
  return rows;
}

}  // namespace waferloom
