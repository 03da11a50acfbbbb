#include <nlohmann/json.hpp>

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
  const double there =
      static_cast<double>(usable_tiles(hardware.wafer)) * static_cast<double>(fabric.lanes);
  return multiply_adds * pipeline.samples_per_cycle() / there;
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

Json stage_json(const PipelineStage& stage, const Workload& workload, std::int64_t program) {
  Json json{{"name", stage.name}, {"operators", Json::array()}};
  for (std::size_t i = stage.first; i <= stage.last; ++i) {
    json["operators"].push_back(workload.operators[i].name);
  }
  json.update(shape_json(stage.shapes.front(), program));
  json["shapes"] = stage.shapes.size();
  return json;
}

}  // namespace

Json pipeline_json(const Workload& workload, const Hardware& hardware,
                   const PipelineOptions& options, const WaferPipeline& pipeline) {
  const TileFabric fabric = tile_fabric(hardware, options.data_type);
  Json report = new_report("wafer_plan");
  report["way"] = "pipeline";
  report["workload"] = workload.name;
  report["hardware"] = hardware.name;
  report["data_type"] = options.data_type;
  report["period_cycles"] = pipeline.period_cycles;
  report["samples_per_s"] = pipeline.samples_per_cycle() * static_cast<double>(hardware.clock_hz);
  report["tiles_used"] = pipeline.tiles();
  report["share_of_peak"] = share_of_peak(workload, hardware, fabric, pipeline);
  report["imbalance"] = pipeline.imbalance();
  report["replicas"] = pipeline.replicas;
  report["host_cycles"] = pipeline.bound_cycles;
  report["fill"] = options.fill;
  report["sram_bytes_per_tile"] = *hardware.sram_bytes_per_tile;
  report["stages"] = Json::array();
  for (const PipelineStage& stage : pipeline.stages) {
    report["stages"].push_back(stage_json(stage, workload, fabric.program_bytes));
  }
  report["assumptions"] = {
      "operators take what their closed forms say (docs/operators.md)",
      "tensors lie evenly over the tiles of their stage",
      "an edge between stages holds three samples on the tiles of its consumer",
      "a stage's tensors move while it works; those between its operators do not",
      "a head hands on a number for each token, not its logits"};
  return report;
}

}  // namespace waferloom::planner
