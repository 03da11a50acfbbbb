#include "sim/from_plan/stage_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "model/workload.h"
#include "sim/collective/collective_patterns.h"
#include "sim/from_plan/plan_cut.h"
#include "sim/mesh/route_planner.h"
#include "sim/plan_pipeline.h"
#include "sim/tile_groups.h"

// Problem: find how long a stage computes and exchanges for a micro-batch, and for a batch's
// update.
// Idea: add up the operators. An operator computes as long as the tile with the largest part of it.
// Each dimension in which it is cut may need an all-reduce; a gathered input is half of an
// all-reduce. Where the cut changes between operators, the tensor goes from all tiles to all. With
// overlap, updates run while earlier operators go backward.
// Source: PALM (arXiv:2406.03868), Table III; ZeRO (Rajbhandari et al., SC'20).
// Cost: O(n^2) for n operators that take each other's outputs, otherwise O(n); times of collectives
// take O(phases).
namespace waferloom::sim {
namespace {

Picoseconds compute_time(double flop, double flop_per_s) {
  constexpr double kLongest = 1e17;
  const double time = flop / flop_per_s * static_cast<double>(kPicosecondsPerSecond);
  if (time > kLongest) throw RequestError("a stage takes more than 10^17 ps");
  return std::max<Picoseconds>(1, static_cast<Picoseconds>(std::llround(time)));
}

std::vector<AllReduce> sums_of(const Operator& op, const Plan& plan) {
  try {
    return all_reduces(op.kind, plan.samples(), plan.degrees_of(op));
  } catch (const RequestError& error) {
    throw RequestError("operator " + op.name + ": " + error.what());
  } catch (const std::overflow_error& error) {
    throw RequestError(std::string("a micro-batch is too large: ") + error.what());
  }
}

/// Adds up the times of a stage, operator by operator.
class ServiceSum {
  using When = ExchangeUse::When;

 public:
  ServiceSum(const Workload& workload, const Plan& plan, const Hardware& hardware,
             const StageSums& sums)
      : workload_(workload), plan_(plan), hardware_(hardware), sums_(sums) {}

  void add(const Operator& op, Picoseconds backward) {
    Picoseconds update = 0;
    add_border(op);
    add_gather(op);
    add_handing(op);
    for (const AllReduce& sum : sums_of(op, plan_)) {
      const bool is_forward = sum.phase == AllReduce::Phase::forward;
      if (is_forward ? is_table(workload_, op.kind) : !plan_.trains()) continue;
      const std::int64_t bytes = tensor_bytes(hardware_, sum.elements);
      const ExchangeUse use{When::forward, plan_.degrees_of(op), sum.among, bytes};
      switch (sum.phase) {
        case AllReduce::Phase::forward:
          add_forward(op.kind, use);
          break;
        case AllReduce::Phase::backward:
          add_tensor(When::backward, use);
          break;
        case AllReduce::Phase::update:
          update = later(update, add_update(use));
          break;
      }
    }
    updates_.emplace_back(backward, update);
    service_.update = later(service_.update, update);
  }

  /// Adds a change of cut: `bytes` of a tensor go to another cut, and its gradient comes back.
  void add_change(std::int64_t bytes) {
    const std::int64_t tiles = plan_.tiles();
    const ExchangeUse use{When::forward, {}, std::nullopt, (bytes + tiles - 1) / tiles};
    add_tensor(When::forward, use);
    if (plan_.trains()) add_tensor(When::backward, use);
  }

  StageService take() {
    service_.update_left = plan_.overlap ? last_update() : service_.update;
    return service_;
  }

 private:
  /// Gathers the whole input on every tile that makes a part of the output. An all-gather is the
  /// second half of an all-reduce. In backward the sum of the input's gradients takes its place.
  void add_gather(const Operator& op) {
    const Degrees cut = plan_.degrees_of(op);
    Int128 elements = gathered_elements(op.kind, plan_.samples(), cut);
    if (elements == 0) return;
    // The rows that neighbours have passed are gathered as well.
    const auto border = image_border(op.kind, plan_.samples(), cut);
    if (border && !border->is_of_output) elements += Int128(border->elements) * cut.out;
    const std::int64_t bytes = tensor_bytes(hardware_, elements);
    add_forward(op.kind, {When::forward, cut, Dimension::out, bytes, CollectiveKind::all_gather});
  }

