#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "planner/amped/divisors.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/plan_space.h"
#include "planner/plans/plan_operators.h"
#include "planner/plans/tiles_as_chips.h"

// Problem: choose how each operator of a plan is cut among the tiles of its stage. A cut by rows of
// images exchanges borders alone, which are short and not priced, and copies weights; a cut by
// outputs gathers inputs; a change of cut between two operators moves the tensor between them.
// Idea: price every cut of every operator by itself, keep the kMostCuts cheapest, and choose one
// for each by dynamic programming along the chain of operators. Edges beside the chain are then
// taken in by changing one operator at a time, as long as that helps. Source: degrees and exchanges
// are PALM's (arXiv:2406.03868, Table III); the choice is ours. Cost: O(operators · kMostCuts²),
// and for each kind of operator a price of all cuts.
namespace waferloom::planner {
namespace {

constexpr std::size_t kMostCuts = 24;  ///< of an operator, the cheapest by itself
constexpr int kMostSweeps = 8;
constexpr double kWorthwhile = 0.98;  ///< of the seconds with the plan's own degrees
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// An operator that takes part, and the cuts that it may have.
struct Choice {
  std::size_t index = 0;  ///< of the workload's operators
  std::vector<Degrees> cuts;
  std::vector<double> seconds;  ///< of each by itself
  double change_s = 0;          ///< to pass what it makes from one cut to another
  std::size_t chosen = 0;
  /// Those before it that take part, by place; the first is the one along the chain.
  std::vector<std::size_t> before;
};

class Prices {
 public:
  Prices(const Workload& workload, const Hardware& hardware, const Living& living, const Plan& plan,
         WeightsPrice price)
      : workload_(workload),
        plan_(plan),
        view_(tiles_as_chips(hardware, living, plan)),
        price_(price),
        bytes_(static_cast<double>(hardware.element_bytes)) {
    const Chip& tile = view_.system.chip;
    const double samples = static_cast<double>(plan.samples());
    flop_per_s_ = tile.flop_per_s * tile.reached().at(samples) * tiles();
    cost_ = {flop_per_byte(view_.system, samples), bytes_, plan.sequence_parallel};
    if (view_.system.memories.empty()) return;
    tile_bytes_per_s_ = view_.system.memories.front().bytes_per_s;
    if (hardware.dram_bytes_per_tile) return;
    // The view divides what is behind the edge among the tiles of all stages; here one streams.
    tile_bytes_per_s_ *= static_cast<double>(plan.pipeline);
  }

  /// Seconds of a micro-batch.
  double of(const OperatorKind& kind, const OperatorCount& counted, const Degrees& cut) const {
    return computing(kind, counted, cut) + exchanges_of(kind, cut) + streams_of(counted, cut);
  }

  /// No more than that: without exchanges, which take longest to price.
  double least_of(const OperatorKind& kind, const OperatorCount& counted,
                  const Degrees& cut) const {
    return computing(kind, counted, cut) + streams_of(counted, cut);
  }

  /// Whether what one operator makes has to move for the next.
  bool is_change(const Degrees& before, const Degrees& after) const {
    return !(before.without_experts() == after.without_experts()) &&
           before.product() == plan_.tiles() && after.product() == plan_.tiles();
  }

  /// Seconds to pass what an operator makes from one cut to any other, and its gradient back.
  double change(const OperatorCount& from) const {
    const double all =
        static_cast<double>(from.output) * static_cast<double>(plan_.samples()) * bytes_;
    const double once =
        collective(CollectiveKind::all_to_all, plan_.tiles()).seconds(all / tiles());
    return plan_.trains() ? 2 * once : once;
  }

  /// All that these prices depend on, besides what is common to all plans of a search.
  OperatorDegrees::PricedBy depends_on() const {
    const NetworkDimension& links = view_.system.dimensions.front();
    return {plan_.samples(),
            plan_.tiles(),
            plan_.trains() ? plan_.micro_batches : 0,
            price_,
            links.link_bytes_per_s,
            links.latency_s,
            price_ == WeightsPrice::resident ? 0 : tile_bytes_per_s_};
  }

 private:
  double tiles() const { return static_cast<double>(plan_.tiles()); }

