#include "sim/plan_run.h"

#include <algorithm>

namespace waferloom {
namespace {

/// When each stage ends its last task.
class LastTasks : public PipelineObserver {
 public:
  explicit LastTasks(std::size_t stages) : ends_(stages, 0) {}
  void on_task(std::size_t stage, bool, std::int64_t, Picoseconds, Picoseconds end) override {
    ends_[stage] = end;
  }
  void on_shipment(std::size_t, bool, std::int64_t, Picoseconds, Picoseconds) override {}
  Picoseconds end(std::size_t stage) const { return ends_[stage]; }

 private:
  std::vector<Picoseconds> ends_;
};

double ideal(const PlannedPipeline& planned) {
  const Plan& plan = planned.plan;
  const double rate = planned.cut.stage_flop_per_s * static_cast<double>(plan.pipeline) /
                      static_cast<double>(planned.cut.sample_flop);
  if (!plan.trains()) return rate;
  const auto micro_batches = static_cast<double>(plan.micro_batches);
  return rate * micro_batches / (micro_batches + static_cast<double>(plan.pipeline) - 1);
}

}  // namespace

PlanReport simulate_plan(const PlannedPipeline& planned, const Hardware& hardware,
                         const SimulateOptions& options) {
  const Plan& plan = planned.plan;
  const bool trains = plan.trains();
  LastTasks last(planned.tiles.size());
  SimulateOptions own = options;
  own.samples = plan.micro_batches;
  own.extrapolate = options.extrapolate && !trains;
  own.observers.push_back(&last);
  PlanReport report;
  report.run = simulate(planned.spec, hardware, own);
  report.ideal_samples_per_s = ideal(planned);
  report.batch = report.run.makespan;
  for (std::size_t i = 0; trains && i < planned.tiles.size(); ++i) {
    report.batch = std::max(report.batch, later(last.end(i), planned.services[i].update_left));
  }
  const auto samples = static_cast<double>(plan.samples());
  report.samples_per_s = trains ? samples * static_cast<double>(plan.micro_batches) *
                                      static_cast<double>(kPicosecondsPerSecond) /
                                      static_cast<double>(report.batch)
                                : samples * report.run.samples_per_s;
  double computing = 0;
  for (const StageSpec& stage : planned.spec.stages) {
    computing += static_cast<double>(stage.forward - stage.forward_exchange + stage.backward -
                                     stage.backward_exchange);
  }
  computing *= static_cast<double>(plan.micro_batches);
  report.bubble = 1 - computing / (static_cast<double>(std::max<Picoseconds>(1, report.batch)) *
                                   static_cast<double>(planned.spec.stages.size()));
  return report;
}

}  // namespace waferloom
