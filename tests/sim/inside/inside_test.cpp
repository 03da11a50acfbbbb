#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernels/tile_job.h"
#include "model/errors.h"
#include "sim/wafer_runs.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// A tile of four multiply-adds of fp16 a cycle, on a fabric with hops of one or two cycles.
TileFabric fabric(double hop) {
  TileFabric result;
  result.hop_cycles = hop;
  result.lanes = 4;
  return result;
}

struct Case {
  TileJob job;
  std::string name;
};

TileJob job_of(TileOperatorKind kind, TileGrid tiles) {
  TileJob job;
  job.kind = kind;
  job.tiles = tiles;
  return job;
}

/// Every operator with words of its own, sized so that a tile has a few numbers of each operand. On
/// 32 x 32 tiles, where a product has most words, fewer than on 8 x 8.
std::vector<TileJob> operators_on(std::int64_t side) {
  const TileGrid square{side, side};
  std::vector<TileJob> jobs;
  const auto add = [&](TileOperatorKind kind, const TileExtents& extents) {
    jobs.push_back(job_of(kind, square));
    jobs.back().extents = extents;
  };
  for (const std::int64_t own : {1, 4, 8}) {
    if (own * side > 128) continue;
    TileExtents product;
    product.m = product.k = product.n = own * side;
    add(TileOperatorKind::gemm, product);
    add(TileOperatorKind::gemv, product);
    add(TileOperatorKind::transpose, product);
    add(TileOperatorKind::norm, product);
    add(TileOperatorKind::softmax, product);
    if (own * side <= 64) add(TileOperatorKind::gemm_backward, product);
    add(TileOperatorKind::convert, product);
    jobs.back().to = MatrixLayout::down_copied;
    add(TileOperatorKind::convert, product);
    jobs.back().to = MatrixLayout::across_copied;
    TileExtents shift;
    shift.elements = 16 * own;
    shift.distance = side / 2;
    add(TileOperatorKind::shift, shift);
    TileExtents embedding;
    embedding.tokens = 2 * own;
    embedding.vocabulary = 10 * side;
    embedding.features = 8 * own * side;
    add(TileOperatorKind::embedding, embedding);
    TileExtents head;
    head.tokens = own;
    head.features = 2 * side;
    head.vocabulary = 8 * side;
    add(TileOperatorKind::head, head);
  }
  TileExtents skinny;
  skinny.m = 4;
  skinny.k = 8 * side;
  skinny.n = 8 * side;
  add(TileOperatorKind::gemm, skinny);
  TileExtents convolution;
  convolution.positions = side < 32 ? 4 * side : side;
  convolution.in_channels = side;
  convolution.out_channels = 4 * side;
  convolution.kernel = 3;
  add(TileOperatorKind::convolution, convolution);
  TileExtents transformer;
  transformer.tokens = 8 * side;
  transformer.heads = 4;
  transformer.head_size = side;
  transformer.hidden = 4 * side;
  transformer.feed_forward = 16 * side;
  add(TileOperatorKind::attention, transformer);
  add(TileOperatorKind::prefill, transformer);
  jobs.back().extents.tokens = 2 * side;
  add(TileOperatorKind::block, transformer);
  TileExtents experts;
  experts.tokens = 4 * side;
  experts.experts = 4;
  experts.chosen = 2;
  experts.hidden = 4 * side * side;  // at least a word for each two tiles
  experts.feed_forward = 4 * side;
  if (side <= 16) add(TileOperatorKind::experts, experts);
  return jobs;
}

/// The algorithms whose words are moved. Words between experts are the same for each algorithm of
/// their products, and on more than 8 x 8 tiles nearly all: there they are moved once.
std::vector<TileChoice> choices_to_move(const TileJob& job, const TileFabric& fabric) {
  std::vector<TileChoice> choices = tile_choices(job, fabric);
  if (job.kind == TileOperatorKind::experts && job.tiles.rows > 8) choices.resize(1);
  return choices;
}