  double computing(const OperatorKind& kind, const OperatorCount& counted,
                   const Degrees& cut) const {
    const PaidWork paid = paid_work(counted, cut.out, cost_);
    const double work = plan_.trains() ? paid.forward + paid.backward : paid.forward;
    const double samples = static_cast<double>(plan_.samples());
    return stretch(kind, plan_.samples(), cut, plan_.tiles()) * samples * work / flop_per_s_;
  }

  CollectiveRate collective(CollectiveKind kind, std::int64_t members) const {
    const auto [at, is_new] = rates_.try_emplace({kind, members});
    if (is_new) at->second = rate_of(kind, members);
    return at->second;
  }

  CollectiveRate rate_of(CollectiveKind kind, std::int64_t members) const {
    const auto [longer, shorter] = squarest_sides(members);
    const NetworkDimension& links = view_.system.dimensions.front();
    NetworkDimension group = mesh_group(
        longer, shorter, {.bytes_per_s = links.link_bytes_per_s, .latency_s = links.latency_s});
    if (links.topology == DimensionTopology::switched) group.topology = links.topology;
    return collective_rate(kind, group);
  }

  double exchanges_of(const OperatorKind& kind, const Degrees& cut) const {
    double seconds = 0;
    const std::int64_t gathered = gathered_elements(kind, plan_.samples(), cut);
    if (gathered > 0) {
      seconds += collective(CollectiveKind::all_gather, cut.out)
                     .seconds(static_cast<double>(gathered) * bytes_);
    }
    const std::int64_t handed = handed_elements(kind, plan_.samples(), cut);
    if (handed > 0) {
      // Groups of tiles with the same slices of other experts share the links of all of these.
      const std::int64_t times = handed_times(kind) * (plan_.trains() ? 2 : 1);
      seconds += static_cast<double>(times) * collective(CollectiveKind::all_to_all, cut.out)
                                                  .seconds(static_cast<double>(handed) * bytes_);
    }
    for (const AllReduce& sum : all_reduces(kind, plan_.samples(), cut)) {
      const bool is_forward = sum.phase == AllReduce::Phase::forward;
      if (is_forward ? is_table(workload_, kind) : !plan_.trains()) continue;
      const double times =
          sum.phase == AllReduce::Phase::update ? 1 / static_cast<double>(plan_.micro_batches) : 1;
      seconds += times * collective(CollectiveKind::all_reduce, sum.members)
                             .seconds(static_cast<double>(sum.elements) * bytes_);
    }
    return seconds;
  }

  double streams_of(const OperatorCount& counted, const Degrees& cut) const {
    if (price_ == WeightsPrice::resident || tile_bytes_per_s_ == 0) return 0;
    const auto all = static_cast<double>(
        weight_bytes(counted, workload_.kept, static_cast<std::int64_t>(bytes_)));
    return all * static_cast<double>(cut.replicas()) / tiles() / tile_bytes_per_s_;
  }

