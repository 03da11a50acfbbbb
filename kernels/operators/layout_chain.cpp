#include "kernels/operators/layout_chain.h"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/tile_parts.h"

// Problem: operators of a layer can be run in several ways, which take and leave other layouts, and
// changing a layout takes time. Choose the ways so that the whole layer takes the least.
// Idea: a shortest path. Its states are pairs of layouts: of the operand, and of what the last
// branch keeps for the next sum. Layers follow one another, so the path has to end where it began;
// each beginning is tried.
// Source: ours; WaferLLM (OSDI'25) fixes one such path by hand.
// Cost: four beginnings, sixteen states, and ways of an operator.
namespace waferloom {
namespace {

constexpr std::size_t kLayouts = kMatrixLayoutNames.size();
constexpr double kNoChain = std::numeric_limits<double>::infinity();

/// Layouts of the operand and of what is kept.
struct ChainState {
  std::size_t now = 0;
  std::size_t kept = 0;
  std::size_t index() const { return now * kLayouts + kept; }
};

/// How a state was reached.
struct Arrival {
  double cycles = kNoChain;
  ChainState before{};
  std::size_t way = 0;
};
using Arrivals = std::array<Arrival, kLayouts * kLayouts>;

MatrixLayout layout_of(std::size_t index) { return static_cast<MatrixLayout>(index); }
std::size_t index_of(MatrixLayout layout) { return static_cast<std::size_t>(layout); }

/// What it takes to bring a matrix of so many features from a layout to another.
class Conversions {
 public:
  Conversions(const TileFabric& fabric, std::int64_t features, std::int64_t tokens,
              const TileGrid& tiles)
      : features_(features) {
    for (std::size_t from = 0; from < kLayouts; ++from) {
      for (std::size_t to = 0; to < kLayouts; ++to) {
        if (from == to) continue;
        follow_in_program(
            costs_[from][to], fabric,
            mesh_convert(fabric, layout_of(from), layout_of(to), {features, tokens}, tiles), 1);
        cycles_[from][to] = costs_[from][to].parts.total();
      }
    }
  }

  std::int64_t features() const { return features_; }
  double cycles(std::size_t from, std::size_t to) const { return cycles_[from][to]; }
  const MeshOperator& cost(std::size_t from, std::size_t to) const { return costs_[from][to]; }

 private:
  std::int64_t features_;
  std::array<std::array<MeshOperator, kLayouts>, kLayouts> costs_{};
  std::array<std::array<double, kLayouts>, kLayouts> cycles_{};
};

class ChainSearch {
 public:
  ChainSearch(const TileFabric& fabric, const std::vector<ChainOperator>& operators,
              std::int64_t tokens, const TileGrid& tiles)
      : operators_(operators), step_cycles_(fabric.cycles.step), arrivals_(operators.size() + 1) {
    for (const ChainOperator& op : operators) {
      const auto known =
          std::find_if(conversions_.begin(), conversions_.end(),
                       [&](const Conversions& table) { return table.features() == op.features; });
      table_of_.push_back(static_cast<std::size_t>(known - conversions_.begin()));
      if (known == conversions_.end()) {
        conversions_.emplace_back(fabric, op.features, tokens, tiles);
      }
    }
  }

  /// Cycles of the best chain that begins and ends in a layout; kNoChain if there is none.
  double search_from(std::size_t start) {
    for (Arrivals& arrivals : arrivals_) arrivals.fill({});
    start_ = start;
    arrivals_.front()[ChainState{start, start}.index()].cycles = 0;
    for (std::size_t i = 0; i < operators_.size(); ++i) relax(i, arrivals_[i], arrivals_[i + 1]);
    return arrivals_.back()[end().index()].cycles;
  }

  /// The chain of the last search.
  LayoutChain chain() const {
    ChainState state = end();
    LayoutChain chain{layout_of(start_), std::vector<ChainStep>(operators_.size()),
                      arrivals_.back()[state.index()].cycles};
    for (std::size_t i = operators_.size(); i-- > 0;) {
      const Arrival& arrival = arrivals_[i + 1][state.index()];
      chain.steps[i] = step(i, arrival);
      state = arrival.before;
    }
    return chain;
  }

 private:
  const Conversions& conversions(std::size_t at) const { return conversions_[table_of_[at]]; }

  /// The best state in which the operand lies as at the start.
  ChainState end() const {
    ChainState best{start_, 0};
    for (std::size_t kept = 1; kept < kLayouts; ++kept) {
      const ChainState other{start_, kept};
      const Arrivals& last = arrivals_.back();
      if (last[other.index()].cycles < last[best.index()].cycles) best = other;
    }
    return best;
  }