  /// Rows of the input that lie on neighbours, and their gradients back.
  void add_border(const Operator& op) {
    const Degrees cut = plan_.degrees_of(op);
    const auto border = image_border(op.kind, plan_.samples(), cut);
    if (!border) return;
    const ExchangeUse use{When::forward,
                          cut,
                          Dimension::rows,
                          tensor_bytes(hardware_, border->elements),
                          CollectiveKind::all_to_all,
                          border->rows};
    add_forward(op.kind, use);
    if (plan_.trains()) add_tensor(When::backward, use);
  }

  /// What an operator hands on goes back as gradients.
  void add_handing(const Operator& op) {
    const Degrees cut = plan_.degrees_of(op);
    const std::int64_t elements = handed_elements(op.kind, plan_.samples(), cut);
    if (elements == 0) return;
    const ExchangeUse use{When::forward, cut, cut.handed_among(), tensor_bytes(hardware_, elements),
                          CollectiveKind::all_to_all};
    for (std::int64_t i = 0; i < handed_times(op.kind); ++i) {
      add_forward(op.kind, use);
      if (plan_.trains()) add_tensor(When::backward, use);
    }
  }

  /// Notes an exchange and answers its time.
  Picoseconds note(When when, ExchangeUse use) {
    use.when = when;
    service_.exchanges.push_back(use);
    if (use.border) return sums_.border(use.degrees, *use.border).time(use.bytes);
    if (!use.among) return sums_.exchange().time(use.bytes);
    if (use.kind == CollectiveKind::all_to_all) return sums_.handing(use.degrees).time(use.bytes);
    const Collective& among = sums_.along(use.degrees, *use.among);
    return use.kind == CollectiveKind::all_gather ? among.half_time(use.bytes)
                                                  : among.time(use.bytes);
  }
  /// Notes an exchange as a part of forward or backward, and answers its time.
  Picoseconds exchange(When when, const ExchangeUse& use) {
    const Picoseconds time = note(when, use);
    Picoseconds& all =
        when == When::forward ? service_.forward_exchange : service_.backward_exchange;
    all = later(all, time);
    return time;
  }

  Picoseconds add_tensor(When when, const ExchangeUse& use) {
    const Picoseconds time = exchange(when, use);
    service_.tensor_exchange = later(service_.tensor_exchange, time);
    return time;
  }

  void add_forward(const OperatorKind& kind, const ExchangeUse& use) {
    add_tensor(When::forward, use);
    if (!plan_.trains() || recompute_of(plan_, kind) != Recompute::full) return;
    service_.recompute = later(service_.recompute, add_tensor(When::backward, use));
  }

  void add_data(When when, const ExchangeUse& use) {
    service_.data_exchange = later(service_.data_exchange, exchange(when, use));
  }

  /// Adds an exchange of gradients. Answers the time of the part that comes once a batch.
  Picoseconds add_update(ExchangeUse use) {
    if (plan_.zero < 2) return note(When::update, use);
    use.kind = CollectiveKind::all_gather;
    add_data(When::backward, use);
    if (plan_.zero == 2) return note(When::update, use);
    add_data(When::forward, use);
    add_data(When::backward, use);
    return 0;
  }

  /// The time between the end of the last backward and the end of the updates. An operator's update
  /// begins when its backward and the update before it have ended. The last operator of the stage
  /// goes first.
  Picoseconds last_update() const {
    Picoseconds now = 0;
    Picoseconds free = 0;
    for (auto at = updates_.rbegin(); at != updates_.rend(); ++at) {
      now = later(now, at->first);
      free = later(std::max(free, now), at->second);
    }
    return free - now;
  }

