#include "sim/from_plan/stage_transfers.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/collective.h"
#include "sim/collective/collective.h"
#include "sim/collective/group_transfer.h"
#include "sim/from_plan/plan_cut.h"
#include "sim/from_plan/stage_branches.h"
#include "sim/from_plan/stage_service.h"
#include "sim/tile_groups.h"

// Problem: a stage cut 8 ways hands a tensor to one cut 16 ways. Every tile of the second group
// needs all of it, and somebody has to spread it.
// Idea: some tiles of both groups are adapters. Each way has terms inside the source, between
// adapters and inside the destination (Eq. 7 and 8). Those inside stages are exchanges of these
// stages; what goes between adapters are the lanes of the tensor's channel. A sum that is made only
// for this tensor may be finished behind the lanes. Replicas hand on the samples that they share.
// Source: PALM (arXiv:2406.03868), Fig. 11. Cost: the pricing of each term that is tried.
namespace waferloom::sim {
namespace {

using When = ExchangeUse::When;

/// Transfers with more flows inside a stage are not tried, but for one adapter.
constexpr std::int64_t kMostFlowsTried = 200'000;

/// The tensor groups of a stage, one a replica.
std::vector<TileGroup> replicas_of(const PlannedPipeline& planned, const Hardware& hardware,
                                   std::size_t stage) {
  const Plan own = planned.plan.of_part(stage);
  return stage_groups(planned.tiles_of(stage), {own.tensor, own.data}, own.groups,
                      {hardware.group_columns, hardware.group_rows})
      .tensor;
}

/// The terms of a tensor's transfer from stage to stage, of all replicas at once.
TransferPhases terms_of(const std::vector<TileGroup>& from, const std::vector<TileGroup>& to,
                        TransferStrategy strategy, std::int64_t adapters,
                        const Hardware& hardware) {
  std::vector<Phases> source;
  std::vector<Phases> between;
  std::vector<Phases> among_adapters;
  std::vector<Phases> destination;
  const auto replicas = [](const std::vector<TileGroup>& of) {
    return static_cast<std::int64_t>(of.size());
  };
  // Replicas have consecutive samples, as many each.
  for (const SharedPiece& pair : shared_pieces(replicas(from), replicas(to))) {
    GroupTransfer transfer{from[pair.from], to[pair.to], strategy, adapters};
    TransferPhases terms = transfer_phases(transfer, {hardware.group_columns, hardware.group_rows});
    source.push_back(scaled(std::move(terms.source), pair.share));
    between.push_back(scaled(std::move(terms.between), pair.share));
    among_adapters.push_back(scaled(std::move(terms.adapters), pair.share));
    destination.push_back(scaled(std::move(terms.destination), pair.share));
  }
  return {at_once(std::move(source)), at_once(std::move(between)),
          at_once(std::move(among_adapters)), at_once(std::move(destination))};
}

/// An all-reduce whose last bytes are a tensor of the transfer and nothing else.
struct EndingSum {
  std::size_t stage = 0;
  ExchangeUse use;         ///< as the stage's service has it
  std::int64_t bytes = 0;  ///< of it, the tensor's
};

/// What is added up in one way of a transfer; nothing where it is no sum, or others need the sum.
using EndingSums = std::optional<std::vector<EndingSum>>;

/// One way of a tensor, or of its gradient back.
struct Way {
  When when = When::forward;
  std::size_t source = 0;  ///< stage
  std::size_t destination = 0;
  std::vector<TileGroup> from;  ///< the source's replicas
  std::vector<TileGroup> to;
  bool spreads = false;  ///< every tile of the destination's groups needs all of it
  EndingSums sums{};
};

/// Finds and adds the transfers of a plan.
class Transfers {
 public:
  Transfers(const Workload& workload, ExchangeCache& exchanges, PlannedPipeline& planned)
      : workload_(workload),
        exchanges_(exchanges),
        hardware_(exchanges.hardware()),
        planned_(planned),
        plan_(planned.plan) {}

  void add() {
    if (plan_.sequence_parallel) return;
    for (std::size_t i = 0; i < planned_.cut.edges.size(); ++i) add_edge(i);
  }

 private:
  /// A transfer that was priced.
  struct Trial {
    StageTransfer transfer;
    std::vector<TransferPhases> terms;  ///< by way
    Picoseconds period = 0;  ///< of the longest stage with its terms, or of what is between
    Picoseconds time = 0;    ///< of all terms, one after another
  };

