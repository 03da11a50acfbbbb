#pragma once

#include <vector>

#include "model/mesh.h"
#include "model/traffic.h"
#include "router/flow/tensor_ends.h"

namespace waferloom::router {

/// A rectangle of tiles, and what the bytes that have to leave it, or to get into it, need of the
/// links around it.
struct Cut {
  Rectangle tiles;
  bool leaving = true;
  double time_ps = 0;  ///< of a sample, of one of these links at least
};

/// The worst cut that a search finds: a tensor whose beginnings all lie in a rectangle and whose
/// ends all lie outside has to leave it, so some link around needs at least the sum of such bytes
/// over the sum of the links' rates. Rectangles have their sides on kernels' borders, a tile
/// inside, or beside what is dead; from blocks, pairs of blocks and halves of the mesh on, one side
/// after the other moves where the cut is worst, until none gains. `ends` are by tensor. All links
/// have a limit; time_ps is 0 if nothing moves. O(starts · (lines + tensors)), starts so many that
/// this is some 10^7.
Cut worst_cut(const Traffic& traffic, const std::vector<TensorEnds>& ends, const Hardware& hardware,
              const Mesh& mesh);

}  // namespace waferloom::router