/// How far a closed form may be off. Where a tile has as many words of scores as cycles of their
/// product, sums of steps that follow one another meet in ramps in ways that no term of ours tells.
double tolerance_of(const TileJob& job, const TileChoice& choice) {
  const bool meets = job.kind == TileOperatorKind::prefill && choice.algorithm == "meshgemm";
  return meets ? 0.16 : 0.1;
}

void check_operators(std::int64_t side, double hop) {
  for (const TileJob& job : operators_on(side)) {
    for (const TileChoice& choice : choices_to_move(job, fabric(hop))) {
      CAPTURE(hop);
      CAPTURE(side);
      CAPTURE(std::string(tile_operator_name(job.kind)));
      CAPTURE(choice.algorithm);
      CAPTURE(job.extents.m);
      CAPTURE(job.extents.n);
      const auto moved = inside_cycles(job, choice.algorithm, fabric(hop));
      REQUIRE(moved.has_value());
      CHECK(choice.cost.parts.total() ==
            close_to(static_cast<double>(*moved)).within(tolerance_of(job, choice)));
    }
  }
}

TEST_CASE("[long] closed forms of operators are within 10 % of their words on the fabric") {
  for (const double hop : {1.0, 2.0}) {
    for (const std::int64_t side : {8, 16}) check_operators(side, hop);
  }
}

TEST_CASE("[deep] so they are on more tiles") { check_operators(32, 2.0); }

TEST_CASE("scores of a prompt are within 10 % of their words where products hide them") {
  for (const double hop : {1.0, 2.0}) {
    for (const std::int64_t side : {8, 16}) {
      for (const std::pair<int, int>& block : {std::pair{2, 6}, {8, 4}, {8, 12}}) {
        const auto tokens = block.first;
        const auto features = block.second;
        TileJob job = job_of(TileOperatorKind::prefill, {side, side});
        job.algorithm = "meshgemm";
        job.extents.tokens = tokens * side;
        job.extents.head_size = features * side;
        const TileChoice choice = tile_choices(job, fabric(hop)).front();
        CAPTURE(hop);
        CAPTURE(side);
        CAPTURE(tokens);
        CAPTURE(features);
        const auto moved = inside_cycles(job, choice.algorithm, fabric(hop));
        CHECK(choice.cost.parts.total() == close_to(static_cast<double>(*moved)).within(0.1));
      }
    }
  }
}

TEST_CASE(
    "[long] closed forms of collectives are within 5 % of their words, and no bound is above") {
  const TileOperatorKind kinds[] = {TileOperatorKind::reduce, TileOperatorKind::all_reduce,
                                    TileOperatorKind::broadcast};
  for (const double hop : {1.0, 2.0}) {
    for (const TileGrid tiles : {TileGrid{1, 8}, TileGrid{1, 20}, TileGrid{1, 32}, TileGrid{8, 8},
                                 TileGrid{16, 16}, TileGrid{12, 20}, TileGrid{32, 32}}) {
      for (const TileOperatorKind kind : kinds) {
        for (const std::int64_t elements : {2, 16, 128, 512}) {
          TileJob job = job_of(kind, tiles);
          job.extents.elements = elements;
          const std::optional<double> bound = tile_bound(job, fabric(hop));
          for (const TileChoice& choice : tile_choices(job, fabric(hop))) {
            CAPTURE(hop);
            CAPTURE(tiles.rows);
            CAPTURE(tiles.columns);
            CAPTURE(std::string(tile_operator_name(kind)));
            CAPTURE(elements);
            CAPTURE(choice.algorithm);
            const auto moved = inside_cycles(job, choice.algorithm, fabric(hop));
            REQUIRE(moved.has_value());
            CHECK(choice.cost.parts.total() == close_to(static_cast<double>(*moved)).within(0.05));
            if (bound) CHECK(static_cast<double>(*moved) >= *bound);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace waferloom::sim
