#include "placer/signature_dp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "placer/bounds.h"
#include "placer/parallel.h"
#include "placer/row_band.h"
#include "placer/row_signatures.h"

namespace waferloom {
namespace {

constexpr std::size_t kMostKernels = 400;

/// The problem's edges by position in the order.
class OrderedEdges {
 public:
  struct Edge {
    std::size_t earlier = 0;  ///< position of the end that comes first
    bool forward = true;      ///< whether the earlier end is the producer
  };
  struct Crossing {
    double units = 0;  ///< Σ weights
    int count = 0;
  };

  explicit OrderedEdges(const SearchContext& context)
      : to_earlier_(context.order.size()), crossing_(context.order.size() + 1) {
    std::vector<std::size_t> position(context.order.size());
    for (std::size_t p = 0; p < position.size(); ++p) position[context.order[p]] = p;
    for (const Connection& connection : context.problem.connections()) {
      const std::size_t producer = position[connection.producer];
      const std::size_t consumer = position[connection.consumer];
      const auto [from, to] = std::minmax(producer, consumer);
      const auto units = static_cast<double>(context.problem.edge_units(connection));
      to_earlier_[to].push_back({from, from == producer});
      for (std::size_t p = from + 1; p <= to; ++p) {
        crossing_[p].units += units;
        ++crossing_[p].count;
      }
    }
  }

  const std::vector<Edge>& to_earlier(std::size_t position) const { return to_earlier_[position]; }
  /// Edges between what is before a position and what is not.
  const Crossing& crossing(std::size_t position) const { return crossing_[position]; }
  /// Half tiles of weighted wire that a tile of the width of the kernel here makes in a row: half
  /// of one for every edge at it, a whole one for every edge that passes over it.
  double per_tile(std::size_t position) const {
    return crossing_[position].units + crossing_[position + 1].units;
  }

 private:
  std::vector<std::vector<Edge>> to_earlier_;
  std::vector<Crossing> crossing_;
};

/// The rows of least cost at one time cap.
class RowsAtCap {
 public:
  RowsAtCap(const SearchContext& context, const OrderedEdges& edges,
            const std::vector<ImageSplit>& signatures, std::int64_t time, double most)
      : context_(context),
        edges_(edges),
        wafer_(context.problem.wafer()),
        most_(most),
        per_half_tile_(static_cast<double>(context.costs.per_half_distance())),
        per_mismatch_(static_cast<double>(context.costs.per_adapter())) {
    for (const ImageSplit& bands : signatures) {
      cuts_.push_back(types_under(context.library, bands, time));
    }
    make_bands();
    for (std::size_t p = 0; p < context.order.size(); ++p) {
      kernels_.push_back(RowKernel{context.library.type_of(context.order[p]),
                                   edges.per_tile(p) * per_half_tile_,
                                   edges.crossing(p).count * per_mismatch_});
    }
  }

