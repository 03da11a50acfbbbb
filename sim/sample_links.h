#pragma once

#include <cstdint>
#include <vector>

#include "model/mesh.h"
#include "model/routing.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// Bytes of a sample on every link, by LinkIndex, on the routes that all samples take; in training
/// with its gradients. Throws RequestError for a routing that chooses by load, or where
/// some lane has no way between its tiles. O(legs + links).
std::vector<std::int64_t> sample_link_bytes(const PipelineSpec& spec, const Mesh& mesh,
                                            Routing routing);

}  // namespace waferloom::sim
