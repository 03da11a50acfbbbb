#include "planner/design_space.h"

#include <algorithm>
#include <cmath>

#include "model/describe.h"
#include "model/run_control.h"
#include "model/text.h"
#include "planner/dfmodel/systems/science_workloads.h"

// Problem: find which chips, memories, links and topologies serve a workload best.
// Idea: build all 80 systems from a base and four lists of what is set over it. Time the workload
// on each: a network by its best plan, the other workloads by closed forms. Divide the achieved
// FLOP/s by peak, price and power. Source: DFModel, section VI-C and Table V. What the paper does
// not print is assumed; design_space.json says what. Cost: a ranking of all plans for each system
// (system_plan.h). Systems are timed in parallel.
namespace waferloom {

std::string_view design_space_json();  // made by CMake

namespace {

constexpr const char* kSpaceFile = "design_space.json";

constexpr OwnForm<planner::DesignChoice> kSet{
    [](const JsonReader& reader, const JsonValue& value, planner::DesignChoice& choice) {
      reader.expect_object(value, "set as an object");
      for (std::size_t i = 0; i < value.keys.size(); ++i) {
        choice.set.push_back({value.keys[i], value.items[i], kSpaceFile, value.at[i]});
      }
    },
    nullptr, nullptr};

constexpr OwnForm<planner::DesignSpace> kBase{
    [](const JsonReader& reader, const JsonValue& value, planner::DesignSpace& space) {
      reader.expect_object(value, "a machine's file as an object");
      space.base = value;
    },
    nullptr, nullptr};

}  // namespace

template <>
const TypeRows& rows_of<planner::DesignChoice>() {
  using planner::DesignChoice;
  static const TypeRows rows = rows_for<DesignChoice>(
      "a choice", {needed("name", &DesignChoice::name), needed(formed("set", kSet)),
                   row("execution", &DesignChoice::execution)});
  return rows;
}

template <>
const TypeRows& rows_of<planner::DesignSpace>() {
  using planner::DesignSpace;
  static const TypeRows rows = rows_for<DesignSpace>(
      "a design space",
      {remark_row("comment"), remark_row("silicon"), needed(formed("base", kBase)),
       needed("chips", &DesignSpace::chips), needed("topologies", &DesignSpace::topologies),
       needed("memories", &DesignSpace::memories), needed("links", &DesignSpace::links)});
  return rows;
}

namespace planner {
namespace {

std::array<const DesignChoice*, 4> choices_at(const DesignPoint& point) {
  const DesignSpace& space = design_space();
  return {&space.chips[point.chip], &space.topologies[point.topology],
          &space.memories[point.memory], &space.links[point.link]};
}

TransformerOperator gpt_layer(bool is_small) {
  TransformerOperator layer;
  layer.sequence = 2048;
  layer.hidden = is_small ? 12288 : 25600;
  layer.heads = is_small ? 96 : 160;
  layer.key_value_heads = layer.heads;
  layer.feed_forward = 4 * layer.hidden;
  return layer;
}

void rate(DesignResult& result, const System& system) {
  if (result.step_s <= 0) return;
  const double achieved = result.flop / result.step_s;
  result.utilisation = achieved / (static_cast<double>(system.chips()) * system.chip.flop_per_s);
  if (system.price_usd() > 0) result.flop_per_usd_s = achieved / system.price_usd();
  if (system.power_w() > 0) result.flop_per_joule = achieved / system.power_w();
}

template <typename Job>
DesignResult planned_result(const Job& job, const System& system, ChipExecution execution,
                            Objective objective) {
  SystemPlanOptions options;
  options.execution = execution;
  const std::vector<SystemPlan> plans = ranked_system_plans(job, system, options, objective);
  DesignResult result;
  result.flop = job.flop();
  result.plan = plans.front();
  const SystemPlan& best = plans.front();
  result.problem = best.problem;
  result.step_s = best.total_s;
  result.compute_s = best.compute_s;
  result.memory_s = best.memory_s;
  result.network_s = best.network_s + best.sent_s;
  result.bubble_s = best.bubble_s;
  return result;
}

DesignResult science_result(const WorkTime& time, const System& system) {
  DesignResult result;
  const std::size_t level = system.memories.empty() ? kSramLevel : kSramLevel + 1;
  if (time.chip_bytes > system.level_bytes(level)) {
    result.problem = system.level_name(level) + " has " +
                     whole_bytes_text(system.level_bytes(level)) + " bytes, and " +
                     whole_bytes_text(time.chip_bytes) + " are needed";
    return result;
  }
  result.flop = time.flop;
  result.step_s = time.total_s();
  result.compute_s = time.compute_s;
  result.memory_s = time.memory_s;
  result.network_s = time.network_s;
  return result;
}

}  // namespace

const DesignSpace& design_space() {
  static const DesignSpace space = read_described<DesignSpace>(
      JsonReader(kSpaceFile), parse_json(design_space_json(), kSpaceFile));
  return space;
}

std::vector<DesignPoint> design_points() {
  const DesignSpace& space = design_space();
  std::vector<DesignPoint> result;
  for (std::size_t chip = 0; chip < space.chips.size(); ++chip) {
    for (std::size_t topology = 0; topology < space.topologies.size(); ++topology) {
      for (std::size_t memory = 0; memory < space.memories.size(); ++memory) {
        for (std::size_t link = 0; link < space.links.size(); ++link) {
          result.push_back({chip, topology, memory, link});
        }
      }
    }
  }
  return result;
}

std::vector<std::string> design_names(const DesignPoint& point) {
  std::vector<std::string> names;
  for (const DesignChoice* choice : choices_at(point)) names.push_back(choice->name);
  return names;
}

System design_system(const DesignPoint& point) {
  MachineChanges changes;
  std::string name;
  for (const DesignChoice* choice : choices_at(point)) {
    changes.set.insert(changes.set.end(), choice->set.begin(), choice->set.end());
    name += (name.empty() ? "" : ", ") + choice->name;
  }
  System system = read_machine({hashed_text(design_space().base), kSpaceFile}, changes).chips;
  system.name = std::move(name);
  std::erase_if(system.dimensions, [](const NetworkDimension& along) { return along.size == 1; });
  return system;
}

std::string_view design_workload_name(DesignWorkload workload) {
  return kDesignWorkloadNames[static_cast<std::size_t>(workload)];
}

TransformerJob design_job(DesignWorkload workload) {
  TransformerJob job;
  const bool is_small = workload == DesignWorkload::gpt3_175b;
  job.name = is_small ? "GPT-3 175B" : "GPT-3 1T";
  job.layer = gpt_layer(is_small);
  job.layers = is_small ? 96 : 128;
  job.batch = is_small ? 2304 : 3072;
  job.training = !is_small;
  return job;
}

DesignWork design_work(DesignWorkload workload) {
  switch (workload) {
    case DesignWorkload::gpt3_175b:
    case DesignWorkload::gpt3_1t:
      return design_job(workload);
    case DesignWorkload::dlrm:
      return DlrmWorkload{};
    case DesignWorkload::hpl:
      return HplWorkload{};
    case DesignWorkload::fft:
      return FftWorkload{};
  }
  return FftWorkload{};
}

DesignResult design_result(const DesignWork& work, const System& system, ChipExecution execution,
                           Objective objective) {
  struct Visitor {
    const System& system;
    ChipExecution execution;
    Objective objective;
    DesignResult operator()(const TransformerJob& job) const {
      return planned_result(job, system, execution, objective);
    }
    DesignResult operator()(const NetworkJob& job) const {
      return planned_result(job, system, execution, objective);
    }
    DesignResult operator()(const DlrmWorkload& dlrm) const {
      return science_result(dlrm_time(dlrm, system), system);
    }
    DesignResult operator()(const HplWorkload& hpl) const {
      return science_result(hpl_time(hpl, system), system);
    }
    DesignResult operator()(const FftWorkload& fft) const {
      return science_result(fft_time(fft, system), system);
    }
  };
  DesignResult result = std::visit(Visitor{system, execution, objective}, work);
  if (result.problem.empty()) rate(result, system);
  return result;
}

std::vector<DesignResult> design_sweep(const DesignWork& work, Objective objective, int threads,
                                       const RunControl& control) {
  // A faulty job throws here, not inside a task.
  if (const auto* job = std::get_if<TransformerJob>(&work)) check_job(*job);
  if (const auto* job = std::get_if<NetworkJob>(&work)) check_job(*job);
  const std::vector<DesignPoint> points = design_points();
  std::vector<DesignResult> results(points.size());
  parallel_tasks(points.size(), threads, [&](std::size_t i) {
    if (control.is_cut()) {
      results[i].problem = "not timed: the run was over";
      return;
    }
    results[i] = design_result(work, design_system(points[i]),
                               design_space().chips[points[i].chip].execution, objective);
  });
  return results;
}

}  // namespace planner
}  // namespace waferloom
