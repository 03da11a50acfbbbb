#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "planner/design_space.h"
#include "planner/published/figures.h"

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

// Bits of the lists of design_space.json.
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

/// Section VI-C, in its order; the ratios are in figures.json.
constexpr Claim kClaims[] = {
    {kLlm, "SN30 over H100, TPUv4", side(kRdu), side(kGpuTpu), kUse},
    {kLlm, "SN30 over H100, TPUv4", side(kRdu), side(kGpuTpu), kCost},
    {kLlm, "SN30 over H100, TPUv4", side(kRdu), side(kGpuTpu), kPower},
    {kLlm, "HBM over DDR, SN30", memory(kRdu, kHbm), memory(kRdu, kDdr), kUse},
    {kLlm, "HBM over DDR, H100, TPUv4", memory(kGpuTpu, kHbm), memory(kGpuTpu, kDdr), kUse},
    {kLlm, "dragonfly over others, NVLink", topology(kDragonfly, kNvlink),
     topology(kSimple, kNvlink), kUse},
    {kLlm, "dragonfly over others, PCIe", topology(kDragonfly, kPcie), topology(kSimple, kPcie),
     kUse},
    {kLlm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kCost},
    {kLlm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kPower},
    {kLlm, "HBM over DDR, WSE-2", memory(kWse, kHbm), memory(kWse, kDdr), kUse},
    {kLlm, "NVLink over PCIe, WSE-2", link(kWse, kNvlink), link(kWse, kPcie), kUse},
    {kLlm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kCost},
    {kLlm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kPower},
    {kDlrm, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kUse},
    {kDlrm, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kCost},
    {kDlrm, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kPower},
    {kDlrm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kUse},
    {kDlrm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kCost},
    {kDlrm, "dragonfly over others", topology(kDragonfly), topology(kSimple), kPower},
    {kDlrm, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kUse},
    {kDlrm, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kCost},
    {kDlrm, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kPower},
    {kDlrm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kUse},
    {kDlrm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kCost},
    {kDlrm, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kPower},
    {kHpl, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kUse},
    {kHpl, "HBM over DDR", memory(kAllChips, kHbm), memory(kAllChips, kDdr), kUse},
    {kHpl, "dragonfly over others", topology(kDragonfly), topology(kSimple), kUse},
    {kHpl, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kCost},
    {kHpl, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kPower},
    {kFft, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kUse},
    {kFft, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kCost},
    {kFft, "NVLink over PCIe", link(kAllChips, kNvlink), link(kAllChips, kPcie), kPower},
    {kFft, "dragonfly over others", topology(kDragonfly), topology(kSimple), kUse},
    {kFft, "dragonfly over others", topology(kDragonfly), topology(kSimple), kCost},
    {kFft, "dragonfly over others", topology(kDragonfly), topology(kSimple), kPower},
    {kFft, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kUse},
    {kFft, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kCost},
    {kFft, "TPUv4 over others", side(kTpu), side(kAllChips & ~kTpu), kPower},
    {kFft, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kUse},
    {kFft, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kCost},
    {kFft, "WSE-2 over others", side(kWse), side(kAllChips & ~kWse), kPower},
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

double published_ratio(const std::string& name) {
  for (const FigureSet& set : published_figures().chapter("dfmodel-system")) {
    for (const PublishedFigure& figure : set.figures) {
      if (figure.name == name && figure.published) return *figure.published;
    }
  }
  throw std::logic_error(fmt::format("no ratio is published as '{}'", name));
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
    found.figure = fmt::format("design space of {}: {}, {}", design_workload_name(workload),
                               found.name, found.quantity);
    found.published = published_ratio(found.figure);
    found.ours = less > 0 ? mean(sweep, claim.more, claim.quantity) / less : 0;
    found.same_tendency = is_same_tendency(found.published, found.ours);
    result.push_back(std::move(found));
  }
  return result;
}

}  // namespace waferloom::planner
