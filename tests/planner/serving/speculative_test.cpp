#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "planner/serving.h"
#include "tests/planner/serving/served_presets.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

TEST_CASE("speculative decoding, expected tokens of a sequence") {
  CHECK(expected_tokens(0.8, 4) == close_to(3.3616).within(1e-12));
  CHECK(expected_tokens(0, 4) == 1);
  CHECK(expected_tokens(0.8, 0) == 1);
  for (const double acceptance : {0.1, 0.5, 0.9}) {
    for (std::int64_t window = 1; window <= kMostWindow; ++window) {
      const auto power = static_cast<double>(window + 1);
      CHECK(expected_tokens(acceptance, window) ==
            close_to((1 - std::pow(acceptance, power)) / (1 - acceptance)).within(1e-12));
    }
  }
}

TEST_CASE("speculative decoding, expected tokens, acceptance 1 and close to it") {
  CHECK(expected_tokens(1, 4) == 5);
  // The quotient loses digits here: 5 - 10 e + O(e^2).
  CHECK(expected_tokens(1 - 1e-12, 4) == close_to(5 - 1e-11).within(1e-15));
  CHECK(expected_tokens(1 - 1e-6, 4) == close_to(5 - 1e-5 + 1e-11).within(1e-14));
}

TEST_CASE("speculative decoding, expected tokens of a tree") {
  const Speculation tree{SpeculationScheme::tree, 3, 0.5};
  CHECK(depth_acceptance(tree) == 0.75);
  CHECK(drafted_tokens(tree) == 8);
  CHECK(speculation_time(tree, {.draft_token_s = 1, .verify_s = 1, .target_token_s = 1}).tokens ==
        2.734375);
  CHECK(drafted_tokens({SpeculationScheme::tree, 0, 0.5}) == 0);
  // Never less likely than a sequence of the same depth.
  for (const double acceptance : {0.0, 0.3, 0.7, 1.0}) {
    CHECK(depth_acceptance({SpeculationScheme::tree, 3, acceptance}) >= acceptance);
  }
}

TEST_CASE("speculative decoding, speed-up of a sequence") {
  const SpeculationTime time =
      speculation_time({SpeculationScheme::sequence, 4, 0.8},
                       {.draft_token_s = 1, .verify_s = 12, .target_token_s = 10});
  CHECK(time.draft_s == 4);
  CHECK(time.tokens_per_s == close_to(3.3616 / 16).within(1e-12));
  CHECK(time.speed_up == close_to(2.101).within(1e-12));
}

TEST_CASE("no window is the large model alone; a draft as slow as it never helps") {
  CHECK(speculation_time({SpeculationScheme::sequence, 0, 0.8},
                         {.draft_token_s = 3, .verify_s = 10, .target_token_s = 10})
            .speed_up == 1);
  CHECK(speculation_time({SpeculationScheme::sequence, 4, 1},
                         {.draft_token_s = 10, .verify_s = 10, .target_token_s = 10})
            .speed_up == 1);
  CHECK(speculation_time({SpeculationScheme::sequence, 4, 0.9},
                         {.draft_token_s = 10, .verify_s = 10, .target_token_s = 10})
            .speed_up < 1);
}

TEST_CASE("acceptances and windows that cannot be") {
  CHECK_THROWS_WITH_AS(speculation_time({SpeculationScheme::tree, 21, 0.5},
                                        {.draft_token_s = 1, .verify_s = 1, .target_token_s = 1}),
                       "expected a window of 0 to 20 tokens, found 21", RequestError);
  CHECK_THROWS_WITH_AS(speculation_time({SpeculationScheme::tree, 2, 1.5},
                                        {.draft_token_s = 1, .verify_s = 1, .target_token_s = 1}),
                       "expected an acceptance of 0 to 1, found 1.5", RequestError);
  CHECK_THROWS_AS(speculation_time({SpeculationScheme::tree, 2, std::nan("")},
                                   {.draft_token_s = 1, .verify_s = 1, .target_token_s = 1}),
                  RequestError);
}

/// Llama 3 405B on 16 chips with the three drafts of the paper, which leaves out embedding and
/// head.
struct Paper {
  System system = sn40l();
  ServedModel target = layers_alone(served_preset("llama3_405b"));
  ServedModel small = layers_alone(served_preset("llama_68m"));
  ServedModel medium = layers_alone(served_preset("llama3_8b"));
  ServedModel large = layers_alone(served_preset("llama3_70b"));
  double speed_up(const ServedModel& draft, const Speculation& speculation) const {
    return speculate({.target = target, .draft = draft}, system, {}, speculation, 16).speed_up;
  }
  double best(const ServedModel& draft, SpeculationScheme scheme, double acceptance) const {
    double most = 0;
    for (std::int64_t window = 1; window <= 10; ++window) {
      most = std::max(most, speed_up(draft, {scheme, window, acceptance}));
    }
    return most;
  }
};