  /// The cheapest ways found, each a placement, best first by the estimate.
  std::vector<Placement> placements() {
    const std::size_t count = context_.order.size();
    open_.assign(count + 1, {});
    open_[0].push_back(Entry{});
    for (std::size_t first = 0; first < count && !context_.stop.raised(); ++first) {
      settle(open_[first], first);
      for (std::uint32_t band = 0; band < bands_.size(); ++band) lay_rows_from(first, band);
      open_[first].clear();
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
  static constexpr std::size_t kBuckets = 16;             // of row heights
  static constexpr std::size_t kKeptInABucket = 4;        // of a window
  static constexpr std::size_t kWindows[] = {4, 12, 36};  // kernels
  static constexpr std::int64_t kNoWidth = std::int64_t{1} << 40;
  static constexpr std::size_t kBandsInABucket = 6;
  static constexpr std::size_t kMostMembers = 48;  // of a band
  static constexpr std::size_t kMostOpen = 4'096;  // unsettled, at one kernel
  static constexpr std::size_t kMostSettled = 64;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Rows up to some kernel.
  struct Entry {
    std::int64_t height = 0;       ///< of all rows, tiles
    double cost = 0;               ///< of wire and adapters
    std::uint32_t last = kNone;    ///< signature of the last kernel
    std::uint32_t band = kNone;    ///< of the last row
    std::uint32_t before = kNone;  ///< the rows before it, in settled_
    std::size_t first = 0;         ///< position that the last row begins with
  };

  std::int64_t width(std::uint32_t cut, std::size_t position) const {
    return cuts_[cut].types[context_.library.type_of(context_.order[position])].tiles.width;
  }

  /// In how many windows of consecutive kernels, of some lengths and by height bucket, a signature
  /// is among the narrowest.
  std::vector<std::uint32_t> count_fills() const {
    const std::size_t count = context_.order.size();
    std::vector<std::uint32_t> fills(cuts_.size(), 0);
    std::vector<std::vector<std::int64_t>> sums(cuts_.size());  // of widths, kNoWidth if none
    for (std::uint32_t cut = 0; cut < cuts_.size(); ++cut) {
      sums[cut].assign(count + 1, 0);
      for (std::size_t p = 0; p < count; ++p) {
        const std::int64_t own = width(cut, p);
        sums[cut][p + 1] = sums[cut][p] + (own > 0 ? own : kNoWidth);
      }
    }
    std::array<std::vector<std::pair<std::int64_t, std::uint32_t>>, kBuckets> narrowest;
    for (const std::size_t length : kWindows) {
      const std::size_t step = std::max<std::size_t>(1, length / 4);
      for (std::size_t first = 0; first < count; first += step) {
        const std::size_t end = std::min(count, first + length);
        for (auto& own : narrowest) own.clear();
        for (std::uint32_t cut = 0; cut < cuts_.size(); ++cut) {
          const std::int64_t width = sums[cut][end] - sums[cut][first];
          if (width >= kNoWidth) continue;
          auto& own = narrowest[bucket(cuts_[cut].height)];
          own.emplace_back(width, cut);
          std::sort(own.begin(), own.end());
          if (own.size() > kKeptInABucket) own.pop_back();
        }
        for (const auto& own : narrowest) {
          for (const auto& [width, cut] : own) ++fills[cut];
        }
      }
    }
    return fills;
  }

  std::size_t bucket(std::int64_t height) const {
    return static_cast<std::size_t>(
        std::min<std::int64_t>(kBuckets - 1, height * kBuckets / wafer_.height));
  }

  /// Row heights that fill well, each with the signatures that do under it.
  void make_bands() {
    const std::vector<std::uint32_t> fills = count_fills();
    std::vector<std::uint32_t> order;
    for (std::uint32_t cut = 0; cut < cuts_.size(); ++cut) {
      if (fills[cut] > 0) order.push_back(cut);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return fills[a] > fills[b]; });
    std::array<std::set<std::int64_t>, kBuckets> heights;
    for (const std::uint32_t cut : order) {
      auto& own = heights[bucket(cuts_[cut].height)];
      if (own.size() < kBandsInABucket) own.insert(cuts_[cut].height);
    }
    for (const auto& own : heights) {
      for (const std::int64_t height : own) {
        std::vector<std::uint32_t> members;
        for (const std::uint32_t cut : order) {
          const bool near = cuts_[cut].height <= height && 4 * cuts_[cut].height > 3 * height;
          if (near && members.size() < kMostMembers) members.push_back(cut);
        }
        bands_.emplace_back(height, std::move(members), cuts_);
      }
    }
  }

  /// What changing from one signature to another costs at a position.
  double change_cost(std::uint32_t from, std::uint32_t to, std::size_t position) const {
    if (from == kNone) return 0;
    const ImageSplit& x = cuts_[from].bands;
    const ImageSplit& y = cuts_[to].bands;
    const int mismatches = (x.h != y.h ? 1 : 0) + (x.w != y.w ? 1 : 0) + (x.c != y.c ? 1 : 0);
    return mismatches * edges_.crossing(position).count * per_mismatch_;
  }

  /// Drops entries that another one of at most their height beats whatever signature follows.
  void settle(std::vector<Entry>& entries, std::size_t position) const {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      if (a.height != b.height) return a.height < b.height;
      if (a.cost != b.cost) return a.cost < b.cost;
      return a.last < b.last;
    });
    const double dearest_change = 3 * edges_.crossing(position).count * per_mismatch_;
    std::vector<double> best_of(cuts_.size(), most_);
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
    if (kept.size() > kMostSettled) {
      std::stable_sort(kept.begin(), kept.end(),
                       [](const Entry& a, const Entry& b) { return a.cost < b.cost; });
      kept.resize(kMostSettled);
    }
    entries = std::move(kept);
  }

