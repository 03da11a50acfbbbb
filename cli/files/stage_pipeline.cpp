#include "cli/files/stage_pipeline.h"

#include "cli/files/input_file.h"
#include "cli/options/search_control.h"
#include "sim/plan_pipeline.h"

namespace waferloom::cli {

sim::PlannedPipeline read_stage_pipeline(const Workload& workload, const PlanFile& file,
                                         const Hardware& hardware,
                                         const StagePipelineOptions& options,
                                         const CommonOptions& common, Warnings& warnings) {
  const std::optional<std::string>& placement = options.placement;
  const std::vector<Rectangle> tiles = blaming(file, [&] {
    sim::cut_plan(workload, file.plan, hardware);  // what is wrong with the plan itself
    if (!placement) return sim::lay_out_stages(file.plan, hardware);
    return read_stage_tiles(*placement, file.plan, hardware, common, warnings);
  });
  const auto planned = [&] {
    return sim::plan_pipeline(workload, file.plan, hardware, tiles, options.contention,
                              options.memory_model, run_control(common));
  };
  if (placement) return blaming(source_name(*placement), planned);
  return blaming(file, planned);
}

}  // namespace waferloom::cli
