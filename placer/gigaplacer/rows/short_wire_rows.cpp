#include "placer/gigaplacer/rows/short_wire_rows.h"

#include <algorithm>
#include <limits>

#include "placer/gigaplacer/rows/dp_judgement.h"

namespace waferloom::placer {
namespace {

constexpr std::int64_t kNoWire = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t kMostHeights = 48;
constexpr std::size_t kFewestHeights = 8;
constexpr std::size_t kMostEntries = 4'000'000;  ///< sampled heights × segments
constexpr std::int64_t kHighestPrice = 1 << 14;  ///< half tiles of wire for a tile of height

/// Wire of all rows at sampled heights. A segment is a row that fits at the room's full height;
/// those that end before `last` are numbered from first_segment[last] by ascending size.
class SampledWire {
 public:
  explicit SampledWire(const RowTable& table) : table_(table), heights_(table) {
    for (std::size_t last = 0; last <= table.order().size(); ++last) {
      first_segment_.push_back(segments_);
      segments_ += heights_.longest(last);
    }
    sample_heights();
    for (const std::int64_t height : sampled_) fill(height);
  }

  bool too_large() const { return sampled_.empty(); }
  const RowHeights& least_heights() const { return heights_; }
  std::size_t segment(std::size_t last, std::size_t size) const {
    return first_segment_[last] + size - 1;
  }

  /// For each segment the least wire + price·height over the sampled heights.
  std::vector<std::int64_t> priced(std::int64_t price) const {
    std::vector<std::int64_t> best(segments_, kNoWire);
    for (std::size_t s = 0; s < sampled_.size(); ++s) {
      const std::int64_t paid = price * sampled_[s];
      const std::vector<std::int64_t>& wire = wire_[s];
      for (std::size_t i = 0; i < segments_; ++i) best[i] = std::min(best[i], wire[i] + paid);
    }
    return best;
  }

 private:
  void sample_heights() {
    const std::size_t affordable = kMostEntries / std::max<std::size_t>(segments_, 1);
    if (affordable < kFewestHeights) return;
    const auto most = static_cast<std::int64_t>(std::min(affordable, kMostHeights));
    const std::int64_t room = table_.room().height;
    std::int64_t before = 0;
    for (std::int64_t i = 1; i <= most; ++i) {
      const std::int64_t height = room * i / most;
      if (height > before) sampled_.push_back(height);
      before = height;
    }
  }

  void fill(std::int64_t height) {
    const KernelOrder& order = table_.order();
    std::vector<std::int64_t> wire(segments_, kNoWire);
    for (std::size_t last = 1; last <= order.size(); ++last) {
      for (std::size_t size = 1; size <= heights_.longest(last); ++size) {
        const RowSpan span{last - size, last};
        if (!table_.fits(span, height)) break;
        const std::int64_t crossing = order.links_cut[span.first] + order.links_cut[span.last];
        const std::int64_t shorter =
            size == 1 ? 0 : inner(wire, last - 1, size - 1, height) + ending(span, height);
        wire[segment(last, size)] = shorter + crossing * height;
      }
    }
    wire_.push_back(std::move(wire));
  }

  /// Wire of the links inside the segment, from its entry.
  std::int64_t inner(const std::vector<std::int64_t>& wire, std::size_t last, std::size_t size,
                     std::int64_t height) const {
    const KernelOrder& order = table_.order();
    return wire[segment(last, size)] -
           (order.links_cut[last - size] + order.links_cut[last]) * height;
  }

  /// Wire of the links that end at the span's last kernel and start within it.
  std::int64_t ending(const RowSpan& span, std::int64_t height) const {
    const KernelOrder& order = table_.order();
    const std::size_t to = span.last - 1;
    std::int64_t wire = 0;
    for (std::size_t l = order.first_link[to]; l < order.first_link[span.last]; ++l) {
      const std::size_t from = order.links[l].from;
      if (from < span.first) continue;
      wire += 2 * table_.width(RowSpan{from, to}, height) + table_.width(to, height) -
              table_.width(from, height);
    }
    return wire;
  }

  const RowTable& table_;
  RowHeights heights_;
  std::vector<std::size_t> first_segment_;
  std::size_t segments_ = 0;
  std::vector<std::int64_t> sampled_;
  std::vector<std::vector<std::int64_t>> wire_;  ///< [sampled height][segment]
};

struct WireState {
  std::int64_t cost = kNoWire;
  std::size_t size = 0;  ///< kernels in the last row
};
using WireLayer = std::vector<WireState>;

WireState best_last_row(const SampledWire& sampled, const std::vector<std::int64_t>& priced,
                        const WireLayer& from, std::size_t last) {
  WireState best;
  for (std::size_t size = 1; size <= sampled.least_heights().longest(last); ++size) {
    const std::int64_t before = from[last - size].cost;
    const std::int64_t row = priced[sampled.segment(last, size)];
    if (before == kNoWire || row >= kNoWire || before + row >= best.cost) continue;
    best = WireState{before + row, size};
  }
  return best;
}

/// The rows of least priced cost, at their least heights; empty if there are none.
RowPlan cheapest_rows(const SampledWire& sampled, std::size_t count, std::size_t rows,
                      std::int64_t price) {
  const std::vector<std::int64_t> priced = sampled.priced(price);
  std::vector<WireLayer> layers(rows + 1, WireLayer(count + 1));
  layers[0][0].cost = 0;
  if (rows == 0) {
    for (std::size_t last = 1; last <= count; ++last) {
      layers[0][last] = best_last_row(sampled, priced, layers[0], last);
    }
  }
  for (std::size_t row = 1; row <= rows; ++row) {
    for (std::size_t last = row; last <= count; ++last) {
      layers[row][last] = best_last_row(sampled, priced, layers[row - 1], last);
    }
  }
  if (layers[rows][count].cost == kNoWire) return {};
  RowPlan plan;
  std::size_t row = rows;
  for (std::size_t last = count; last > 0;) {
    const std::size_t size = layers[row][last].size;
    plan.push_back(PlannedRow{RowSpan{last - size, last}, sampled.least_heights()(last, size)});
    last -= size;
    if (row > 0) --row;
  }
  std::reverse(plan.begin(), plan.end());
  return plan;
}

}  // namespace

std::vector<RowPlan> short_wire_rows(const RowTable& table, std::size_t rows) {
  const std::size_t count = table.order().size();
  if (rows > count) return {};
  const SampledWire sampled(table);
  if (sampled.too_large()) return {};
  std::vector<RowPlan> found;
  std::int64_t too_low = -1;
  std::int64_t enough = kHighestPrice;
  while (enough - too_low > 1) {
    const std::int64_t price =
        too_low < 0 ? 0 : (enough > 4 * too_low + 4 ? 2 * too_low + 2 : (too_low + enough) / 2);
    RowPlan plan = cheapest_rows(sampled, count, rows, price);
    if (plan.empty()) return {};
    if (total_height(plan) > table.room().height) {
      too_low = price;
      continue;
    }
    enough = price;
    if (std::find(found.begin(), found.end(), plan) == found.end()) found.push_back(plan);
  }
  std::reverse(found.begin(), found.end());
  if (found.size() > kMostShortWirePlans) found.resize(kMostShortWirePlans);
  return found;
}

}  // namespace waferloom::placer
