#include "optimize/plans/side_by_side.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "optimize/plans/plan_trial.h"
#include "planner/plan_space.h"
#include "sim/plan_pipeline.h"

// Problem: operators of a stage that do not depend on each other may be faster side by side, each
// on a part of the tiles, than one behind the other on all of them: larger parts, smaller groups.
// Idea: between two operators that all others depend on, a stage falls apart into branches.
// Branches get tiles by their work, and degrees that are best on so many. Two groups, three, and so
// on are priced; what makes the stage shortest stays, one fork after another. Source: PALM
// (arXiv:2406.03868) runs them in parallel; the choice is ours. Cost: a pricing of the whole plan
// for each number of branches of each fork, and set of degrees.
namespace waferloom::optimize {
namespace {

using Operators = std::vector<std::size_t>;  // of the workload, ascending

/// A fork of a stage: branches without dependence on one another, consecutive together.
struct Fork {
  std::size_t part = 0;  ///< stage of the cut
  std::vector<Operators> branches;
};

/// The component that an element belongs to.
class Components {
 public:
  explicit Components(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t at) {
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  void join(std::size_t a, std::size_t b) {
    parent_[std::max(of(a), of(b))] = std::min(of(a), of(b));
  }

 private:
  std::vector<std::size_t> parent_;
};

/// Whether operators of a stage are what all others of it need, or need all others themselves; by
/// place.
std::vector<bool> stand_alone(std::size_t count,
                              const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::vector<std::vector<bool>> needs(count, std::vector<bool>(count, false));
  std::vector<std::size_t> related(count, 0);
  for (const auto& [from, to] : edges) {  // by `to`, ascending
    needs[to][from] = true;
    for (std::size_t i = 0; i < from; ++i) {
      if (needs[from][i]) needs[to][i] = true;
    }
  }
  for (std::size_t at = 0; at < count; ++at) {
    for (std::size_t before = 0; before < at; ++before) {
      if (!needs[at][before]) continue;
      ++related[at];
      ++related[before];
    }
  }
  std::vector<bool> alone(count);
  for (std::size_t at = 0; at < count; ++at) alone[at] = related[at] + 1 == count;
  return alone;
}

/// The forks of a stage: between operators on which all others depend, what falls apart.
std::vector<Fork> forks_of(const Workload& workload, std::size_t part, const Operators& operators) {
  constexpr std::size_t kMostOperators = 2'000;  // of a stage: the relation has their square
  const std::size_t count = operators.size();
  std::vector<Fork> forks;
  if (count > kMostOperators) return forks;
  std::map<std::size_t, std::size_t> place;
  for (std::size_t i = 0; i < count; ++i) place[operators[i]] = i;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::size_t before : workload.operators[operators[i]].after) {
      const auto at = place.find(before);
      if (at != place.end()) edges.emplace_back(at->second, i);
    }
  }
  const std::vector<bool> alone = stand_alone(count, edges);
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin;
    while (end < count && !alone[end]) ++end;
    Components components(count);
    for (const auto& [from, to] : edges) {
      if (from >= begin && to < end) components.join(from, to);
    }
    std::map<std::size_t, Operators> branches;
    for (std::size_t i = begin; i < end; ++i) branches[components.of(i)].push_back(operators[i]);
    if (branches.size() > 1) {
      Fork fork{part, {}};
      for (auto& [first, own] : branches) fork.branches.push_back(std::move(own));
      forks.push_back(std::move(fork));
    }
    begin = end + 1;
  }
  return forks;
}

/// Branches that share tiles, and their work in any unit.
struct Group {
  Operators operators;
  double work = 0;
};

/// The branches in so many groups of even work: the heaviest first, each to the lightest group.
std::vector<Group> grouped(const std::vector<Group>& branches, std::size_t count) {
  std::vector<std::size_t> order(branches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return branches[a].work > branches[b].work;
  });
  std::vector<Group> groups(count);
  for (const std::size_t at : order) {
    Group& lightest =
        *std::min_element(groups.begin(), groups.end(),
                          [](const Group& a, const Group& b) { return a.work < b.work; });
    const Operators& more = branches[at].operators;
    lightest.operators.insert(lightest.operators.end(), more.begin(), more.end());
    lightest.work += branches[at].work;
  }
  for (Group& group : groups) std::sort(group.operators.begin(), group.operators.end());
  return groups;
}

/// How many strips of so many each group has: one, and each further one to the slowest.
std::vector<std::int64_t> strips_by_work(const std::vector<Group>& groups, std::int64_t strips) {
  std::vector<std::int64_t> own(groups.size(), 1);
  for (auto left = strips - static_cast<std::int64_t>(groups.size()); left > 0; --left) {
    std::size_t slowest = 0;
    for (std::size_t i = 1; i < groups.size(); ++i) {
      if (groups[i].work / static_cast<double>(own[i]) >
          groups[slowest].work / static_cast<double>(own[slowest])) {
        slowest = i;
      }
    }
    ++own[slowest];
  }
  return own;
}

class BranchChooser {
 public:
  BranchChooser(const PlanGround& ground, const PlanTrial& trial, const SearchControl& control)
      : ground_(ground), trial_(trial), control_(control), plan_(trial.plan) {}

  std::optional<Plan> run() {
    const auto first = priced(plan_);
    if (!first) return std::nullopt;
    const sim::PlanCut cut = sim::cut_plan(ground_.workload, plan_, ground_.hardware);
    seconds_ = *first;
    for (std::size_t part = 0; part < cut.stages.size(); ++part) {
      for (const Fork& fork : forks_of(ground_.workload, part, cut.stages[part].operators)) {
        add(fork, cut.stages[part].element_cost);
      }
    }
    if (plan_.side_by_side.empty()) return std::nullopt;
    return plan_;
  }

