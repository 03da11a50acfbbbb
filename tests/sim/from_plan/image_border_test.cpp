#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/from_plan/stage_service.h"
#include "sim/plan_pipeline.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/windows.h"

namespace waferloom::sim {
namespace {

/// An image of 16 rows of 8 pixels, two channels of two bytes, on a row of four tiles that have
/// four rows each: a row is 32 bytes. A byte takes 1,000 ps on a link and on a tile's own way, a
/// hop 1,000 ps.
struct ImageOnRow {
  Hardware hardware = computing_fabric(4, 1, 1'000'000'000'000);
  ConvOperator convolution{test::window_of({16, 8}, {3, 3}, 1, 1), 2, 2, false};
  Plan plan;

  ImageOnRow() {
    plan.tensor = 4;
    plan.schedule = Schedule::inference;
    plan.degrees["image"] = {.rows = 4};
  }
  ImageOnRow& filtered(std::int64_t side, std::int64_t stride) {
    convolution.window = test::window_of({16, 8}, {side, side}, stride, side / 2);
    return *this;
  }
  StageService service(const OperatorKind& kind) const {
    Workload workload;
    workload.operators = {{"image", kind, {}}};
    return plan_pipeline(workload, plan, hardware, {{0, 0, 4, 1}}, Contention::simulated,
                         MemoryModel::ignored)
        .services[0];
  }
  Picoseconds exchange() const { return service(convolution).forward_exchange; }
};

/// So many rows into the busiest tile, one hop away.
constexpr Picoseconds rows_in(std::int64_t rows) { return rows * 32 * 1'000 + 1'000; }

TEST_CASE("a convolution cut by rows takes its neighbours' rows, by hand") {
  ImageOnRow image;
  // A filter of three rows reaches one above and one below, in steps of two one above alone.
  CHECK(image.filtered(3, 1).exchange() == rows_in(1 + 1));
  CHECK(image.filtered(3, 2).exchange() == rows_in(1));
  CHECK(image.filtered(7, 1).exchange() == rows_in(3 + 3));
  CHECK(image.filtered(7, 2).exchange() == rows_in(3 + 2));
  CHECK(image.filtered(1, 1).exchange() == 0);
  // A pool takes as many.
  CHECK(image.service(PoolOperator{test::window_of({16, 8}, {3, 3}, 2, 1), 2}).forward_exchange ==
        rows_in(1));
}

TEST_CASE("gradients of borders go back, and full recomputation takes borders again") {
  ImageOnRow image;
  image.filtered(7, 2);
  image.plan.schedule = Schedule::gpipe;
  image.plan.recompute = Recompute::none;
  CHECK(image.service(image.convolution).backward_exchange == rows_in(5));
  image.plan.recompute = Recompute::full;
  CHECK(image.service(image.convolution).backward_exchange == 2 * rows_in(5));
}

TEST_CASE("a filter that reaches beyond a neighbour's rows takes those of the next, by hand") {
  // Two rows a tile: three above are two of the neighbour and one of the tile before. The tiles in
  // the middle take two of one side, where there are no more, and three of the other.
  ImageOnRow image;
  image.convolution.window = test::window_of({8, 8}, {7, 7}, 1, 3);
  CHECK(image.exchange() == 5 * 32 * 1'000 + 2 * 1'000);
}

TEST_CASE("borders are flows between neighbours, of all rows that they take") {
  ImageOnRow image;
  image.filtered(7, 2);
  std::vector<std::int64_t> east(3, 0);
  std::vector<std::int64_t> west(3, 0);
  for (const ExchangeUse& use : image.service(image.convolution).exchanges) {
    REQUIRE(use.border);
    for (const Phase& phase : exchange_phases(image.plan, image.hardware, {0, 0, 4, 1}, use)) {
      CHECK(phase.steps == 1);
      for (const Flow& flow : phase.flows) {
        const bool goes_east = flow.from.x < flow.to.x;
        auto& links = goes_east ? east : west;
        links[static_cast<std::size_t>(std::min(flow.from.x, flow.to.x))] +=
            flow.share.bytes_of(use.bytes);
      }
    }
  }
  CHECK(east == std::vector<std::int64_t>(3, std::int64_t{3} * 32));
  CHECK(west == std::vector<std::int64_t>(3, std::int64_t{2} * 32));
}

TEST_CASE("tiles that gather channels pass a share each of the border, and gather it too") {
  // Two by rows, two by outputs: a row is 16 bytes of each tile's channel; then both have all.
  ImageOnRow image;
  image.plan.degrees["image"] = {.rows = 2, .out = 2};
  const auto border = image_border(image.convolution, 1, image.plan.degrees["image"]);
  REQUIRE(border);
  CHECK(border->rows == BorderRows{8, 1, 1});
  CHECK(border->elements == 2 * 8 * 2 / 2);
  std::vector<std::int64_t> gathered;
  for (const ExchangeUse& use : image.service(image.convolution).exchanges) {
    if (use.kind == CollectiveKind::all_gather) gathered.push_back(use.bytes);
  }
  CHECK(gathered == std::vector<std::int64_t>{std::int64_t{8 + 2} * 8 * 2 * 2});
}

}  // namespace
}  // namespace waferloom::sim
