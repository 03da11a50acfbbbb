#include "sim/from_plan/stage_branches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/errors.h"
#include "sim/from_plan/plan_cut.h"
#include "sim/tile_groups.h"

// Problem: operators of a stage that do not need each other wait for each other.
// Idea: a branch is a stage of its own on a part of the stage's tiles. A group of branches takes as
// long as the longest. Tensors between a branch and the rest move over the mesh: an operator on
// fewer tiles has larger parts.
// Source: PALM (arXiv:2406.03868) runs operators without dependence in parallel; parts of the
// rectangle are ours. Cost: a pricing of each branch, and O(tiles) flows a tensor, O(tiles²) where
// the cut changes.
namespace waferloom::sim {
namespace {

using When = ExchangeUse::When;

[[noreturn]] void fail(const std::string& message) {
  throw PlanFault({"side_by_side"}, "side_by_side: " + message);
}

/// The tiles of a stage in the order of the parts of an operator with these degrees.
TileGroup tiles_by_part(const Plan& plan, const Hardware& hardware, const Rectangle& tiles,
                        Degrees cut) {
  if (cut.product() != plan.tiles()) cut = {.batch = plan.data, .out = plan.tensor};
  TileGroup all;
  for (const TileGroup& group : stage_groups(tiles, {cut.out * cut.in, cut.replicas()}, plan.groups,
                                             {hardware.group_columns, hardware.group_rows})
                                    .tensor) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

/// Whether two cuts differ in how many parts one dimension has, and in nothing else.
bool are_cut_alike(const Degrees& a, const Degrees& b) {
  const int different = (a.batch != b.batch ? 1 : 0) + (a.rows != b.rows ? 1 : 0) +
                        (a.out != b.out ? 1 : 0) + (a.in != b.in ? 1 : 0);
  return different <= 1;
}

void check_moves(std::int64_t flows) {
  constexpr std::int64_t kMostMoves = 2'000'000;
  if (flows <= kMostMoves) return;
  fail(fmt::format("a tensor to or from a branch would take {} flows, more than {}", flows,
                   kMostMoves));
}

/// Flows that bring a tensor from the parts of one list of tiles to those of another.
Phases moved(const TileGroup& from, const TileGroup& to, bool in_order) {
  const auto sources = static_cast<std::int64_t>(from.size());
  const auto targets = static_cast<std::int64_t>(to.size());
  check_moves(in_order ? std::max(sources, targets) : sources * targets);
  Phase phase;
  const auto add = [&](std::int64_t a, std::int64_t b, const Share& share) {
    const TilePlace& source = from[static_cast<std::size_t>(a)];
    const TilePlace& target = to[static_cast<std::size_t>(b)];
    if (!(source == target)) phase.flows.push_back({source, target, share});
  };
  if (!in_order) {
    for (std::int64_t a = 0; a < sources; ++a) {
      for (std::int64_t b = 0; b < targets; ++b) add(a, b, {1, sources * targets});
    }
  } else {
    // Of the tensor as a line both lists have equal pieces: pieces that overlap move.
    for (const SharedPiece& piece : shared_pieces(sources, targets)) {
      add(static_cast<std::int64_t>(piece.from), static_cast<std::int64_t>(piece.to), piece.share);
    }
  }
  return {std::move(phase)};
}

/// The same where every tile of the second list needs all that its replica has. `is_whole`: every
/// tile of the first has it as well; else each has a part.
Phases spread(const TileGroup& from, const TileGroup& to, std::int64_t replicas, bool is_whole) {
  const auto sources = static_cast<std::int64_t>(from.size());
  const auto targets = static_cast<std::int64_t>(to.size());
  check_moves(is_whole ? targets : targets * (sources / replicas));
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> replica_on;  // by place
  for (std::int64_t a = 0; a < sources; ++a) {
    const TilePlace& source = from[static_cast<std::size_t>(a)];
    replica_on[{source.x, source.y}] = a * replicas / sources;
  }
  Phase phase;
  for (std::int64_t b = 0; b < targets; ++b) {
    const TilePlace& target = to[static_cast<std::size_t>(b)];
    if (is_whole) {
      // Who has it keeps it; others take it from tiles in their order.
      const auto known = replica_on.find({target.x, target.y});
      if (known != replica_on.end() && known->second == b * replicas / targets) continue;
      const TilePlace& source = from[static_cast<std::size_t>(b * sources / targets)];
      phase.flows.push_back({source, target, {1, replicas}});
      continue;
    }
    const std::int64_t parts = sources / replicas;
    const std::int64_t first = b / (targets / replicas) * parts;
    for (std::int64_t a = first; a < first + parts; ++a) {
      const TilePlace& source = from[static_cast<std::size_t>(a)];
      if (!(source == target)) phase.flows.push_back({source, target, {1, sources}});
    }
  }
  return {std::move(phase)};
}

const StageSums& sums_of(const Workload& workload, const Plan& own, ExchangeCache& exchanges,
                         const StageWork& work, const Rectangle& tiles) {
  return exchanges.of(own, tiles, cuts_in(workload, own, work));
}

/// Adds the times of a group's branches to those of the rest of their stage.
class BranchSum {
 public:
  BranchSum(const Workload& workload, const Plan& own, ExchangeCache& exchanges,
            const Rectangle& tiles, StageService service)
      : workload_(workload),
        own_(own),
        exchanges_(exchanges),
        tiles_(tiles),
        service_(std::move(service)) {}

  void add_group(const std::vector<StageBranch>& group) {
    StageService forward;   // of the branch that takes longest
    StageService backward;  // likewise
    Picoseconds update = 0;
    Picoseconds update_left = 0;
    for (const StageBranch& branch : group) {
      StageService priced = service_of(branch);
      update = std::max(update, priced.update);
      update_left = std::max(update_left, priced.update_left);
      if (priced.forward > forward.forward) forward = priced;
      if (priced.backward > backward.backward) backward = priced;
      for (ExchangeUse& use : priced.exchanges) {
        use.tiles = branch.tiles;
        service_.exchanges.push_back(std::move(use));
      }
    }
    add(service_.forward, forward.forward);
    add(service_.forward_exchange, forward.forward_exchange);
    add(service_.backward, backward.backward);
    add(service_.backward_exchange, backward.backward_exchange);
    add(service_.recompute, backward.recompute);
    // Of both directions together; a branch may be the longest in one of them alone.
    const StageService& longer = own_.trains() ? backward : forward;
    add(service_.tensor_exchange, longer.tensor_exchange);
    add(service_.data_exchange, longer.data_exchange);
    add(service_.update, update);
    add(service_.update_left, update_left);
  }

  /// Moves what the operators of a branch take of the rest of the stage, and others of them.
  void add_moves(const StageParts& parts) {
    std::map<std::size_t, const StageBranch*> at;
    for (const std::size_t op : parts.on_all_tiles.operators) at[op] = nullptr;
    for (const auto& group : parts.groups) {
      for (const StageBranch& branch : group) {
        for (const std::size_t op : branch.work.operators) at[op] = &branch;
      }
    }
    // A tensor moves to a branch, or to the rest, once.
    std::map<std::pair<std::size_t, const StageBranch*>, std::size_t> moves;
    for (const auto& [op, to] : at) {
      for (const std::size_t before : workload_.operators[op].after) {
        const auto from = at.find(before);
        if (from != at.end() && from->second != to) moves.try_emplace({before, to}, op);
      }
    }
    std::vector<std::pair<std::size_t, std::size_t>> ordered;  // by operators: no address counts
    for (const auto& [key, op] : moves) ordered.emplace_back(key.first, op);
    std::sort(ordered.begin(), ordered.end());
    for (const auto& [before, op] : ordered) add_move(before, at.at(before), op, at.at(op));
  }

  StageService take() { return std::move(service_); }

 private:
  static void add(Picoseconds& sum, Picoseconds more) { sum = later(sum, more); }

  StageService service_of(const StageBranch& branch) const {
    return stage_service(workload_, branch.plan, exchanges_.hardware(), branch.work,
                         sums_of(workload_, branch.plan, exchanges_, branch.work, branch.tiles));
  }

  TileGroup tiles_of(std::size_t op, const StageBranch* branch) const {
    const Plan& plan = branch == nullptr ? own_ : branch->plan;
    return tiles_by_part(plan, exchanges_.hardware(), branch == nullptr ? tiles_ : branch->tiles,
                         plan.degrees_of(workload_.operators[op]));
  }

  void add_move(std::size_t before, const StageBranch* from, std::size_t op,
                const StageBranch* to) {
    const Operator& source = workload_.operators[before];
    const std::int64_t bytes =
        tensor_bytes(exchanges_.hardware(), Int128(count(source.kind).output) * own_.samples());
    const Operator& taker = workload_.operators[op];
    const bool in_order = are_cut_alike(own_.degrees_of(source), own_.degrees_of(taker));
    const TileGroup sources = tiles_of(before, from);
    const TileGroup targets = tiles_of(op, to);
    const bool is_made_whole = makes_whole(own_, source);
    const bool is_taken_whole = takes_whole(own_, taker);
    const auto way = [&](const TileGroup& first, const TileGroup& second, bool has, bool needs) {
      return needs ? spread(first, second, own_.data, has) : moved(first, second, in_order);
    };
    add_flows(When::forward, way(sources, targets, is_made_whole, is_taken_whole), bytes,
              exchanges_, service_);
    if (!own_.trains()) return;
    add_flows(When::backward, way(targets, sources, is_taken_whole, is_made_whole), bytes,
              exchanges_, service_);
  }

  const Workload& workload_;
  const Plan& own_;
  ExchangeCache& exchanges_;
  const Rectangle& tiles_;
  StageService service_;
};

/// Whether so many tiles each are whole lines of so many.
bool are_lines(const std::vector<std::int64_t>& sizes, std::int64_t line) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [&](std::int64_t size) { return size % line == 0; });
}

/// The parts of a rectangle that hold so many tiles each, in whole columns or rows.
std::vector<Rectangle> strips_of(const Rectangle& tiles, const std::vector<std::int64_t>& sizes) {
  const bool by_columns = are_lines(sizes, tiles.height);
  if (!by_columns && !are_lines(sizes, tiles.width)) {
    std::string texts;
    for (const std::int64_t size : sizes) {
      texts += (texts.empty() ? "" : ", ") + std::to_string(size);
    }
    fail(fmt::format("branches of {} tiles are no whole columns or rows of {} x {} tiles", texts,
                     tiles.width, tiles.height));
  }
  std::vector<Rectangle> strips;
  Rectangle next = tiles;
  for (const std::int64_t size : sizes) {
    if (by_columns) {
      strips.push_back({next.x, tiles.y, size / tiles.height, tiles.height});
      next.x += size / tiles.height;
    } else {
      strips.push_back({tiles.x, next.y, tiles.width, size / tiles.width});
      next.y += size / tiles.width;
    }
  }
  return strips;
}

/// A stage's work with some of its operators, on some of its tiles.
StageWork part_of(const Workload& workload, const Plan& plan, const StageWork& work,
                  std::vector<std::size_t> operators, double share_of_tiles) {
  StageWork part = work;
  part.operators = std::move(operators);
  part.flop_per_s *= share_of_tiles;
  part.forward_flop = part.backward_flop = part.parameters = 0;
  for (const std::size_t at : part.operators) {
    const OperatorCount counted = count(workload.operators[at].kind);
    part.forward_flop += plan.samples() * (counted.matrix_flop + counted.element_flop);
    if (plan.trains()) part.backward_flop += plan.samples() * counted.backward_flop();
    part.parameters += counted.parameters;
  }
  return part;
}

/// The operators of a branch, as indices; those that are in this stage.
std::vector<std::size_t> operators_in(const Workload& workload, const StageWork& work,
                                      const Branch& branch) {
  std::vector<std::size_t> found;
  for (const std::size_t at : work.operators) {
    const auto& own = branch.operators;
    if (std::find(own.begin(), own.end(), workload.operators[at].name) != own.end()) {
      found.push_back(at);
    }
  }
  return found;
}

/// Throws unless each operator of branches is known and in one branch alone.
void check_names(const Workload& workload, const Plan& plan) {
  std::map<std::string_view, int> seen;
  for (const Operator& op : workload.operators) seen[op.name] = 0;
  for (const SideBySide& group : plan.side_by_side) {
    for (const Branch& branch : group.branches) {
      for (const std::string& name : branch.operators) {
        const auto at = seen.find(name);
        if (at == seen.end()) fail("there is no operator " + name);
        if (++at->second > 1) fail("operator " + name + " is in branches twice");
      }
    }
  }
}

/// Throws unless a group lies in one stage, without a gap, on as many tiles at most.
void check_group(const Workload& workload, const Plan& plan, const PlanCut& cut,
                 const SideBySide& group) {
  std::map<std::size_t, std::size_t> branch_of;  // by operator
  std::int64_t tensor = 0;
  const StageWork* stage = nullptr;
  std::size_t part = 0;
  std::size_t names = 0;
  for (std::size_t i = 0; i < group.branches.size(); ++i) {
    tensor += group.branches[i].tensor;
    names += group.branches[i].operators.size();
    for (std::size_t at = 0; at < cut.stages.size(); ++at) {
      for (const std::size_t op : operators_in(workload, cut.stages[at], group.branches[i])) {
        if (stage != nullptr && stage != &cut.stages[at]) {
          fail(fmt::format("operator {} is in another stage than {}", workload.operators[op].name,
                           group.branches.front().operators.front()));
        }
        stage = &cut.stages[at];
        part = at;
        branch_of[op] = i;
      }
    }
  }
  if (stage == nullptr || branch_of.size() < names) {
    fail("operators of a branch are left out of the plan: " +
         group.branches.front().operators.front() + " or others of its group");
  }
  const std::int64_t most = plan.of_part(part).tensor;
  if (tensor > most) {
    fail(fmt::format("branches of tensor degree {} together, their stage has {}", tensor, most));
  }
  const auto first =
      std::find(stage->operators.begin(), stage->operators.end(), branch_of.begin()->first);
  const std::vector<std::size_t> run(first, stage->operators.end());
  for (std::size_t i = 0; i < branch_of.size(); ++i) {
    if (i < run.size() && branch_of.contains(run[i])) continue;
    fail(fmt::format("operator {} runs between branches and is in none",
                     workload.operators[run[i]].name));
  }
  for (const auto& [op, branch] : branch_of) {
    for (const std::size_t before : workload.operators[op].after) {
      const auto other = branch_of.find(before);
      if (other == branch_of.end() || other->second == branch) continue;
      fail(fmt::format("operator {} takes from {}, which is in another branch",
                       workload.operators[op].name, workload.operators[before].name));
    }
  }
}

}  // namespace

