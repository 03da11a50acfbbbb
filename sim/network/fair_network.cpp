#include "sim/network/fair_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/engine/free_entries.h"

namespace waferloom::sim {
namespace {

/// Bytes that rounding may leave of a transfer that is done.
constexpr double kDust = 1e-6;

}  // namespace

FairNetwork::FairNetwork(const Mesh& mesh, Picoseconds endpoint_latency,
                         FairShares::Options options)
    : Network(mesh), mesh_(mesh), endpoint_latency_(endpoint_latency), shares_(mesh, options) {}

std::size_t FairNetwork::WayHash::operator()(const Way& way) const {
  std::uint64_t hash = (std::uint64_t{way.route.source} << 16) + way.colour.value_or(256) + 1;
  for (const Leg& leg : way.route.legs) {
    const std::uint64_t word = (std::uint64_t{leg.from} << 32) ^ (std::uint64_t{leg.hops} << 3) ^
                               static_cast<std::uint64_t>(leg.direction);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

BundleIndex FairNetwork::new_bundle(Picoseconds now, const Transfer& transfer) {
  const BundleIndex index = take_entry(bundles_, free_);
  Bundle& bundle = bundles_[index];
  bundle.way = {transfer.route, transfer.colour};
  bundle.last = 0;
  bundle.latency = route_latency(mesh_, transfer.route) + endpoint_latency_;
  bundle.since = now;
  bundle.moved = 0;
  bundle.rate = 0;
  return index;
}

void FairNetwork::submit(Picoseconds now, const Transfer& transfer) {
  now_ = now;
  ++events_;
  link_bytes_.count(transfer.route, transfer.bytes);
  const auto [at, is_new] = by_way_.try_emplace(Way{transfer.route, transfer.colour}, kNoIndex);
  if (is_new) at->second = new_bundle(now, transfer);
  Bundle& bundle = bundles_[at->second];
  move_to(bundle, now);
  const std::uint32_t before = bundle.moving();
  const double begin = bundle.in_order() ? std::max(bundle.last, bundle.moved) : bundle.moved;
  bundle.last = begin + static_cast<double>(transfer.bytes);
  bundle.members.push_back({bundle.last, transfer.id});
  std::push_heap(bundle.members.begin(), bundle.members.end());
  if (is_new) {
    changed_ = true;
    shares_.add(at->second, transfer.route, 1,
                bundle.in_order() ? FairShares::Buffers::own : FairShares::Buffers::shared);
  } else {
    divide_anew({.index = at->second, .moving_before = before});
  }
  plan_finish(at->second);
}

void FairNetwork::divide_anew(const Resized& resized) {
  const auto [index, before] = resized;
  Bundle& bundle = bundles_[index];
  const std::uint32_t moving = bundle.moving();
  if (moving == before) return;
  changed_ = true;
  shares_.resize(index, moving);
  bundle.rate *= static_cast<double>(before) / static_cast<double>(moving);
}

void FairNetwork::move_to(Bundle& bundle, Picoseconds now) {
  bundle.moved += bundle.rate * static_cast<double>(now - bundle.since);
  bundle.since = now;
}

void FairNetwork::plan_finish(BundleIndex index) {
  Bundle& bundle = bundles_[index];
  ++bundle.version;
  if (bundle.rate <= 0) return;
  const double left = std::max(0.0, bundle.members.front().target - bundle.moved - kDust);
  const double wait = std::ceil(left / bundle.rate);
  // Behind many junctions a rate may be next to nothing until others are done.
  if (wait > kLongestWait) return;
  finishes_.push(later(bundle.since, static_cast<Picoseconds>(wait)),
                 Finish{index, bundle.version});
}

void FairNetwork::finish(BundleIndex index, Picoseconds now) {
  Bundle& bundle = bundles_[index];
  move_to(bundle, now);
  const std::size_t members = bundle.members.size();
  const std::uint32_t before = bundle.moving();
  while (!bundle.members.empty() && bundle.members.front().target <= bundle.moved + kDust) {
    arrivals_.push(now + bundle.latency, bundle.members.front().id);
    std::pop_heap(bundle.members.begin(), bundle.members.end());
    bundle.members.pop_back();
    ++events_;
  }
  if (bundle.members.size() == members) {
    plan_finish(index);
    return;
  }
  if (bundle.members.empty()) {
    changed_ = true;
    ++bundle.version;
    shares_.remove(index);
    by_way_.erase(bundle.way);
    free_.push_back(index);
    return;
  }
  divide_anew({.index = index, .moving_before = before});
  plan_finish(index);
}

/// First every bundle whose share has changed gets its new rate, once for all that changed at one
/// instant, and it is planned when its next member is done.
Picoseconds FairNetwork::next_time() {
  if (std::exchange(changed_, false)) {
    for (const BundleIndex index : shares_.settle()) {
      Bundle& bundle = bundles_[index];
      move_to(bundle, now_);
      bundle.rate = shares_.rate(index) / static_cast<double>(bundle.moving());
      plan_finish(index);
    }
  }
  while (!finishes_.empty()) {
    const Finish& next = finishes_.next().payload;
    if (bundles_[next.bundle].version == next.version) break;
    finishes_.pop();
  }
  return std::min(finishes_.next_time(), arrivals_.next_time());
}

void FairNetwork::advance(Picoseconds now, std::vector<TransferId>& arrived) {
  now_ = now;
  while (finishes_.next_time() <= now) {
    const Finish next = finishes_.pop().payload;
    if (bundles_[next.bundle].version == next.version) finish(next.bundle, now);
  }
  events_ += arrivals_.take(now, arrived);
}

}  // namespace waferloom::sim
