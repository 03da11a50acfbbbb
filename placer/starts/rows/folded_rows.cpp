#include "placer/starts/rows/folded_rows.h"

#include <algorithm>

// Problem: two rows over the whole wafer waste area where one height does not suit all kernels.
// Idea: let the boundary between the rows step once. Left of the step both rows have other heights
// than right of it. Try every step, and fill each of the four parts with its best band.
// Source: our own (docs/placer.md).
// Cost: O(kernels² · bands · log kernels); skipped above kMostFolded kernels.
namespace waferloom::placer {
namespace {

class FoldedRows {
 public:
  FoldedRows(const SearchContext& context, const RowOptions& options, double most)
      : context_(context),
        options_(options),
        wafer_(options.wafer()),
        count_(options.kernel_count()),
        best_cost_(most) {
    pair_bands();
    runs_.resize(options_.bands().size() * count_);
  }

  std::optional<Placement> placement() {
    if (options_.least_cost_from(0) >= best_cost_) return std::nullopt;
    for (std::size_t a = 1; a + 2 < count_ && !context_.stop.is_cut(); ++a) {
      for (std::size_t b = a + 2; b < count_ && !context_.stop.is_cut(); ++b) try_step(a, b);
    }
    if (!best_) return std::nullopt;
    return lay_out(*best_);
  }

 private:
  /// A row of one band from some kernel to another one.
  struct Run {
    std::int64_t width = 0;
    double cost = 0;
    std::uint32_t first_signature = 0;
    std::uint32_t last_signature = 0;
  };
  /// Bands of the lower and the upper row that together are not higher than the wafer.
  struct Pair {
    std::uint32_t lower = 0;
    std::uint32_t upper = 0;
  };
  /// Left of the step: the kernels before a below, those from b on above.
  struct Column {
    std::int64_t width = 0;
    double cost = 0;
    std::size_t pair = 0;
  };
  struct Fold {
    std::size_t a = 0, turn = 0, b = 0;
    std::size_t left = 0, right = 0;  ///< pairs
  };

  static constexpr std::int64_t kMostWaste = 10;  // of the wafer's width, a tenth

  std::int64_t height(std::uint32_t band) const { return options_.bands()[band].height(); }

  /// Each band below, with the highest that has room above it.
  void pair_bands() {
    const auto& bands = options_.bands();
    for (std::uint32_t lower = 0; lower < bands.size(); ++lower) {
      std::optional<std::uint32_t> upper;
      for (std::uint32_t other = 0; other < bands.size(); ++other) {
        if (height(lower) + height(other) <= wafer_.height) upper = other;
      }
      if (upper) pairs_.push_back({lower, *upper});
    }
  }

  /// The kernels first … end − 1, at least one; null if they do not fit a row.
  const Run* run(std::uint32_t band, std::size_t first, std::size_t end) {
    std::vector<Run>& runs = runs_[band * count_ + first];
    if (runs.empty()) sweep(band, first, runs);
    if (end - first > runs.size()) return nullptr;
    const Run& found = runs[end - first - 1];
    return found.width > 0 ? &found : nullptr;
  }

  /// All rows of a band that begin with a kernel; one without width if there are none.
  void sweep(std::uint32_t band, std::size_t first, std::vector<Run>& runs) const {
    RowBand::Sweep sweep(options_.bands()[band], wafer_.width);
    for (std::size_t p = first; p < count_ && sweep.append(p); ++p) {
      runs.push_back(
          {sweep.width(), sweep.cost(), sweep.first_signature(), sweep.last_signature()});
    }
    if (runs.empty()) runs.push_back({});
  }

  /// All ways that have the step in front of a below and of b above.
  void try_step(std::size_t a, std::size_t b) {
    columns_.clear();
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
      const Run* lower = run(pairs_[pair].lower, 0, a);
      const Run* upper = run(pairs_[pair].upper, b, count_);
      if (lower == nullptr || upper == nullptr) continue;
      const std::int64_t width = std::max(lower->width, upper->width);
      const std::int64_t waste = width - std::min(lower->width, upper->width);
      const double cost = lower->cost + upper->cost;
      if (waste * kMostWaste > wafer_.width || cost >= best_cost_) continue;
      columns_.push_back({width, cost, pair});
    }
    if (columns_.empty()) return;
    std::int64_t narrowest = wafer_.width;
    for (const Column& column : columns_) narrowest = std::min(narrowest, column.width);
    for (std::size_t right = 0; right < pairs_.size(); ++right) {
      const std::size_t even = even_turn(a, pairs_[right], b);
      for (std::size_t turn = even - 1; turn <= even; ++turn) {
        if (turn <= a || turn >= b) continue;
        const Run* lower = run(pairs_[right].lower, a, turn);
        const Run* upper = run(pairs_[right].upper, turn, b);
        if (lower == nullptr || upper == nullptr) continue;
        const std::int64_t width = std::max(lower->width, upper->width);
        if (narrowest + width > wafer_.width) continue;
        try_columns(Fold{a, turn, b, 0, right}, *lower, *upper, wafer_.width - width);
      }
    }
  }