 private:
  /// Seconds of each stage of the cut; nothing where the plan does not fit, or is none.
  std::optional<std::vector<double>> priced(const Plan& plan) const {
    try {
      PlanTrial candidate = trial_;
      candidate.plan = plan;
      const sim::PlannedPipeline planned = pipeline_of(ground_, candidate);
      if (!planned.memory.complaint().empty()) return std::nullopt;
      std::vector<double> seconds;
      for (const sim::StageSpec& stage : planned.spec.stages) {
        seconds.push_back(static_cast<double>(stage.forward + stage.backward));
      }
      return seconds;
    } catch (const RequestError&) {
      return std::nullopt;
    } catch (const InfeasibleError&) {
      return std::nullopt;
    }
  }

  double work_of(const Operators& operators, const ElementCost& cost) const {
    double work = 0;
    for (const std::size_t at : operators) {
      const Operator& op = ground_.workload.operators[at];
      const PaidWork paid = paid_work(count(op.kind), plan_.degrees_of(op).out, cost);
      work += paid.forward + (plan_.trains() ? paid.backward : 0);
    }
    return work;
  }

  /// The degrees of operators on so many tiles a replica, as a search of the whole network has
  /// them; the first are those of the plan itself.
  const std::vector<DegreesByName>& degrees_of(std::int64_t tensor) {
    const auto [at, is_new] = degrees_.try_emplace(tensor);
    if (!is_new) return at->second;
    Plan smaller = plan_;
    smaller.tensor = tensor;
    smaller.stages.clear();
    smaller.side_by_side.clear();
    for (const auto& choose : ground_.degrees.choices(smaller)) {
      smaller.degrees.clear();
      choose(smaller);
      at->second.push_back(smaller.degrees);
    }
    return at->second;
  }

  /// The plan with the degrees of one set for a branch's operators.
  void set_degrees(Plan& plan, const Group& group, const DegreesByName& chosen) const {
    for (const std::size_t at : group.operators) {
      const Operator& op = ground_.workload.operators[at];
      const Degrees* own = chosen.find(op.name);
      plan.degrees[op.name] =
          own != nullptr ? *own
                         : waferloom::degrees_of(op.kind, {.data = plan.of_part(part_).data,
                                                           .tensor = plan.tensor_of(op)});
    }
  }

  void try_groups(const std::vector<Group>& groups, const Rectangle& tiles) {
    // A strip has whole columns, or rows, and as many tiles for each replica.
    const std::int64_t data = plan_.of_part(part_).data;
    const std::int64_t strip = std::lcm(std::min(tiles.width, tiles.height), data);
    const std::int64_t strips = tiles.width * tiles.height / strip;
    if (strips < static_cast<std::int64_t>(groups.size())) return;
    const std::vector<std::int64_t> own = strips_by_work(groups, strips);
    Plan with = plan_;
    SideBySide side_by_side;
    std::vector<std::size_t> sets;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      Branch branch{{}, own[i] * strip / data};
      for (const std::size_t at : groups[i].operators) {
        branch.operators.push_back(ground_.workload.operators[at].name);
      }
      sets.push_back(degrees_of(branch.tensor).size());
      side_by_side.branches.push_back(std::move(branch));
    }
    with.side_by_side.push_back(side_by_side);
    const std::size_t most = *std::max_element(sets.begin(), sets.end());
    for (std::size_t set = 0; set < most; ++set) {
      Plan candidate = with;
      for (std::size_t i = 0; i < groups.size(); ++i) {
        set_degrees(candidate, groups[i],
                    degrees_of(side_by_side.branches[i].tensor)[std::min(set, sets[i] - 1)]);
      }
      keep_if_shorter(candidate);
    }
  }

  void keep_if_shorter(const Plan& candidate) {
    constexpr double kWorthwhile = 0.999;
    control_.end_if_cut();
    const auto seconds = priced(candidate);
    if (!seconds) return;
    const double known = best_ ? best_seconds_[part_] : kWorthwhile * seconds_[part_];
    if ((*seconds)[part_] >= known) return;
    best_ = candidate;
    best_seconds_ = *seconds;
  }

  void add(const Fork& fork, const ElementCost& cost) {
    part_ = fork.part;
    best_.reset();
    std::vector<Group> branches;
    for (const Operators& own : fork.branches) branches.push_back({own, work_of(own, cost)});
    const Rectangle& tiles = trial_.tiles[fork.part % trial_.tiles.size()];
    for (std::size_t count = 2; count <= branches.size() && count <= kMostBranches; ++count) {
      try_groups(grouped(branches, count), tiles);
    }
    if (!best_) return;
    plan_ = *std::move(best_);
    seconds_ = best_seconds_;
  }

  static constexpr std::size_t kMostBranches = 8;

  const PlanGround& ground_;
  const PlanTrial& trial_;
  const SearchControl& control_;
  Plan plan_;
  std::vector<double> seconds_;  // by stage of the cut
  std::map<std::int64_t, std::vector<DegreesByName>> degrees_;
  // Of the fork in hand.
  std::size_t part_ = 0;
  std::optional<Plan> best_;
  std::vector<double> best_seconds_;
};

}  // namespace

std::optional<Plan> with_branches(const PlanGround& ground, const PlanTrial& trial,
                                  const SearchControl& control) {
  if (trial.plan.schedule == Schedule::interleaved) return std::nullopt;
  return BranchChooser(ground, trial, control).run();
}

}  // namespace waferloom::optimize
