#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "model/workload.h"
#include "planner/centimani.h"

namespace waferloom::planner {

// The time of a training step in parts that are predicted apart (Centimani, section 4.3): loading
// and preprocessing, operators, communication; then what goes on at once is counted once. Seconds.

/// The samples of a batch.
struct HostInput {
  double samples = 0;
  double bytes = 0;
};
/// Bytes at the host's rates; with a measured machine in proportion to it (section
/// 4.3.1): its time · its bandwidth / ours, and its time · its peak rate / ours, where ours are
/// known. A rate that is not known takes no time.
HostTime host_time(const HostInput& input, const Host& host, const OperatorTable& measured);

/// Where an operator's bytes go by, and how fast.
struct OperatorPlacement {
  /// Bytes of a chip's SRAM that tensors of other operators do not hold: activations of another
  /// memory that fit in stay there between operators.
  double cache_bytes = 0;
  double element_bytes = 2;
};

/// Forward and backward of `batch` samples by the cache-aware roofline (Eq. 2, Ilic et al.): the
/// larger of FLOP over the achieved peak and, of every memory level, the bytes that come from it
/// over its bandwidth. Parameters come from the level of weights, inputs and outputs from that of
/// io, or from SRAM if they fit into the cache, gradients likewise; of an embedding's table only
/// the rows of the tokens come. Backward works on 2 · products
/// + elements, reads parameters, inputs and gradients, and writes gradients of both.
OperatorTime roofline_time(const OperatorKind& kind, std::int64_t batch, const System& system,
                           const OperatorPlacement& placement);

/// A part of a network on a device (section 4.3.3), and what it hands on.
struct DeviceEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  double seconds = 0;  ///< traffic over bandwidth, and the latency
};
struct PartitionGraph {
  std::vector<double> compute_s;  ///< of each device
  std::vector<DeviceEdge> edges;
};

/// A way through a partition graph.
struct DevicePath {
  double compute_s = 0;
  double transfer_s = 0;
  double total_s() const { return compute_s + transfer_s; }
};

/// The longest one (Eq. 3: "the final computation time is the longest path"). Throws
/// std::logic_error for a cycle or an edge to a device that is not there. O(V + E).
DevicePath longest_path(const PartitionGraph& graph);

/// Bytes of gradients that travel: elements · density · (bits + index bits), no index if dense.
double compressed_bytes(double bytes, double element_bytes, const Compression& compression);

/// Seconds of gradients' way (Eq. 4): asynchronous, bytes over the bandwidth to the server of
/// parameters, whoever else sends; synchronous, a ring all-reduce among `chips` over the links of
/// the innermost dimension, 2 (n - 1) steps of bytes / n. 0 for one chip that learns synchronously.
/// Throws RequestError where the system has no network or its server is not known.
double exchange_time(double bytes, std::int64_t chips, Learning learning, const System& system);

/// What a step takes once stages that go on at once are counted once (section 4.3.4): computation
/// and the exchange as the larger of the two where communication overlaps; then the host's stages
/// that overlap, one after the other, beside all the rest.
double without_overlap(const StepTimes& stages, const Overlap& overlap);

}  // namespace waferloom::planner
