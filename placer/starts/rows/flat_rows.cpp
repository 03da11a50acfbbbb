#include "placer/starts/rows/flat_rows.h"

#include <algorithm>

// Problem: choose rows for a chain of kernels so that wire and adapters cost least at a time cap.
// Idea: a dynamic program over the first kernel of a row and the height that earlier rows take. All
// kernels of a row share a band of signatures. Edges between rows are priced by an estimate: both
// kernels are as far from the turn as each other. Dead tiles are stepped past.
// Source: our own (docs/placer.md).
// Cost: O(kernels · bands · ends of a row · open ways).
namespace waferloom::placer {
namespace {

class FlatRows {
 public:
  FlatRows(const SearchContext& context, const RowOptions& options, double most)
      : context_(context),
        options_(options),
        wafer_(options.wafer()),
        most_(most),
        around_(!wafer_.dead.empty()) {}

  /// The cheapest ways found, each a placement, best first by the estimate.
  std::vector<Placement> placements() {
    const std::size_t count = context_.order.size();
    if (options_.least_cost_from(0) >= most_) return {};
    open_.assign(count + 1, {});
    open_[0].push_back(Entry{});
    for (std::size_t first = 0; first < count && !context_.stop.is_cut(); ++first) {
      settle(open_[first], first);
      const Ways ways{settled_.size(), settled_.size() + open_[first].size()};
      settled_.insert(settled_.end(), open_[first].begin(), open_[first].end());
      open_[first].clear();
      for (std::uint32_t band = 0; band < options_.bands().size(); ++band) {
        lay_rows_from(first, band, ways);
      }
    }
    std::vector<Entry>& whole = open_[count];
    settle(whole, count);
    std::sort(whole.begin(), whole.end(),
              [](const Entry& a, const Entry& b) { return a.cost < b.cost; });
    if (whole.size() > kMostPlacements) whole.resize(kMostPlacements);
    std::vector<Placement> result;
    for (const Entry& entry : whole) result.push_back(lay_out(entry));
    return result;
  }

 private:
  static constexpr std::size_t kMostPlacements = 3;
  static constexpr std::size_t kMostOpen = 4'096;  // unsettled, at one kernel
  static constexpr std::size_t kMostSettled = 64;
  static constexpr std::size_t kMostSettledAround = 6;  // each needs rows of its own
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Rows up to some kernel.
  struct Entry {
    std::int64_t height = 0;       ///< of all rows, tiles
    double cost = 0;               ///< of wire and adapters
    std::uint32_t last = kNone;    ///< signature of the last kernel
    std::uint32_t band = kNone;    ///< of the last row
    std::uint32_t before = kNone;  ///< the rows before it, in settled_
    std::size_t first = 0;         ///< position that the last row begins with
    bool leftwards = false;        ///< whether the next row goes there
  };

  /// A range of settled_.
  struct Ways {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Drops entries that another one of at most their height beats whatever signature follows.
  void settle(std::vector<Entry>& entries, std::size_t position) const {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      if (a.height != b.height) return a.height < b.height;
      if (a.cost != b.cost) return a.cost < b.cost;
      return a.last < b.last;
    });
    const double dearest_change =
        3 * options_.edges().crossing(position).count * options_.per_mismatch();
    std::vector<double> best_of(options_.signature_count(), most_);
    double best = most_;
    std::vector<Entry> kept;
    for (const Entry& entry : entries) {
      if (entry.last != kNone) {
        if (entry.cost >= best_of[entry.last] || entry.cost >= best + dearest_change) continue;
        best_of[entry.last] = entry.cost;
      }
      best = std::min(best, entry.cost);
      kept.push_back(entry);
    }
    const std::size_t most = around_ ? kMostSettledAround : kMostSettled;
    if (kept.size() > most) {
      std::stable_sort(kept.begin(), kept.end(),
                       [](const Entry& a, const Entry& b) { return a.cost < b.cost; });
      kept.resize(most);
    }
    entries = std::move(kept);
  }

  /// All rows of one height that begin with a kernel, on top of all ways to come to it. Around dead
  /// tiles they differ by what is below them.
  void lay_rows_from(std::size_t first, std::uint32_t band, const Ways& ways) {
    const std::int64_t height = options_.bands()[band].height();
    if (!around_) {
      const bool any =
          std::any_of(settled_.begin() + static_cast<std::ptrdiff_t>(ways.begin),
                      settled_.begin() + static_cast<std::ptrdiff_t>(ways.end),
                      [&](const Entry& way) { return way.height + height <= wafer_.height; });
      if (any) sweep_row(first, band, ways, nullptr);
      return;
    }
    for (std::size_t way = ways.begin; way < ways.end; ++way) {
      const Entry& below = settled_[way];
      if (below.height + height > wafer_.height) continue;
      const RowTrack track = track_of(below.height, height, below.leftwards);
      sweep_row(first, band, Ways{way, way + 1}, &track);
    }
  }

