#pragma once

#include <string>
#include <vector>

#include "planner/amped.h"

namespace waferloom::planner {

// The settings behind AMPeD's tables and case studies, as far as they can be told (docs/amped.md).

/// One evaluation of a study: network, machine, degrees, training.
struct AmpedStudy {
  AmpedNetwork network{};
  System system{};
  AmpedDegrees degrees{};
  AmpedTraining training{};
  AmpedBreakdown time() const { return amped_time(network, system, degrees, training); }
};

/// A run of Narayanan et al. (SC'21, Table 1) that AMPeD's Table II predicts.
struct MegatronRun {
  std::string name;      ///< "145B"
  std::string workload;  ///< preset
  AmpedLevel degrees{};
  double batch = 0;
};
const std::vector<MegatronRun>& megatron_runs();
/// Table II: the presets' efficiency, micro-batches of one sample, R = 1, the consistent bubble.
AmpedStudy table_ii(const MegatronRun& run);

/// Table III: GPipe on `gpus` P100, 32 micro-batches. A transfer between stages takes
/// `transfer_share` of a batch's compute on one GPU, both ways together.
AmpedStudy table_iii(std::int64_t gpus, double transfer_share);

/// Case study I: Megatron 145B on 128 nodes of 8 A100, batch 16384, 300e9 tokens, the
/// literal bubble.
AmpedStudy case_i(const AmpedDegrees& degrees, double efficiency);

/// Case study II: 1,024 A100 in nodes of `chips`, tensor parallelism inside, batch 8192; pipeline
/// parallelism among nodes or data parallelism. All EDR cards of a node serve whichever chip sends.
AmpedStudy case_ii(std::int64_t chips, bool pipeline);

/// A transformer like GLaM 64B (Du et al., 2022, Table 4): 64 layers of 8,192, sequences of 1,024.
/// Its attention is as wide as a layer and nothing is gated; theirs is twice as wide, and gated in
/// layers without experts.
Workload glam_like();

/// Case study III: a GLaM of 64 experts on 3,072 H100 at 8 bits, tensor parallelism inside nodes of
/// `chips`, data parallelism among them. No latencies; efficiency 0.8, as in case study I.
struct OpticalNode {
  std::int64_t chips = 8;
  double link_bytes_per_s = 0;   ///< inside
  double among_bytes_per_s = 0;  ///< of a chip
};
AmpedStudy case_iii(const OpticalNode& node);

/// 8 chips joined electrically, NDR cards among nodes.
OpticalNode electrical_node();
/// A substrate with `fibers` of its `chips` on the edge, each at `times` the chip's bandwidth
/// today.
OpticalNode optical_node(double fibers, std::int64_t chips, double times);

}  // namespace waferloom::planner