  const Workload& workload_;
  const Plan& plan_;
  TilesAsChips view_;
  WeightsPrice price_;
  double bytes_;
  double flop_per_s_ = 1;
  double tile_bytes_per_s_ = 0;  ///< of the memory behind SRAM; 0: there is none
  ElementCost cost_{};
  mutable std::map<std::pair<CollectiveKind, std::int64_t>, CollectiveRate> rates_;
};

bool has_experts(const OperatorKind& kind) {
  const auto* layer = std::get_if<TransformerOperator>(&kind);
  return layer != nullptr && layer->experts.has_value();
}

/// The cheapest cuts of an operator, the cheapest first; none where it has no choice.
OperatorDegrees::PricedCuts cheapest_cuts(const OperatorKind& kind, const OperatorCount& counted,
                                          const Plan& plan, const Prices& prices) {
  std::vector<Degrees> cuts;
  if (OperatorDegrees::has_choice(kind)) cuts = all_degrees(kind, plan.samples(), plan.tiles());
  if (has_experts(kind)) {
    cuts = expert_cuts(kind, degrees_of(kind, {.data = plan.data, .tensor = plan.tensor}));
  }
  std::vector<std::pair<double, std::size_t>> least;
  least.reserve(cuts.size());
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    least.emplace_back(prices.least_of(kind, counted, cuts[i]), i);
  }
  // Those of the least seconds come first: the others may then be among the cheapest hardly ever.
  const std::size_t first = std::min(kMostCuts, least.size());
  std::nth_element(least.begin(), least.begin() + static_cast<std::ptrdiff_t>(first), least.end());
  std::vector<std::pair<double, std::size_t>> best;  // of equals the first of all cuts first
  for (const auto& [seconds, at] : least) {
    if (best.size() == kMostCuts && seconds > best.back().first) continue;
    const std::pair whole{prices.of(kind, counted, cuts[at]), at};
    best.insert(std::upper_bound(best.begin(), best.end(), whole), whole);
    if (best.size() > kMostCuts) best.pop_back();
  }
  OperatorDegrees::PricedCuts all;
  for (const auto& [seconds, at] : best) all.emplace_back(seconds, cuts[at]);
  return all;
}

/// An operator's own cut, as the plan cuts all, and behind it the cheapest others.
Choice choice_of(const OperatorKind& kind, const OperatorCount& counted, const Plan& plan,
                 const Prices& prices, const OperatorDegrees::PricedCuts& cheapest) {
  const Degrees own = degrees_of(kind, {.data = plan.data, .tensor = plan.tensor});
  Choice choice;
  choice.change_s = prices.change(counted);
  choice.seconds.push_back(prices.of(kind, counted, own));
  choice.cuts.push_back(own);
  for (const auto& [seconds, cut] : cheapest) {
    if (cut == own || choice.cuts.size() == kMostCuts) continue;
    choice.seconds.push_back(seconds);
    choice.cuts.push_back(cut);
  }
  return choice;
}

/// Chooses cuts along the chain, then takes in the edges beside it.
class Chooser {
 public:
  Chooser(const Prices& prices, std::vector<Choice> choices)
      : prices_(prices), choices_(std::move(choices)) {
    after_.resize(choices_.size());
    for (std::size_t at = 0; at < choices_.size(); ++at) {
      for (const std::size_t before : choices_[at].before) after_[before].push_back(at);
    }
  }

  std::vector<Choice> run() {
    along_chain();
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      if (!improve()) break;
    }
    return std::move(choices_);
  }

 private:
  double change(std::size_t from, std::size_t before, std::size_t to, std::size_t after) const {
    return prices_.is_change(choices_[from].cuts[before], choices_[to].cuts[after])
               ? choices_[from].change_s
               : 0;
  }

  /// The best for all where each operator counts the change from one before it alone.
  void along_chain() {
    std::vector<std::vector<double>> total(choices_.size());
    std::vector<std::vector<std::vector<std::size_t>>> best(choices_.size());
    // From the back: what an operator and all that follow from it along the chain take.
    for (std::size_t at = choices_.size(); at-- > 0;) {
      const Choice& choice = choices_[at];
      total[at] = choice.seconds;
      for (const std::size_t next : after_[at]) {
        if (choices_[next].before.front() != at) continue;
        std::vector<std::size_t> taken;
        for (std::size_t cut = 0; cut < choice.cuts.size(); ++cut) {
          std::size_t least = 0;
          double least_s = std::numeric_limits<double>::infinity();
          for (std::size_t then = 0; then < choices_[next].cuts.size(); ++then) {
            const double seconds = total[next][then] + change(at, cut, next, then);
            if (seconds >= least_s) continue;
            least_s = seconds;
            least = then;
          }
          total[at][cut] += least_s;
          taken.push_back(least);
        }
        best[at].push_back(std::move(taken));
      }
    }
    for (std::size_t at = 0; at < choices_.size(); ++at) {
      if (choices_[at].before.empty()) {
        choices_[at].chosen = static_cast<std::size_t>(
            std::min_element(total[at].begin(), total[at].end()) - total[at].begin());
      }
      std::size_t place = 0;
      for (const std::size_t next : after_[at]) {
        if (choices_[next].before.front() != at) continue;
        choices_[next].chosen = best[at][place++][choices_[at].chosen];
      }
    }
  }

