#pragma once

#include <cstdint>
#include <vector>

#include "kernels/int128.h"
#include "model/mesh.h"
#include "sim/mesh/link_bytes.h"
#include "sim/mesh/route.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// Which lanes of a way of a channel a network has to see. A lane whose links and end tiles no
/// other lane uses meets nothing but the samples before on itself, which go in order where it has a
/// colour. It is never the last to bring a sample if another such lane of its rate takes at least
/// as long for a sample alone, latency included, and for each that queues behind it. Those lanes
/// are left out: every sample comes when it would with all lanes sent.
struct SentLanes {
  std::vector<std::uint32_t> sent;      ///< places in the way's lanes, ascending
  std::vector<std::uint32_t> left_out;  ///< likewise: lone lanes that are never the last
};

/// What a pipeline sends, by channel, forward and of gradients. Of inputs and outputs, whose lanes
/// pass ports, of lanes without a path and a colour of their own, and where `all` is said every
/// lane is sent. O(hops + tiles + lanes log lanes).
class LaneTraffic {
 public:
  LaneTraffic(const PipelineSpec& spec, const Mesh& mesh, bool all);

  const SentLanes& of(std::size_t channel, bool gradient) const {
    return ways_[2 * channel + (gradient ? 1 : 0)];
  }
  /// Counts what the lanes left out of a way carried in so many shipments. Answers their bytes
  /// times links.
  Int128 count_left_out(std::size_t channel, bool gradient, std::int64_t shipments,
                        LinkBytes& bytes) const;

 private:
  struct Users;
  bool meets_none(const Route& route, NodeIndex end, const Users& users) const;
  void choose(std::size_t channel, bool gradient, const Users& users);

  const PipelineSpec& spec_;
  const Mesh& mesh_;
  std::vector<SentLanes> ways_;
};

}  // namespace waferloom::sim
