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

/// A branch of a stage.
struct PlannedBranch {
  Rectangle tiles;
  std::vector<std::string> operators;
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
  std::vector<PlannedBranch> branches{};
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
  for (const sim::BranchPlace& branch : run.planned->branches) {
    PlannedBranch found{branch.tiles, {}};
    for (const std::size_t at : branch.operators) {
      found.operators.push_back(run.workload->operators[at].name);
    }
    stages[branch.stage].branches.push_back(std::move(found));
  }
  return stages;
}

/// How a tensor goes between stages of other tensor degrees.
struct ReportedTransfer {
  std::string name;
  std::int64_t strategy = 1;
  std::int64_t adapters = 1;
};

std::vector<ReportedTransfer> transfers_of(const sim::PlannedRun& run) {
  const sim::PlanCut& cut = run.planned->cut;
  std::vector<ReportedTransfer> all;
  for (const sim::StageTransfer& at : run.planned->transfers) {
    all.push_back({cut.edge_name(cut.edges[at.edge]), 1 + static_cast<std::int64_t>(at.strategy),
                   at.adapters});
  }
  return all;
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
  const auto is_said = [](const Degrees& degrees) { return !degrees.is_by_plan(); };
  const auto is_divided = [](const Degrees& degrees) {
    return degrees.is_by_plan() || degrees.experts > 1;
  };
  static const TypeRows rows = report_rows(through<ReportedDegrees>(
      [](const ReportedDegrees& at) -> const Degrees& { return at.degrees; },
      {where<Degrees>(is_said, row("batch", &Degrees::batch,
                                   {"parts that samples are cut into", kPositiveCount})),
       where<Degrees>(is_said, row("rows", &Degrees::rows,
                                   {"parts that rows or tokens are cut into", kPositiveCount})),
       where<Degrees>(is_said,
                      row("out", &Degrees::out,
                          {"parts that outputs of an operator are cut into", kPositiveCount})),
       where<Degrees>(
           is_said,
           row("in", &Degrees::in,
               {"parts that inputs of an operator are cut into; partial results are summed",
                kPositiveCount})),
       where<Degrees>(
           is_divided,
           row("experts", &Degrees::experts,
               {"parts that the tiles of a tensor group divide a layer's experts into; alone: all "
                "else is cut by data and tensor",
                kPositiveCount}))}));
  return rows;
}

