#include <memory>
#include <utility>
#include <vector>

#include "sim/collective.h"
#include "sim/from_plan/stage_service.h"
#include "sim/mesh/route_planner.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {

ExchangeCache::ExchangeCache(const Hardware& hardware, Contention contention,
                             const RunControl& control)
    : hardware_(hardware), contention_(contention), control_(control), mesh_(hardware) {}

ExchangeCache::ExchangeCache(Free /*free*/, const Hardware& hardware)
    : hardware_(hardware), contention_(Contention::ignored), is_free_(true), mesh_(hardware) {}

ExchangeCache::~ExchangeCache() = default;

namespace {

using Key = std::vector<std::int64_t>;

void add_to(Key& key, const Degrees& degrees) {
  key.insert(key.end(), {degrees.batch, degrees.rows, degrees.out, degrees.in, degrees.experts});
}

void add_to(Key& key, const BorderRows& rows) {
  key.insert(key.end(), {rows.own, rows.before, rows.behind});
}

Key stage_key(Key key, const StageCuts& cuts) {
  key.insert(key.end(), {cuts.hands ? 1 : 0, static_cast<std::int64_t>(cuts.used.size())});
  for (const Degrees& degrees : cuts.used) add_to(key, degrees);
  for (const auto& [degrees, rows] : cuts.borders) {
    add_to(key, degrees);
    add_to(key, rows);
  }
  return key;
}

/// Of all that a collective depends on in `use`, which is neither its time nor its bytes.
Key collective_key(Key key, const ExchangeUse& use) {
  constexpr std::int64_t kAll = -1;
  key.insert(key.end(), {use.among ? static_cast<std::int64_t>(*use.among) : kAll,
                         static_cast<std::int64_t>(use.kind)});
  add_to(key, use.degrees);
  if (use.border) add_to(key, *use.border);
  return key;
}

}  // namespace

/// Where tiles lie, and how a plan orders and joins them.
ExchangeCache::Key ExchangeCache::place_of(const Plan& own, const Rectangle& tiles) const {
  // Ways around what is dead, and nodes behind switches, are each their own.
  const bool is_alike_anywhere = !mesh_.is_switched() && routes_stay_inside(mesh_, tiles);
  return {is_alike_anywhere ? tiles.x % hardware_.group_columns : tiles.x,
          is_alike_anywhere ? tiles.y % hardware_.group_rows : tiles.y,
          tiles.width,
          tiles.height,
          static_cast<std::int64_t>(own.groups),
          static_cast<std::int64_t>(own.collective),
          is_alike_anywhere ? 1 : 0};
}

std::shared_ptr<const Collective> ExchangeCache::collective_of(const Key& place, const Plan& own,
                                                               const Rectangle& tiles,
                                                               const ExchangeUse& use) {
  Key key = collective_key(place, use);
  {
    const std::scoped_lock lock(mutex_);
    const auto known = collectives_.find(key);
    if (known != collectives_.end()) return known->second;
  }
  auto priced = std::make_shared<const Collective>(
      is_free_ ? Collective(mesh_, hardware_, Phases{}, contention_)
               : stage_collective(own, hardware_, mesh_, tiles, contention_, use, control_));
  const std::scoped_lock lock(mutex_);
  return collectives_.try_emplace(std::move(key), std::move(priced)).first->second;
}

const StageSums& ExchangeCache::of(const Plan& own, const Rectangle& tiles, const StageCuts& cuts) {
  const Key place = place_of(own, tiles);
  Key key = stage_key(place, cuts);
  {
    const std::scoped_lock lock(mutex_);
    const auto known = known_.find(key);
    if (known != known_.end()) return *known->second;
  }
  auto sums = std::make_unique<const StageSums>(
      cuts, [&](const ExchangeUse& use) { return collective_of(place, own, tiles, use); });
  const std::scoped_lock lock(mutex_);
  return *known_.try_emplace(std::move(key), std::move(sums)).first->second;
}

}  // namespace waferloom::sim
