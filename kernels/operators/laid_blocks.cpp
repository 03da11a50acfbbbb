#include "kernels/laid_blocks.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/operators/layout_chain.h"
#include "kernels/tile_parts.h"

// Problem: a block's products can be done by several algorithms, which want other layouts; decode
// of few tokens wants vectors that are copied along a side, of many tokens wants them spread.
// Idea: write the block down as a chain of operators with all their ways, and take the shortest
// path (layout_chain.h).
// Source: the order of operators as in WaferLLM (OSDI'25). Each way has the closed form of its
// operator; no row of a block with other layouts than WaferLLM's was measured.
// Cost: five algorithms of four products, and the path.
namespace waferloom {
namespace {

constexpr MatrixLayout kEveryLayout[] = {MatrixLayout::rows_down, MatrixLayout::rows_across,
                                         MatrixLayout::down_copied, MatrixLayout::across_copied};

/// Features that go through a block.
struct BlockSizes {
  std::int64_t hidden;
  std::int64_t wide;    ///< of queries
  std::int64_t narrow;  ///< of keys, and of values
  std::int64_t feed_forward;
  bool gated;
  std::int64_t norms;
  std::int64_t taken() const { return wide + 2 * narrow; }  ///< by attention
};

template <typename Block>
BlockSizes sizes_of(const Block& block) {
  const DecodeAttention& attention = block.attention;
  return {block.hidden,
          attention.heads * attention.head_size,
          block.kv_heads * attention.head_size,
          block.feed_forward,
          block.gated,
          block.norms};
}

/// The operators of a block, in their order, and all their ways.
class BlockWriter {
 public:
  BlockWriter(const TileFabric& fabric, std::int64_t tokens, const TileGrid& tiles,
              std::int64_t room)
      : fabric_(fabric), tokens_(tokens), tiles_(tiles), room_(room) {}

  /// A whole block around attention, which takes queries, keys and values.
  void block(const BlockSizes& sizes, std::int64_t attention_steps,
             std::vector<LayoutWay> attention) {
    norm(sizes.hidden);
    product("queries, keys, values", sizes.hidden, sizes.taken(), false);
    ChainOperator& op = add("attention", sizes.taken());
    op.steps = attention_steps;
    op.ways = std::move(attention);
    product("output", sizes.wide, sizes.hidden, true);
    if (sizes.norms > 2) norm(sizes.hidden, ChainRole::plain);
    sum(sizes.hidden);
    if (sizes.norms > 1) {
      norm(sizes.hidden);
    } else {
      share_norm(sizes.hidden);
    }
    product("feed-forward in", sizes.hidden, (sizes.gated ? 2 : 1) * sizes.feed_forward, false);
    activation(sizes.feed_forward, sizes.gated);
    product("feed-forward out", sizes.feed_forward, sizes.hidden, true);
    if (sizes.norms > 3) norm(sizes.hidden, ChainRole::plain);
    sum(sizes.hidden);
  }

  /// No path of all operators takes fewer cycles than the fastest way of each.
  double least_cycles() const {
    double cycles = 0;
    for (const ChainOperator& op : operators_) {
      double least = std::numeric_limits<double>::infinity();
      for (const LayoutWay& way : op.ways) least = std::min(least, way.cost.parts.total());
      cycles += least + as_double(op.steps) * fabric_.cycles.step;
    }
    return cycles;
  }

  LaidBlock fastest() {
    for (ChainOperator& op : operators_) keep_to_room(op);
    const LayoutChain chain = best_layouts(fabric_, operators_, tokens_, tiles_);
    LaidBlock block;
    block.start = chain.start;
    MatrixLayout now = chain.start;
    std::int64_t kept = 0;  // for the next sum
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      const ChainOperator& op = operators_[i];
      const LayoutWay& way = op.ways[chain.steps[i].way];
      const MeshOperator& conversion = chain.steps[i].conversion;
      LaidOperator laid{op.name, way.how,          way.in,
                        way.out, conversion.parts, conversion.parts.total()};
      laid.parts += way.cost.parts;
      laid.parts.start += as_double(op.steps) * fabric_.cycles.step;
      block.parts += laid.parts;
      if (op.role == ChainRole::branch) {
        kept = own(op.features, now) * fabric_.element_bytes;
        block.vectors += kept;
      }
      now = way.out;
      const std::int64_t bytes = beside_kept(way);
      block.vectors += bytes;
      block.largest = std::max(block.largest, kept + std::max(bytes, without_program(conversion)));
      if (op.role == ChainRole::sum) kept = 0;
      block.operators.push_back(laid);
    }
    return block;
  }