TEST_CASE("speculative decoding: a tree needs the smallest draft and a short window") {
  const Paper paper;
  constexpr auto kTree = SpeculationScheme::tree;
  for (const double acceptance : {0.5, 0.7, 0.9}) {
    const double small = paper.best(paper.small, kTree, acceptance);
    CHECK(small > paper.best(paper.medium, kTree, acceptance));
    CHECK(small > paper.best(paper.large, kTree, acceptance));
    CHECK(small > paper.speed_up(paper.small, {kTree, 6, acceptance}));
    CHECK(paper.speed_up(paper.small, {kTree, 10, acceptance}) < 1);
  }
}

TEST_CASE("speculative decoding: a sequence wants 68M or 8B, 70B costs too much") {
  const Paper paper;
  constexpr auto kSequence = SpeculationScheme::sequence;
  for (const double acceptance : {0.5, 0.7, 0.9}) {
    const double small = paper.best(paper.small, kSequence, acceptance);
    const double medium = paper.best(paper.medium, kSequence, acceptance);
    const double large = paper.best(paper.large, kSequence, acceptance);
    CHECK(small > medium);
    CHECK(medium > large);
    CHECK(small - medium < medium - large);
  }
}

TEST_CASE("speculative decoding: a sequence gains by window and acceptance") {
  const Paper paper;
  constexpr auto kSequence = SpeculationScheme::sequence;
  for (std::int64_t window = 1; window <= 8; ++window) {
    for (const double acceptance : {0.5, 0.7, 0.9}) {
      CHECK(paper.speed_up(paper.small, {kSequence, window, acceptance + 0.05}) >
            paper.speed_up(paper.small, {kSequence, window, acceptance}));
    }
    CHECK(paper.speed_up(paper.small, {kSequence, window + 1, 0.8}) >
          paper.speed_up(paper.small, {kSequence, window, 0.8}));
  }
}

TEST_CASE("a small model drafts on as few chips as are fastest") {
  const Paper paper;
  const LayerPass pass{1, 1, 4096, 2};
  const double token = fastest_token_s(paper.small, paper.system, {}, 16);
  CHECK(token < pass_time(paper.small, pass, paper.system, {.tensor = 8, .pipeline = 1}).total_s);
  CHECK(token <= pass_time(paper.small, pass, paper.system, {.tensor = 1, .pipeline = 1}).total_s);
  CHECK(fastest_token_s(paper.small, paper.system, {}, 1) ==
        pass_time(paper.small, pass, paper.system, {.tensor = 1, .pipeline = 1}).total_s);
}

TEST_CASE("a pass verifies all drafted tokens and the one before them; a draft makes each alone") {
  // A pass is FLOP, and weights from memory: one chip needs no links, caches are empty.
  ServedModel target;
  target.layer = TransformerOperator{1, 64, 4, 4, 256};
  target.layers = 3;
  ServedModel draft = target;
  draft.layers = 1;
  System system;
  system.chip.flop_per_s = 1e6;
  system.memories = {{"hbm", 1e12, 1e15, 0}};
  system.level_of.fill(1);
  system.dimensions = {{DimensionTopology::ring, 4, 1e15, 0}};
  const ServingOptions options{1, 0, 1, 2};
  struct Case {
    Speculation speculation;
    double drafted;
  };
  for (const Case& tried : {Case{{SpeculationScheme::sequence, 4, 0.8}, 4},
                            Case{{SpeculationScheme::sequence, 0, 0.8}, 0},
                            Case{{SpeculationScheme::tree, 3, 0.5}, 8}}) {
    const SpeculationTime time =
        speculate({.target = target, .draft = draft}, system, options, tried.speculation, 1);
    const auto pass = [&](double tokens) {
      const LayerPass wanted{1, static_cast<std::int64_t>(tokens), 0, 2};
      return layer_flop(target.layer, wanted, 1) / 1e6 +
             layer_weight_bytes(target.layer, {}, 1) / 1e15;
    };
    CHECK(time.verify_s == close_to(3 * pass(tried.drafted + 1)));
    CHECK(time.draft_s == close_to(tried.drafted * pass(1)));
    // Alone the target makes a token in a pass of one.
    CHECK(time.speed_up == close_to(time.tokens_per_s * 3 * pass(1)));
  }
  CHECK_THROWS_AS(speculate({.target = target, .draft = draft}, system, options,
                            {SpeculationScheme::tree, -1, 0.5}, 1),
                  RequestError);
}

TEST_CASE("a draft takes no more chips than it may and than it has heads") {
  ServedModel model;
  model.layer = TransformerOperator{1, 64, 4, 4, 256};
  model.layers = 2;
  System system;
  system.chip.flop_per_s = 1e9;
  system.memories = {{"hbm", 1e12, 1e8, 0}};
  system.level_of.fill(1);
  system.dimensions = {{DimensionTopology::ring, 16, 1e12, 0}};  // more chips are always faster
  const LayerPass pass{1, 1, 4096, 2};
  const auto on = [&](std::int64_t chips) {
    return pass_time(model, pass, system, {.tensor = chips, .pipeline = 1}).total_s;
  };
  REQUIRE(on(4) < on(2));
  CHECK(fastest_token_s(model, system, {}, 2) == on(2));
  CHECK(fastest_token_s(model, system, {}, 16) == on(4));
}

}  // namespace
}  // namespace waferloom::planner