  /// Mismatches on edges from a row's earlier kernels, all under one signature.
  double own_mismatches(std::size_t first, std::size_t position, std::uint32_t cut) const {
    const std::vector<TypeUnder>& types = cuts_[cut].types;
    const Signature& here = types[kernels_[position].type].shown;
    int sum = 0;
    for (const OrderedEdges::Edge& edge : edges_.to_earlier(position)) {
      if (edge.earlier < first) continue;
      const Signature& other = types[kernels_[edge.earlier].type].shown;
      sum += edge.forward ? adapter_mismatches(other, here) : adapter_mismatches(here, other);
    }
    return sum * per_mismatch_;
  }

  /// Whether the sweep could take the kernel.
  bool extend(RowBand::Sweep& sweep, std::size_t first, std::size_t position) const {
    return sweep.append(kernels_[position],
                        [&](std::uint32_t cut) { return own_mismatches(first, position, cut); });
  }

  /// All rows of one height that begin with a kernel and leave at most half of the wafer's width
  /// empty, or end with the last kernel.
  void lay_rows_from(std::size_t first, std::uint32_t band) {
    const std::vector<Entry>& before = open_[first];
    const std::int64_t height = bands_[band].height();
    const std::size_t count = context_.order.size();
    const bool any = std::any_of(before.begin(), before.end(), [&](const Entry& entry) {
      return entry.height + height <= wafer_.height;
    });
    if (!any) return;
    const double across = static_cast<double>(height) * per_half_tile_;
    std::vector<std::uint32_t> settled(before.size(), kNone);
    RowBand::Sweep sweep(bands_[band], wafer_.width);
    for (std::size_t p = first; p < count && extend(sweep, first, p); ++p) {
      const std::size_t end = p + 1;
      if (end < count && 2 * sweep.width() < wafer_.width) continue;
      const double cost =
          sweep.cost() + across * (edges_.crossing(first).units + edges_.crossing(end).units);
      for (std::size_t e = 0; e < before.size(); ++e) {
        const Entry& from = before[e];
        if (from.height + height > wafer_.height) continue;
        const double total =
            from.cost + cost + change_cost(from.last, sweep.first_signature(), first);
        if (total >= most_) continue;
        if (settled[e] == kNone) {
          settled[e] = static_cast<std::uint32_t>(settled_.size());
          settled_.push_back(from);
        }
        open_[end].push_back(
            Entry{from.height + height, total, sweep.last_signature(), band, settled[e], first});
      }
      if (open_[end].size() > kMostOpen) settle(open_[end], end);
    }
  }

  struct Row {
    std::size_t first = 0;
    std::vector<TypeUnder> kernels;
  };

  /// The rows that an entry stands for, in order.
  std::vector<Row> rows_of(const Entry& last) const {
    std::vector<Row> rows;
    Entry entry = last;
    std::size_t end = context_.order.size();
    while (entry.band != kNone) {
      RowBand::Sweep sweep(bands_[entry.band], wafer_.width);
      sweep.remember();
      for (std::size_t p = entry.first; p < end; ++p) extend(sweep, entry.first, p);
      Row row{entry.first, {}};
      const std::vector<std::uint32_t> cuts = sweep.signatures();
      for (std::size_t i = 0; i < cuts.size(); ++i) {
        row.kernels.push_back(cuts_[cuts[i]].types[kernels_[entry.first + i].type]);
      }
      rows.push_back(std::move(row));
      end = entry.first;
      entry = settled_[entry.before];
    }
    std::reverse(rows.begin(), rows.end());
    return rows;
  }

  /// The rows one above the other; each begins below the end of the one before where it can.
  Placement lay_out(const Entry& last) const {
    Placement placement;
    placement.kernels.resize(context_.order.size());
    std::int64_t y = 0;
    std::int64_t turn = 0;
    bool leftwards = false;
    for (const Row& row : rows_of(last)) {
      std::int64_t length = 0;
      std::int64_t height = 0;
      for (const TypeUnder& kernel : row.kernels) {
        length += kernel.tiles.width;
        height = std::max(height, kernel.tiles.height);
      }
      std::int64_t edge =
          leftwards ? std::max(turn, length) : std::min(turn, wafer_.width - length);
      for (std::size_t i = 0; i < row.kernels.size(); ++i) {
        const TypeUnder& kernel = row.kernels[i];
        if (leftwards) edge -= kernel.tiles.width;
        placement.kernels[context_.order[row.first + i]] =
            PlacedKernel{kernel.execution, edge, y + (height - kernel.tiles.height) / 2, false};
        if (!leftwards) edge += kernel.tiles.width;
      }
      turn = edge;
      leftwards = !leftwards;
      y += height;
    }
    return placement;
  }

