#pragma once

#include <cstdint>

#include "kernels/int128.h"
#include "model/plan.h"
#include "model/workload.h"

namespace waferloom::sim {

/// The parts that something comes in, the last of which may be smaller.
inline Int128 parts(Int128 whole, Int128 part) { return (whole + part - 1) / part; }

/// What a tile has of an operator, and the room that it has for it.
struct TileShare {
  Degrees cut{};
  std::int64_t samples = 1;  ///< of a micro-batch, of all replicas
  std::int64_t element_bytes = 2;
  KeptNumbers kept{};  ///< how the operator's matrices are kept
  Reuse reuse = Reuse::blocks;
  Int128 sram = 1;  ///< bytes, at least 1, beside what stays in it
};

/// Bytes that a tile moves for an operator that goes product by product, in blocks.
struct ProductStreams {
  Int128 read = 0;           ///< forward
  Int128 written = 0;        ///< forward
  Int128 backward_read = 0;  ///< for the gradients of both sides of each product
  Int128 weights = 0;        ///< of all matrices, once
  Int128 sides = 0;          ///< of all other sides, once: what backward has gradients of
};

/// The least that a product reads of both sides, in bytes: in blocks of its output (blocked_reads),
/// or with a part of one side at a time, for each of which the other one comes. O(1).
Int128 least_reads(const BlockedProduct& product, Int128 room);

/// The products of an operator on a tile (product_sides), one behind the other. Each goes in blocks
/// (least_reads), but attention, whose queries go row by row. Nothing for operators
/// without products. O(products).
ProductStreams product_streams(const OperatorKind& kind, const TileShare& tile);

}  // namespace waferloom::sim