  const Workload& workload_;
  const Plan& plan_;
  const Hardware& hardware_;
  const StageSums& sums_;
  StageService service_;
  std::vector<std::pair<Picoseconds, Picoseconds>> updates_;  // by operator: backward, update
};

/// What backward computes again of a sample.
double again(Recompute recompute, const PaidWork& work) {
  if (recompute == Recompute::selective) return work.attention;
  return recompute == Recompute::full ? work.forward : 0;
}

/// The work of a stage, in FLOP of products, as if each of its tiles had the largest part of each
/// operator.
struct StretchedFlop {
  double forward = 0;
  double backward = 0;
  double again = 0;
};

void demand_enough(const Operator& op, const Degrees& degrees, std::int64_t samples) {
  constexpr const char* kNames[kDimensions] = {"samples", "rows", "parts of its output",
                                               "parts of its input"};
  const Degrees most = most_degrees(op.kind, samples);
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const auto dimension = static_cast<Dimension>(i);
    if (degrees.of(dimension) <= most.of(dimension)) continue;
    throw RequestError(fmt::format("operator {} is cut {} ways, it has {} {}", op.name,
                                   degrees.of(dimension), most.of(dimension), kNames[i]));
  }
}

/// Whether `before` is in the same stage as `at` and is cut in a different way.
bool changes_cut(const Workload& workload, const Plan& plan, const StageWork& work,
                 std::size_t before, std::size_t at) {
  const bool is_here =
      std::find(work.operators.begin(), work.operators.end(), before) != work.operators.end();
  const Degrees from = plan.degrees_of(workload.operators[before]);
  const Degrees to = plan.degrees_of(workload.operators[at]);
  const bool both = from.product() == plan.tiles() && to.product() == plan.tiles();
  return is_here && both && !(from.without_experts() == to.without_experts());
}

/// Groups of tiles whose parts of an operator differ only in `dimension`. Parts are laid out like
/// `tensor` and `data` of a stage; tiles with parts of the output lie nearest to each other, of a
/// layer's experts those with slices of the same.
std::vector<TileGroup> groups_along(const StageGroups& groups, const Degrees& cut,
                                    Dimension dimension) {
  const std::int64_t ways = cut.of(dimension);
  const std::int64_t parts = cut.out * cut.in;
  std::vector<TileGroup> result;
  // The tile of a part. Parts are numbered over all dimensions; the output's index varies fastest.
  const auto tile = [&](std::int64_t place) {
    return groups
        .tensor[static_cast<std::size_t>(place / parts)][static_cast<std::size_t>(place % parts)];
  };
  std::int64_t stride = 1;
  const bool is_of_output = dimension == Dimension::out || dimension == Dimension::slices;
  if (dimension == Dimension::experts) stride = cut.of(Dimension::slices);
  if (!is_of_output && dimension != Dimension::experts) stride *= cut.out;
  if (dimension == Dimension::rows || dimension == Dimension::batch) stride *= cut.in;
  if (dimension == Dimension::batch) stride *= cut.rows;
  for (std::int64_t first = 0; first < cut.product(); ++first) {
    if (first / stride % ways != 0) continue;
    TileGroup group;
    for (std::int64_t i = 0; i < ways; ++i) group.push_back(tile(first + i * stride));
    result.push_back(std::move(group));
  }
  return result;
}

Grouping grouping_of(const Hardware& hardware) {
  return {hardware.group_columns, hardware.group_rows};
}

/// The groups of a stage's tiles that take part in an exchange; all at once.
std::vector<TileGroup> groups_of_exchange(const Plan& plan, const Hardware& hardware,
                                          const Rectangle& tiles, const ExchangeUse& use) {
  if (!use.among) return {ring_of(tiles)};
  const Degrees& degrees = use.degrees;
  const StageGroups groups = stage_groups(tiles, {degrees.out * degrees.in, degrees.replicas()},
                                          plan.groups, grouping_of(hardware));
  return groups_along(groups, degrees, *use.among);
}

bool is_all_to_all(const ExchangeUse& use) {
  return !use.among || use.kind == CollectiveKind::all_to_all;
}

/// Whether every tile sends to every other of its group.
bool is_direct(const Plan& plan, const ExchangeUse& use) {
  if (use.border) return false;
  return is_all_to_all(use) || plan.collective == CollectiveAlgorithm::direct;
}

}  // namespace

