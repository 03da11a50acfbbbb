#include "sim/network/fair_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

// Problem: find the rates of all transfers that share links, whenever a transfer begins or ends.
// Idea: each junction offers every bundle a share of its rate, by round robin of its input ports. A
// bundle's rate is its least offer. After a change only the junctions on its way are computed
// again, then those that see different offers, until changes are small. At the end rates are cut to
// the capacity, and what is left is handed out.
// Source: max-min fair sharing (Bertsekas and Gallager, Data Networks, 6.5.2) at a junction;
// sharing by port, as backpressure makes it, is ours (docs/simulator.md).
// Cost: O(n log n) for a junction with n stops; at most `patience` looks for each changed junction.
namespace waferloom::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The least weight. Weights shrink at every junction, and behind very many they must not become 0.
constexpr double kLeastWeight = 1e-200;

/// Marks a junction that has no pending change.
constexpr float kNothing = -1;

/// The difference of two numbers >= 0, divided by the larger.
double relative_change(double a, double b) {
  const double larger = std::max(a, b);
  return larger > 0 ? std::abs(a - b) / larger : 0;
}

/// If an offer exceeds the bundle's least offer by more than this factor, a later junction holds
/// the bundle back.
constexpr double kHeldBack = 1 + 1e-9;

}  // namespace

FairShares::FairShares(const Mesh& mesh, Options options)
    : map_(mesh, options.sharing), options_(options) {
  error_.tolerance = options.tolerance;
}

void FairShares::mark(JunctionIndex junction, double change) {
  if (junction >= pending_.size()) pending_.resize(junction + 1, kNothing);
  if (pending_[junction] == kNothing) queue_.push_back(junction);
  pending_[junction] = std::max(pending_[junction], static_cast<float>(change));
}

void FairShares::touch(BundleIndex bundle) {
  if (bundles_[bundle].touched) return;
  bundles_[bundle].touched = true;
  touched_.push_back(bundle);
}

double FairShares::potential_of(BundleIndex bundle) const {
  double least = kInfinity;
  for (const JunctionMap::PathStop& placed : map_.path(bundle)) {
    least = std::min(least, map_.stop(placed.stop).offer);
  }
  return least;
}

void FairShares::add(BundleIndex bundle, const Route& route, std::uint32_t transfers,
                     Buffers buffers) {
  if (bundle >= bundles_.size()) bundles_.resize(bundle + 1);
  bundles_[bundle] = Bundle{transfers, buffers, 0, 0, bundles_[bundle].touched, 0};
  changed_.clear();
  map_.add(bundle, route, changed_);
  for (const JunctionIndex junction : changed_) mark(junction, 1);
  bundles_[bundle].potential = potential_of(bundle);
  touch(bundle);
}

void FairShares::resize(BundleIndex bundle, std::uint32_t transfers) {
  bundles_[bundle].transfers = transfers;
  for (const JunctionMap::PathStop& placed : map_.path(bundle)) {
    const Stop& stop = map_.stop(placed.stop);
    if (map_.junction(stop.junction).ports[stop.port].is_own()) mark(stop.junction, 1);
  }
}

void FairShares::remove(BundleIndex bundle) {
  changed_.clear();
  map_.remove(bundle, changed_);
  for (const JunctionIndex junction : changed_) mark(junction, 1);
  bundles_[bundle].transfers = 0;
}

void FairShares::mark_next(StopIndex index, bool all, double change) {
  const Stop& stop = map_.stop(index);
  if (all) {
    for (const JunctionMap::PathStop& placed : map_.path(stop.bundle)) {
      if (placed.stop != index) mark(map_.stop(placed.stop).junction, change);
    }
    return;
  }
  for (StopIndex next = stop.next; next != kNoIndex; next = map_.stop(next).sibling) {
    mark(map_.stop(next).junction, change);
  }
}

