#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "planner/design_space.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

// A sweep whose utilisation is a product of factors, one of each table: means over both sides of a
// claim are products of means, and what both sides share cancels.
constexpr std::array<double, 4> kChips{2, 3, 7, 11};          // H100, TPUv4, SN30, WSE-2
constexpr std::array<double, 5> kTopologies{2, 5, 13, 3, 7};  // the third is the dragonfly
constexpr std::array<double, 2> kMemories{1, 1.25};           // DDR, HBM
constexpr std::array<double, 2> kLinks{1, 3.5};               // PCIe, NVLink

/// Cost and power efficiency are the square and the cube of the utilisation.
std::vector<DesignResult> sweep() {
  std::vector<DesignResult> results;
  for (const DesignPoint& point : design_points()) {
    DesignResult result;
    const double reached = kChips[point.chip] * kTopologies[point.topology] *
                           kMemories[point.memory] * kLinks[point.link];
    result.utilisation = reached;
    result.flop_per_usd_s = reached * reached;
    result.flop_per_joule = reached * reached * reached;
    results.push_back(result);
  }
  return results;
}

double power(double value, int exponent) {
  double result = 1;
  for (int i = 0; i < exponent; ++i) result *= value;
  return result;
}

double mean(const std::vector<double>& values, int exponent) {
  double sum = 0;
  for (const double value : values) sum += power(value, exponent);
  return sum / static_cast<double>(values.size());
}

/// What a claim of this name is in the sweep above.
double expected(const std::string& name, int exponent) {
  if (name.rfind("HBM over DDR", 0) == 0) return power(1.25, exponent);
  if (name.rfind("NVLink over PCIe", 0) == 0) return power(3.5, exponent);
  if (name.rfind("dragonfly", 0) == 0) return power(13, exponent) / mean({2, 5, 3, 7}, exponent);
  if (name.rfind("SN30", 0) == 0) return power(7, exponent) / mean({2, 3}, exponent);
  if (name.rfind("TPUv4", 0) == 0) return power(3, exponent) / mean({2, 7, 11}, exponent);
  REQUIRE(name.rfind("WSE-2", 0) == 0);
  return power(11, exponent) / mean({2, 3, 7}, exponent);
}

struct Printed {
  std::string name;
  int exponent;  ///< 1: utilisation, 2: cost, 3: power efficiency
  double times;
};

/// Section VI-C's sentences, in their order.
std::vector<Printed> printed(DesignWorkload workload) {
  switch (workload) {
    case DesignWorkload::gpt3_1t:
      return {{"SN30 over H100, TPUv4", 1, 1.52},
              {"SN30 over H100, TPUv4", 2, 1.59},
              {"SN30 over H100, TPUv4", 3, 1.6},
              {"HBM over DDR, SN30", 1, 1},
              {"HBM over DDR, H100, TPUv4", 1, 1.66},
              {"dragonfly over others, NVLink", 1, 1},
              {"dragonfly over others, PCIe", 1, 1.21},
              {"dragonfly over others", 2, 0.51},
              {"dragonfly over others", 3, 0.91},
              {"HBM over DDR, WSE-2", 1, 1},
              {"NVLink over PCIe, WSE-2", 1, 5.15},
              {"WSE-2 over others", 2, 0.06},
              {"WSE-2 over others", 3, 0.2}};
    case DesignWorkload::dlrm:
      return {{"NVLink over PCIe", 1, 6.3},       {"NVLink over PCIe", 2, 4.31},
              {"NVLink over PCIe", 3, 6.04},      {"dragonfly over others", 1, 2.51},
              {"dragonfly over others", 2, 1.66}, {"dragonfly over others", 3, 2.13},
              {"TPUv4 over others", 1, 4.43},     {"TPUv4 over others", 2, 9.45},
              {"TPUv4 over others", 3, 5.24},     {"WSE-2 over others", 1, 0.1},
              {"WSE-2 over others", 2, 0.01},     {"WSE-2 over others", 3, 0.04}};
    case DesignWorkload::hpl:
      return {{"NVLink over PCIe", 1, 1},
              {"HBM over DDR", 1, 1},
              {"dragonfly over others", 1, 1},
              {"WSE-2 over others", 2, 0.09},
              {"WSE-2 over others", 3, 0.33}};
    default:
      return {{"NVLink over PCIe", 1, 7.02},      {"NVLink over PCIe", 2, 4.81},
              {"NVLink over PCIe", 3, 6.73},      {"dragonfly over others", 1, 3.22},
              {"dragonfly over others", 2, 2.13}, {"dragonfly over others", 3, 2.74},
              {"TPUv4 over others", 1, 5.11},     {"TPUv4 over others", 2, 10.92},
              {"TPUv4 over others", 3, 6.06},     {"WSE-2 over others", 1, 0.09},
              {"WSE-2 over others", 2, 0.01},     {"WSE-2 over others", 3, 0.03}};
  }
}

