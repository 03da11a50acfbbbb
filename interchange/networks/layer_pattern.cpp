#include "interchange/networks/layer_pattern.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace waferloom::interchange {
namespace {

constexpr std::size_t kLongestPeriod = 8;

/// `count` times the `period` layers from `first` on.
struct Stretch {
  std::size_t first = 0;
  std::size_t period = 1;
  std::size_t count = 1;
  std::size_t layers() const { return period * count; }
};

/// The longest stretch from a layer on; the shortest period of equal ones. A period that is not
/// repeated is a single layer.
Stretch longest_stretch(const std::vector<TransformerOperator>& layers, std::size_t first) {
  Stretch best{first};
  for (std::size_t period = 1; period <= kLongestPeriod; ++period) {
    std::size_t end = first + period;
    while (end < layers.size() && layers[end] == layers[end - period]) ++end;
    const std::size_t count = (end - first) / period;
    if (count < 2 && period > 1) continue;
    const Stretch found{first, period, count};
    if (end <= layers.size() && found.layers() > best.layers()) best = found;
  }
  return best;
}

std::string place_name(const Stretch& stretch, std::size_t all) {
  if (stretch.layers() == all) return stretch.count > 1 ? "layer" : "layer_1";
  std::string name = fmt::format("layer_{}", stretch.first + 1);
  if (stretch.layers() > 1) name += fmt::format("_to_{}", stretch.first + stretch.layers());
  return name;
}

}  // namespace

std::vector<NetworkEntry> entries_of(const std::vector<TransformerOperator>& layers) {
  std::vector<NetworkEntry> entries;
  for (std::size_t first = 0; first < layers.size();) {
    const Stretch stretch = longest_stretch(layers, first);
    NetworkEntry entry{place_name(stretch, layers.size()),
                       static_cast<std::int64_t>(stretch.count)};
    if (stretch.period == 1) {
      entry.kind = layers[first];
    } else {
      for (std::size_t i = 0; i < stretch.period; ++i) {
        entry.group.push_back({fmt::format("part_{}", i + 1), 1, layers[first + i]});
      }
    }
    entries.push_back(std::move(entry));
    first += stretch.layers();
  }
  return entries;
}

}  // namespace waferloom::interchange
