#include "placer/starts/given_start.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "placer/starts/clear_start.h"
#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

PartialPlacement partial(const Placement& placement) {
  PartialPlacement given;
  for (const PlacedKernel& kernel : placement.kernels) given.kernels.emplace_back(kernel);
  return given;
}

/// A problem, constrained or not, and a legal placement of it.
struct Given {
  Problem problem;
  ShapeLibrary library;
  CostModel costs;
  ClearSpace space;
  PartialPlacement legal;

  explicit Given(const test::Binding& binding)
      : problem(test::constrained_problem(3, binding)),
        library(problem),
        costs(problem),
        space(problem) {
    clear_start(context(), [&](const Placement& placement) { legal = partial(placement); });
    REQUIRE(legal.kernels.size() == problem.kernel_count());
  }
  SearchContext context(const RunControl& stop = {}) const {
    return test::context_of(problem, library, costs, space, stop);
  }
  std::vector<Placement> emitted(const PartialPlacement& given) const {
    std::vector<Placement> found;
    given_start(context(), given, 1, [&](const Placement& placement) {
      CHECK(test::violations(problem, placement) == 0);
      found.push_back(placement);
    });
    return found;
  }
};

const Given& given_case(bool binds) {
  static const Given bound{test::kAllBind};
  static const Given plain{test::Binding{}};
  return binds ? bound : plain;
}

TEST_CASE("a whole legal placement is emitted as it is and nothing else") {
  for (const bool binds : {false, true}) {
    INFO("binds ", binds);
    const Given& given = given_case(binds);
    const std::vector<Placement> found = given.emitted(given.legal);
    REQUIRE(found.size() == 1);
    CHECK(partial(found.front()) == given.legal);
  }
}

TEST_CASE("nothing comes of nothing") {
  for (const bool binds : {false, true}) {
    INFO("binds ", binds);
    const Given& given = given_case(binds);
    PartialPlacement none;
    none.kernels.resize(given.problem.kernel_count());
    CHECK(given.emitted(none).empty());
    none.kernels[2] = given.legal.kernels[2];
    none.kernels[2]->execution.h = 0;  // as good as missing
    CHECK(given.emitted(none).empty());
  }
}

using Kernels = std::vector<std::optional<PlacedKernel>>;

/// Every kernel cut into as many parts as there are, or not at all.
void cut_all(const Problem& problem, Kernels& kernels, bool finely) {
  for (KernelIndex i = 0; i < kernels.size(); ++i) {
    const Kernel& kernel = problem.kernel(i);
    Execution& execution = kernels[i]->execution;
    execution.h = finely ? kernel.height : 1;
    execution.w = finely ? kernel.width : 1;
    for (std::size_t c = 0; c < convolution_total(kernel); ++c) {
      execution.c[c] = finely ? kernel.convolutions[c].in4 / 4 : 1;
      execution.k[c] = finely ? kernel.convolutions[c].out4 / 4 : 1;
    }
  }
}

/// Ways to spoil a placement of six kernels on 70×60 tiles.
struct Fault {
  const char* name;
  void (*spoil)(const Problem&, Kernels&);
};
const Fault kFaults[] = {
    {"one missing", [](const Problem&, Kernels& kernels) { kernels[4].reset(); }},
    {"all but one missing",
     [](const Problem&, Kernels& kernels) {
       for (std::size_t i = 1; i < kernels.size(); ++i) kernels[i].reset();
     }},
    {"two on one place",
     [](const Problem&, Kernels& kernels) {
       kernels[5]->x = kernels[4]->x;
       kernels[5]->y = kernels[4]->y;
     }},
    {"all on one place",
     [](const Problem&, Kernels& kernels) {
       for (auto& kernel : kernels) kernel->x = kernel->y = 30;
     }},
    {"beyond the wafer", [](const Problem&, Kernels& kernels) { kernels[5]->x = 69; }},
    {"far off",
     [](const Problem&, Kernels& kernels) {
       kernels[5]->x = -kMaxCoordinate;
       kernels[4]->y = kMaxCoordinate;
     }},
    {"at the end of 32 bits",
     [](const Problem&, Kernels& kernels) {
       kernels[5]->x = (std::int64_t{1} << 31) - 2;
       kernels[4]->y = (std::int64_t{1} << 32) + 3;
     }},
    {"no execution of its kernel",
     [](const Problem&, Kernels& kernels) { kernels[2]->execution.k[0] = 1'000; }},
    {"larger than the wafer",
     [](const Problem& problem, Kernels& kernels) { cut_all(problem, kernels, true); }},
    {"slow and on one place",
     [](const Problem& problem, Kernels& kernels) {
       cut_all(problem, kernels, false);
       kernels[4]->x = kernels[5]->x;
       kernels[4]->y = kernels[5]->y;
     }},
    {"turned", [](const Problem&, Kernels& kernels) {
       for (auto& kernel : kernels) kernel->rotated = !kernel->rotated;
     }}};

TEST_CASE("whatever is wrong with it is made legal, and again the same") {
  for (const Fault& fault : kFaults) {
    for (const bool binds : {false, true}) {
      INFO(std::string(fault.name), ", binds ", binds);
      const Given& given = given_case(binds);
      PartialPlacement start = given.legal;
      fault.spoil(given.problem, start.kernels);
      const std::vector<Placement> found = given.emitted(start);
      CHECK_FALSE(found.empty());
      CHECK(given.emitted(start) == found);
    }
  }
}

TEST_CASE("a kernel that needs more memory than there is gets another shape") {
  ProblemData data =
      test::problem_data({test::dense(64, 64), test::dense(64, 64)}, {{0, 1}}, Wafer{60, 60});
  data.memory_limit = 200;
  const Problem problem(data);
  const ShapeLibrary library(problem);
  const CostModel costs(problem);
  const ClearSpace space(problem);
  Execution hungry;
  hungry.c[0] = hungry.k[0] = 1;
  REQUIRE(memory_words(problem.kernel(0), hungry) > data.memory_limit);
  const PartialPlacement start{
      {PlacedKernel{hungry, 0, 0, false}, PlacedKernel{hungry, 9, 0, false}}};
  int found = 0;
  given_start(test::context_of(problem, library, costs, space), start, 1,
              [&](const Placement& placement) {
                CHECK(test::violations(problem, placement) == 0);
                ++found;
              });
  CHECK(found > 0);
}

TEST_CASE("what is far from what is wrong stays where it was") {
  const Given& given = given_case(true);
  PartialPlacement start = given.legal;
  start.kernels[4].reset();
  const std::vector<Placement> found = given.emitted(start);
  REQUIRE_FALSE(found.empty());
  std::size_t moved = 0;
  for (KernelIndex i = 0; i < start.kernels.size(); ++i) {
    const PlacedKernel& now = found.front().kernels[i];
    const auto& then = start.kernels[i];
    if (then && (now.x != then->x || now.y != then->y)) ++moved;
  }
  CHECK(moved <= 2);
}

TEST_CASE("a raised stop ends it soon") {
  for (const bool binds : {false, true}) {
    INFO("binds ", binds);
    const Given& given = given_case(binds);
    PartialPlacement start = given.legal;
    start.kernels[5].reset();
    std::atomic<bool> raised{true};
    int found = 0;
    given_start(given.context(RunControl{.stop = &raised}), start, 1,
                [&](const Placement& placement) {
                  CHECK(test::violations(given.problem, placement) == 0);
                  ++found;
                });
    CHECK(found <= 2);
  }
}

}  // namespace
}  // namespace waferloom::placer