 private:
  /// What the feed-forward network takes was normalised before attention.
  void share_norm(std::int64_t features) {
    ChainOperator& op = add("shared norm", features, ChainRole::branch);
    op.steps = 0;
    for (std::size_t i = 0; i < std::size(kEveryLayout); ++i) offer_as_is(op, i, {});
  }

  void norm(std::int64_t features, ChainRole role = ChainRole::branch) {
    const TileGrid turned{tiles_.columns, tiles_.rows};
    // With copies every line of tiles has all tokens.
    const std::int64_t down = (tokens_ - 1) * tiles_.columns + 1;
    const std::int64_t across = (tokens_ - 1) * tiles_.rows + 1;
    const MeshOperator costs[] = {mesh_norm(fabric_, {tokens_, features}, tiles_),
                                  mesh_norm(fabric_, {tokens_, features}, turned),
                                  mesh_norm(fabric_, {down, features}, tiles_),
                                  mesh_norm(fabric_, {across, features}, turned)};
    ChainOperator& op = add("norm", features, role);
    for (std::size_t i = 0; i < std::size(costs); ++i) offer_as_is(op, i, costs[i]);
  }

  void product(std::string_view name, std::int64_t in, std::int64_t out, bool turned) {
    add(name, in).ways = product_ways(fabric_, tokens_, in, out, tiles_, turned);
  }

  void sum(std::int64_t features) {
    ChainOperator& op = add("sum", features, ChainRole::sum);
    for (std::size_t i = 0; i < std::size(kEveryLayout); ++i) {
      offer_as_is(op, i, mesh_element_wise(fabric_, {own(features, kEveryLayout[i]), 1}, {1, 1}));
    }
  }

  void activation(std::int64_t features, bool gated) {
    ChainOperator& op = add("gate", (gated ? 2 : 1) * features);
    for (std::size_t i = 0; i < std::size(kEveryLayout); ++i) {
      offer_as_is(op, i, mesh_activation(fabric_, own(features, kEveryLayout[i]), gated));
    }
  }

  /// An operator with ways of its own.
  ChainOperator& add(std::string_view name, std::int64_t features,
                     ChainRole role = ChainRole::plain) {
    return operators_.emplace_back(ChainOperator{name, features, 1, role, {}});
  }

  /// Elements of a tile of so many features of all tokens.
  std::int64_t own(std::int64_t features, MatrixLayout layout) const {
    switch (layout) {
      case MatrixLayout::rows_down:
        return parts_of(features, tiles_.rows) * parts_of(tokens_, tiles_.columns);
      case MatrixLayout::rows_across:
        return parts_of(features, tiles_.columns) * parts_of(tokens_, tiles_.rows);
      case MatrixLayout::down_copied:
        return parts_of(features, tiles_.rows) * tokens_;
      case MatrixLayout::across_copied:
        break;
    }
    return parts_of(features, tiles_.columns) * tokens_;
  }

  static void offer_as_is(ChainOperator& op, std::size_t layout, const MeshOperator& cost) {
    op.ways.push_back({kEveryLayout[layout], kEveryLayout[layout], cost, {}, 0});
  }

  std::int64_t without_program(const MeshOperator& cost) const {
    return std::max<std::int64_t>(0, cost.bytes_per_tile - fabric_.program_bytes);
  }

  std::int64_t beside_kept(const LayoutWay& way) const {
    return std::max<std::int64_t>(0, without_program(way.cost) - way.kept);
  }

