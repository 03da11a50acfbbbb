#pragma once

#include <cstdint>

#include "kernels/mesh_operators.h"
#include "kernels/tile_cycles.h"

namespace waferloom {

/// The largest part of an extent that so many tiles share.
constexpr std::int64_t parts_of(std::int64_t extent, std::int64_t tiles) {
  return (extent + tiles - 1) / tiles;
}

/// Steps of an attention's program: scores, largest, sum, values.
inline constexpr std::int64_t kAttentionSteps = 4;

constexpr double as_double(std::int64_t value) { return static_cast<double>(value); }

/// Bytes of a tile that keeps so many elements and its program.
constexpr std::int64_t bytes_of(const TileFabric& fabric, std::int64_t elements) {
  return elements * fabric.element_bytes + fabric.program_bytes;
}

/// So many vector operations on vectors of so many elements.
inline double vector_cycles(std::int64_t count, const TileFabric& fabric, std::int64_t elements) {
  const double issues = fabric.issues_of(elements);
  return as_double(count) * (fabric.cycles.vector + issues * fabric.cycles.issue);
}

/// Exponentials of so many vectors: (1 + x/256)² twice is three multiplications (WaferLLM), and
/// what a program that calls a library for each number takes beside them.
inline double exponential_cycles(std::int64_t count, const TileFabric& fabric,
                                 std::int64_t elements) {
  constexpr std::int64_t kMultiplications = 3;
  return vector_cycles(kMultiplications * count, fabric, elements) +
         as_double(count * elements) * fabric.cycles.exponential;
}

/// A product of blocks: C[m,n] gets `k` rank-one updates; vectors lie along m.
inline double product_cycles(const TileFabric& fabric, const GemmShape& block) {
  const TileCycles& cycles = fabric.cycles;
  const double issues = fabric.issues_of(block.m);
  return as_double(block.k) *
         (cycles.update + as_double(block.n) * (cycles.vector + issues * cycles.issue));
}

}  // namespace waferloom
