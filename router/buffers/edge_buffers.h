#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/routes.h"

namespace waferloom::router {

/// Buffers for samples on the edges of a traffic.
struct EdgeBuffers {
  std::vector<std::int64_t> samples;        ///< by tensor; 0 for tensors that are no edges
  std::int64_t bytes = 0;                   ///< of all buffers
  double period_ps = 0;                     ///< the period that the buffers allow
  double unlimited_ps = 0;                  ///< the period without the limits of memories
  std::optional<std::size_t> short_edge{};  ///< the tensor that finds no room at unlimited_ps
  bool fits = true;                         ///< false: not even a sample on each edge fits
};

/// Chooses how many samples each edge may hold, with few bytes. The slowest block, adapter or link
/// sets the period. If the samples do not fit the memories at that period, the result has the least
/// period at which they fit.
///
/// Every block begins its sample at an offset, as early as its inputs allow. A later offset
/// shortens the wait of outputs and lengthens that of inputs; the block takes it if that saves
/// bytes. An edge holds a sample from the producer's begin to the consumer's end, so it needs ⌈that
/// time / period⌉ places, at most 10^6. A pipeline that does everything as soon as it can is never
/// later than this schedule: max-plus systems are monotone (Baccelli et al., Synchronization and
/// Linearity, 1992). Samples wait on tiles of the consumer, then of the producer, then on tiles of
/// no block. O((blocks + edges) · log).
EdgeBuffers edge_buffers(const Traffic& traffic, const Hardware& hardware, const Mesh& mesh,
                         const Routes& routes);

}  // namespace waferloom::router