  void keep_to_room(ChainOperator& op) const {
    const auto least = std::min_element(
        op.ways.begin(), op.ways.end(),
        [&](const auto& a, const auto& b) { return beside_kept(a) < beside_kept(b); });
    const std::int64_t most = std::max(room_, beside_kept(*least));
    op.ways.erase(std::remove_if(op.ways.begin(), op.ways.end(),
                                 [&](const auto& way) { return beside_kept(way) > most; }),
                  op.ways.end());
  }

  const TileFabric& fabric_;
  std::int64_t tokens_;
  TileGrid tiles_;
  std::int64_t room_;
  std::vector<ChainOperator> operators_{};
};

/// Attention of a prompt by each algorithm that keeps or turns layouts, between exchanges from any
/// layout and to any. An all-reduce wants copies, which no exchange makes.
std::vector<LayoutWay> attention_ways(const TileFabric& fabric, const PrefillBlock& block,
                                      const TileGrid& tiles) {
  const std::int64_t tokens = block.attention.tokens;
  const BlockSizes sizes = sizes_of(block);
  const std::int64_t caches =
      parts_of(2 * tokens * sizes.narrow, tiles.rows * tiles.columns) * fabric.element_bytes;
  const MeshOperator to_heads = mesh_exchange(fabric, tokens * sizes.taken(), tiles);
  const MeshOperator from_heads = mesh_exchange(fabric, tokens * sizes.wide, tiles);
  std::vector<LayoutWay> ways;
  for (std::size_t i = 0; i < kGemmAlgorithmNames.size(); ++i) {
    const auto algorithm = static_cast<GemmAlgorithm>(i);
    if (algorithm == GemmAlgorithm::all_reduce) continue;
    MeshOperator cost = to_heads;
    cost.follow(mesh_prefill_attention(fabric, block.attention, block.kv_heads, algorithm, tiles));
    cost.follow(from_heads);
    for (const MatrixLayout in : {MatrixLayout::rows_down, MatrixLayout::rows_across}) {
      ways.push_back({in, in, cost, kGemmAlgorithmNames[i], caches});
      ways.push_back({in, flipped(in), cost, kGemmAlgorithmNames[i], caches});
    }
  }
  return ways;
}

/// `fabric` has the figures of decode's program.
BlockWriter decode_writer(const TileFabric& fabric, const DecodeBlock& block, const TileGrid& tiles,
                          std::int64_t room) {
  const DecodeAttention& attention = block.attention;
  const BlockSizes sizes = sizes_of(block);
  const std::int64_t caches = 2 * attention.samples * parts_of(attention.tokens, tiles.rows) *
                              parts_of(sizes.narrow, tiles.columns) * fabric.element_bytes;
  BlockWriter writer(fabric, attention.samples, tiles, room);
  writer.block(sizes, kAttentionSteps,
               {{MatrixLayout::across_copied,
                 MatrixLayout::across_copied,
                 mesh_decode_attention(fabric, attention, block.kv_heads, tiles),
                 {},
                 caches}});
  return writer;
}

}  // namespace

LaidBlock laid_decode_block(const TileFabric& tiles_of, const DecodeBlock& block,
                            const TileGrid& tiles, std::int64_t room) {
  const TileFabric fabric = tiles_of.of(TileProgram::waferllm_decode);
  return decode_writer(fabric, block, tiles, room).fastest();
}

double least_decode_cycles(const TileFabric& tiles_of, const DecodeBlock& block,
                           const TileGrid& tiles) {
  const TileFabric fabric = tiles_of.of(TileProgram::waferllm_decode);
  return decode_writer(fabric, block, tiles, 0).least_cycles();
}

LaidBlock laid_prefill_block(const TileFabric& tiles_of, const PrefillBlock& block,
                             const TileGrid& tiles, std::int64_t room) {
  const TileFabric fabric = tiles_of.of(TileProgram::waferllm_prefill);
  constexpr std::int64_t kExchanges = 2;
  BlockWriter writer(fabric, block.attention.tokens, tiles, room);
  writer.block(sizes_of(block), kAttentionSteps + kExchanges, attention_ways(fabric, block, tiles));
  return writer.fastest();
}

}  // namespace waferloom
