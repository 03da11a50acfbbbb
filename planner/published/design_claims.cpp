#include <cmath>
#include <cstdlib>

#include "planner/design_space.h"

namespace waferloom::planner {
namespace {

enum class Quantity : std::uint8_t { utilisation, cost, power };
constexpr std::array<std::string_view, 3> kQuantityNames{"utilisation", "cost efficiency",
                                                         "power efficiency"};

/// Some of the points: a bit for each entry of the four tables.
struct Side {
  unsigned chips = 0b1111;
  unsigned topologies = 0b11111;
  unsigned memories = 0b11;
  unsigned links = 0b11;
  bool contains(const DesignPoint& point) const {
    const auto has = [](unsigned bits, std::size_t i) { return (bits >> i & 1U) != 0; };
    return has(chips, point.chip) && has(topologies, point.topology) &&
           has(memories, point.memory) && has(links, point.link);
  }
};

// Bits of kDesignChips, kDesignTopologies, kDesignMemories and kDesignLinks.
constexpr unsigned kGpuTpu = 0b0011;
constexpr unsigned kTpu = 0b0010;
constexpr unsigned kRdu = 0b0100;
constexpr unsigned kWse = 0b1000;
constexpr unsigned kAllChips = 0b1111;
constexpr unsigned kDragonfly = 0b00100;
constexpr unsigned kSimple = 0b11011;
constexpr unsigned kAllTopologies = 0b11111;
constexpr unsigned kDdr = 0b01;
constexpr unsigned kHbm = 0b10;
constexpr unsigned kAnyMemory = 0b11;
constexpr unsigned kPcie = 0b01;
constexpr unsigned kNvlink = 0b10;
constexpr unsigned kAnyLink = 0b11;

struct Claim {
  DesignWorkload workload;
  const char* name;
  Side more;
  Side less;
  Quantity quantity;
  double published;
};

constexpr Side side(unsigned chips) { return {chips, kAllTopologies, kAnyMemory, kAnyLink}; }
constexpr Side topology(unsigned topologies, unsigned links = kAnyLink) {
  return {kAllChips, topologies, kAnyMemory, links};
}
constexpr Side memory(unsigned chips, unsigned memories) {
  return {chips, kAllTopologies, memories, kAnyLink};
}
constexpr Side link(unsigned chips, unsigned links) {
  return {chips, kAllTopologies, kAnyMemory, links};
}

constexpr auto kLlm = DesignWorkload::gpt3_1t;
constexpr auto kDlrm = DesignWorkload::dlrm;
constexpr auto kHpl = DesignWorkload::hpl;
constexpr auto kFft = DesignWorkload::fft;
constexpr auto kUse = Quantity::utilisation;
constexpr auto kCost = Quantity::cost;
constexpr auto kPower = Quantity::power;

/// Section VI-C, in its order.
constexpr Claim kClaims[] = {
    {kLlm, "SN30 over H100, TPUv4", side(kRdu), side(kGpuTpu), kUse, 1.52},
    {kLlm, "SN30 over H100, TPUv4", side(kRdu), side(kGpuTpu), kCost, 1.59},
    {kLlm, "SN30 over H100, TPUv4", side(kRdu), side(kGpuTpu), kPower, 1.6},
    {kLlm, "HBM over DDR, SN30", memory(kRdu, kHbm), memory(kRdu, kDdr), kUse, 1},
    {kLlm, "HBM over DDR, H100, TPUv4", memory(kGpuTpu, kHbm), memory(kGpuTpu, kDdr), kUse, 1.66},
    {kLlm, "dragonfly over others, NVLink", topology(kDragonfly, kNvlink),
     topology(kSimple, kNvlink), kUse, 1},
    {kLlm, "dragonfly over others, PCIe", topology(kDragonfly, kPcie), topology(kSimple, kPcie),
     kUse, 1.21},
    {kLlm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kCost, 0.51},
    {kLlm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kPower, 0.91},
    {kLlm, "HBM over DDR, WSE-2", memory(kWse, kHbm), memory(kWse, kDdr), kUse, 1},
    {kLlm, "NVLink over PCIe, WSE-2", link(kWse, kNvlink), link(kWse, kPcie), kUse, 5.15},
    {kLlm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kCost, 0.06},
    {kLlm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kPower, 0.2},
    {kDlrm, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kUse, 6.3},
    {kDlrm, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kCost, 4.31},
    {kDlrm, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kPower, 6.04},
    {kDlrm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kUse, 2.51},
    {kDlrm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kCost, 1.66},
    {kDlrm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kPower, 2.13},
    {kDlrm, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kUse, 4.43},
    {kDlrm, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kCost, 9.45},
    {kDlrm, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kPower, 5.24},
    {kDlrm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kUse, 0.1},
    {kDlrm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kCost, 0.01},
    {kDlrm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kPower, 0.04},
    {kHpl, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kUse, 1},
    {kHpl, "HBM over DDR", memory(kAllChips, kHbm), memory(kAllChips, kDdr), kUse, 1},
    {kHpl, "dragonfly over others", topology(kDragonfly), topology(kSimple), kUse, 1},
    {kHpl, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kCost, 0.09},
    {kHpl, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kPower, 0.33},
    {kFft, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kUse, 7.02},
    {kFft, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kCost, 4.81},
    {kFft, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kPower, 6.73},
    {kFft, "dragonfly over others", topology(kDragonfly), topology(kSimple), kUse, 3.22},
    {kFft, "dragonfly over others", topology(kDragonfly), topology(kSimple), kCost, 2.13},
    {kFft, "dragonfly over others", topology(kDragonfly), topology(kSimple), kPower, 2.74},
    {kFft, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kUse, 5.11},
    {kFft, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kCost, 10.92},
    {kFft, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kPower, 6.06},
    {kFft, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kUse, 0.09},
    {kFft, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kCost, 0.01},
    {kFft, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kPower, 0.03},
};

double quantity_of(const DesignResult& result, Quantity quantity) {
  if (quantity == Quantity::utilisation) return result.utilisation;
  return quantity == Quantity::cost ? result.flop_per_usd_s : result.flop_per_joule;
}

double mean(const std::vector<DesignResult>& sweep, const Side& side, Quantity quantity) {
  const std::vector<DesignPoint> points = design_points();
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!side.contains(points[i])) continue;
    sum += quantity_of(sweep[i], quantity);
    ++count;
  }
  return sum / count;
}

bool is_same_tendency(double published, double ours) {
  constexpr double kSame = 0.2;
  constexpr double kClear = 0.05;
  if (published == 1) return std::abs(ours - 1) <= kSame;
  return published > 1 ? ours >= 1 + kClear : ours <= 1 - kClear;
}

}  // namespace

double DesignClaim::error() const { return std::abs(ours - published) / published; }

std::vector<DesignClaim> design_claims(DesignWorkload workload,
                                       const std::vector<DesignResult>& sweep) {
  std::vector<DesignClaim> result;
  for (const Claim& claim : kClaims) {
    if (claim.workload != workload) continue;
    const double less = mean(sweep, claim.less, claim.quantity);
    DesignClaim found;
    found.name = claim.name;
    found.quantity = kQuantityNames[static_cast<std::size_t>(claim.quantity)];
    found.published = claim.published;
    found.ours = less > 0 ? mean(sweep, claim.more, claim.quantity) / less : 0;
    found.same_tendency = is_same_tendency(found.published, found.ours);
    result.push_back(std::move(found));
  }
  return result;
}

}  // namespace waferloom::planner