Collective stage_collective(const Plan& plan, const Hardware& hardware, const Mesh& mesh,
                            const Rectangle& tiles, Contention contention, const ExchangeUse& use,
                            const RunControl& control) {
  control.end_if_cut();
  const bool is_open = mesh.is_switched() ? !mesh.has_dead() : routes_stay_inside(mesh, tiles);
  if (is_open && is_direct(plan, use)) {
    return {mesh,
            hardware,
            {groups_of_exchange(plan, hardware, tiles, use),
             is_all_to_all(use) ? 1 : kStepsOfDirectAllReduce},
            contention};
  }
  return {mesh, hardware, exchange_phases(plan, hardware, tiles, use), contention, 1, control};
}

StageSums::StageSums(const Plan& plan, const Hardware& hardware, const Mesh& mesh,
                     const Rectangle& tiles, Contention contention, const StageCuts& stage,
                     const RunControl& control)
    : StageSums(stage, [&](const ExchangeUse& use) {
        return std::make_shared<const Collective>(
            stage_collective(plan, hardware, mesh, tiles, contention, use, control));
      }) {}

StageSums::StageSums(const StageCuts& stage,
                     const std::function<Shared(const ExchangeUse&)>& collective) {
  for (const Degrees& degrees : stage.used) {
    Cut cut{degrees, {}, {}};
    for (std::size_t i = 0; i < kSummedDimensions; ++i) {
      const auto dimension = static_cast<Dimension>(i);
      if (degrees.of(dimension) == 1) continue;
      cut.along[i] = collective({ExchangeUse::When::forward, degrees, dimension});
    }
    if (stage.hands && degrees.out > 1) {
      cut.handing = collective({.degrees = degrees,
                                .among = degrees.handed_among(),
                                .kind = CollectiveKind::all_to_all});
    }
    cuts_.push_back(std::move(cut));
  }
  for (const auto& [degrees, rows] : stage.borders) {
    borders_.push_back(
        {degrees, rows,
         collective({.degrees = degrees, .among = Dimension::rows, .border = rows})});
  }
  const bool changes =
      std::any_of(stage.used.begin(), stage.used.end(), [&](const Degrees& degrees) {
        return !(degrees.without_experts() == stage.used.front().without_experts());
      });
  if (changes) exchange_ = collective({});
}

Phases exchange_phases(const Plan& plan, const Hardware& hardware, const Rectangle& tiles,
                       const ExchangeUse& use) {
  if (use.transfer) return use.transfer->phases;
  const std::vector<TileGroup> of = groups_of_exchange(plan, hardware, tiles, use);
  if (use.border) return border_phases(*use.border, of);
  const bool all_to_all = is_all_to_all(use);
  return collective_phases(all_to_all ? CollectiveKind::all_to_all : CollectiveKind::all_reduce,
                           all_to_all ? CollectiveAlgorithm::direct : plan.collective, of,
                           grouping_of(hardware));
}

Picoseconds time_of_flows(const Phases& phases, std::int64_t bytes,
                          const ExchangeCache& exchanges) {
  if (phases.empty()) return 0;
  return Collective(exchanges.mesh(), exchanges.hardware(), phases, exchanges.contention())
      .time(bytes);
}

void lengthen(ExchangeUse::When when, Picoseconds by, StageService& service) {
  const bool is_forward = when == ExchangeUse::When::forward;
  for (Picoseconds* time : {is_forward ? &service.forward : &service.backward,
                            is_forward ? &service.forward_exchange : &service.backward_exchange,
                            &service.tensor_exchange}) {
    *time = later(*time, by);
  }
}

void add_flows(ExchangeUse::When when, Phases phases, std::int64_t bytes,
               const ExchangeCache& exchanges, StageService& service) {
  std::erase_if(phases, [](const Phase& phase) { return phase.flows.empty(); });
  if (phases.empty()) return;
  lengthen(when, time_of_flows(phases, bytes, exchanges), service);
  std::size_t id = 1;
  for (const ExchangeUse& other : service.exchanges) {
    if (other.transfer) id = std::max(id, other.transfer->id + 1);
  }
  ExchangeUse use;
  use.when = when;
  use.bytes = bytes;
  use.kind = CollectiveKind::broadcast;
  use.transfer = std::make_shared<const TransferFlows>(TransferFlows{id, std::move(phases)});
  service.exchanges.push_back(std::move(use));
}