  double with(std::size_t at, std::size_t cut) const {
    double seconds = choices_[at].seconds[cut];
    for (const std::size_t before : choices_[at].before) {
      seconds += change(before, choices_[before].chosen, at, cut);
    }
    for (const std::size_t next : after_[at]) {
      seconds += change(at, cut, next, choices_[next].chosen);
    }
    return seconds;
  }

  bool improve() {
    constexpr double kLess = 1 - 1e-12;  // so that equal times never go round in a circle
    bool is_better = false;
    for (std::size_t at = 0; at < choices_.size(); ++at) {
      double least = kLess * with(at, choices_[at].chosen);
      for (std::size_t cut = 0; cut < choices_[at].cuts.size(); ++cut) {
        const double seconds = with(at, cut);
        if (seconds >= least) continue;
        least = kLess * seconds;
        choices_[at].chosen = cut;
        is_better = true;
      }
    }
    return is_better;
  }

  const Prices& prices_;
  std::vector<Choice> choices_;
  std::vector<std::vector<std::size_t>> after_;
};

/// Elements of input and output that all tiles hold of a micro-batch, copies counted.
double activations_of(const OperatorKind& kind, const OperatorCount& counted, const Degrees& cut,
                      const Plan& plan) {
  const bool is_whole = cut.product() == plan.tiles();
  const std::int64_t inputs = !is_whole ? plan.tensor : shares_input(kind, cut.out) ? cut.out : 1;
  const std::int64_t outputs = is_whole ? cut.in : inputs;
  return (static_cast<double>(held_input(kind, counted, inputs)) +
          static_cast<double>(counted.output) * static_cast<double>(outputs)) *
         static_cast<double>(plan.samples());
}

}  // namespace

std::vector<std::int64_t> alike_key(const OperatorKind& kind) {
  std::vector<std::int64_t> sizes = shape_of(kind);
  const OperatorCount counted = count(kind);
  sizes.insert(sizes.end(), {static_cast<std::int64_t>(kind.index()), counted.matrix_flop,
                             counted.element_flop, counted.parameters, counted.matrix_parameters,
                             counted.output, counted.moved, counted.moved_whole});
  return sizes;
}

std::vector<std::size_t> alike_kinds(const Workload& workload) {
  std::map<std::vector<std::int64_t>, std::size_t> known;
  std::vector<std::size_t> kinds;
  for (const Operator& op : workload.operators) {
    kinds.push_back(known.try_emplace(alike_key(op.kind), known.size()).first->second);
  }
  return kinds;
}

std::vector<Degrees> expert_cuts(const OperatorKind& kind, const Degrees& own) {
  std::vector<Degrees> cuts;
  if (!has_experts(kind)) return cuts;
  const std::int64_t experts = std::get<TransformerOperator>(kind).experts->count;
  for (const std::int64_t parts : divisors(std::gcd(experts, own.out))) {
    if (parts == 1) continue;
    cuts.push_back(own);
    cuts.back().experts = parts;
  }
  return cuts;
}

void for_each_degrees(const OperatorKind& kind, std::int64_t samples, std::int64_t tiles,
                      const std::function<bool(const Degrees&)>& enter,
                      const std::function<void(const Degrees&)>& visit) {
  if (samples * tiles < 1) return;
  const Degrees most = most_degrees(kind, samples);
  const std::vector<std::int64_t> ways = divisors(tiles);
  for (const std::int64_t batch : ways) {
    if (batch > most.batch) break;
    for (const std::int64_t rows : ways) {
      if (rows > most.rows) break;
      if (tiles / batch % rows != 0 || !enter({.batch = batch, .rows = rows})) continue;
      for (const std::int64_t in : ways) {
        if (in > most.in) break;
        const std::int64_t others = batch * rows * in;
        if (tiles % others == 0 && tiles / others <= most.out) {
          visit({.batch = batch, .rows = rows, .out = tiles / others, .in = in});
        }
      }
    }
  }
}

std::vector<Degrees> all_degrees(const OperatorKind& kind, std::int64_t samples,
                                 std::int64_t tiles) {
  std::vector<Degrees> all;
  for_each_degrees(
      kind, samples, tiles, [](const Degrees&) { return true; },
      [&](const Degrees& degrees) { all.push_back(degrees); });
  return all;
}