void check_branches(const Workload& workload, const Plan& plan, const PlanCut& cut) {
  if (plan.side_by_side.empty()) return;
  check_names(workload, plan);
  for (const SideBySide& group : plan.side_by_side) check_group(workload, plan, cut, group);
}

StageParts parts_of_stage(const Workload& workload, const Plan& own, const StageWork& work,
                          const Rectangle& tiles) {
  StageParts parts;
  std::vector<std::size_t> others = work.operators;
  for (const SideBySide& group : own.side_by_side) {
    std::vector<std::int64_t> sizes;
    std::vector<StageBranch> branches;
    for (const Branch& branch : group.branches) {
      std::vector<std::size_t> operators = operators_in(workload, work, branch);
      if (operators.empty()) break;  // another stage's
      for (const std::size_t at : operators) std::erase(others, at);
      StageBranch placed{own, {}, {}};
      placed.plan.tensor = branch.tensor;
      sizes.push_back(placed.plan.tiles());
      const double share =
          static_cast<double>(placed.plan.tiles()) / static_cast<double>(own.tiles());
      placed.work = part_of(workload, own, work, std::move(operators), share);
      branches.push_back(std::move(placed));
    }
    if (branches.empty()) continue;
    const std::vector<Rectangle> strips = strips_of(tiles, sizes);
    for (std::size_t i = 0; i < branches.size(); ++i) branches[i].tiles = strips[i];
    parts.groups.push_back(std::move(branches));
  }
  parts.on_all_tiles =
      parts.groups.empty() ? work : part_of(workload, own, work, std::move(others), 1);
  return parts;
}

