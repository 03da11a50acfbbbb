#pragma once

#include <vector>

#include "model/mesh.h"
#include "model/routes.h"
#include "router/flow/tensor_ends.h"

namespace waferloom::router {

/// A rectangle of tiles, and the time that the links around it need for bytes that have to cross.
struct Cut {
  Rectangle tiles;
  bool leaving = true;  ///< the bytes leave the rectangle; otherwise they enter it
  double time_ps = 0;   ///< at least one of these links needs this time for a sample
};

/// The worst cut that a local search finds. If a tensor begins inside a rectangle and ends outside,
/// whichever of its tiles it uses, its bytes have to leave the rectangle. So some link around needs
/// at least the sum of such bytes over the sum of the links' rates.
/// Sides of rectangles lie on blocks' borders, a tile further inside, or beside dead tiles and
/// links. The search starts from blocks, pairs of blocks and halves of the mesh. It moves the sides
/// in turn to where the cut is worst, until no move gains. `ends` are by tensor. All links have a
/// limit. time_ps is 0 if nothing moves. O(starts · (lines + tensors)); the number of starts is
/// limited so that this is some 10^7.
Cut worst_cut(const Traffic& traffic, const std::vector<TensorEnds>& ends, const Hardware& hardware,
              const Mesh& mesh);

}  // namespace waferloom::router
