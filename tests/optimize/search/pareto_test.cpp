#include <doctest/doctest.h>

#include <random>

#include "optimize/trial.h"

namespace waferloom::optimize {
namespace {

using Front = std::vector<std::size_t>;

TEST_CASE("more samples, less latency and less memory are better, one at a time") {
  const Metrics plain{10, 5, 100};
  CHECK(dominates({11, 5, 100}, plain));
  CHECK(dominates({10, 4, 100}, plain));
  CHECK(dominates({10, 5, 99}, plain));
  CHECK_FALSE(dominates(plain, plain));
  CHECK_FALSE(dominates({11, 6, 100}, plain));
  CHECK_FALSE(dominates({11, 5, 101}, plain));
  CHECK_FALSE(dominates({9, 4, 99}, plain));
}

TEST_CASE("memory that nobody knows decides nothing") {
  CHECK(dominates({11, 5, {}}, {10, 5, 1}));
  CHECK_FALSE(dominates({10, 5, 1}, {10, 5, {}}));
}

TEST_CASE("the front: what nothing dominates, of equals the first") {
  CHECK(pareto_front({}) == Front{});
  CHECK(pareto_front({{1, 1, 1}}) == Front{0});
  CHECK(pareto_front({{1, 1, 1}, {1, 1, 1}}) == Front{0});
  CHECK(pareto_front({{1, 9, 9}, {2, 5, 5}, {3, 7, 1}, {2, 6, 5}, {1, 1, 9}}) == Front{1, 2, 4});
}

TEST_CASE("random points: those outside are dominated by one inside, those inside by none") {
  std::mt19937 random(7);  // NOLINT: the same sequence everywhere
  std::uniform_int_distribution<int> draw(0, 5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Metrics> all;
    for (int i = 0; i < 20; ++i) all.push_back({double(draw(random)), draw(random), draw(random)});
    const Front front = pareto_front(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool inside = false;
      bool beaten = false;
      for (const std::size_t at : front) {
        inside = inside || at == i;
        const Metrics& other = all[at];
        beaten =
            beaten || dominates(other, all[i]) ||
            (at < i && other.samples_per_s == all[i].samples_per_s &&
             other.latency_ps == all[i].latency_ps && other.memory_bytes == all[i].memory_bytes);
      }
      CHECK(inside != beaten);
    }
  }
}

}  // namespace
}  // namespace waferloom::optimize
