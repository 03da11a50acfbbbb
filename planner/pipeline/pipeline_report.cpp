#include <algorithm>

#include "kernels/tile_parts.h"
#include "model/describe.h"
#include "model/mesh.h"
#include "planner/pipeline/stage_cost.h"
#include "planner/tile_operators.h"
#include "planner/wafer/plan_rows.h"
#include "planner/wafer_pipeline.h"

namespace waferloom {
namespace planner {
namespace {

struct PipelineReport {
  const Workload* workload;
  const Hardware* hardware;
  const PipelineOptions* options;
  const WaferPipeline* pipeline;
  TileFabric fabric;
  PipelineRates rates;
};

/// A stage on the smallest of its rectangles.
struct LaidStage {
  const PipelineReport* report;
  const PipelineStage* stage;
  const StageShape& shape() const { return stage->shapes.front(); }
};

struct StageOperator {
  std::string_view name;
  OperatorWay way;
};

std::vector<LaidStage> laid_stages(const PipelineReport& report) {
  std::vector<LaidStage> stages;
  for (const PipelineStage& stage : report.pipeline->stages) stages.push_back({&report, &stage});
  return stages;
}

std::vector<StageOperator> stage_operators(const LaidStage& laid) {
  const PipelineReport& report = *laid.report;
  const StageShape& shape = laid.shape();
  const std::int64_t room = *report.hardware->sram_bytes_per_tile - report.fabric.program_bytes;
  std::vector<StageOperator> operators;
  for (std::size_t i = laid.stage->first; i <= laid.stage->last; ++i) {
    const Operator& op = report.workload->operators[i];
    operators.push_back({op.name, operator_way(report.fabric, op.kind, {shape.rows, shape.columns},
                                               room, shape.budget)});
  }
  return operators;
}

std::vector<PlannedTiles> left_out_tiles(const PipelineReport& report) {
  std::vector<PlannedTiles> tiles;
  for (const Rectangle& area : report.pipeline->left_out) tiles.push_back({area});
  return tiles;
}

std::optional<std::int64_t> block_tokens(const StageOperator& laid) {
  return laid.way.tokens > 0 ? std::optional(laid.way.tokens) : std::nullopt;
}

std::vector<std::string_view> pipeline_assumptions(const PipelineReport& of) {
  std::vector<std::string_view> all{
      "operators take what their closed forms say (docs/operators.md)",
      "tensors lie evenly over the tiles of their stage",
      "an edge between stages holds three samples on the tiles of its consumer",
      "a stage's tensors move while it works; those between its operators do not",
      "a head hands on a number for each token, not its logits"};
  if (of.pipeline->trains()) {
    all.insert(all.end(),
               {"backward takes twice as long as forward",
                "a stage keeps what backward needs of two samples for each stage from it on",
                "every copy of a weight has a gradient; states lie evenly over the tiles",
                "gradients of copies and replicas are summed behind a batch, nothing beside it"});
  }
  return all;
}

/// Of each stage.
Row stage_bytes_row() {
  const auto shape = [](const LaidStage& laid) -> const StageShape& { return laid.shape(); };
  const auto activations = [](const StageShape& at) { return at.scratch + at.buffers + at.kept; };
  const auto program = [](const LaidStage& laid) { return laid.report->fabric.program_bytes; };
  return group(
      "bytes_per_tile",
      joined({through<LaidStage>(
                  shape, {row("weights", &StageShape::weights,
                              {"bytes of weights, of all copies", kCount}),
                          computed<StageShape>("activations", activations,
                                               {"bytes of blocks under way, of tensors inside, "
                                                "of three samples of the inputs, and in training "
                                                "of what backward needs of samples under way",
                                                kCount}),
                          row("states", &StageShape::states,
                              {"in training, bytes of the weights' gradients and of what the "
                               "optimizer keeps",
                               kCount})}),
              {computed<LaidStage>("program", program, {"bytes of the program", kCount})}}),
      {"bytes on a tile of the stage"});
}

std::vector<Row> pipeline_head_rows() {
  const auto workload = [](const PipelineReport& of) -> const Workload& { return *of.workload; };
  const auto hardware = [](const PipelineReport& of) -> const Hardware& { return *of.hardware; };
  const auto options = [](const PipelineReport& of) -> const PipelineOptions& {
    return *of.options;
  };
  return joined(
      {plan_head_rows<PipelineReport>(
           "pipeline",
           [](const PipelineReport& of) { return made_for(*of.workload, *of.hardware); }),
       through<PipelineReport>(workload,
                               {row("workload", &Workload::name, {"name of the workload"})}),
       through<PipelineReport>(hardware,
                               {row("hardware", &Hardware::name, {"name of the hardware"})}),
       through<PipelineReport>(options, {row("data_type", &PipelineOptions::data_type,
                                             {"type of numbers that are computed with"})}),
       through<PipelineReport>(workload, {kept_row()})});
}

std::vector<Row> pipeline_rate_rows() {
  using Of = PipelineReport;
  const auto pipeline = [](const Of& of) -> const WaferPipeline& { return *of.pipeline; };
  const auto rates = [](const Of& of) -> const PipelineRates& { return of.rates; };
  const auto bottleneck = [](const Of& of) {
    return pipeline_bottleneck(*of.hardware, *of.pipeline);
  };
  return joined(
      {through<Of>(
           pipeline,
           {row("batch", &WaferPipeline::batch,
                {"in training, samples of a batch of all replicas; 0: forward alone", kCount}),
            row("period_cycles", &WaferPipeline::period_cycles,
                {"cycles from one sample of a replica to its next", kPositiveCount}),
            computed<WaferPipeline>(
                "batch_cycles",
                [](const WaferPipeline& of) {
                  return of.trains() ? std::optional(of.batch_cycles()) : std::nullopt;
                },
                {"in training, cycles of a batch: the pipeline fills, drains and changes its "
                 "weights; null: forward alone",
                 kPositiveCount})}),
       through<Of>(rates, {row("samples_per_s", &PipelineRates::samples_per_s,
                               {"samples a second of all replicas, in training over whole batches",
                                kAboveZero})}),
       {computed<Of>("bottleneck", bottleneck, {kBottleneckMeaning}),
        group("roofline",
              through<Of>(rates,
                          {row("samples_per_s", &PipelineRates::roof_samples_per_s,
                               {"samples a second if all tiles that are not dead did nothing but "
                                "multiply and add; 0: nothing is multiplied",
                                kAmount}),
                           row("ports_samples_per_s", &PipelineRates::ports_samples_per_s,
                               {"samples a second if only the ports took time, for inputs and "
                                "outputs of samples; null: no limit",
                                kAmount})}),
              {"the rates that no plan exceeds"})},
       through<Of>(pipeline, {row("tiles_used", &WaferPipeline::tiles,
                                  {"tiles of all stages and replicas", kPositiveCount})}),
       through<Of>(rates, {row("share_of_peak", &PipelineRates::share_of_peak,
                               {"multiply-adds of products, as a share of what all tiles that are "
                                "not dead could do",
                                RealRange{0, 1}})})});
}

std::vector<Row> pipeline_stage_rows() {
  using Of = PipelineReport;
  const auto pipeline = [](const Of& of) -> const WaferPipeline& { return *of.pipeline; };
  const auto fill = [](const Of& of) { return of.options->fill; };
  const auto memory = [](const Of& of) { return *of.hardware->sram_bytes_per_tile; };
  const auto trust = [](const Of& of) {
    return pipeline_trust(*of.hardware, *of.options, of.workload->kept);
  };
  return joined(
      {through<Of>(pipeline,
                   {row("imbalance", &WaferPipeline::imbalance,
                        {"(longest − mean) / longest of the stages' cycles", RealRange{0, 1}}),
                    row("replicas", &WaferPipeline::replicas,
                        {"copies of the network, each with samples of its own", kPositiveCount}),
                    row("host_cycles", &WaferPipeline::bound_cycles,
                        {"cycles in which ports and links between groups move a sample of all "
                         "replicas, so that no period is shorter; 0: no limit",
                         kCount})}),
       {computed<Of>("fill", fill,
                     {"share of the tiles that are not dead that stages may take",
                      RealRange{kAboveZero.least, 1}}),
        computed<Of>("sram_bytes_per_tile", memory, {"bytes of a tile's memory", kPositiveCount}),
        computed<Of>("left_out", left_out_tiles, {"tiles that stages keep off"}),
        computed<Of>("stages", laid_stages,
                     {.meaning = "the stages, each on the smallest of its rectangles",
                      .items = kPositiveCount}),
        computed<Of>("assumptions", pipeline_assumptions, {"what the plan takes for granted"}),
        computed<Of>("trust", trust, {kTrustMeaning})}});
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::ProductWay>() {
  using planner::ProductWay;
  const auto shape = [](const ProductWay& way) -> const GemmShape& { return way.shape; };
  static const TypeRows rows = report_rows(joined(
      {{row("name", &ProductWay::name, {"name of the product"})},
       through<ProductWay>(
           shape,
           {row("m", &GemmShape::m, {"rows of the left side and of the output", kPositiveCount}),
            row("k", &GemmShape::k,
                {"columns of the left side, rows of the right side", kPositiveCount}),
            row("n", &GemmShape::n,
                {"columns of the right side and of the output", kPositiveCount})}),
       {row("algorithm", &ProductWay::algorithm, {"algorithm on the tiles"}),
        row("within", &ProductWay::within,
            {"where its copies lie: the stage, or a head's part of it"}),
        row("part", &ProductWay::part,
            {"tiles of a copy of its weights, as the algorithm sees them"}),
        row("rows_a_copy", &ProductWay::rows, {"of m, rows that a copy works on", kPositiveCount}),
        row("turns", &ProductWay::turns,
            {"heads that a part does one after another", kPositiveCount})}}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::StageOperator>() {
  using planner::OperatorWay;
  using planner::StageOperator;
  const auto way = [](const StageOperator& laid) -> const OperatorWay& { return laid.way; };
  static const TypeRows rows = report_rows(joined(
      {{row("name", &StageOperator::name, {"name of the operator"}),
        computed<StageOperator>(
            "block_tokens", planner::block_tokens,
            {"tokens that are worked on together; null: the sample as a whole", kPositiveCount})},
       through<StageOperator>(
           way, {row("products", &OperatorWay::products, {"its matrix products"})})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::StageShape>() {
  using planner::StageShape;
  static const TypeRows rows = report_rows(
      {row("rows", &StageShape::rows, {"rows of tiles", kPositiveCount}),
       row("columns", &StageShape::columns, {"columns of tiles", kPositiveCount}),
       row("cycles", &StageShape::cycles,
           {"cycles of a sample, in training forward and backward", kPositiveCount}),
       row("edge_cycles", &StageShape::edge_cycles,
           {"cycles that its tensors take over the lanes of its shorter side", kCount}),
       row("weights", &StageShape::weights, {"bytes of weights on a tile", kCount}),
       row("scratch", &StageShape::scratch,
           {"bytes of blocks under way and of tensors inside, on a tile", kCount}),
       row("buffers", &StageShape::buffers, {"bytes of samples that wait, on a tile", kCount}),
       row("kept", &StageShape::kept,
           {"in training, bytes that backward needs of samples under way, on a tile", kCount}),
       row("states", &StageShape::states,
           {"in training, bytes of gradients and of what the optimizer keeps, on a tile", kCount}),
       row("update_cycles", &StageShape::update_cycles,
           {"in training, cycles behind the last sample of a batch until weights are changed",
            kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::LaidStage>() {
  using planner::LaidStage;
  using planner::PipelineStage;
  using planner::StageShape;
  const auto shape = [](const LaidStage& laid) -> const StageShape& { return laid.shape(); };
  const auto stage = [](const LaidStage& laid) -> const PipelineStage& { return *laid.stage; };
  static const TypeRows rows = report_rows(joined(
      {through<LaidStage>(stage, {row("name", &PipelineStage::name, {"name of the stage"})}),
       through<LaidStage>(
           shape,
           {row("rows", &StageShape::rows, {"rows of tiles", kPositiveCount}),
            row("columns", &StageShape::columns, {"columns of tiles", kPositiveCount}),
            row("cycles", &StageShape::cycles,
                {"cycles of a sample, in training forward and backward", kPositiveCount}),
            row("edge_cycles", &StageShape::edge_cycles,
                {"cycles that its tensors take over the lanes of its shorter side", kCount})}),
       {planner::stage_bytes_row()},
       through<LaidStage>(stage, {row("shapes", &PipelineStage::shapes,
                                      {.meaning = "rectangles that keep up with the period, the "
                                                  "smallest first; place takes one of them",
                                       .items = kPositiveCount})}),
       {computed<LaidStage>("operators", planner::stage_operators,
                            {.meaning = "its operators", .items = kPositiveCount})}}));
  return rows;
}

namespace planner {

const TypeRows& pipeline_plan_rows() {
  static const TypeRows rows = report_rows(joined({pipeline_head_rows(),
                                                   pipeline_rate_rows(),
                                                   pipeline_stage_rows(),
                                                   {later_row(made_by_row())}}));
  return rows;
}

std::vector<TrustRow> pipeline_trust(const Hardware& hardware, const PipelineOptions& options,
                                     const KeptNumbers& kept) {
  std::vector<TrustRow> rows =
      trust_card(hardware, options.data_type,
                 {{"products", "gemm", "weight-stationary"}, {"period", "pipeline", ""}}, kept);
  if (options.trains()) {
    rows.push_back({"backward", "assumed",
                    "twice as long as forward; no pipeline that trains was measured on a wafer"});
  }
  return rows;
}

PipelineRates pipeline_rates(const Workload& workload, const Hardware& hardware,
                             const PipelineOptions& options, const WaferPipeline& pipeline) {
  const TileFabric fabric = tile_fabric(hardware, options.data_type, workload.kept);
  double multiply_adds = 0;
  for (const Operator& op : workload.operators) {
    multiply_adds += static_cast<double>(count(op.kind).matrix_flop) / 2;
  }
  if (pipeline.trains()) multiply_adds *= as_double(kTrainingPasses);
  const double there = static_cast<double>(Living(hardware).joined_tiles()) * fabric.lanes;
  PipelineRates rates;
  rates.samples_per_s = pipeline.samples_per_cycle() * static_cast<double>(hardware.clock_hz);
  rates.share_of_peak = multiply_adds * pipeline.samples_per_cycle() / there;
  if (multiply_adds > 0) rates.roof_samples_per_s = rates.samples_per_s / rates.share_of_peak;
  double slowest = 0;
  for (const NamedBound& bound : pipeline.outside) {
    if (bound.kind != "link") slowest = std::max(slowest, bound.seconds);
  }
  if (slowest > 0) rates.ports_samples_per_s = 1 / slowest;
  rates.program_bytes = fabric.program_bytes;
  return rates;
}

Report pipeline_report(const Workload& workload, const Hardware& hardware,
                       const PipelineOptions& options, const WaferPipeline& pipeline) {
  const PipelineReport report{&workload,
                              &hardware,
                              &options,
                              &pipeline,
                              tile_fabric(hardware, options.data_type, workload.kept),
                              pipeline_rates(workload, hardware, options, pipeline)};
  return rows_report(pipeline_plan_rows(), &report);
}

}  // namespace planner
}  // namespace waferloom
