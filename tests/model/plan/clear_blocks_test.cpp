#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "model/plan.h"

namespace waferloom {
namespace {

Wafer random_wafer(std::mt19937& random) {
  const auto from = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random()) % (most - least + 1);
  };
  Wafer wafer{from(1, 14), from(1, 14)};
  for (std::int64_t i = from(0, 12); i > 0; --i) {
    const std::int64_t x = from(0, wafer.width - 1);
    const std::int64_t y = from(0, wafer.height - 1);
    wafer.dead.push_back({x, y, from(1, std::min<std::int64_t>(3, wafer.width - x)),
                          from(1, std::min<std::int64_t>(3, wafer.height - y))});
  }
  return wafer;
}

void check_blocks(const Wafer& wafer, const std::vector<Rectangle>& blocks, std::int64_t tiles) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CHECK(blocks[i].width * blocks[i].height == tiles);
    CHECK(is_clear(wafer, blocks[i]));
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(overlap(blocks[i], blocks[j]));
  }
}

TEST_CASE("blocks are on the wafer, on no dead tile and apart, as many as are asked for") {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp)
  int around = 0;          // wafers with dead tiles on which blocks were found
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const Wafer wafer = random_wafer(random);
    const std::int64_t tiles = 1 + static_cast<std::int64_t>(random() % 12);
    const std::vector<Extent> shapes = shapes_of(wafer, tiles);
    const std::int64_t most = most_clear_blocks(wafer, tiles);
    CHECK(most * tiles <= usable_tiles(wafer));
    for (std::int64_t count = 1; count <= most; ++count) {
      const std::vector<Rectangle> blocks = clear_blocks(wafer, shapes, count);
      CHECK(static_cast<std::int64_t>(blocks.size()) == count);
      check_blocks(wafer, blocks, tiles);
      around += wafer.dead.empty() ? 0 : 1;
    }
    CHECK(clear_blocks(wafer, shapes, most + 1).empty());
  }
  CHECK(around > 400);
}

TEST_CASE("single tiles are found wherever they are not dead") {
  std::mt19937 random(11);  // NOLINT(cert-msc51-cpp)
  for (int round = 0; round < 50; ++round) {
    const Wafer wafer = random_wafer(random);
    CHECK(most_clear_blocks(wafer, 1) == usable_tiles(wafer));
  }
}

TEST_CASE("a wafer without dead tiles holds as many blocks as its grid has") {
  CHECK(most_clear_blocks({5, 4}, 4) == 5);  // 1 x 4; of 2 x 2 it holds 4
  CHECK(most_clear_blocks({5, 4}, 7) == 0);
  CHECK(clear_blocks({5, 4}, {{2, 2}}, 5).empty());
  CHECK(shapes_of({5, 4}, 4) == std::vector<Extent>{{1, 4}, {2, 2}, {4, 1}});
}

}  // namespace
}  // namespace waferloom
