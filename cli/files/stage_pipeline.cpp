#include "cli/files/stage_pipeline.h"

#include "cli/files/input_file.h"
#include "cli/options/search_control.h"
#include "sim/plan_pipeline.h"

namespace waferloom::cli {

sim::PlannedPipeline read_stage_pipeline(const PlannedNetwork& planned,
                                         const StagePipelineOptions& options,
                                         const CommonOptions& common, Warnings& warnings) {
  const std::optional<std::string>& placement = options.placement;
  const Plan& plan = *planned.cut();
  const std::vector<Rectangle> tiles = blaming(planned, [&] {
    sim::cut_plan(planned.workload, plan, planned.hardware);  // what is wrong with the plan itself
    if (!placement) return sim::lay_out_stages(plan, planned.hardware);
    return read_stage_tiles(*placement, plan, planned.hardware, common, warnings);
  });
  const auto pipeline = [&] {
    return sim::plan_pipeline(planned.workload, plan, planned.hardware, tiles, options.contention,
                              options.memory_model, run_control(common));
  };
  if (placement) return blaming(source_name(*placement), pipeline);
  return blaming(planned, pipeline);
}

}  // namespace waferloom::cli
