#include "placer/annealing/annealing.h"

#include <doctest/doctest.h>

#include "tests/support/close_to.h"

namespace waferloom::placer {
namespace {

using test::close_to;

TEST_CASE("a run makes the moves of its budget, and cools over them") {
  AnnealBudget budget;
  budget.moves = 10'000;
  Annealing annealing(budget, Cooling{1.0, 0.001}, 100.0);
  RandomStream random({1, 0, 0});
  double early = 0;
  double late = 0;
  while (annealing.next()) {
    const double most = annealing.most(random);
    CHECK(most >= 0);
    (annealing.moves() <= 5'000 ? early : late) += most;
  }
  CHECK(annealing.moves() == budget.moves);
  CHECK(early > 10 * late);
  CHECK(late > 0);
}

TEST_CASE("a raised stop signal ends a run before its first move") {
  std::atomic<bool> interrupted{true};
  AnnealBudget budget;
  budget.stop.stop = &interrupted;
  Annealing annealing(budget, Cooling{}, 1.0);
  CHECK_FALSE(annealing.next());
}

TEST_CASE("overflow gets dearer while little fits, cheaper while much does, never free") {
  OverflowPrice price(16.0);
  for (int i = 0; i < 5'000; ++i) price.count(false, 0.5);
  CHECK(price.value() > 32.0);
  for (int i = 0; i < 100'000; ++i) price.count(true, 0.5);
  CHECK(price.value() == close_to(1.0));
}

}  // namespace
}  // namespace waferloom::placer