  /// The first turn with which the lower row of the right column is at least as long as the upper.
  std::size_t even_turn(std::size_t a, const Pair& pair, std::size_t b) {
    std::size_t low = a + 1;
    std::size_t high = b;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const Run* lower = run(pair.lower, a, middle);
      const Run* upper = middle < b ? run(pair.upper, middle, b) : nullptr;
      const bool longer = lower == nullptr || (upper != nullptr && lower->width >= upper->width);
      (longer ? high : low) = longer ? middle : middle + 1;
    }
    return low;
  }

  void try_columns(Fold fold, const Run& lower, const Run& upper, std::int64_t room) {
    const OrderedEdges& edges = options_.edges();
    const Pair& right = pairs_[fold.right];
    const double per_tile = options_.per_half_tile();
    const double turn_cost =
        options_.change_cost(lower.last_signature, upper.first_signature, fold.turn) +
        static_cast<double>(height(right.lower) + height(right.upper)) *
            edges.crossing(fold.turn).units * per_tile;
    for (const Column& column : columns_) {
      if (column.width > room) continue;
      double cost = column.cost + lower.cost + upper.cost + turn_cost;
      if (cost >= best_cost_) continue;
      const Pair& left = pairs_[column.pair];
      // A step of the boundary moves the rows' middles by half of it.
      cost += static_cast<double>(std::abs(height(left.lower) - height(right.lower))) *
              edges.crossing(fold.a).units * per_tile;
      cost += static_cast<double>(std::abs(height(left.upper) - height(right.upper))) *
              edges.crossing(fold.b).units * per_tile;
      cost += options_.change_cost(run(left.lower, 0, fold.a)->last_signature,
                                   lower.first_signature, fold.a);
      cost += options_.change_cost(upper.last_signature,
                                   run(left.upper, fold.b, count_)->first_signature, fold.b);
      if (cost >= best_cost_) continue;
      best_cost_ = cost;
      fold.left = column.pair;
      best_ = fold;
    }
  }

  Placement lay_out(const Fold& fold) const {
    const auto runs_of = [&](const Pair& pair, std::size_t first, std::size_t end, bool below) {
      return options_.row(below ? pair.lower : pair.upper, first, end);
    };
    const RowRun lower_left = runs_of(pairs_[fold.left], 0, fold.a, true);
    const RowRun lower_right = runs_of(pairs_[fold.right], fold.a, fold.turn, true);
    const RowRun upper_right = runs_of(pairs_[fold.right], fold.turn, fold.b, false);
    const RowRun upper_left = runs_of(pairs_[fold.left], fold.b, count_, false);
    const std::int64_t step = std::max(lower_left.length(), upper_left.length());
    const std::int64_t end = step + std::max(lower_right.length(), upper_right.length());
    Placement placement;
    placement.kernels.resize(count_);
    const auto lay = [&](const RowRun& row, std::int64_t right, std::int64_t y, bool leftwards) {
      row.lay(context_.order, right - row.length(), leftwards, {y, row.height()}, placement);
    };
    lay(lower_left, step, 0, false);
    lay(lower_right, end, 0, false);
    lay(upper_right, end, lower_right.height(), true);
    lay(upper_left, step, lower_left.height(), true);
    return placement;
  }

  const SearchContext& context_;
  const RowOptions& options_;
  const Wafer& wafer_;
  std::size_t count_;
  double best_cost_;
  std::optional<Fold> best_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<Run>> runs_;  ///< by band and first kernel, then by end
  std::vector<Column> columns_;
};

}  // namespace

std::optional<Placement> folded_rows(const SearchContext& context, const RowOptions& options,
                                     double most) {
  if (options.kernel_count() > kMostFolded || !options.wafer().dead.empty()) return std::nullopt;
  return FoldedRows(context, options, most).placement();
}

}  // namespace waferloom::placer
