#include "placer/free/free_annealer.h"

#include <algorithm>

#include "model/placement.h"
#include "placer/free/free_layout.h"

namespace waferloom::placer {
namespace {

/// The state of one run: layout and cost, moved and taken back together.
class FreeSearch {
 public:
  FreeSearch(const ShapeLibrary& library, const ClearSpace& space, const Placement& start)
      : layout_(library, space, start), wire_(library.problem()) {
    const CostModel costs(library.problem());
    per_time_ = static_cast<double>(costs.per_time());
    per_adapter_ = static_cast<double>(costs.per_adapter());
    const Wafer& wafer = library.problem().wafer();
    price_ = OverflowPrice(per_time_ * static_cast<double>(layout_.shapes().time()),
                           std::min(wafer.width, wafer.height), wire_.per_unit());
  }

  /// Puts every kernel where it is allowed; false if some finds no such place.
  bool settle(RandomStream& random, const RunControl& stop) {
    if (!layout_.settle(random, stop)) return false;
    evaluate(layout_.tiles().total());
    held_ = proposed_;
    return true;
  }

  double cost() const { return held_.cost(); }
  bool fits() const { return held_.overflow == 0; }
  using Snapshot = FreeLayout::Snapshot;
  Snapshot snapshot() const { return layout_.snapshot(); }
  Placement placement(const Snapshot& snapshot) {
    layout_.restore(snapshot);
    return layout_.placement();
  }

  /// Tries one move: its change of cost if that is at most `most`. keep() or take_back() follows.
  std::optional<double> propose(RandomStream& random, double most) {
    if (!layout_.propose(random) || !layout_.changed()) return std::nullopt;
    evaluate(layout_.overlap(held_.overflow));
    const double change = proposed_.cost(price_) - held_.cost(price_);
    if (change > most) return std::nullopt;
    return change;
  }
  double wire_change() const { return proposed_.wire - held_.wire; }
  /// To be called once a move.
  void count_state(double fraction) { price_.count(fits(), fraction); }
  void keep() {
    layout_.commit();
    held_ = proposed_;
  }
  void take_back() { layout_.undo(); }

 private:
  void evaluate(std::int64_t overlap) {
    proposed_.overflow = overlap;
    proposed_.time = per_time_ * static_cast<double>(layout_.shapes().time());
    proposed_.wire = wire_.cost(layout_.centres()) +
                     per_adapter_ * static_cast<double>(layout_.shapes().adapters());
  }

  FreeLayout layout_;
  Wire wire_;
  double per_time_ = 0;
  double per_adapter_ = 0;
  OverflowPrice price_{0};
  AnnealState held_;
  AnnealState proposed_;
};

}  // namespace

std::optional<Placement> anneal_free(const ShapeLibrary& library, const ClearSpace& space,
                                     const Placement& start, const AnnealBudget& budget,
                                     const Cooling& cooling, RandomStream& random) {
  FreeSearch search(library, space, start);
  if (!search.settle(random, budget.stop)) return std::nullopt;
  const auto best = anneal(search, budget, cooling, random);
  if (!best.snapshot) return std::nullopt;
  return search.placement(*best.snapshot);
}

}  // namespace waferloom::placer
