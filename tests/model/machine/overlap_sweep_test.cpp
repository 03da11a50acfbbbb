#include <doctest/doctest.h>

#include "model/wafer.h"
#include "tests/kernels/random_kernels.h"

namespace waferloom {
namespace {

using Pairs = std::vector<RectanglePair>;

Pairs slow_pairs(const std::vector<Rectangle>& rectangles) {
  Pairs pairs;
  for (std::size_t i = 0; i < rectangles.size(); ++i) {
    for (std::size_t j = i + 1; j < rectangles.size(); ++j) {
      if (overlap(rectangles[i], rectangles[j])) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE("touching sides and corners share nothing") {
  // 2 2 3 3
  // 0 0 1 1
  const std::vector<Rectangle> quarters{{0, 0, 2, 1}, {2, 0, 2, 1}, {0, 1, 2, 1}, {2, 1, 2, 1}};
  CHECK(overlapping_pairs(quarters, 10).empty());
  CHECK(overlapping_pairs({}, 10).empty());
}

TEST_CASE("equal, nested and crossing rectangles are pairs") {
  const std::vector<Rectangle> some{{0, 0, 9, 9}, {2, 2, 3, 3}, {4, -5, 1, 20}, {0, 0, 9, 9}};
  CHECK(overlapping_pairs(some, 10) == Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});
}

TEST_CASE("the sweep equals comparing all pairs") {
  const std::uint64_t seed = 2718;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  std::size_t found = 0;
  for (int round = 0; round < 500; ++round) {
    INFO("round ", round);
    const std::int64_t most = random.between(1, 12);
    std::vector<Rectangle> rectangles;
    for (std::int64_t i = random.between(0, 40); i > 0; --i) {
      rectangles.push_back(Rectangle{random.between(-20, 20), random.between(-20, 20),
                                     random.between(1, most), random.between(1, most)});
    }
    const Pairs pairs = overlapping_pairs(rectangles, 10'000);
    CHECK(pairs == slow_pairs(rectangles));
    found += pairs.size();
  }
  CHECK(found > 3000);
}

TEST_CASE("pairs between two lists equal comparing all of them") {
  const std::uint64_t seed = 1618;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  std::size_t found = 0;
  for (int round = 0; round < 500; ++round) {
    INFO("round ", round);
    const auto some = [&] {
      std::vector<Rectangle> rectangles;
      for (std::int64_t i = random.between(0, 20); i > 0; --i) {
        rectangles.push_back(Rectangle{random.between(-20, 20), random.between(-20, 20),
                                       random.between(1, 9), random.between(1, 9)});
      }
      return rectangles;
    };
    const std::vector<Rectangle> first = some();
    const std::vector<Rectangle> second = some();
    Pairs expected;
    for (std::size_t a = 0; a < first.size(); ++a) {
      for (std::size_t b = 0; b < second.size(); ++b) {
        if (overlap(first[a], second[b])) expected.emplace_back(a, b);
      }
    }
    CHECK(overlapping_pairs_between(first, second, 10'000) == expected);
    found += expected.size();
  }
  CHECK(found > 1000);
}

TEST_CASE("of too many pairs the same ones are listed each time") {
  const std::vector<Rectangle> stack(3000, Rectangle{5, 5, 2, 2});
  const Pairs pairs = overlapping_pairs(stack, 100);
  CHECK(pairs.size() == 100);
  CHECK(pairs == overlapping_pairs(stack, 100));
  for (const auto& [first, second] : pairs) CHECK(first < second);
}

}  // namespace waferloom
