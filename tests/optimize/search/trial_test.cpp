#include "optimize/trial.h"

#include <doctest/doctest.h>

namespace waferloom::optimize {
namespace {

Trial measured(const std::string& name, double rate, std::int64_t memory = 1) {
  Trial trial;
  trial.name = name;
  trial.verdict = Verdict::slower;
  trial.measured = Measured{
      {rate, 1, memory}, "link", "link east of tile (0, 0)", 10, sim::RateOf::steady_state};
  return trial;
}

TEST_CASE("the fastest wins, of equals the first; what does not fit does not compete") {
  std::vector<Trial> trials{measured("a", 3), measured("b", 4), measured("c", 4), measured("d", 9)};
  trials[3].verdict = Verdict::memory;
  CHECK(fastest(trials) == 1U);
  CHECK_FALSE(fastest({Trial{}}));
}

TEST_CASE("losers are told by how much and why") {
  std::vector<Trial> trials{measured("a", 3), measured("b", 4), measured("c", 4), Trial{}};
  trials[3].reason = "kept";
  explain(trials, 1);
  CHECK(trials[1].verdict == Verdict::best);
  CHECK(trials[0].verdict == Verdict::slower);
  CHECK(trials[0].reason ==
        "25 % slower than b in simulation, bound by link: link east of tile (0, 0)");
  CHECK(trials[2].reason ==
        "no faster than b in simulation, bound by link: link east of tile (0, 0)");
  CHECK(trials[3].reason == "kept");
}

TEST_CASE("the contest's front goes from the cheapest to the fastest") {
  std::vector<Trial> trials{measured("a", 3), measured("b", 5), measured("c", 4),
                            measured("d", 5), measured("e", 2), measured("f", 9)};
  const double costs[] = {10, 12, 13, 12, 10, 14};
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].contest_cost = costs[i];
  trials[5].verdict = Verdict::memory;
  CHECK(cost_front_of(trials) == std::vector<std::size_t>{0, 1});
  trials[0].contest_cost.reset();
  CHECK(cost_front_of(trials) == std::vector<std::size_t>{4, 1});
}

TEST_CASE("the front is of those that compete") {
  std::vector<Trial> trials{Trial{}, measured("a", 3, 5), measured("b", 2, 1), measured("c", 2, 9),
                            measured("d", 9, 0)};
  trials[4].verdict = Verdict::memory;
  CHECK(front_of(trials) == std::vector<std::size_t>{1, 2});
}

}  // namespace
}  // namespace waferloom::optimize