void FairShares::take_offer(StopIndex index, double offer, bool damped) {
  Stop& stop = map_.stop(index);
  if (damped) offer = (offer + stop.offer) / 2;
  // A small change is neither passed on nor kept. So small changes cannot add up unnoticed.
  if (std::abs(offer - stop.offer) <= options_.tolerance * stop.offer) return;
  const double before = std::exchange(stop.offer, offer);
  Bundle& bundle = bundles_[stop.bundle];
  double potential = std::min(bundle.potential, offer);
  // If this was the least offer and it has grown, another offer may be the least now.
  if (before <= bundle.potential && offer > before) potential = potential_of(stop.bundle);
  const bool moved = std::abs(potential - bundle.potential) > options_.tolerance * bundle.potential;
  const double change =
      std::max(relative_change(offer, before), relative_change(potential, bundle.potential));
  if (moved) {
    bundle.potential = potential;
    touch(stop.bundle);
  }
  mark_next(index, moved, change);
}

double FairShares::weight_before(StopIndex index) const {
  const Stop& stop = map_.stop(index);
  const bool as_before =
      stop.previous != kNoIndex && bundles_[stop.bundle].buffers == Buffers::shared;
  return as_before ? map_.stop(stop.previous).weight : map_.junction(stop.junction).bytes_per_ps;
}

void FairShares::find_weights(const Junction& junction) {
  claims_.clear();
  for (const JunctionPort& port : junction.ports) {
    double sum = 0;
    for (const StopIndex stop : port.stops) sum += weight_before(stop);
    const double turns =
        port.is_own() ? bundles_[map_.stop(port.stops.front()).bundle].transfers : 1.0;
    claims_.push_back({sum, turns});
  }
  water_filling_.fill(junction.bytes_per_ps, claims_);
  for (std::size_t port = 0; port < junction.ports.size(); ++port) {
    const Claim& claim = claims_[port];
    const double part =
        std::min(claim.demand, water_filling_.level() * claim.weight) / claim.demand;
    for (const StopIndex index : junction.ports[port].stops) {
      Stop& stop = map_.stop(index);
      const double weight = std::max(kLeastWeight, part * weight_before(index));
      if (std::abs(weight - stop.weight) <= options_.tolerance * stop.weight) continue;
      const double before = std::exchange(stop.weight, weight);
      // The change counts relative to the junction's rate: very small weights change no share.
      mark_next(index, false, std::abs(weight - before) / junction.bytes_per_ps);
    }
  }
}

bool FairShares::is_restless(JunctionIndex index) {
  constexpr std::uint32_t kLooks = 6;
  if (index >= seen_.size()) seen_.resize(index + 1);
  Seen& seen = seen_[index];
  if (seen.settle != error_.settles) seen = {error_.settles, 0};
  return ++seen.looks > kLooks;
}

void FairShares::look_at(JunctionIndex index) {
  ++looks_;
  const bool damped = is_restless(index);
  const Junction& junction = map_.junction(index);
  find_weights(junction);
  members_.clear();
  member_stops_.clear();
  for (std::size_t port = 0; port < junction.ports.size(); ++port) {
    const std::size_t first = members_.size();
    for (const StopIndex at : junction.ports[port].stops) {
      const Stop& stop = map_.stop(at);
      const double potential = bundles_[stop.bundle].potential;
      const bool held_back = potential * kHeldBack < stop.offer;
      const bool begins = stop.previous == kNoIndex;
      members_.push_back({weight_before(at),
                          begins ? junction.bytes_per_ps : map_.stop(stop.previous).offer,
                          held_back ? potential : kInfinity, 0});
      member_stops_.push_back(at);
    }
    claims_[port].demand = port_demand(std::span(members_).subspan(first));
  }
  water_filling_.fill(junction.bytes_per_ps, claims_);
  std::size_t first = 0;
  for (std::size_t port = 0; port < junction.ports.size(); ++port) {
    const std::size_t count = junction.ports[port].stops.size();
    divide_port(water_filling_.share_if_greedy(port), std::span(members_).subspan(first, count));
    first += count;
  }
  for (std::size_t i = 0; i < members_.size(); ++i)
    take_offer(member_stops_[i], members_[i].offer, damped);
}