  /// Whether a batch takes less time with `trial`: its micro-batches follow one another by the
  /// period, and the last one passes all terms. A stream of inference has no end.
  bool is_cheaper(const Trial& trial, const Trial& other) const {
    const auto batch = [&](const Trial& of) {
      return Int128(of.period) * (plan_.micro_batches - 1) + of.time;
    };
    if (plan_.trains()) return batch(trial) < batch(other);
    return std::pair(trial.period, trial.time) < std::pair(other.period, other.time);
  }

  const Operator& op(std::size_t at) const { return workload_.operators[at]; }

  Picoseconds time_of(const Phases& phases, std::int64_t bytes) const {
    return time_of_flows(phases, bytes, exchanges_);
  }

  const StageWork& work(std::size_t stage) const { return planned_.cut.stages[stage]; }

  static bool is_in(const StageWork& stage, std::size_t at) {
    const std::vector<std::size_t>& all = stage.operators;
    return std::find(all.begin(), all.end(), at) != all.end();
  }

  /// The operators of the edge's stages that make its tensors, and those that take them.
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> ends_of(
      const StageEdge& edge) const {
    std::vector<std::size_t> makers;
    std::vector<std::size_t> takers;
    for (const std::size_t at : planned_.cut.stages[edge.to].operators) {
      const std::size_t known = makers.size();
      for (const std::size_t before : op(at).after) {
        if (is_in(work(edge.from), before)) makers.push_back(before);
      }
      if (makers.size() > known) takers.push_back(at);
    }
    std::sort(makers.begin(), makers.end());
    makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
    return {makers, takers};
  }

  /// Whether operators are cut by the tensor and data degrees of their stage alone.
  bool are_by_plan(std::size_t stage, const std::vector<std::size_t>& operators) const {
    const Plan own = plan_.of_part(stage);
    return std::all_of(operators.begin(), operators.end(), [&](std::size_t at) {
      return own.degrees_of(op(at)) ==
             degrees_of(op(at).kind, {.data = own.data, .tensor = own.tensor});
    });
  }

  /// The all-reduce of an operator that ends in so many elements of all samples; none where it
  /// does not, where experts send their tokens back, or in a branch.
  std::optional<EndingSum> ending_sum(std::size_t stage, const Operator& op, When when,
                                      std::int64_t elements) const {
    const Plan own = plan_.of_part(stage);
    const Degrees cut = own.degrees_of(op);
    if (cut.experts > 1 || own.branch_of(op.name) != nullptr) return std::nullopt;
    const auto phase =
        when == When::forward ? AllReduce::Phase::forward : AllReduce::Phase::backward;
    const std::int64_t own_elements = elements * own.samples() / cut.replicas();
    for (const AllReduce& sum : all_reduces(op.kind, own.samples(), cut)) {
      if (sum.phase != phase || sum.among != Dimension::out || sum.elements < own_elements) {
        continue;
      }
      return EndingSum{stage,
                       {when, cut, sum.among, tensor_bytes(hardware_, sum.elements)},
                       tensor_bytes(hardware_, own_elements)};
    }
    return std::nullopt;
  }

  /// The sums of forward: all makers' sums, if nobody outside of the edge takes what they make.
  EndingSums made_sums(const StageEdge& edge, const std::vector<std::size_t>& makers) const {
    for (const Operator& taker : workload_.operators) {
      const auto at = static_cast<std::size_t>(&taker - workload_.operators.data());
      const bool takes = std::any_of(taker.after.begin(), taker.after.end(), [&](std::size_t made) {
        return std::binary_search(makers.begin(), makers.end(), made);
      });
      if (takes && !is_in(work(edge.to), at)) return std::nullopt;
    }
    std::vector<EndingSum> sums;
    for (const std::size_t at : makers) {
      const auto sum = ending_sum(edge.from, op(at), When::forward, count(op(at).kind).output);
      if (!sum) return std::nullopt;
      sums.push_back(*sum);
    }
    return sums;
  }

  /// The sums of backward: the taker's, if there is one and it takes nothing else.
  EndingSums taken_sums(const StageEdge& edge, const std::vector<std::size_t>& makers,
                        const std::vector<std::size_t>& takers) const {
    const std::size_t at = takers.front();
    if (takers.size() > 1 || op(at).after.size() > 1 || makers.size() > 1) return std::nullopt;
    const auto sum = ending_sum(edge.to, op(at), When::backward, count(op(at).kind).input);
    if (!sum) return std::nullopt;
    return std::vector<EndingSum>{*sum};
  }

