#include <algorithm>
#include <cmath>

#include "sim/pipeline/pipeline_routes.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {
namespace {

/// Links are never kept whole: what crosses a stage still has to get through.
constexpr double kMostKept = 90;

std::int64_t kept_percent(const PipelineSpec& spec, std::int64_t period_ps) {
  std::vector<double> exchange(spec.worker_count(), 0);
  for (std::size_t i = 0; i < spec.stages.size(); ++i) {
    const StageSpec& stage = spec.stages[i];
    exchange[spec.worker(i)] +=
        static_cast<double>(stage.forward_exchange + (spec.training ? stage.backward_exchange : 0));
  }
  const double most = *std::max_element(exchange.begin(), exchange.end());
  const double percent = 100 * most / std::max(1.0, static_cast<double>(period_ps));
  return static_cast<std::int64_t>(std::ceil(std::min(percent, kMostKept)));
}

}  // namespace

Traffic plan_traffic(const PlannedPipeline& planned, const Hardware& hardware) {
  Traffic traffic = pipeline_traffic(planned.spec, hardware, planned.tiles);
  traffic.kernel_link_percent = kept_percent(planned.spec, traffic.period_ps);
  traffic.samples_each = planned.plan.samples();
  return traffic;
}

void set_plan_routes(PlannedPipeline& planned, const Hardware& hardware, const Routes& routes) {
  set_routes(planned.spec, hardware, routes);
}

}  // namespace waferloom::sim
