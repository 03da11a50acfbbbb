#include "sim/from_plan/product_streams.h"

#include <algorithm>
#include <variant>

// Problem: say what a tile moves for an operator whose products go through its SRAM in blocks.
// Idea: a tile's part of each product follows from the degrees. Its sums build up in blocks that
// fill SRAM; backward is two products of the same sides with other roles.
// Source: Hong and Kung (1981) for blocks; attention row by row as FlashAttention (Dao et al.,
// 2022); which side a tile has whole by Megatron-LM.
// Cost: O(products).
namespace waferloom::sim {
namespace {

/// A product on a tile, in bytes, and how many alike there are.
struct TileProduct {
  BlockedProduct each;
  Int128 alike = 1;
  Int128 written = 0;  // by all of them
};

/// What attention reads: all keys and values for each part of the queries' rows.
Int128 rows_of_queries(const TileProduct& product, Int128 room) {
  const BlockedProduct& each = product.each;
  const Int128 passes = std::max<Int128>(1, parts(each.output, room));
  return product.alike * (passes * each.first + each.second);
}

/// The gradient of the second side is a product of the first and the output's gradient, that of the
/// first one of the second and that.
Int128 backward_blocks(const TileProduct& product, Int128 room) {
  const auto& [first, second, output] = product.each;
  return product.alike *
         (least_reads({first, output, second}, room) + least_reads({second, output, first}, room));
}

/// Bytes of so many numbers of a matrix.
Int128 matrix_bytes(const TileShare& tile, Int128 elements) {
  return tile.kept.weights ? tile.kept.weights->bytes(elements) : elements * tile.element_bytes;
}

/// `has_own_input`: of each part of an operator's output.
TileProduct tile_product(const ProductSides& sides, const TileShare& tile, bool has_own_input) {
  const Degrees& cut = tile.cut;
  const bool is_divided = sides.is_divided || has_own_input;
  const Int128 out = cut.out;
  const auto share = [&](Int128 elements, Int128 ways) {
    return parts(elements * tile.samples * tile.element_bytes, ways);
  };
  // Experts that tiles divide among themselves have each their own tokens.
  const Int128 experts = sides.is_of_experts ? cut.experts : 1;
  const Int128 of_input =
      Int128(cut.replicas()) * cut.in * (is_divided || sides.by_input ? out : experts);
  const Int128 of_output = cut.replicas() * (sides.by_input ? experts : out);
  TileProduct product;
  if (sides.of_sample) {
    // Rows of products beside one another are first divided product by product.
    const Int128 rows = sides.is_divided ? 1 : std::min(cut.rows, sides.alike);
    product.alike =
        parts(Int128(sides.alike) * tile.samples, cut.batch * rows * (is_divided ? out : 1));
    product.each.first = share(sides.weights, cut.batch * rows * out * cut.in);
  } else {
    product.alike = parts(sides.alike, is_divided ? out : experts);
    product.each.first = parts(matrix_bytes(tile, sides.weights), out * cut.in);
  }
  product.each.second = share(sides.input, of_input);
  product.each.output = share(sides.output, of_output);
  product.written = share(sides.written, of_output);
  for (Int128* side : {&product.each.first, &product.each.second, &product.each.output}) {
    *side = parts(*side, product.alike);
  }
  return product;
}

}  // namespace

Int128 least_reads(const BlockedProduct& product, Int128 room) {
  const auto in_parts = [&](Int128 staying, Int128 other) {
    return staying + std::max<Int128>(1, parts(staying, room)) * other;
  };
  return std::min({blocked_reads(product, room), in_parts(product.first, product.second),
                   in_parts(product.second, product.first)});
}

ProductStreams product_streams(const OperatorKind& kind, const TileShare& tile) {
  const bool has_own_input = !shares_input(kind, tile.cut.out);
  ProductStreams streams;
  for (const ProductSides& sides : product_sides(kind)) {
    const TileProduct product = tile_product(sides, tile, has_own_input);
    const Int128 first = product.alike * product.each.first;
    const Int128 second = product.alike * product.each.second;
    streams.written += product.written;
    (sides.of_sample ? streams.sides : streams.weights) += first;
    streams.sides += second;
    if (sides.is_divided) {
      // Backward goes through queries, keys and values for the gradients of each.
      const Int128 read = rows_of_queries(product, tile.sram);
      streams.read += read;
      streams.backward_read += 2 * read + second;
      continue;
    }
    streams.read += product.alike * least_reads(product.each, tile.sram);
    streams.backward_read += backward_blocks(product, tile.sram);
  }
  return streams;
}

}  // namespace waferloom::sim
