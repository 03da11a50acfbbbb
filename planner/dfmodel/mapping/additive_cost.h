#pragma once

#include <algorithm>
#include <vector>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/mapping_numbers.h"

namespace waferloom::planner {

/// A partition's cost as sums over its kernels, for what is done before it (ideal_program.h).
struct CostSums {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double weight_bytes = 0;
  double sram = 0;  ///< bytes times pieces: buffers, and weights unless they can be streamed
  double live_dram_bytes = 0;

  CostSums& operator+=(const CostSums& other) {
    compute_s += other.compute_s;
    memory_s += other.memory_s;
    network_s += other.network_s;
    weight_bytes += other.weight_bytes;
    sram += other.sram;
    live_dram_bytes += other.live_dram_bytes;
    return *this;
  }
  CostSums& operator-=(const CostSums& other) {
    compute_s -= other.compute_s;
    memory_s -= other.memory_s;
    network_s -= other.network_s;
    weight_bytes -= other.weight_bytes;
    sram -= other.sram;
    live_dram_bytes -= other.live_dram_bytes;
    return *this;
  }
};

/// What each kernel adds to the sums of a partition that begins after the kernels done, if those
/// of its inputs that are not done are made inside.
class KernelShares {
 public:
  /// Nothing is done.
  explicit KernelShares(const MappingProblem& problem);
  /// A kernel is done: its tensors are read from DRAM by whoever comes. O(tensors of its takers).
  void finish(std::size_t kernel) { turn(kernel, true); }
  /// It is not done any more.
  void take_back(std::size_t kernel) { turn(kernel, false); }
  const CostSums& of(std::size_t kernel) const { return now_[kernel]; }
  /// What a partition of these sums takes.
  double total_s(const CostSums& sums) const;
  /// What partitions of these sums take at least, however many they are.
  double least_s(const CostSums& sums) const { return with_room(sums, kInfinity); }
  /// Bytes of tensors from kernels done to others.
  double waiting_bytes() const { return waiting_bytes_; }
  /// Of the kernels that are not done: what they need at least, in whatever partitions.
  const CostSums& rest() const { return rest_; }

 private:
  double with_room(const CostSums& sums, double room_bytes) const;
  void turn(std::size_t kernel, bool done);
  /// Computed anew, so that no rounding adds up.
  void renew(std::size_t kernel);

  const MappingProblem& problem_;
  std::vector<CostSums> fresh_;  ///< with nothing done
  std::vector<CostSums> now_;
  std::vector<CostSums> alone_;  ///< what `rest` has of a kernel
  std::vector<bool> done_;
  double waiting_bytes_ = 0;
  CostSums rest_;
};

}  // namespace waferloom::planner