std::vector<SharedPiece> shared_pieces(std::int64_t from, std::int64_t to) {
  const std::int64_t parts = std::lcm(from, to);
  std::vector<SharedPiece> all;
  for (std::int64_t at = 0; at < parts;) {
    const std::int64_t a = at / (parts / from);
    const std::int64_t b = at / (parts / to);
    const std::int64_t end = std::min((a + 1) * (parts / from), (b + 1) * (parts / to));
    all.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b), {end - at, parts}});
    at = end;
  }
  return all;
}

const Collective& StageSums::border(const Degrees& degrees, const BorderRows& rows) const {
  const auto is_it = [&](const Border& known) {
    return known.degrees == degrees && known.rows == rows;
  };
  return *std::find_if(borders_.begin(), borders_.end(), is_it)->passing;
}

const StageSums::Cut& StageSums::cut_of(const Degrees& degrees) const {
  return *std::find_if(cuts_.begin(), cuts_.end(),
                       [&](const Cut& known) { return known.degrees == degrees; });
}

const Collective& StageSums::along(const Degrees& degrees, Dimension dimension) const {
  return *cut_of(degrees).along[static_cast<std::size_t>(dimension)];
}

StageCuts cuts_in(const Workload& workload, const Plan& plan, const StageWork& work) {
  StageCuts found;
  for (const std::size_t at : work.operators) {
    const Operator& op = workload.operators[at];
    const Degrees degrees = plan.degrees_of(op);
    // A pool that is cut only by samples exchanges nothing.
    const bool is_own = degrees == degrees_of(op.kind, {.data = plan.data, .tensor = plan.tensor});
    if (is_own && degrees.product() != plan.tiles()) continue;
    if (degrees.product() != plan.tiles()) {
      throw RequestError(fmt::format("operator {} is cut {} ways, its stage {} has {} tiles",
                                     op.name, degrees.product(), work.name, plan.tiles()));
    }
    if (!is_own) demand_enough(op, degrees, plan.samples());
    if (const auto border = image_border(op.kind, plan.samples(), degrees)) {
      const std::pair way{degrees, border->rows};
      auto& borders = found.borders;
      if (std::find(borders.begin(), borders.end(), way) == borders.end()) borders.push_back(way);
    }
    found.hands = found.hands || handed_elements(op.kind, plan.samples(), degrees) > 0;
    std::vector<Degrees>& used = found.used;
    if (std::find(used.begin(), used.end(), degrees) == used.end()) used.push_back(degrees);
  }
  return found;
}

StageService stage_service(const Workload& workload, const Plan& plan, const Hardware& hardware,
                           const StageWork& work, const StageSums& sums) {
  ServiceSum sum(workload, plan, hardware, sums);
  StretchedFlop flop;
  for (const std::size_t at : work.operators) {
    const Operator& op = workload.operators[at];
    const Degrees cut = plan.degrees_of(op);
    const PaidWork paid = paid_work(count(op.kind), cut.out, work.element_cost);
    const double more = plan.trains() ? again(recompute_of(plan, op.kind), paid) : 0;
    const double back = plan.trains() ? paid.backward : 0;
    const double stretched =
        stretch(op.kind, plan.samples(), cut, plan.tiles()) * static_cast<double>(plan.samples());
    flop.forward += stretched * paid.forward;
    flop.backward += stretched * back;
    flop.again += stretched * more;
    sum.add(op, compute_time(stretched * (back + more), work.flop_per_s));
    for (const std::size_t before : op.after) {
      if (!changes_cut(workload, plan, work, before, at)) continue;
      sum.add_change(tensor_bytes(
          hardware, Int128(count(workload.operators[before].kind).output) * plan.samples()));
    }
  }
  StageService service = sum.take();
  const Picoseconds recompute = flop.again > 0 ? compute_time(flop.again, work.flop_per_s) : 0;
  service.recompute = later(service.recompute, recompute);
  service.forward = later(compute_time(flop.forward, work.flop_per_s), service.forward_exchange);
  service.backward = later(later(compute_time(flop.backward, work.flop_per_s), recompute),
                           service.backward_exchange);
  return service;
}

}  // namespace waferloom::sim