  /// What lies in no use behind a sum counts as one layout: a quarter of the states.
  static std::size_t kept_after(ChainRole role, const ChainState& before) {
    if (role == ChainRole::branch) return before.now;
    return role == ChainRole::sum ? 0 : before.kept;
  }

  /// Offers all ways of an operator from each state before it.
  void relax(std::size_t at, const Arrivals& from, Arrivals& to) const {
    const ChainOperator& op = operators_[at];
    const Conversions& table = conversions(at);
    for (std::size_t way = 0; way < op.ways.size(); ++way) {
      const std::size_t in = index_of(op.ways[way].in);
      const std::size_t out = index_of(op.ways[way].out);
      const double cycles = op.ways[way].cost.parts.total() + as_double(op.steps) * step_cycles_;
      for (std::size_t now = 0; now < kLayouts; ++now) {
        for (std::size_t kept = 0; kept < kLayouts; ++kept) {
          const ChainState before{now, kept};
          double reached = from[before.index()].cycles;
          if (reached == kNoChain) continue;
          reached += cycles + table.cycles(now, in);
          if (op.role == ChainRole::sum) reached += table.cycles(kept, in);
          const ChainState after{out, kept_after(op.role, before)};
          Arrival& best = to[after.index()];
          if (reached < best.cycles) best = {reached, before, way};
        }
      }
    }
  }

  ChainStep step(std::size_t at, const Arrival& arrival) const {
    const ChainOperator& op = operators_[at];
    const std::size_t in = index_of(op.ways[arrival.way].in);
    ChainStep step{arrival.way, conversions(at).cost(arrival.before.now, in)};
    if (op.role == ChainRole::sum) {
      step.conversion.follow(conversions(at).cost(arrival.before.kept, in));
    }
    return step;
  }

  const std::vector<ChainOperator>& operators_;
  double step_cycles_;  // of a program's step
  std::vector<Conversions> conversions_{};
  std::vector<std::size_t> table_of_{};  // of each operator
  std::vector<Arrivals> arrivals_;       // before the first operator, and behind each
  std::size_t start_ = 0;
};

}  // namespace

LayoutChain best_layouts(const TileFabric& fabric, const std::vector<ChainOperator>& operators,
                         std::int64_t tokens, const TileGrid& tiles) {
  ChainSearch search(fabric, operators, tokens, tiles);
  LayoutChain best;
  best.cycles = kNoChain;
  for (std::size_t start = 0; start < kLayouts; ++start) {
    if (search.search_from(start) < best.cycles) best = search.chain();
  }
  return best;
}

MatrixLayout flipped(MatrixLayout layout) {
  switch (layout) {
    case MatrixLayout::rows_down:
      return MatrixLayout::rows_across;
    case MatrixLayout::rows_across:
      return MatrixLayout::rows_down;
    case MatrixLayout::down_copied:
      return MatrixLayout::across_copied;
    case MatrixLayout::across_copied:
      break;
  }
  return MatrixLayout::down_copied;
}

std::vector<LayoutWay> product_ways(const TileFabric& fabric, std::int64_t tokens, std::int64_t in,
                                    std::int64_t out, const TileGrid& tiles, bool turned) {
  constexpr GemmAlgorithm kWays[] = {GemmAlgorithm::weight_stationary,
                                     GemmAlgorithm::pipelined_summa, GemmAlgorithm::all_reduce};
  const TileGrid grid = turned ? TileGrid{tiles.columns, tiles.rows} : tiles;
  const std::int64_t weights =
      parts_of(in, grid.rows) * parts_of(out, grid.columns) * fabric.element_bytes;
  std::vector<LayoutWay> ways;
  for (const GemmAlgorithm algorithm : kWays) {
    // SUMMA has tokens over rows of tiles and features over columns, before and behind.
    LayoutWay way{MatrixLayout::rows_across, MatrixLayout::rows_across,
                  mesh_gemm(fabric, algorithm, {tokens, in, out}, grid),
                  kGemmAlgorithmNames[static_cast<std::size_t>(algorithm)], weights};
    if (algorithm == GemmAlgorithm::all_reduce) {
      way.in = MatrixLayout::down_copied;
      way.out = MatrixLayout::across_copied;
    } else if (algorithm == GemmAlgorithm::weight_stationary) {
      way.in = MatrixLayout::rows_down;
      // What streams past lies on the tiles before, and the result behind.
      way.cost.bytes_per_tile += (parts_of(tokens, grid.columns) * parts_of(in, grid.rows) +
                                  parts_of(tokens, grid.rows) * parts_of(out, grid.columns)) *
                                 fabric.element_bytes;
    }
    if (turned) {
      way.in = flipped(way.in);
      way.out = flipped(way.out);
    }
    ways.push_back(way);
  }
  return ways;
}

}  // namespace waferloom