TEST_CASE("claims about the design space: the paper's figures, and means over both sides") {
  const std::array<const char*, 3> quantities{"utilisation", "cost efficiency", "power efficiency"};
  const std::vector<DesignResult> made = sweep();
  for (const auto workload :
       {DesignWorkload::gpt3_1t, DesignWorkload::dlrm, DesignWorkload::hpl, DesignWorkload::fft}) {
    const std::vector<Printed> wanted = printed(workload);
    const std::vector<DesignClaim> found = design_claims(workload, made);
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::size_t quantity = static_cast<std::size_t>(wanted[i].exponent) - 1;
      INFO(wanted[i].name, ", ", quantities[quantity]);
      CHECK(found[i].name == wanted[i].name);
      CHECK(found[i].quantity == quantities[quantity]);
      CHECK(found[i].published == wanted[i].times);
      CHECK(found[i].ours == close_to(expected(wanted[i].name, wanted[i].exponent)));
      CHECK(found[i].error() == close_to(std::abs(found[i].ours / wanted[i].times - 1)));
    }
  }
}

/// Everything reaches 1, but what is on one side of a claim, `reached`.
DesignClaim dragonfly_at(DesignWorkload workload, double reached) {
  std::vector<DesignResult> results;
  for (const DesignPoint& point : design_points()) {
    DesignResult result;
    result.utilisation = point.topology == 2 ? reached : 1;
    results.push_back(result);
  }
  for (const DesignClaim& claim : design_claims(workload, results)) {
    if (claim.name == "dragonfly over others" && claim.quantity == "utilisation") return claim;
  }
  FAIL("no claim");
  return {};
}

TEST_CASE("tendencies: 1 is anything from 0.8 to 1.2, more is 1.05 at least") {
  // HPL: 1 is published; FFT: 3.22.
  CHECK_FALSE(dragonfly_at(DesignWorkload::hpl, 0.79).same_tendency);
  CHECK(dragonfly_at(DesignWorkload::hpl, 0.81).same_tendency);
  CHECK(dragonfly_at(DesignWorkload::hpl, 1.19).same_tendency);
  CHECK_FALSE(dragonfly_at(DesignWorkload::hpl, 1.21).same_tendency);
  CHECK_FALSE(dragonfly_at(DesignWorkload::fft, 1.04).same_tendency);
  CHECK(dragonfly_at(DesignWorkload::fft, 1.06).same_tendency);
  CHECK(dragonfly_at(DesignWorkload::fft, 100).same_tendency);
}

TEST_CASE("a side that reaches nothing at all is no claim's denominator") {
  std::vector<DesignResult> nothing(design_points().size());
  for (const DesignClaim& claim : design_claims(DesignWorkload::fft, nothing)) {
    CHECK(claim.ours == 0);
  }
}

TEST_CASE("claims on chips are means over all topologies, memories and links") {
  // All points reach 1, SN30s on the last topology 6: (4 · 1 + 6) / 5 on theirs.
  std::vector<DesignResult> results;
  for (const DesignPoint& point : design_points()) {
    DesignResult result;
    result.utilisation = point.chip == 2 && point.topology == 4 ? 6 : 1;
    results.push_back(result);
  }
  const std::vector<DesignClaim> claims = design_claims(DesignWorkload::gpt3_1t, results);
  REQUIRE(!claims.empty());
  CHECK(claims.front().name == "SN30 over H100, TPUv4");
  CHECK(claims.front().ours == close_to(2));
}

}  // namespace
}  // namespace waferloom::planner
