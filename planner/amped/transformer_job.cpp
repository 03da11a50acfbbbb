#include <variant>

#include "model/errors.h"
#include "planner/network/network_keys.h"
#include "planner/system_plan.h"

namespace waferloom::planner {
TransformerJob transformer_job(const Workload& workload, double batch, bool training) {
  demand_known(workload, NetworkUser::systems);
  TransformerJob job;
  job.name = workload.name;
  job.layers = 0;
  job.batch = batch;
  job.training = training;
  for (const Operator& op : workload.operators) {
    const auto* layer = std::get_if<TransformerOperator>(&op.kind);
    if (layer == nullptr) continue;
    if (job.layers > 0 && !are_alike(*layer, job.layer)) {
      throw RequestError("expected transformer layers that are all alike, found that " + op.name +
                         " of " + workload.name + " differs");
    }
    job.layer = *layer;
    ++job.layers;
  }
  if (job.layers < 1) {
    throw RequestError("expected transformer layers, found none in " + workload.name);
  }
  return job;
}

}  // namespace waferloom::planner