  std::vector<Way> ways_of(const StageEdge& edge) const {
    const auto [makers, takers] = ends_of(edge);
    const Plan to = plan_.of_part(edge.to);
    const std::vector<TileGroup> first = replicas_of(planned_, hardware_, edge.from);
    const std::vector<TileGroup> second = replicas_of(planned_, hardware_, edge.to);
    Way forward{When::forward, edge.from, edge.to, first, second};
    forward.spreads = std::any_of(takers.begin(), takers.end(),
                                  [&](std::size_t at) { return takes_whole(to, op(at)); });
    forward.sums = made_sums(edge, makers);
    std::vector<Way> ways{forward};
    if (!plan_.trains()) return ways;
    Way backward{When::backward, edge.to, edge.from, second, first};
    const Plan from = plan_.of_part(edge.from);
    backward.spreads = std::any_of(makers.begin(), makers.end(),
                                   [&](std::size_t at) { return makes_whole(from, op(at)); });
    backward.sums = taken_sums(edge, makers, takers);
    ways.push_back(backward);
    return ways;
  }

  /// What an all-reduce takes less without the tensor's bytes.
  Picoseconds saved_by(const EndingSum& sum) const {
    const Plan own = plan_.of_part(sum.stage);
    const Collective& among =
        sums_of_stage(workload_, own, exchanges_, planned_.cut.stages[sum.stage],
                      planned_.tiles_of(sum.stage))
            .along(sum.use.degrees, *sum.use.among);
    return among.time(sum.use.bytes) - among.time(sum.use.bytes - sum.bytes);
  }

  /// What a way's source takes longer with its term, or, below 0, less without its sums.
  Picoseconds source_change(const Way& way, const Phases& source, TransferStrategy strategy,
                            std::int64_t bytes) const {
    if (strategy == TransferStrategy::sum_first) return 0;
    Picoseconds change = time_of(source, bytes);
    for (const EndingSum& sum : *way.sums) change -= saved_by(sum);
    return change;
  }

  Trial tried(std::size_t index, const std::vector<Way>& ways, TransferStrategy strategy,
              std::int64_t adapters) const {
    const StageEdge& edge = planned_.cut.edges[index];
    Trial trial{{index, strategy, adapters}, {}, 0, 0};
    std::vector<Picoseconds> busy;  // by stage
    for (const StageService& service : planned_.services) {
      busy.push_back(later(service.forward, plan_.trains() ? service.backward : 0));
    }
    for (const Way& way : ways) {
      TransferPhases terms = terms_of(way.from, way.to, strategy, adapters, hardware_);
      if (!way.spreads) terms.destination.clear();
      if (strategy == TransferStrategy::sum_first) terms.source.clear();  // the stage's as it is
      append(terms.adapters, std::move(terms.destination));
      terms.destination.clear();
      const Picoseconds source = source_change(way, terms.source, strategy, edge.bytes);
      const Picoseconds between = time_of(terms.between, edge.bytes);
      const Picoseconds destination = time_of(terms.adapters, edge.bytes);
      busy[way.source] += source;
      busy[way.destination] = later(busy[way.destination], destination);
      trial.period = std::max(trial.period, between);
      trial.time = later(trial.time + source, later(between, destination));
      trial.terms.push_back(std::move(terms));
    }
    trial.period = std::max(trial.period, *std::max_element(busy.begin(), busy.end()));
    return trial;
  }

  std::vector<TransferStrategy> strategies(const std::vector<Way>& ways) const {
    const bool are_sums =
        std::all_of(ways.begin(), ways.end(), [](const Way& way) { return way.sums.has_value(); });
    if (!are_sums || plan_.strategy_between == StrategyBetween::sum_first) {
      return {TransferStrategy::sum_first};
    }
    if (plan_.strategy_between == StrategyBetween::sum_behind) {
      return {TransferStrategy::sum_behind};
    }
    return {TransferStrategy::sum_first, TransferStrategy::sum_behind};
  }

