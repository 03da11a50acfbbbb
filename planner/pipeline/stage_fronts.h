#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/int128.h"
#include "model/hardware.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/pipeline/stage_cost.h"
#include "planner/wafer_pipeline.h"

namespace waferloom::planner {

/// What flows between operators, in elements of a sample.
struct OperatorFlow {
  std::vector<std::int64_t> input;              ///< of the network into an operator; 0: none
  std::vector<std::int64_t> output;             ///< of an operator
  std::vector<std::size_t> last_consumer;       ///< operators.size(): the network's output
  std::vector<std::vector<std::size_t>> after;  ///< distinct
};
OperatorFlow operator_flow(const Workload& workload);

/// Throws RequestError where a batch has fewer samples than there are replicas.
void demand_samples(std::int64_t batch, std::int64_t replicas);

/// A step of a front: no smaller rectangle is as fast.
struct FrontStep {
  std::int64_t area = 0;
  std::int64_t cycles = 0;
};

/// Bytes that an operator needs on all its tiles, and what a tile has.
struct OperatorNeed {
  std::int64_t weights = 0;  ///< in training with gradients and states
  std::int64_t tensors = 0;  ///< likewise with what samples under way keep
  std::int64_t room = 0;
};

/// What training asks of a stage. In forward alone nothing.
struct StageTraining {
  std::int64_t in_flight = 0;  ///< samples that wait for their gradients at most; 0: forward alone
  std::int64_t replicas = 1;   ///< among which gradients are summed
  bool is_needed() const { return in_flight > 0; }
};

/// What rectangles groups of consecutive operators can have, and how fast they are there. Built for
/// all groups at once, of a workload that lives as long as they: operators are priced once on each
/// rectangle, groups are sums. What sums throws RunCut.
class StageFronts {
 public:
  /// Where pipelines have one stage at most, groups of several operators begin with the first
  /// alone.
  StageFronts(const Workload& workload, const Hardware& hardware, const PipelineOptions& options,
              const StageTraining& training = {}, const RunControl& control = {});
  /// The same with the prices of others, of the same network, hardware and data type.
  StageFronts(const StageFronts& priced, const PipelineOptions& options,
              const StageTraining& training = {}, const RunControl& control = {});
  /// Prices without fronts, for others.
  static std::shared_ptr<const StageFronts> prices(const Workload& workload,
                                                   const Hardware& hardware,
                                                   const PipelineOptions& options,
                                                   const RunControl& control = {});

  std::size_t operators() const { return kind_of_.size(); }
  /// Groups that begin with operator `first`: fronts(first)[n] is of n + 1 operators, by ascending
  /// area and descending cycles; empty where nothing has room.
  const std::vector<std::vector<FrontStep>>& fronts(std::size_t first) const {
    return fronts_[first];
  }
  /// All rectangles for operators first … last that keep up with a period, none of which another
  /// beats in both sides. Of fronts that train, in `training`, which asks for no more than theirs.
  std::vector<StageShape> shapes(std::size_t first, std::size_t last, std::int64_t period,
                                 const StageTraining& training = {}) const;
  const OperatorFlow& flow() const { return flow_; }
  /// Of a single operator, for messages.
  OperatorNeed need(std::size_t at) const;

 private:
  struct Group;
  struct Sums;
  struct Block;
  struct WithoutFronts {};
  StageFronts(WithoutFronts /*fronts*/, const Workload& workload, const Hardware& hardware,
              const PipelineOptions& options, const RunControl& control);
  void price(int threads);
  void find_fronts(const PipelineOptions& options);
  std::vector<std::vector<FrontStep>> fronts_from(std::size_t first, std::size_t most) const;
  Group started(std::size_t first) const;
  void append(Group& group, std::size_t next) const;
  /// Calls visit(block) for all rectangles, a few at a time; sums are what the last visit left.
  template <typename Visit>
  void for_each_block(const Visit& visit) const;
  void add(Block& block, std::size_t next) const;
  /// What crosses the edge of a group, in elements.
  struct Edge {
    std::int64_t busiest = 0;  ///< what comes in or goes out, whatever is more, and what passes by
    std::int64_t out = 0;
  };
  Edge edge_of(const Group& group) const;
  void add_steps(const Block& block, const Group& group, const Edge& edge,
                 std::vector<FrontStep>& front) const;
  /// Of a sample, in training with backward.
  static std::int64_t sample_cycles(double cycles, const StageTraining& training);
  std::int64_t kept_bytes(Int128 all, std::int64_t tiles) const;
  /// Cycles and bytes on a rectangle; cycles 0 where it does not fit.
  StageShape shape_of(const Group& group, const TileGrid& grid, const Sums& sums, const Edge& edge,
                      const StageTraining& training) const;
  /// Cycles from the last gradient of a batch until weights are changed.
  double update_cycles(const Group& group, const StageShape& shape,
                       const StageTraining& training) const;

  const Workload& workload_;
  RunControl control_;
  TileFabric fabric_;
  std::int64_t room_ = 0;
  double lane_bytes_ = 0;  // of a cycle, where a kernel keeps its part
  std::int64_t lanes_most_ = 1;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  std::int64_t state_bytes_ = 0;  // that the optimizer keeps of a parameter
  StageTraining training_;        // of the fronts
  OperatorFlow flow_;
  std::vector<TileGrid> grids_;       // by ascending area
  std::vector<std::size_t> kind_of_;  // by operator, into costs_
  std::shared_ptr<const std::vector<std::vector<OperatorCosts>>> costs_;  // by kind, by grid
  std::vector<std::vector<std::vector<FrontStep>>> fronts_;
};

}  // namespace waferloom::planner