double& FairShares::used_at(JunctionIndex index) {
  if (index >= used_.size()) used_.resize(index + 1);
  Used& used = used_[index];
  if (used.round == round_) return used.rate;
  used.round = round_;
  used.rate = 0;
  for (const JunctionPort& port : map_.junction(index).ports) {
    for (const StopIndex stop : port.stops) used.rate += bundles_[map_.stop(stop).bundle].rate;
  }
  return used.rate;
}

void FairShares::give(BundleIndex index, double rate) {
  Bundle& bundle = bundles_[index];
  const double more = rate - bundle.rate;
  for (const JunctionMap::PathStop& placed : map_.path(index)) {
    used_at(map_.stop(placed.stop).junction) += more;
  }
  bundle.rate = rate;
  touch(index);
}

void FairShares::add_left(JunctionIndex index) {
  if (index >= left_in_.size()) left_in_.resize(index + 1);
  if (std::exchange(left_in_[index], round_) != round_) left_.push_back(index);
}

void FairShares::keep_within_capacity() {
  left_.clear();
  for (const JunctionIndex index : queue_) add_left(index);
  for (const JunctionIndex index : queue_) {
    const Junction& junction = map_.junction(index);
    if (junction.ports.empty()) continue;
    const double share = junction.bytes_per_ps / used_at(index);
    if (share >= 1) continue;
    for (const JunctionPort& port : junction.ports) {
      for (const StopIndex stop : port.stops) {
        const BundleIndex bundle = map_.stop(stop).bundle;
        give(bundle, bundles_[bundle].rate * share);
        // Others may use the rate that this bundle frees on its path.
        for (const JunctionMap::PathStop& placed : map_.path(bundle)) {
          add_left(map_.stop(placed.stop).junction);
        }
      }
    }
  }
}

void FairShares::use_what_is_left() {
  for (const JunctionIndex index : left_) {
    for (const JunctionPort& port : map_.junction(index).ports) {
      for (const StopIndex at : port.stops) {
        const BundleIndex bundle = map_.stop(at).bundle;
        if (bundles_[bundle].filled == round_) continue;
        bundles_[bundle].filled = round_;
        const double rate = bundles_[bundle].rate;
        const double spare = spare_of(bundle, index, options_.tolerance * rate);
        if (spare > 0) give(bundle, rate + spare);
      }
    }
  }
}

double FairShares::spare_of(BundleIndex bundle, JunctionIndex first, double least) {
  // What is full stays full: rates only grow here.
  double spare = map_.junction(first).bytes_per_ps - used_at(first);
  for (const JunctionMap::PathStop& placed : map_.path(bundle)) {
    if (spare <= least) return 0;
    const JunctionIndex junction = map_.stop(placed.stop).junction;
    spare = std::min(spare, map_.junction(junction).bytes_per_ps - used_at(junction));
  }
  return spare > least ? spare : 0;
}

const std::vector<BundleIndex>& FairShares::settle() {
  ++error_.settles;
  const std::uint64_t most = looks_ + std::uint64_t{options_.patience} * queue_.size();
  while (queue_head_ < queue_.size() && looks_ < most) {
    const JunctionIndex junction = queue_[queue_head_++];
    pending_[junction] = kNothing;
    if (!map_.junction(junction).ports.empty()) look_at(junction);
  }
  if (queue_head_ < queue_.size()) ++error_.cut;
  for (; queue_head_ < queue_.size(); ++queue_head_) {
    float& pending = pending_[queue_[queue_head_]];
    error_.largest_pending =
        std::max(error_.largest_pending, static_cast<double>(std::exchange(pending, kNothing)));
  }
  for (const BundleIndex bundle : touched_) bundles_[bundle].rate = bundles_[bundle].potential;
  ++round_;
  keep_within_capacity();
  use_what_is_left();
  queue_.clear();
  queue_head_ = 0;
  told_.clear();
  for (const BundleIndex bundle : touched_) {
    bundles_[bundle].touched = false;
    if (bundles_[bundle].transfers > 0) told_.push_back(bundle);
  }
  touched_.clear();
  told_before_ += told_.size();
  return told_;
}

}  // namespace waferloom::sim