  Trial cheapest(std::size_t index, const std::vector<Way>& ways) const {
    const StageEdge& edge = planned_.cut.edges[index];
    const Plan from = plan_.of_part(edge.from);
    const Plan to = plan_.of_part(edge.to);
    const auto pairs = static_cast<std::int64_t>(shared_pieces(from.data, to.data).size());
    const std::int64_t most = std::min(
        std::min(from.tensor, to.tensor),
        std::max<std::int64_t>(1, std::min(hardware_.lanes_max / pairs,
                                           kMostFlowsTried / std::max(from.tiles(), to.tiles()))));
    std::optional<Trial> best;
    for (std::int64_t adapters = 1; adapters <= most; adapters *= 2) {
      for (const TransferStrategy strategy : strategies(ways)) {
        Trial trial = tried(index, ways, strategy, adapters);
        if (!best || is_cheaper(trial, *best)) best = std::move(trial);
      }
    }
    return *std::move(best);
  }

  void add_edge(std::size_t index) {
    const StageEdge& edge = planned_.cut.edges[index];
    const auto workers = planned_.tiles.size();
    if (edge.from % workers == edge.to % workers) return;
    if (plan_.of_part(edge.from).tensor == plan_.of_part(edge.to).tensor) return;
    const auto [makers, takers] = ends_of(edge);
    if (!are_by_plan(edge.from, makers) || !are_by_plan(edge.to, takers)) return;
    const std::vector<Way> ways = ways_of(edge);
    if (std::none_of(ways.begin(), ways.end(), [](const Way& way) { return way.spreads; })) return;
    Trial found = cheapest(index, ways);
    for (std::size_t i = 0; i < ways.size(); ++i) add_way(ways[i], found, i);
    planned_.transfers.push_back(found.transfer);
  }

  void add_way(const Way& way, Trial& found, std::size_t index) {
    const std::int64_t bytes = planned_.cut.edges[found.transfer.edge].bytes;
    TransferPhases& terms = found.terms[index];
    if (found.transfer.strategy == TransferStrategy::sum_behind) {
      for (const EndingSum& sum : *way.sums) take_away(sum);
      add_flows(way.when, std::move(terms.source), bytes, exchanges_,
                planned_.services[way.source]);
    }
    add_flows(way.when, std::move(terms.adapters), bytes, exchanges_,
              planned_.services[way.destination]);
  }

  void take_away(const EndingSum& sum) {
    std::vector<ExchangeUse>& uses = planned_.services[sum.stage].exchanges;
    const auto at = std::find_if(uses.begin(), uses.end(), [&](const ExchangeUse& use) {
      return use.when == sum.use.when && use.degrees == sum.use.degrees &&
             use.among == sum.use.among && use.bytes == sum.use.bytes &&
             use.kind == CollectiveKind::all_reduce && !use.border && !use.transfer;
    });
    if (at == uses.end()) throw std::logic_error("a stage has no sum that its transfer replaces");
    lengthen(sum.use.when, -saved_by(sum), planned_.services[sum.stage]);
    at->bytes -= sum.bytes;
    if (at->bytes == 0) uses.erase(at);
  }

  const Workload& workload_;
  ExchangeCache& exchanges_;
  const Hardware& hardware_;
  PlannedPipeline& planned_;
  const Plan& plan_;
};

}  // namespace

void add_transfers(const Workload& workload, ExchangeCache& exchanges, PlannedPipeline& planned) {
  Transfers(workload, exchanges, planned).add();
}

std::vector<Lane> transfer_lanes(const StageTransfer& transfer, const PlannedPipeline& planned,
                                 const Hardware& hardware) {
  const StageEdge& edge = planned.cut.edges[transfer.edge];
  const TransferPhases terms =
      terms_of(replicas_of(planned, hardware, edge.from), replicas_of(planned, hardware, edge.to),
               transfer.strategy, transfer.adapters, hardware);
  std::vector<Lane> lanes;
  Int128 all = 0;
  for (const Flow& flow : terms.between.front().flows) {
    lanes.push_back({flow.from, flow.to});
    lanes.back().bytes = flow.share.bytes_of(edge.bytes);
    all += lanes.back().bytes;
  }
  // Parts of a sum add up to it: what rounding added comes off the last lanes.
  if (transfer.strategy == TransferStrategy::sum_first) {
    for (std::size_t i = lanes.size(); all > edge.bytes; --all) --lanes[--i].bytes;
  }
  return lanes;
}

}  // namespace waferloom::sim
