#pragma once

#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/routes.h"
#include "router/flow/tensor_ends.h"

namespace waferloom::router {

/// The ends of all tensors of a traffic, with as many lanes as there might be.
inline std::vector<TensorEnds> ends_of_all(const Traffic& traffic, const Hardware& hardware) {
  const Mesh mesh(hardware, link_reserve(traffic, hardware));
  const LiveParts parts(mesh);
  std::vector<TensorEnds> ends;
  for (const TrafficTensor& tensor : traffic.tensors) {
    ends.push_back(tensor_ends(tensor, traffic, hardware, mesh, parts, 0));
  }
  return ends;
}

}  // namespace waferloom::router
