#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "model/mesh.h"
#include "model/run_control.h"
#include "sim/from_plan/stage_service.h"

namespace waferloom::sim {

/// The mesh and the exchanges of stages that were priced on it before, for whoever prices
/// thousands of plans. Stages of one shape whose operators are cut alike take the same time
/// wherever they lie alike among the groups of tiles, as long as nothing is dead. All functions
/// may be called from several threads at once; what they answer does not depend on the order.
class ExchangeCache {
 public:
  /// Keeps the hardware, which has to live longer.
  ExchangeCache(const Hardware& hardware, Contention contention, const RunControl& control = {});

  const Hardware& hardware() const { return hardware_; }
  const Mesh& mesh() const { return mesh_; }
  Contention contention() const { return contention_; }

  /// The exchanges of a stage on these tiles, as the constructor of StageSums has them, and throws
  /// as that does; RunCut, but never for what is known. The answer lives as long as the cache.
  /// O(log entries) for what is known.
  const StageSums& of(const Plan& own, const Rectangle& tiles, const std::vector<Degrees>& used);

  /// From now on nothing cuts it: what is still asked belongs to a result that is kept. Not while
  /// others ask.
  void ignore_cuts() { control_ = {}; }

 private:
  using Key = std::vector<std::int64_t>;
  Key key_of(const Plan& own, const Rectangle& tiles, const std::vector<Degrees>& used) const;

  const Hardware& hardware_;
  Contention contention_;
  RunControl control_;
  Mesh mesh_;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<const StageSums>> known_;
};

}  // namespace waferloom::sim