template <>
const TypeRows& rows_of<ReportedTransfer>() {
  static const TypeRows rows = report_rows(
      {row("name", &ReportedTransfer::name, {"the stages that it joins: s0 -> s1"}),
       row("strategy", &ReportedTransfer::strategy,
           {"1: sums are made before the adapters send; 2: behind them (docs/collectives.md)",
            NumberRange{1, 2}}),
       row("adapters", &ReportedTransfer::adapters,
           {"tiles of a replica that send or receive", kPositiveCount})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::MemoryTraffic>() {
  using sim::MemoryTraffic;
  static const TypeRows rows = report_rows(
      {row("read", &MemoryTraffic::read, {"bytes read from the memory outside of SRAM", kCount}),
       row("written", &MemoryTraffic::written, {"bytes written to it", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<KeptOperator>() {
  using sim::OperatorMemory;
  const auto memory = [](const KeptOperator& op) -> const OperatorMemory& { return *op.memory; };
  static const TypeRows rows = report_rows(joined(
      {{row("name", &KeptOperator::name, {"name of the operator"})},
       through<KeptOperator>(memory, {row("use", &OperatorMemory::use,
                                          {"what of it stays in SRAM, as sram_use; or which of "
                                           "weights and input is read once where neither stays"}),
                                      row("forward", &OperatorMemory::forward,
                                          {"bytes that it moves in a micro-batch's forward"}),
                                      row("backward", &OperatorMemory::backward,
                                          {"bytes that it moves in a micro-batch's backward"})})}));
  return rows;
}

template <>
const TypeRows& rows_of<KeptStage>() {
  using sim::StageMemory;
  const auto memory = [](const KeptStage& stage) -> const StageMemory& { return *stage.memory; };
  static const TypeRows rows = report_rows(joined(
      {through<KeptStage>(
           memory, {row("weights_bytes", &StageMemory::weights,
                        {"bytes of weights, of all tiles of the stage", kCount}),
                    row("gradients_bytes", &StageMemory::gradients,
                        {"bytes of gradients, of all tiles of the stage", kCount}),
                    row("optimizer_bytes", &StageMemory::optimizer_states,
                        {"bytes of the optimizer's states, of all tiles of the stage", kCount}),
                    row("activations_bytes", &StageMemory::activations,
                        {"bytes of the activations of all micro-batches in flight, of all tiles of "
                         "the stage",
                         kCount}),
                    row("working_bytes", &StageMemory::working,
                        {"bytes that the largest operator works on besides", kCount}),
                    row("in_flight", &StageMemory::in_flight,
                        {"micro-batches between forward and backward, at most", kCount}),
                    row("total_bytes", &StageMemory::total, {"bytes of all of these", kCount})}),
       {row("fits", &KeptStage::fits, {"whether the memory holds them"})},
       through<KeptStage>(memory,
                          {row("sram_use", &StageMemory::use,
                               {"what stays in SRAM: resident, all; activation stream, all but "
                                "activations; weight stream, activations alone (docs/plans.md)"})}),
       {row("operators", &KeptStage::operators,
            {"what each operator moves between SRAM and the memory outside of it"})},
       through<KeptStage>(memory, {row("update", &StageMemory::update,
                                       {"bytes that the update moves once a batch"})})}));
  return rows;
}

template <>
const TypeRows& rows_of<PlannedBranch>() {
  const auto tiles = [](const PlannedBranch& branch) -> const Rectangle& { return branch.tiles; };
  static const TypeRows rows = report_rows(joined(
      {{row("operators", &PlannedBranch::operators, {"names of its operators"})},
       through<PlannedBranch>(
           tiles,
           {row("x", &Rectangle::x, {"column of the branch's lower left tile, from 0", kCount}),
            row("y", &Rectangle::y, {"row of the branch's lower left tile, from 0", kCount}),
            row("width", &Rectangle::width, {"columns of tiles of the branch", kPositiveCount}),
            row("height", &Rectangle::height, {"rows of tiles of the branch", kPositiveCount})})}));
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
      {through<PlannedStage>(work, {row("name", &StageWork::name, {"name of the stage"})}),
       {row("tensor", &PlannedStage::tensor, {"tensor degree of the stage", kPositiveCount}),
        row("data", &PlannedStage::data, {"data degree of the stage", kPositiveCount})},
       through<PlannedStage>(
           tiles,
           {row("x", &Rectangle::x, {"column of the stage's lower left tile, from 0", kCount}),
            row("y", &Rectangle::y, {"row of the stage's lower left tile, from 0", kCount}),
            row("width", &Rectangle::width, {"columns of tiles of the stage", kPositiveCount}),
            row("height", &Rectangle::height, {"rows of tiles of the stage", kPositiveCount})}),
       {row("operators", &PlannedStage::operators, {"names of its operators"})},
       through<PlannedStage>(
           work,
           {row("forward_flop", &StageWork::forward_flop,
                {"floating-point operations of a micro-batch's forward", kCount}),
            row("backward_flop", &StageWork::backward_flop,
                {"floating-point operations of a micro-batch's backward", kCount}),
            row("parameters", &StageWork::parameters, {"parameters of its operators", kCount})}),
       through<PlannedStage>(
           service,
           {row("forward_ps", &StageService::forward,
                {"picoseconds of a micro-batch's forward, exchanges included", kCount}),
            row("backward_ps", &StageService::backward,
                {"picoseconds of a micro-batch's backward, exchanges and recomputation included",
                 kCount}),
            row("recompute_ps", &StageService::recompute,
                {"of backward_ps, picoseconds in which forward is computed again", kCount}),
            row("tensor_exchange_ps", &StageService::tensor_exchange,
                {"of forward_ps and backward_ps, picoseconds in which the tiles of a replica "
                 "exchange partial results",
                 kCount}),
            row("data_exchange_ps", &StageService::data_exchange,
                {"of forward_ps and backward_ps, picoseconds in which replicas exchange what ZeRO "
                 "divides",
                 kCount}),
            row("update_ps", &StageService::update,
                {"picoseconds of a batch's update: gradients among replicas", kCount}),
            row("update_left_ps", &StageService::update_left,
                {"of update_ps, picoseconds that do not overlap with backward", kCount})}),
       {row("memory", &PlannedStage::memory, {"what the stage keeps, and where"}),
        where<PlannedStage>(
            [](const PlannedStage& stage) { return !stage.branches.empty(); },
            row("branches", &PlannedStage::branches,
                {"branches that run side by side, each on a part of the stage's tiles"}))}}));
  return rows;
}

template <>
const TypeRows& rows_of<sim::TileUse>() {
  using sim::TileUse;
  const auto share = [](const TileUse& use) {
    return static_cast<double>(use.plan_tiles) / static_cast<double>(use.wafer_tiles);
  };
  static const TypeRows rows =
      report_rows({row("plan_tiles", &TileUse::plan_tiles, {"tiles of all stages", kPositiveCount}),
                   row("wafer_tiles", &TileUse::wafer_tiles,
                       {"tiles of the hardware that are not dead", kPositiveCount}),
                   computed<TileUse>("share_of_wafer", share, {"plan_tiles / wafer_tiles", kShare}),
                   row("mfu_of_plan", &TileUse::peak_share_of_plan,
                       {"model FLOP utilisation: operations that the samples need a second over "
                        "the peak rate of the plan's tiles; what is computed again does not count",
                        kShare}),
                   row("mfu_of_wafer", &TileUse::peak_share_of_wafer,
                       {"the same over the peak rate of all wafer_tiles", kShare})});
  return rows;
}

namespace {

std::vector<Row> rows_of_plan() {
  const auto plan = [](const sim::PlannedRun& run) -> const Plan& { return run.planned->plan; };
  const auto settled = [](const Plan& at) { return recompute_name(at.recompute); };
  return joined(
      {through<sim::PlannedRun>(
           plan,
           {row("tensor", &Plan::tensor,
                {"tensor degree: ways that every operator is cut", kPositiveCount}),
            row("data", &Plan::data, {"data degree: replicas of the network", kPositiveCount}),
            row("pipeline", &Plan::pipeline, {"stages one behind the other", kPositiveCount}),
            row("micro_batch", &Plan::micro_batch,
                {"samples of a replica that go through a stage at once", kPositiveCount}),
            row("micro_batches", &Plan::micro_batches,
                {"micro-batches of a replica in a batch", kPositiveCount}),
            formed("schedule", kReportedSchedule,
                   {"the order in which stages work on micro-batches: inference, gpipe, 1f1b, or "
                    "interleaved:v"})}),
       {computed<sim::PlannedRun>(
           "layout", layout_of,
           {"how stages lie on the mesh; null where tiles or a placement are given"})},
       through<sim::PlannedRun>(
           plan, {row("groups", &Plan::groups, {"how replicas lie among the tiles of a stage"}),
                  row("collective", &Plan::collective, {"the algorithm of all-reduces"})}),
       {computed<sim::PlannedRun>(
           "degrees", degrees_of_run,
           {"by name of an operator: how it is cut if not by data and tensor alone"})},
       through<sim::PlannedRun>(
           plan,
           {listed_row(computed<Plan>("recompute", settled,
                                      {"what forward computes again before backward"}),
                       kMadeRecomputeNames),
            row("optimizer", &Plan::optimizer, {"the optimizer whose states are kept"}),
            row("zero", &Plan::zero,
                {"what replicas divide among themselves (ZeRO): 1 the optimizer's states, 2 "
                 "gradients too, 3 parameters too",
                 NumberRange{0, 3}}),
            row("overlap", &Plan::overlap,
                {"whether gradients are reduced while the operators before them go backward"}),
            row("data_type", &Plan::data_type, {"type of numbers whose peak rate counts"}),
            row("leave_out", &Plan::leave_out, {"names of operators that take no part"})})});
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
  Row exchanges = group(
      "exchanges",
      {formed("network_bytes", kManyBytes<&ThroughputReport::exchange_bytes>,
              {"bytes of flows that meet other traffic in the network"}),
       formed("apart_bytes", kManyBytes<&ThroughputReport::exchange_bytes_apart>,
              {"bytes of flows whose time is known without the network"})},
      {"bytes of all exchanges among the tiles of stages in the run; links counts both kinds"});
  return joined(
      {through<sim::PlannedRun>(
           found, {row("batch_ps", &PlanReport::batch, {"picoseconds of a batch", kCount}),
                   row("samples_per_s", &PlanReport::samples_per_s,
                       {"samples a second; of training those of whole batches, updates included"}),
                   row("rate_of", &PlanReport::rate_of, {kRateOfMeaning})}),
       through<sim::PlannedRun>(pipeline,
                                {row("micro_batches_per_s", &ThroughputReport::samples_per_s,
                                     {"micro-batches a second of what rate_of says; each has "
                                      "micro_batch · data samples"})}),
       {computed<sim::PlannedRun>("tokens_per_s", tokens_per_s,
                                  {"samples_per_s times the tokens of a sample"})},
       through<sim::PlannedRun>(pipeline, {std::move(exchanges)}),
       through<sim::PlannedRun>(found,
                                {row("ideal_samples_per_s", &PlanReport::ideal_samples_per_s,
                                     {"samples a second if stages were equal and nothing moved"}),
                                 row("bubble", &PlanReport::bubble,
                                     {"share of the tiles' time in which they do not compute"}),
                                 row("use", &PlanReport::use, {"how the tiles are used"})})});
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
      {through<PlannedRun>(workload, {row("workload", &Workload::name, {"name of the workload"})}),
       rows_of_plan(),
       rate_rows(),
       through<PlannedRun>(cut, {row("sample_flop", &PlanCut::sample_flop,
                                     {"floating-point operations of a sample", kCount})}),
       through<PlannedRun>(
           memory,
           {group(
               "memory",
               {row("home", &PlanMemory::home,
                    {"where the data have their home: unknown, SRAM, tile memory or edge memory"}),
                row("capacity_bytes", &PlanMemory::capacity,
                    {"bytes of a tile, or of all together behind the edge; null: not known"}),
                row("fits", &PlanMemory::fits_all, {"whether it holds what the plan keeps"})},
               {"the memory that weights, states and activations have their home in"})}),
       {computed<PlannedRun>("stages", planned_stages, {"the stages, in their order"}),
        where<PlannedRun>(
            [](const PlannedRun& run) { return !run.planned->transfers.empty(); },
            computed<PlannedRun>(
                "transfers", transfers_of,
                {"how tensors go between stages of other tensor degrees, by adapters"}))}}));
  return rows;
}

}  // namespace waferloom
