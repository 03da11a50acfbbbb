#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mesh_layers.h"
#include "kernels/mesh_operators.h"

namespace waferloom {

/// Operators that are known on a rectangle of tiles.
enum class TileOperatorKind : std::uint8_t {
  gemm,
  gemm_backward,
  gemv,
  convolution,
  attention,  ///< of one new token to a cache
  prefill,    ///< attention of a whole prompt
  block,      ///< a transformer's, decoding one token
  norm,
  softmax,
  rotary,
  element_wise,
  embedding,
  head,
  experts,
  transpose,
  convert,
  shift,
  reduce,
  all_reduce,
  broadcast
};

/// What says how large operators are.
struct TileExtents {
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
  std::int64_t elements = 1;
  std::int64_t distance = 1;
  std::int64_t tokens = 1;
  std::int64_t heads = 1;
  std::int64_t head_size = 1;
  std::int64_t hidden = 1;
  std::int64_t feed_forward = 1;
  std::int64_t features = 1;
  std::int64_t vocabulary = 1;
  std::int64_t positions = 1;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel = 1;
  std::int64_t experts = 1;
  std::int64_t chosen = 1;
};
struct TileExtent {
  std::string_view name;
  std::int64_t TileExtents::*extent;
  std::string_view help;
};
inline constexpr std::array<TileExtent, 18> kTileExtents{{
    {"m", &TileExtents::m, "rows; of gemv elements of x, of norm tokens"},
    {"k", &TileExtents::k, "what a product sums over"},
    {"n", &TileExtents::n, "columns; of gemv elements of y, of norm features"},
    {"elements", &TileExtents::elements, "numbers: of element-wise in all, else of a tile"},
    {"distance", &TileExtents::distance, "tiles that each block moves on"},
    {"tokens", &TileExtents::tokens, "of attention and block in the cache, else in all"},
    {"heads", &TileExtents::heads, "of queries"},
    {"head-size", &TileExtents::head_size, "features of a head"},
    {"hidden", &TileExtents::hidden, "features of a token between blocks"},
    {"feed-forward", &TileExtents::feed_forward, "inner features of the gated network"},
    {"features", &TileExtents::features, "of a token"},
    {"vocabulary", &TileExtents::vocabulary, "words of the table or the head"},
    {"positions", &TileExtents::positions, "of a convolution's output, of all samples"},
    {"in-channels", &TileExtents::in_channels, "of a convolution"},
    {"out-channels", &TileExtents::out_channels, "of a convolution"},
    {"kernel", &TileExtents::kernel, "a side of a convolution's window"},
    {"experts", &TileExtents::experts, "in all"},
    {"chosen", &TileExtents::chosen, "experts that a token goes to (top-k)"},
}};

/// An operator's name and the extents that it needs; one row for each TileOperatorKind, in order.
struct TileOperatorRow {
  std::string_view name;
  std::vector<std::string_view> extents;
};
const std::vector<TileOperatorRow>& tile_operator_rows();
std::string_view tile_operator_name(TileOperatorKind kind);
std::span<const std::string_view> words_of(TileOperatorKind of);

/// An operator, and the rectangle of tiles that it has.
struct TileJob {
  TileOperatorKind kind = TileOperatorKind::gemm;
  TileExtents extents{};
  std::int64_t kv_heads = 0;  ///< of attention, prefill and block; 0: as many as heads
  double load = 1;            ///< of experts: tokens of the fullest over the even share
  MatrixLayout from = MatrixLayout::rows_down;  ///< of convert
  MatrixLayout to = MatrixLayout::rows_across;  ///< of convert
  std::int64_t groups = 0;  ///< of all-reduces; of two-phase tiles of a group; 0: the best
  TileGrid tiles{};
  std::optional<std::string> algorithm{};  ///< nothing: all of them

  GemmShape shape() const { return {extents.m, extents.k, extents.n}; }
  DecodeAttention attention() const { return {extents.tokens, extents.heads, extents.head_size}; }
  std::int64_t heads_kept() const { return kv_heads > 0 ? kv_heads : extents.heads; }
};

/// An algorithm for an operator, and what it costs.
struct TileChoice {
  std::string algorithm;
  MeshOperator cost;
  std::string lacks{};  ///< what is short, where it does not fit
};

/// The program whose figures an algorithm of an operator has.
TileProgram tile_program(TileOperatorKind kind, std::string_view algorithm);

/// All algorithms of an operator, or the one that the job asks for; none if it has no such. The
/// memory of tiles is not looked at.
std::vector<TileChoice> tile_choices(const TileJob& job, const TileFabric& fabric);

/// Of reductions and all-reduces along a line: no algorithm takes fewer cycles. An all-reduce takes
/// no less than a reduction.
std::optional<double> tile_bound(const TileJob& job, const TileFabric& fabric);

}  // namespace waferloom
