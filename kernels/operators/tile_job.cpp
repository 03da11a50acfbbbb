#include "kernels/tile_job.h"

#include <algorithm>

#include "kernels/mesh_collectives.h"
#include "kernels/tile_parts.h"

namespace waferloom {
namespace {

/// An operator that goes by each algorithm of a GEMM.
template <typename Cost>
std::vector<TileChoice> by_gemm(Cost&& cost_by) {
  std::vector<TileChoice> choices;
  for (std::size_t i = 0; i < kGemmAlgorithmNames.size(); ++i) {
    const auto algorithm = static_cast<GemmAlgorithm>(i);
    choices.push_back({std::string(kGemmAlgorithmNames[i]), cost_by(algorithm)});
  }
  return choices;
}

std::vector<TileChoice> products(const TileJob& job, const TileFabric& fabric) {
  const TileExtents& extents = job.extents;
  switch (job.kind) {
    case TileOperatorKind::gemm_backward:
      return by_gemm([&](GemmAlgorithm algorithm) {
        return mesh_gemm_backward(fabric, algorithm, job.shape(), job.tiles);
      });
    case TileOperatorKind::convolution: {
      const GemmShape shape = product_of(
          {extents.positions, extents.in_channels, extents.out_channels, extents.kernel});
      return by_gemm(
          [&](GemmAlgorithm algorithm) { return mesh_gemm(fabric, algorithm, shape, job.tiles); });
    }
    case TileOperatorKind::prefill:
      return by_gemm([&](GemmAlgorithm algorithm) {
        return mesh_prefill_attention(fabric, job.attention(), job.heads_kept(), algorithm,
                                      job.tiles);
      });
    case TileOperatorKind::experts: {
      const MeshExperts experts{extents.tokens, extents.experts, extents.chosen, extents.hidden,
                                extents.feed_forward};
      return by_gemm([&](GemmAlgorithm algorithm) {
        return mesh_experts(fabric, experts, job.load, algorithm, job.tiles);
      });
    }
    default:
      return by_gemm([&](GemmAlgorithm algorithm) {
        return mesh_gemm(fabric, algorithm, job.shape(), job.tiles);
      });
  }
}

std::vector<TileChoice> collectives(const TileJob& job, const TileFabric& fabric) {
  const MeshCollective collective = job.kind == TileOperatorKind::reduce ? MeshCollective::reduce
                                    : job.kind == TileOperatorKind::all_reduce
                                        ? MeshCollective::all_reduce
                                        : MeshCollective::broadcast;
  const std::int64_t words = words_of(fabric, job.extents.elements);
  std::vector<TileChoice> choices;
  for (const CollectiveWay& way :
       collective_ways(fabric, collective, job.tiles, as_double(words), job.groups)) {
    MeshOperator cost;
    cost.used = job.tiles;
    cost.parts = {way.ramps, 0, way.words, way.hops};
    cost.words_per_link = way.words;
    cost.colours = way.name == "star" || way.name == "routers" ? 1 : 2;
    cost.bytes_per_tile = bytes_of(fabric, 2 * job.extents.elements);
    choices.push_back({way.name, cost});
  }
  return choices;
}

/// An operator with one algorithm.
TileChoice single(const TileJob& job, const TileFabric& fabric) {
  const TileExtents& extents = job.extents;
  const TileGrid& tiles = job.tiles;
  const std::int64_t groups = job.groups;
  switch (job.kind) {
    case TileOperatorKind::shift:
      return {"relay", mesh_shift(fabric, extents.elements, tiles, extents.distance)};
    case TileOperatorKind::norm:
      return {"two-way chain", mesh_norm(fabric, {extents.m, extents.n}, tiles, groups)};
    case TileOperatorKind::softmax:
      return {"two-way chain", mesh_softmax(fabric, {extents.m, extents.n}, tiles, groups)};
    case TileOperatorKind::rotary:
      return {"local", mesh_rotary(fabric, {extents.tokens, extents.features}, tiles)};
    case TileOperatorKind::element_wise:
      return {"local", mesh_element_wise(fabric, {extents.elements, 1}, tiles)};
    case TileOperatorKind::embedding:
      return {
          "broadcast",
          mesh_embedding(fabric, {extents.tokens, extents.vocabulary, extents.features}, tiles)};
    case TileOperatorKind::head:
      return {"fastest gemm",
              mesh_head(fabric, {extents.tokens, extents.vocabulary, extents.features}, tiles)};
    case TileOperatorKind::transpose:
      return {"rows first", mesh_transpose(fabric, {extents.m, extents.n}, tiles)};
    case TileOperatorKind::convert:
      return {std::string(kMatrixLayoutNames[static_cast<std::size_t>(job.from)]) + " to " +
                  std::string(kMatrixLayoutNames[static_cast<std::size_t>(job.to)]),
              mesh_convert(fabric, job.from, job.to, {extents.m, extents.n}, tiles)};
    case TileOperatorKind::attention:
      return {"two-way chain",
              mesh_decode_attention(fabric, job.attention(), job.heads_kept(), tiles, groups)};
    default: {
      const DecodeBlock block{job.attention(), extents.hidden, job.heads_kept(),
                              extents.feed_forward};
      return {"two-way chain", mesh_decode_block(fabric, block, tiles, groups).whole};
    }
  }
}

std::vector<TileChoice> all_choices(const TileJob& job, const TileFabric& tiles_of) {
  const TileFabric fabric = tiles_of.of(tile_program(job.kind, ""));
  switch (job.kind) {
    case TileOperatorKind::gemm:
    case TileOperatorKind::gemm_backward:
    case TileOperatorKind::convolution:
    case TileOperatorKind::prefill:
    case TileOperatorKind::experts:
      return products(job, fabric);
    case TileOperatorKind::reduce:
    case TileOperatorKind::all_reduce:
    case TileOperatorKind::broadcast:
      return collectives(job, fabric);
    case TileOperatorKind::gemv: {
      const auto gemv = [&](std::int64_t groups) {
        return mesh_gemv(fabric, {job.extents.m, job.extents.n}, job.tiles, groups);
      };
      return {
          {"two-way chain", gemv(job.groups)},
          {"chain", gemv(1)},
          {"one-way chain", mesh_library_gemv(fabric, {job.extents.m, job.extents.n}, job.tiles)}};
    }
    default:
      return {single(job, fabric)};
  }
}

}  // namespace

const std::vector<TileOperatorRow>& tile_operator_rows() {
  static const std::vector<TileOperatorRow> rows{
      {"gemm", {"m", "k", "n"}},
      {"gemm-backward", {"m", "k", "n"}},
      {"gemv", {"m", "n"}},
      {"convolution", {"positions", "in-channels", "out-channels", "kernel"}},
      {"attention", {"tokens", "heads", "head-size"}},
      {"prefill", {"tokens", "heads", "head-size"}},
      {"block", {"tokens", "heads", "head-size", "hidden", "feed-forward"}},
      {"norm", {"m", "n"}},
      {"softmax", {"m", "n"}},
      {"rotary", {"tokens", "features"}},
      {"element-wise", {"elements"}},
      {"embedding", {"tokens", "vocabulary", "features"}},
      {"head", {"tokens", "features", "vocabulary"}},
      {"experts", {"tokens", "experts", "chosen", "hidden", "feed-forward"}},
      {"transpose", {"m", "n"}},
      {"convert", {"m", "n"}},
      {"shift", {"elements", "distance"}},
      {"reduce", {"elements"}},
      {"all-reduce", {"elements"}},
      {"broadcast", {"elements"}},
  };
  return rows;
}

std::string_view tile_operator_name(TileOperatorKind kind) {
  return tile_operator_rows()[static_cast<std::size_t>(kind)].name;
}

std::span<const std::string_view> words_of(TileOperatorKind /*of*/) {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> names;
    for (const TileOperatorRow& row : tile_operator_rows()) names.push_back(row.name);
    return names;
  }();
  return words;
}

