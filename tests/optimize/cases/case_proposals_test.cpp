#include "optimize/cases/case_proposals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/support/close_to.h"

namespace waferloom::optimize {
namespace {

using test::close_to;

const EdgeLoads kLoads{{1, 3}, {0, 8}, {0.5, 0}, {10, 40}};
const EdgeLoads kAlike{{1, 1}, {1, 1}, {1, 1}, {1, 1}};

const CaseProposal& named(const std::vector<CaseProposal>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const CaseProposal& proposal) { return proposal.name == name; });
  REQUIRE(at != all.end());
  return *at;
}

TEST_CASE("edges weigh as bytes or traffic, in part") {
  const std::vector<CaseProposal> all = case_proposals(kLoads, {}, 0);
  const std::vector<double>& bytes = named(all, "bytes").weights.edges;
  CHECK(bytes[0] == close_to(0.1 + 0.9 * 0.5));
  CHECK(bytes[1] == close_to(0.1 + 0.9 * 1.5));
  CHECK(named(all, "traffic").weights.edges[1] == close_to(0.1 + 0.9 * 2));
  CHECK(named(all, "traffic from best").from_best);
  CHECK(named(all, "time x8").weights.distance == 0.125);
  CHECK(named(all, "time x8").weights.edges.empty());
  CHECK(named(all, "seed").seed_offset == 1);
  CHECK(named(all, "seed").less_effort == 2);
}

TEST_CASE("later rounds stay near the weights of the best, with more effort") {
  const Reweighing best{1, 8, 0.5, {3, 1}};
  const std::vector<CaseProposal> all = case_proposals(kLoads, best, 2);
  const CaseProposal& wire = named(all, "best, wire 3");
  CHECK(wire.weights.distance == 12);
  CHECK(wire.weights.adapter == 0.5);
  CHECK(wire.weights.edges == best.edges);
  CHECK(wire.less_effort == 1);
  CHECK(named(all, "best, seed 3").seed_offset == 2);
  CHECK(named(all, "best, traffic 3").weights.edges[1] == close_to(0.1 + 0.9 * 2));
}

TEST_CASE("the first round tries several sizes of buffers, where the best lacks room for them") {
  const Reweighing best{1, 8, 0.5, {3, 1}};
  CHECK(buffer_proposals({decimal6(0), false}, best, 0).empty());
  const std::vector<CaseProposal> all = buffer_proposals({decimal6(0), true}, best, 0);
  REQUIRE(all.size() == 6);
  const CaseProposal& two = named(all, "buffers 2");
  CHECK(two.buffers == decimal6(2));
  CHECK(two.description == "room for 2 samples an edge");
  CHECK(two.weights.distance == 1);
  CHECK(two.less_effort == 2);
  const CaseProposal& fast = named(all, "buffers 2.5, time");
  CHECK(fast.buffers == Decimal6{2'500'000});
  CHECK(fast.weights.distance == 0.001);
  CHECK(fast.weights.adapter == 0.001);
  CHECK(fast.weights.time == 1);
}

