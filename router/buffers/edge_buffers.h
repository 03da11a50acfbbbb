#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/routes.h"
#include "model/traffic.h"

namespace waferloom::router {

/// Room for samples on the edges of a traffic.
struct EdgeBuffers {
  std::vector<std::int64_t> samples;        ///< by tensor; 0 of tensors that are no edges
  std::int64_t bytes = 0;                   ///< of all of them
  double period_ps = 0;                     ///< at which these let samples follow one another
  double unlimited_ps = 0;                  ///< the same without the limits of memories
  std::optional<std::size_t> short_edge{};  ///< the tensor that finds no room without more time
  bool fits = true;                         ///< a sample an edge does
};

/// Chooses how many samples each edge may hold such that blocks can work in the period that the
/// slowest block, adapter or link sets, with few bytes; where these do not fit, the least period at
/// which they do.
///
/// Every block begins its sample at an offset, as early as its inputs allow, moved later where that
/// shortens more bytes than it lengthens. An edge holds a sample from the producer's begin to the
/// consumer's end, so it needs ⌈that time / period⌉ places, of which it gets 10^6 at most. A
/// pipeline that does everything as soon as it can is never later than this schedule (max-plus
/// systems are monotone: Baccelli et al., Synchronization and Linearity, 1992). Samples wait on
/// tiles of the consumer, then of the producer, then on those of no block. O((blocks + edges) ·
/// log).
EdgeBuffers edge_buffers(const Traffic& traffic, const Hardware& hardware, const Mesh& mesh,
                         const Routes& routes);

}  // namespace waferloom::router