TileProgram tile_program(TileOperatorKind kind, std::string_view algorithm) {
  if (algorithm == kGemmAlgorithmNames[static_cast<std::size_t>(GemmAlgorithm::pipelined_summa)]) {
    return TileProgram::summa_4colour;
  }
  if (algorithm == kGemmAlgorithmNames[static_cast<std::size_t>(GemmAlgorithm::summa)] ||
      algorithm == "one-way chain") {
    return TileProgram::collectives_2d;
  }
  switch (kind) {
    case TileOperatorKind::attention:
    case TileOperatorKind::block:
      return TileProgram::waferllm_decode;
    case TileOperatorKind::prefill:
      return TileProgram::waferllm_prefill;
    case TileOperatorKind::shift:
      return TileProgram::relay;
    default:
      return TileProgram::waferllm;
  }
}

std::vector<TileChoice> tile_choices(const TileJob& job, const TileFabric& fabric) {
  std::vector<TileChoice> choices = all_choices(job, fabric);
  if (!job.algorithm) return choices;
  std::erase_if(choices,
                [&](const TileChoice& choice) { return choice.algorithm != *job.algorithm; });
  return choices;
}

std::optional<double> tile_bound(const TileJob& job, const TileFabric& fabric) {
  const bool reduces =
      job.kind == TileOperatorKind::reduce || job.kind == TileOperatorKind::all_reduce;
  if (!reduces || (job.tiles.rows > 1 && job.tiles.columns > 1)) return std::nullopt;
  const std::int64_t tiles = job.tiles.rows * job.tiles.columns;
  const double words = as_double(words_of(fabric, job.extents.elements));
  return least_reduction_cycles(fabric, tiles, words);
}

}  // namespace waferloom