bool fits_branches(const Workload& workload, const Plan& own, const StageWork& work,
                   const Extent& shape) {
  return std::all_of(own.side_by_side.begin(), own.side_by_side.end(),
                     [&](const SideBySide& group) {
                       if (operators_in(workload, work, group.branches.front()).empty())
                         return true;
                       std::vector<std::int64_t> sizes;
                       for (const Branch& branch : group.branches)
                         sizes.push_back(branch.tensor * own.data);
                       return are_lines(sizes, shape.height) || are_lines(sizes, shape.width);
                     });
}

std::vector<BranchPlace> branch_places(const Workload& workload, const Plan& plan,
                                       const Hardware& hardware,
                                       const std::vector<Rectangle>& tiles) {
  std::vector<BranchPlace> places;
  if (plan.side_by_side.empty()) return places;
  const PlanCut cut = cut_plan(workload, plan, hardware);
  for (std::size_t i = 0; i < cut.stages.size(); ++i) {
    const StageParts parts =
        parts_of_stage(workload, plan.of_part(i), cut.stages[i], tiles[i % tiles.size()]);
    for (const auto& group : parts.groups) {
      for (const StageBranch& branch : group) {
        places.push_back({i, branch.work.operators, branch.tiles});
      }
    }
  }
  return places;
}

const StageSums& sums_of_stage(const Workload& workload, const Plan& own, ExchangeCache& exchanges,
                               const StageWork& work, const Rectangle& tiles) {
  if (own.side_by_side.empty()) return sums_of(workload, own, exchanges, work, tiles);
  const StageParts parts = parts_of_stage(workload, own, work, tiles);
  return sums_of(workload, own, exchanges, parts.on_all_tiles, tiles);
}

StageService priced_stage(const Workload& workload, const Plan& own, ExchangeCache& exchanges,
                          const StageWork& work, const Rectangle& tiles) {
  const auto in_turn = [&](const StageWork& operators) {
    return stage_service(workload, own, exchanges.hardware(), operators,
                         sums_of(workload, own, exchanges, operators, tiles));
  };
  if (own.side_by_side.empty()) return in_turn(work);
  const StageParts parts = parts_of_stage(workload, own, work, tiles);
  BranchSum sum(workload, own, exchanges, tiles, in_turn(parts.on_all_tiles));
  for (const auto& group : parts.groups) sum.add_group(group);
  sum.add_moves(parts);
  return sum.take();
}

}  // namespace waferloom::sim