OperatorDegrees::OperatorDegrees(const Workload& workload, const Hardware& hardware)
    : workload_(workload), hardware_(hardware), living_(hardware) {
  has_any_ =
      std::any_of(workload.operators.begin(), workload.operators.end(),
                  [](const Operator& op) { return has_choice(op.kind) || has_experts(op.kind); });
  kinds_ = alike_kinds(workload);
  for (const Operator& op : workload.operators) counted_.push_back(count(op.kind));
}

bool OperatorDegrees::has_choice(const OperatorKind& kind) {
  const Degrees most = most_degrees(kind, 1);
  return most.rows > 1 || most.in > 1;
}

OperatorDegrees::Cutting OperatorDegrees::priced(const Plan& plan, WeightsPrice price) const {
  const Prices prices(workload_, hardware_, living_, plan, price);
  Cutting cutting;
  cutting.degrees = plan.degrees;
  for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
    const Operator& op = workload_.operators[i];
    if (is_left_out(plan, op)) continue;
    const Degrees cut = plan.degrees_of(op);
    const OperatorCount& counted = counted_[i];
    double seconds = prices.of(op.kind, counted, cut);
    for (const std::size_t at : op.after) {
      const Operator& before = workload_.operators[at];
      if (is_left_out(plan, before) || !prices.is_change(plan.degrees_of(before), cut)) continue;
      seconds += prices.change(counted_[at]);
    }
    cutting.seconds.push_back(seconds);
    cutting.moved_bytes.push_back(activations_of(op.kind, counted, cut, plan) *
                                  static_cast<double>(hardware_.element_bytes));
    cutting.weight_bytes.push_back(
        static_cast<double>(weight_bytes(counted, workload_.kept, hardware_.element_bytes)) *
        static_cast<double>(cut.replicas()));
  }
  return cutting;
}

double OperatorDegrees::seconds(const Plan& plan, WeightsPrice price) const {
  const Cutting cutting = priced(plan, price);
  return std::accumulate(cutting.seconds.begin(), cutting.seconds.end(), 0.0);
}

std::shared_ptr<const std::vector<OperatorDegrees::Cutting>> OperatorDegrees::cuttings(
    const Plan& plan) const {
  const Key key{plan.tensor, plan.data, plan.micro_batch, plan.trains() ? plan.micro_batches : 0};
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
  }
  auto all = std::make_shared<std::vector<Cutting>>();
  Plan cut = plan;
  cut.degrees.clear();
  all->push_back(priced(cut, WeightsPrice::resident));
  for (const WeightsPrice price : {WeightsPrice::resident, WeightsPrice::streamed}) {
    // Each is worth it by the price that it was chosen by.
    cut.degrees.clear();
    const double own = seconds(cut, price);
    cut.degrees = best(plan, price);
    const bool is_known = std::any_of(all->begin(), all->end(), [&](const Cutting& cutting) {
      return cutting.degrees == cut.degrees;
    });
    if (is_known || seconds(cut, price) >= kWorthwhile * own) continue;
    all->push_back(priced(cut, WeightsPrice::resident));
  }
  const std::lock_guard lock(mutex_);
  return known_.emplace(key, std::move(all)).first->second;
}

PlanChoices OperatorDegrees::choices(const Plan& plan) const {
  PlanChoices all{[](Plan&) {}};
  if (!has_any_ || plan.tiles() == 1) return all;
  const auto known = cuttings(plan);
  for (const Cutting& cutting : *known) {
    if (cutting.degrees.empty()) continue;
    all.push_back([degrees = cutting.degrees](Plan& cut) { cut.degrees = degrees; });
  }
  return all;
}

