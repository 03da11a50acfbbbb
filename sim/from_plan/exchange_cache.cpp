#include <utility>

#include "sim/collective.h"
#include "sim/from_plan/stage_service.h"
#include "sim/mesh/route_planner.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {

ExchangeCache::ExchangeCache(const Hardware& hardware, Contention contention,
                             const RunControl& control)
    : hardware_(hardware), contention_(contention), control_(control), mesh_(hardware) {}

ExchangeCache::~ExchangeCache() = default;

ExchangeCache::Key ExchangeCache::key_of(const Plan& own, const Rectangle& tiles,
                                         const StageCuts& cuts) const {
  // Ways around what is dead, and nodes behind switches, are each their own.
  const bool is_alike_anywhere = !mesh_.is_switched() && routes_stay_inside(mesh_, tiles);
  const std::int64_t x = is_alike_anywhere ? tiles.x % hardware_.group_columns : tiles.x;
  const std::int64_t y = is_alike_anywhere ? tiles.y % hardware_.group_rows : tiles.y;
  Key key{x,
          y,
          tiles.width,
          tiles.height,
          static_cast<std::int64_t>(own.groups),
          static_cast<std::int64_t>(own.collective),
          cuts.hands ? 1 : 0,
          is_alike_anywhere ? 1 : 0,
          static_cast<std::int64_t>(cuts.used.size())};
  const auto add = [&](const Degrees& degrees) {
    key.insert(key.end(), {degrees.batch, degrees.rows, degrees.out, degrees.in, degrees.experts});
  };
  for (const Degrees& degrees : cuts.used) add(degrees);
  for (const auto& [degrees, rows] : cuts.borders) {
    add(degrees);
    key.insert(key.end(), {rows.own, rows.before, rows.behind});
  }
  return key;
}

const StageSums& ExchangeCache::of(const Plan& own, const Rectangle& tiles, const StageCuts& cuts) {
  Key key = key_of(own, tiles, cuts);
  {
    const std::scoped_lock lock(mutex_);
    const auto known = known_.find(key);
    if (known != known_.end()) return *known->second;
  }
  auto sums =
      std::make_unique<const StageSums>(own, hardware_, mesh_, tiles, contention_, cuts, control_);
  const std::scoped_lock lock(mutex_);
  return *known_.try_emplace(std::move(key), std::move(sums)).first->second;
}

}  // namespace waferloom::sim
