#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace waferloom::sim {

/// Something that wants a part of a capacity: as much as `demand`, and where that is not to be had
/// in proportion to `weight` > 0.
struct Claim {
  double demand = 0;
  double weight = 1;
};

/// Weighted max-min sharing of a capacity: everyone gets min(demand, weight · level), with the
/// level at which the capacity is used up. Bertsekas and Gallager, Data Networks, 6.5.2.
class WaterFilling {
 public:
  /// O(n log n).
  void fill(double capacity, std::span<const Claim> claims);

  /// Infinite if all demands are met.
  double level() const { return level_; }
  /// What a claim (its place in the claims that fill() saw) would get if it wanted everything and
  /// the others what they want; at least what it gets. O(log n).
  double share_if_greedy(std::size_t claim) const;

 private:
  /// The level if the claim at place `greedy` of the order (none: size) had no limit.
  double level_with_greedy(std::size_t greedy) const;

  double capacity_ = 0;
  double level_ = 0;
  std::vector<Claim> claims_;
  std::vector<std::size_t> order_;   // by demand / weight, ascending
  std::vector<std::size_t> places_;  // of the claims in it
  std::vector<double> demand_sums_;  // of the first i in order
  std::vector<double> weight_sums_;
};

/// A flow that comes to a junction through one of its ports.
struct PortMember {
  double weight = 0;   ///< its part of the port where everybody has more to send; above 0
  double arrival = 0;  ///< what can come at most
  double limit = 0;    ///< what later junctions let pass; infinite if they let everything pass
  double offer = 0;    ///< filled in: what the junction lets pass if later ones do
  double wanted() const { return arrival < limit ? arrival : limit; }
};

/// Divides what a port has among its members in proportion to their weights: nobody gets more than
/// arrives, and what later junctions hold back goes to the others. Fills in `offer`.
/// O(n log n).
void divide_port(double share, std::span<PortMember> members);

/// What the members of a port together want.
double port_demand(std::span<const PortMember> members);

}  // namespace waferloom::sim
