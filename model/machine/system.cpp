#include <algorithm>
#include <cassert>

#include "model/hardware.h"

namespace waferloom {

double Efficiency::at(double samples) const {
  if (half <= 0) return std::max(floor, limit);
  return std::max(floor, limit * samples / (half + samples));
}

std::string_view dimension_topology_name(DimensionTopology topology) {
  return kDimensionTopologyNames[static_cast<std::size_t>(topology)];
}

std::int64_t NetworkDimension::links() const {
  if (size < 2) return 0;
  switch (topology) {
    case DimensionTopology::line:
      return size - 1;
    case DimensionTopology::ring:
      return size == 2 ? 1 : size;
    case DimensionTopology::fully_connected:
      return size * (size - 1) / 2;
    case DimensionTopology::switched:
      return size;
  }
  return 0;
}

std::int64_t System::chips() const {
  std::int64_t count = 1;
  for (const NetworkDimension& dimension : dimensions) count *= dimension.size;
  return count;
}

namespace {

/// Sum over chips, memories and links of what `of` takes from each.
template <typename Of>
double total(const System& system, const Of& of) {
  double each = of(system.chip);
  for (const MemoryLevel& memory : system.memories) each += of(memory);
  const auto chips = static_cast<double>(system.chips());
  double sum = chips * each;
  for (const NetworkDimension& dimension : system.dimensions) {
    const double groups = chips / static_cast<double>(dimension.size);
    sum += groups * static_cast<double>(dimension.links()) * of(dimension);
  }
  return sum;
}

}  // namespace

double System::price_usd() const {
  return total(*this, [](const auto& part) { return part.price_usd; });
}

double System::power_w() const {
  return total(*this, [](const auto& part) { return part.power_w; });
}

std::string System::level_name(std::size_t level) const {
  assert(level <= memories.size());
  return level == kSramLevel ? "sram" : memories[level - 1].name;
}

double System::level_bytes(std::size_t level) const {
  assert(level <= memories.size());
  return level == kSramLevel ? chip.sram_bytes : memories[level - 1].bytes;
}

std::string network_text(const System& system) {
  std::string text;
  for (const NetworkDimension& dimension : system.dimensions) {
    if (!text.empty()) text += " x ";
    text += dimension_topology_name(dimension.topology);
    text += ' ';
    text += std::to_string(dimension.size);
  }
  return text.empty() ? "one chip" : text;
}

}  // namespace waferloom