TEST_CASE("later rounds give half a sample more where room lacks, and half a sample less") {
  const Reweighing best{1, 8, 0.5, {3, 1}};
  const std::vector<CaseProposal> both = buffer_proposals({decimal6(2), true}, best, 1);
  REQUIRE(both.size() == 2);
  CHECK(named(both, "buffers 2.5 in round 2").buffers == Decimal6{2'500'000});
  const CaseProposal& less = named(both, "buffers 1.5 in round 2");
  CHECK(less.buffers == Decimal6{1'500'000});
  CHECK(less.weights.distance == 8);
  CHECK(less.weights.edges == best.edges);
  CHECK(less.less_effort == 1);
  CHECK(buffer_proposals({decimal6(2), false}, best, 1).size() == 1);
  CHECK(buffer_proposals({Decimal6{500'000}, false}, best, 1).empty());  // 0 was there already
  CHECK(buffer_proposals({decimal6(0), true}, best, 2).size() == 1);
  CHECK(buffer_proposals({decimal6(0), false}, best, 2).empty());
}

TEST_CASE("on planned routes edges weigh as prices, or more the longer their lanes need") {
  const std::vector<CaseProposal> all = routed_proposals(kLoads, {}, 0);
  const std::vector<double>& prices = named(all, "prices").weights.edges;
  CHECK(prices[0] == close_to(0.1 + 0.9 * 2));
  CHECK(prices[1] == close_to(0.1));
  CHECK(named(all, "prices from best").from_best);
  const std::vector<double>& lanes = named(all, "lanes").weights.edges;
  CHECK(lanes[0] == close_to(1.25 * 1.25));
  CHECK(lanes[1] == close_to(2 * 2));
  CHECK(named(all, "lanes, wire").weights.distance == 8);
  const CaseProposal& computing = named(all, "lanes, time");
  CHECK(computing.weights.edges == lanes);
  CHECK(computing.weights.distance == close_to(0.001));
  CHECK(computing.weights.adapter == close_to(0.001));
  // Later rounds go on from the weights of the best.
  const Reweighing best{1, 4, 1, {3, 1}};
  const std::vector<CaseProposal> later = routed_proposals(kLoads, best, 1);
  CHECK(named(later, "lanes 2").weights.edges[0] == close_to(3 * 1.25 * 1.25));
  CHECK(named(later, "lanes 2").weights.distance == 4);
  CHECK(named(later, "seed 2").seed_offset == 2);
  // Nothing is priced: all weigh alike.
  EdgeLoads free = kLoads;
  free.prices = {0, 0};
  CHECK(named(routed_proposals(free, {}, 0), "prices").weights.edges == std::vector<double>{1, 1});
}

TEST_CASE("names differ in all rounds") {
  std::set<std::string> names;
  std::size_t count = 0;
  for (std::size_t round = 0; round < 3; ++round) {
    for (const CaseProposal& case_proposal : case_proposals(kAlike, {}, round)) {
      names.insert(case_proposal.name);
      ++count;
    }
  }
  CHECK(names.size() == count);
  names.clear();
  count = 0;
  for (std::size_t round = 0; round < 3; ++round) {
    for (const CaseProposal& routed_proposal : routed_proposals(kAlike, {}, round)) {
      names.insert(routed_proposal.name);
      ++count;
    }
  }
  CHECK(names.size() == count);
}

TEST_CASE("each proposal weighs what its name says, as often as that says") {
  const std::vector<CaseProposal> all = case_proposals(kLoads, {}, 0);
  for (const int times : {2, 4, 8, 32}) {
    const Reweighing& wire = named(all, "wire x" + std::to_string(times)).weights;
    CHECK(wire.distance == times);
    CHECK(wire.adapter == 1);
  }
  for (const int times : {2, 4, 8}) {
    const Reweighing& time = named(all, "time x" + std::to_string(times)).weights;
    CHECK(time.distance == 1.0 / times);
    CHECK(time.adapter == 1.0 / times);
  }
  CHECK(named(all, "traffic from best").weights.distance == 4);
  CHECK(named(all, "bytes, wire").weights.distance == 8);
  for (const char* start : {"rows", "signature-rows", "stack-rows"}) {
    CHECK(named(all, start).strategy == start);
    CHECK(named(all, start).weights.distance == 1);
  }
  // A later round starts from the best: a third less, three times as much.
  const std::vector<CaseProposal> later = case_proposals(kLoads, {1, 2, 4, {}}, 2);
  CHECK(named(later, "best, time 3").weights.distance == close_to(2 * 0.67));
  CHECK(named(later, "best, time 3").weights.adapter == close_to(4 * 0.67));
  CHECK(named(later, "best, adapters 3").weights.adapter == 12);
}

}  // namespace
}  // namespace waferloom::optimize