/// Seconds of a micro-batch in the slowest stage, or of what all stages stream from and to the
/// memory behind SRAM together.
double OperatorDegrees::period_s(const Cutting& cutting, const Plan& plan) const {
  const auto parts = static_cast<std::size_t>(plan.pipeline);
  const auto tiles = static_cast<double>(plan.tiles());
  const ChainCut<double> cut = cut_chain(cutting.seconds, parts);
  double slowest = 0;
  double streamed = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = cut.first[part];
    const std::size_t end = part + 1 < parts ? cut.first[part + 1] : cutting.seconds.size();
    double seconds = 0;
    double weights = 0;
    double moved = 0;
    double working = 0;
    for (std::size_t i = begin; i < end; ++i) {
      seconds += cutting.seconds[i];
      weights += cutting.weight_bytes[i];
      moved += cutting.moved_bytes[i];
      working = std::max(working, cutting.moved_bytes[i]);
    }
    slowest = std::max(slowest, seconds);
    if (!hardware_.sram_bytes_per_tile) continue;
    const double room = tiles * static_cast<double>(*hardware_.sram_bytes_per_tile);
    if (weights + working <= room) continue;
    if (weights > room) streamed += weights;
    if (weights <= room || working > room) streamed += moved;
  }
  if (streamed == 0) return slowest;
  const std::vector<MemoryLevel> memories =
      tiles_as_chips(hardware_, living_, plan).system.memories;
  if (memories.empty()) return slowest;
  const double all_tiles = tiles * static_cast<double>(plan.pipeline);
  return std::max(slowest, streamed / (memories.front().bytes_per_s * all_tiles));
}

double OperatorDegrees::samples_per_s(const Plan& plan) const {
  if (!has_any_) return 0;
  const auto stages = static_cast<std::size_t>(plan.pipeline);
  const auto samples = static_cast<double>(plan.samples());
  double most = 0;
  const auto known = cuttings(plan);
  if (known->size() == 1) return 0;
  for (const Cutting& cutting : *known) {
    if (cutting.seconds.size() < stages) continue;
    const double fill = std::accumulate(cutting.seconds.begin(), cutting.seconds.end(), 0.0);
    const double slowest = period_s(cutting, plan);
    const double rate = plan.trains() ? samples * static_cast<double>(plan.micro_batches) /
                                            pipeline_time({fill, slowest}, plan.micro_batches)
                                      : samples / slowest;
    most = std::max(most, rate);
  }
  return most;
}

std::shared_ptr<const OperatorDegrees::PricedCuts> OperatorDegrees::cheapest(
    std::size_t place, const PricedBy& by, const std::function<PricedCuts()>& price) const {
  const std::pair<std::size_t, PricedBy> key{kinds_[place], by};
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = cheapest_.find(key); at != cheapest_.end()) return at->second;
  }
  auto cuts = std::make_shared<const PricedCuts>(price());
  const std::lock_guard lock(mutex_);
  return cheapest_.emplace(key, std::move(cuts)).first->second;
}

DegreesByName OperatorDegrees::best(const Plan& plan, WeightsPrice price) const {
  const Prices prices(workload_, hardware_, living_, plan, price);
  const PricedBy priced_by = prices.depends_on();
  std::vector<Choice> choices;
  std::map<std::size_t, std::size_t> priced_for;
  std::vector<std::size_t> place(workload_.operators.size(), kNone);
  for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
    const Operator& op = workload_.operators[i];
    if (is_left_out(plan, op)) continue;
    // Networks repeat themselves: what is priced for a kind serves all that are like it.
    const auto [alike, is_new] = priced_for.try_emplace(kinds_[i], choices.size());
    const auto price_cuts = [&] { return cheapest_cuts(op.kind, counted_[i], plan, prices); };
    // Cuts by experts depend on the plan's own degrees, which are no part of `priced_by`.
    const auto cuts = [&] {
      return has_experts(op.kind) ? price_cuts() : *cheapest(i, priced_by, price_cuts);
    };
    Choice choice =
        is_new ? choice_of(op.kind, counted_[i], plan, prices, cuts()) : choices[alike->second];
    choice.before.clear();
    choice.index = i;
    for (const std::size_t before : op.after) {
      if (place[before] != kNone) choice.before.push_back(place[before]);
    }
    // Along the chain is whatever was made last.
    std::sort(choice.before.rbegin(), choice.before.rend());
    place[i] = choices.size();
    choices.push_back(std::move(choice));
  }
  DegreesByName degrees;
  for (const Choice& choice : Chooser(prices, std::move(choices)).run()) {
    if (choice.chosen == 0) continue;
    degrees[workload_.operators[choice.index].name] = choice.cuts[choice.chosen];
  }
  return degrees;
}

}  // namespace waferloom::planner
