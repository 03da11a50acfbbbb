#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/mesh.h"
#include "planner/tile_operators.h"
#include "planner/wafer/stage_fronts.h"
#include "planner/wafer_pipeline.h"

namespace waferloom::planner {
namespace {

/// Multiply-adds of a sample over what all live tiles could do in its time.
double share_of_peak(const Workload& workload, const Hardware& hardware, const TileFabric& fabric,
                     const WaferPipeline& pipeline) {
  double multiply_adds = 0;
  for (const Operator& op : workload.operators) {
    multiply_adds += static_cast<double>(count(op.kind).matrix_flop) / 2;
  }
  const double there = static_cast<double>(Living(hardware).joined_tiles()) * fabric.lanes;
  return multiply_adds * pipeline.samples_per_cycle() / there;
}

/// Samples a second if all live tiles did nothing but multiply and add, and if only the ports took
/// time; null: without a limit.
Json roofline_json(const Workload& workload, const Hardware& hardware, const TileFabric& fabric,
                   const WaferPipeline& pipeline) {
  const double rate = pipeline.samples_per_cycle() * static_cast<double>(hardware.clock_hz);
  Json ports = nullptr;
  double most = 0;
  for (const NamedBound& bound : pipeline.outside) {
    if (bound.kind != "link") most = std::max(most, bound.seconds);
  }
  if (most > 0) ports = 1 / most;
  return {{"samples_per_s", rate / share_of_peak(workload, hardware, fabric, pipeline)},
          {"ports_samples_per_s", ports}};
}

Json shape_json(const StageShape& shape, std::int64_t program) {
  return {{"rows", shape.rows},
          {"columns", shape.columns},
          {"cycles", shape.cycles},
          {"edge_cycles", shape.edge_cycles},
          {"bytes_per_tile",
           {{"weights", shape.weights},
            {"activations", shape.scratch + shape.buffers},
            {"program", program}}}};
}

Json product_json(const ProductWay& way) {
  return {{"name", way.name},
          {"m", way.shape.m},
          {"k", way.shape.k},
          {"n", way.shape.n},
          {"algorithm", kGemmAlgorithmNames[static_cast<std::size_t>(way.algorithm)]},
          {"within", {{"rows", way.within.rows}, {"columns", way.within.columns}}},
          {"part", {{"rows", way.part.rows}, {"columns", way.part.columns}}},
          {"rows_a_copy", way.rows},
          {"turns", way.turns}};
}

/// Writes what stages do on their smallest rectangles.
class StageWriter {
 public:
  StageWriter(const Workload& workload, const Hardware& hardware, const TileFabric& fabric)
      : workload_(workload),
        fabric_(fabric),
        room_(*hardware.sram_bytes_per_tile - fabric.program_bytes) {}

  Json stage(const PipelineStage& stage) const {
    const StageShape& shape = stage.shapes.front();
    Json json{{"name", stage.name}};
    json.update(shape_json(shape, fabric_.program_bytes));
    json["shapes"] = stage.shapes.size();
    json["operators"] = Json::array();
    for (std::size_t i = stage.first; i <= stage.last; ++i) {
      const Operator& op = workload_.operators[i];
      const OperatorWay way =
          operator_way(fabric_, op.kind, {shape.rows, shape.columns}, room_, shape.budget);
      Json products = Json::array();
      for (const ProductWay& product : way.products) products.push_back(product_json(product));
      json["operators"].push_back({{"name", op.name},
                                   {"block_tokens", way.tokens > 0 ? Json(way.tokens) : Json()},
                                   {"products", std::move(products)}});
    }
    return json;
  }

 private:
  const Workload& workload_;
  const TileFabric& fabric_;
  std::int64_t room_;
};

}  // namespace

std::vector<TrustRow> pipeline_trust(const Hardware& hardware, const std::string& data_type,
                                     const KeptNumbers& kept) {
  return trust_card(hardware, data_type,
                    {{"products", "gemm", "weight-stationary"}, {"period", "pipeline", ""}}, kept);
}

Json pipeline_json(const Workload& workload, const Hardware& hardware,
                   const PipelineOptions& options, const WaferPipeline& pipeline) {
  const TileFabric fabric = tile_fabric(hardware, options.data_type, workload.kept);
  Json report = new_report("wafer_plan");
  report["way"] = "pipeline";
  report["workload"] = workload.name;
  report["hardware"] = hardware.name;
  report["data_type"] = options.data_type;
  add_kept(report, workload.kept);
  report["period_cycles"] = pipeline.period_cycles;
  report["samples_per_s"] = pipeline.samples_per_cycle() * static_cast<double>(hardware.clock_hz);
  report["bottleneck"] = bottleneck_json(pipeline_bottleneck(hardware, pipeline));
  report["roofline"] = roofline_json(workload, hardware, fabric, pipeline);
  report["tiles_used"] = pipeline.tiles();
  report["share_of_peak"] = share_of_peak(workload, hardware, fabric, pipeline);
  report["imbalance"] = pipeline.imbalance();
  report["replicas"] = pipeline.replicas;
  report["host_cycles"] = pipeline.bound_cycles;
  report["fill"] = options.fill;
  report["sram_bytes_per_tile"] = *hardware.sram_bytes_per_tile;
  report["stages"] = Json::array();
  const StageWriter writer(workload, hardware, fabric);
  for (const PipelineStage& stage : pipeline.stages) {
    report["stages"].push_back(writer.stage(stage));
  }
  report["assumptions"] = {
      "operators take what their closed forms say (docs/operators.md)",
      "tensors lie evenly over the tiles of their stage",
      "an edge between stages holds three samples on the tiles of its consumer",
      "a stage's tensors move while it works; those between its operators do not",
      "a head hands on a number for each token, not its logits"};
  report["trust"] = trust_json(pipeline_trust(hardware, options.data_type, workload.kept));
  return report;
}

}  // namespace waferloom::planner