  /// What is clear of the row of tiles from y to y + height.
  RowTrack track_of(std::int64_t y, std::int64_t height, bool leftwards) const {
    std::vector<bool> blocked(static_cast<std::size_t>(wafer_.width), false);
    context_.space.for_dead_in({0, y, wafer_.width, height}, [&](const Rectangle& dead) {
      const std::int64_t from = leftwards ? wafer_.width - dead.x - dead.width : dead.x;
      std::fill_n(blocked.begin() + from, dead.width, true);
      return true;
    });
    return RowTrack(blocked);
  }

  /// The rows of a band that begin with a kernel and leave at most half of the wafer's width empty,
  /// or end with the last kernel, each on top of all ways.
  void sweep_row(std::size_t first, std::uint32_t band, const Ways& ways, const RowTrack* track) {
    const std::int64_t height = options_.bands()[band].height();
    const std::size_t count = context_.order.size();
    const double across = static_cast<double>(height) * options_.per_half_tile();
    RowBand::Sweep sweep(options_.bands()[band], wafer_.width, track);
    for (std::size_t p = first; p < count && sweep.append(p); ++p) {
      const std::size_t end = p + 1;
      if (end < count && 2 * sweep.width() < wafer_.width) continue;
      const double cost = sweep.cost() + across * (options_.edges().crossing(first).units +
                                                   options_.edges().crossing(end).units);
      for (std::size_t way = ways.begin; way < ways.end; ++way) {
        const Entry& below = settled_[way];
        if (below.height + height > wafer_.height) continue;
        double total = below.cost + cost;
        if (below.last != kNone) {
          total += options_.change_cost(below.last, sweep.first_signature(), first);
        }
        if (total + options_.least_cost_from(end) >= most_) continue;
        open_[end].push_back(Entry{below.height + height, total, sweep.last_signature(), band,
                                   static_cast<std::uint32_t>(way), first, !below.leftwards});
      }
      if (open_[end].size() > kMostOpen) settle(open_[end], end);
    }
  }

  /// One row of a way.
  struct Row {
    std::uint32_t band = kNone;
    std::size_t first = 0;  ///< positions first … end − 1
    std::size_t end = 0;
    std::int64_t below = 0;  ///< height that the rows below it take
    bool leftwards = false;
  };

  /// The rows that an entry stands for, in order.
  std::vector<Row> rows_of(const Entry& last) const {
    std::vector<Row> rows;
    Entry entry = last;
    std::size_t end = context_.order.size();
    while (entry.band != kNone) {
      const Entry& before = settled_[entry.before];
      rows.push_back({entry.band, entry.first, end, before.height, before.leftwards});
      end = entry.first;
      entry = before;
    }
    std::reverse(rows.begin(), rows.end());
    return rows;
  }

  Placement lay_out(const Entry& last) const {
    Placement placement;
    placement.kernels.resize(context_.order.size());
    const std::vector<Row> rows = rows_of(last);
    if (around_) {
      for (const Row& row : rows) lay_around(row, placement);
    } else {
      lay_turning(rows, placement);
    }
    return placement;
  }

  /// A row that begins where the wafer does and keeps clear of dead tiles.
  void lay_around(const Row& row, Placement& placement) const {
    const std::int64_t height = options_.bands()[row.band].height();
    const RowTrack track = track_of(row.below, height, row.leftwards);
    const RowRun run = options_.row(row.band, row.first, row.end, &track);
    const std::int64_t left = row.leftwards ? wafer_.width - run.length() : 0;
    run.lay(context_.order, left, row.leftwards, {row.below, height}, placement);
  }

  /// The rows one above the other; each begins below the end of the one before where it can.
  void lay_turning(const std::vector<Row>& rows, Placement& placement) const {
    std::int64_t y = 0;
    std::int64_t turn = 0;
    for (const Row& row : rows) {
      const RowRun run = options_.row(row.band, row.first, row.end);
      const std::int64_t length = run.length();
      const std::int64_t begin =
          row.leftwards ? std::max(turn, length) : std::min(turn, wafer_.width - length);
      turn = row.leftwards ? begin - length : begin + length;
      run.lay(context_.order, std::min(begin, turn), row.leftwards, {y, run.height()}, placement);
      y += run.height();
    }
  }

  const SearchContext& context_;
  const RowOptions& options_;
  const Wafer& wafer_;
  double most_;
  bool around_;                           ///< whether there are dead tiles
  std::vector<std::vector<Entry>> open_;  ///< by the position behind their last kernel
  std::vector<Entry> settled_;
};

}  // namespace

std::vector<Placement> flat_rows(const SearchContext& context, const RowOptions& options,
                                 double most) {
  return FlatRows(context, options, most).placements();
}

}  // namespace waferloom::placer
