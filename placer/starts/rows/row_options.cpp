#include "placer/starts/rows/row_options.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace waferloom::placer {
namespace {

constexpr std::size_t kWindows[] = {4, 12, 36};  // kernels
constexpr std::size_t kKeptInABucket = 4;        // of a window
constexpr std::size_t kBandsInABucket = 6;
constexpr std::size_t kMostMembers = 48;  // of a band
constexpr std::int64_t kNoWidth = std::int64_t{1} << 40;
constexpr double kLeastPrice = 1e-6;  // narrow rows are better even where wire costs nothing

}  // namespace

OrderedEdges::OrderedEdges(const SearchContext& context)
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

std::int64_t RowRun::length() const {
  return kernels.empty() ? 0 : starts.back() + kernels.back().tiles.width;
}

std::int64_t RowRun::height() const {
  std::int64_t highest = 0;
  for (const TypeUnder& kernel : kernels) highest = std::max(highest, kernel.tiles.height);
  return highest;
}

void RowRun::lay(const std::vector<KernelIndex>& order, std::int64_t left, bool leftwards,
                 const Span& rows, Placement& placement) const {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Extent& tiles = kernels[i].tiles;
    const std::int64_t x = leftwards ? left + length() - starts[i] - tiles.width : left + starts[i];
    placement.kernels[order[first + i]] =
        PlacedKernel{kernels[i].execution, x, rows.y + (rows.height - tiles.height) / 2, false};
  }
}

RowOptions::RowOptions(const SearchContext& context, const OrderedEdges& edges,
                       const std::vector<ImageSplit>& signatures, std::int64_t time)
    : context_(&context),
      edges_(&edges),
      per_half_tile_(std::max(kLeastPrice, static_cast<double>(context.costs.per_half_distance()))),
      per_mismatch_(static_cast<double>(context.costs.per_adapter())) {
  for (const ImageSplit& bands : signatures) {
    if (context.stop.is_cut()) break;
    cuts_.push_back(types_under(context.library, bands, time));
  }
  for (std::size_t p = 0; p < context.order.size(); ++p) {
    kernels_.push_back(RowKernel{context.library.type_of(context.order[p]),
                                 static_cast<float>(edges.per_tile(p) * per_half_tile_),
                                 static_cast<float>(edges.crossing(p).count * per_mismatch_),
                                 static_cast<float>(2 * edges.crossing(p).units * per_half_tile_)});
  }
  make_bands();
}

std::int64_t RowOptions::width(std::uint32_t cut, std::size_t position) const {
  return cuts_[cut].types[kernels_[position].type].tiles.width;
}

std::size_t RowOptions::bucket(std::int64_t height) const {
  return static_cast<std::size_t>(
      std::min<std::int64_t>(kBuckets - 1, height * kBuckets / wafer().height));
}

/// In how many windows of consecutive kernels, of some lengths and by height bucket, a signature
/// is among the narrowest.
std::vector<std::uint32_t> RowOptions::count_narrow() const {
  const std::size_t count = kernels_.size();
  struct Window {
    std::size_t first = 0, end = 0;
    std::array<std::vector<std::pair<std::int64_t, std::uint32_t>>, kBuckets> narrowest;
  };
  std::vector<Window> windows;
  for (const std::size_t length : kWindows) {
    const std::size_t step = std::max<std::size_t>(1, length / 4);
    for (std::size_t first = 0; first < count; first += step) {
      windows.push_back({first, std::min(count, first + length), {}});
    }
  }
  std::vector<std::int64_t> sums(count + 1, 0);  // of widths up to a position
  for (std::uint32_t cut = 0; cut < cuts_.size(); ++cut) {
    for (std::size_t p = 0; p < count; ++p) {
      const std::int64_t own = width(cut, p);
      sums[p + 1] = sums[p] + (own > 0 ? own : kNoWidth);
    }
    for (Window& window : windows) {
      const std::int64_t width = sums[window.end] - sums[window.first];
      auto& own = window.narrowest[bucket(cuts_[cut].height)];
      if (width >= kNoWidth) continue;
      if (own.size() == kKeptInABucket && width >= own.back().first) continue;
      own.emplace_back(width, cut);
      std::sort(own.begin(), own.end());
      if (own.size() > kKeptInABucket) own.pop_back();
    }
  }
  std::vector<std::uint32_t> fills(cuts_.size(), 0);
  for (const Window& window : windows) {
    for (const auto& own : window.narrowest) {
      for (const auto& [width, cut] : own) ++fills[cut];
    }
  }
  return fills;
}

/// Row heights that fill well, each with the signatures that do under it.
void RowOptions::make_bands() {
  const std::vector<std::uint32_t> fills = count_narrow();
  std::vector<std::uint32_t> order;
  for (std::uint32_t cut = 0; cut < cuts_.size(); ++cut) {
    if (fills[cut] > 0) order.push_back(cut);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return fills[a] > fills[b]; });
  sum_least_costs(order);
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
      bands_.emplace_back(height, std::move(members), cuts_, kernels_,
                          [&](std::size_t p, std::uint32_t cut) { return mismatch_cost(p, cut); });
    }
  }
}

double RowOptions::change_cost(std::uint32_t from, std::uint32_t to, std::size_t position) const {
  return mismatches_between(cuts_[from].bands, cuts_[to].bands) *
         static_cast<double>(kernels_[position].per_change);
}

/// Mismatches on edges to earlier kernels, all under one signature.
double RowOptions::mismatch_cost(std::size_t position, std::uint32_t cut) const {
  const std::vector<TypeUnder>& types = cuts_[cut].types;
  const Signature& here = types[kernels_[position].type].shown;
  int sum = 0;
  for (const OrderedEdges::Edge& edge : edges_->to_earlier(position)) {
    const Signature& other = types[kernels_[edge.earlier].type].shown;
    sum += edge.forward ? adapter_mismatches(other, here) : adapter_mismatches(here, other);
  }
  return sum * per_mismatch_;
}

/// What kernels cost at least, each as narrow as some signature of some band makes it.
void RowOptions::sum_least_costs(const std::vector<std::uint32_t>& used) {
  least_from_.assign(kernels_.size() + 1, 0.0);
  for (std::size_t p = kernels_.size(); p-- > 0;) {
    std::int64_t narrowest = 0;
    for (const std::uint32_t cut : used) {
      const std::int64_t own = width(cut, p);
      if (own > 0 && (narrowest == 0 || own < narrowest)) narrowest = own;
    }
    least_from_[p] = least_from_[p + 1] +
                     static_cast<double>(narrowest) * static_cast<double>(kernels_[p].per_tile);
  }
}

RowRun RowOptions::row(std::uint32_t band, std::size_t first, std::size_t end,
                       const RowTrack* track) const {
  RowBand::Sweep sweep(bands_[band], wafer().width, track);
  sweep.remember();
  for (std::size_t p = first; p < end; ++p) sweep.append(p);
  RowRun run{first, {}, {}};
  for (const RowBand::Sweep::Step& step : sweep.steps()) {
    const std::size_t type = kernels_[first + run.kernels.size()].type;
    run.kernels.push_back(cuts_[step.signature].types[type]);
    run.starts.push_back(step.start);
  }
  return run;
}

}  // namespace waferloom::placer