  const SearchContext& context_;
  const OrderedEdges& edges_;
  const Wafer& wafer_;
  double most_;
  double per_half_tile_;
  double per_mismatch_;
  std::vector<TypesUnder> cuts_;  ///< by signature
  std::vector<RowBand> bands_;
  std::vector<RowKernel> kernels_;        ///< by position
  std::vector<std::vector<Entry>> open_;  ///< by the position behind their last kernel
  std::vector<Entry> settled_;
};

/// Tries time caps side by side and emits what becomes better.
class CapTrials {
 public:
  CapTrials(const SearchContext& context, const EmitPlacement& emit)
      : context_(context),
        emit_(emit),
        edges_(context),
        signatures_(row_signatures(context.library)) {}

  void try_caps(const std::vector<std::int64_t>& caps) {
    std::vector<std::vector<Placement>> found(caps.size());
    parallel_tasks(caps.size(), context_.threads, [&](std::size_t i) {
      const double most = best_ ? static_cast<double>(*best_ - time_cost(caps[i])) : kAnyChange;
      if (most <= 0 || context_.stop.raised()) return;
      found[i] = RowsAtCap(context_, edges_, signatures_, caps[i], most).placements();
    });
    for (std::size_t i = 0; i < caps.size(); ++i) {
      for (const Placement& placement : found[i]) {
        const Int128 total = context_.costs.total(score(context_.problem, placement));
        if (best_ && total >= *best_) continue;
        best_ = total;
        best_cap_ = caps[i];
        emit_(placement);
      }
    }
    tried_.insert(caps.begin(), caps.end());
  }

  /// Caps between the best one and the next lower one.
  std::vector<std::int64_t> below_best(std::int64_t count) const {
    std::vector<std::int64_t> caps;
    if (!best_) return caps;
    const auto best = tried_.find(best_cap_);
    const std::int64_t lower = best == tried_.begin() ? 0 : *std::prev(best);
    for (std::int64_t i = 1; i <= count; ++i) {
      const std::int64_t cap = lower + (best_cap_ - lower) * i / (count + 1);
      if (cap > lower && cap < best_cap_) caps.push_back(cap);
    }
    return caps;
  }

  /// Whether time alone costs more than what has been found.
  bool in_vain(std::int64_t cap) const { return best_ && time_cost(cap) >= *best_; }

 private:
  Int128 time_cost(std::int64_t cap) const { return Int128(cap) * context_.costs.per_time(); }

  const SearchContext& context_;
  const EmitPlacement& emit_;
  OrderedEdges edges_;
  std::vector<ImageSplit> signatures_;
  std::set<std::int64_t> tried_;
  std::optional<Int128> best_;
  std::int64_t best_cap_ = 0;
};

bool is_for_rows(const SearchContext& context) {
  if (context.space.binds() || context.order.size() > kMostKernels) return false;
  for (std::size_t type = 0; type < context.library.type_count(); ++type) {
    if (is_shape_list(context.library.type(type))) return false;
  }
  return true;
}

}  // namespace

void signature_dp(const SearchContext& context, const EmitPlacement& emit) {
  constexpr std::size_t kCaps = 32;
  constexpr std::size_t kBatch = 4;
  constexpr double kLargest = 8;  // cap, as a multiple of the least
  constexpr int kRefinements = 2;
  if (!is_for_rows(context)) return;
  CapTrials trials(context, emit);
  const auto slowest = static_cast<double>(slowest_time(context.problem));
  std::vector<std::int64_t> caps;
  for (std::size_t i = 0; i < kCaps && !context.stop.raised(); ++i) {
    const double grown = std::pow(kLargest, static_cast<double>(i * i) / (kCaps * kCaps));
    caps.push_back(static_cast<std::int64_t>(
        std::min(slowest, static_cast<double>(context.area_bound) * grown)));
    if (caps.size() < kBatch && i + 1 < kCaps) continue;
    if (trials.in_vain(caps.front())) break;
    trials.try_caps(caps);
    caps.clear();
  }
  for (int i = 0; i < kRefinements; ++i) trials.try_caps(trials.below_best(kBatch));
}

}  // namespace waferloom
