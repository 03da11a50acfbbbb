#include "planner/dfmodel/mapping/mapping_search.h"

#include <doctest/doctest.h>

#include <limits>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/cycle_model.h"
#include "planner/dfmodel/mapping/ideal_program.h"
#include "planner/dfmodel/mapping/mapping_milp.h"
#include "planner/dfmodel/mapping/order_cut.h"
#include "planner/dfmodel/mapping/order_ideals.h"
#include "planner/dfmodel/mapping/twin_kernels.h"
#include "tests/planner/dfmodel/mapping/gpt3_chip.h"
#include "tests/planner/dfmodel/mapping/random_graphs.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

constexpr double kNoneFits = std::numeric_limits<double>::infinity();

/// The least total over all ways to give kernels a partition; infinite if none fits.
double brute_force(const MappingProblem& problem, std::optional<std::size_t> wanted) {
  const std::size_t kernels = problem.kernels();
  std::vector<std::size_t> place(kernels, 0);
  double least = kNoneFits;
  for (;;) {
    Partitions partitions(kernels);
    bool is_ordered = true;
    for (std::size_t i = 0; i < kernels; ++i) partitions[place[i]].push_back(i);
    for (const DataflowTensor& tensor : problem.graph.tensors) {
      is_ordered = is_ordered && place[tensor.from] <= place[tensor.to];
    }
    std::size_t used = 0;
    while (used < kernels && !partitions[used].empty()) ++used;
    partitions.resize(used);
    std::size_t held = 0;
    for (const auto& partition : partitions) held += partition.size();
    if (is_ordered && held == kernels && (!wanted || used == *wanted)) {
      const MappingCost cost = mapping_cost(problem, partitions);
      if (cost.fits) least = std::min(least, cost.total_s);
    }
    std::size_t i = 0;
    while (i < kernels && ++place[i] == kernels) place[i++] = 0;
    if (i == kernels) return least;
  }
}

TEST_CASE("tiny graphs: no way to give kernels a partition takes less, and none is missed") {
  RandomGraphs random(6);
  int refused = 0;
  for (int round = 0; round < 120; ++round) {
    const auto kernels = static_cast<std::size_t>(random.draw(1, 5));
    MappingProblem problem =
        random.problem(random.graph(kernels, 50), 1 + static_cast<double>(random.draw(0, 3)));
    if (random.draw(0, 1) == 0) problem.rates.dram_bytes = static_cast<double>(random.draw(0, 160));
    if (random.draw(0, 1) == 0) problem.rates.seconds_per_weight_byte = 0.5;
    MappingSearchOptions options;
    if (random.draw(0, 1) == 0) {
      options.partitions = static_cast<std::size_t>(random.draw(1, std::int64_t(kernels)));
    }
    const double least = brute_force(problem, options.partitions);
    const FoundMapping found = best_mapping(problem, options);
    if (least == kNoneFits) {
      ++refused;
      CHECK(found.partitions.empty());
      CHECK_FALSE(found.why_infeasible.empty());
      continue;
    }
    REQUIRE_FALSE(found.partitions.empty());
    CHECK(found.is_optimal);
    CHECK(found.cost.total_s == close_to(least).within(1e-12));
    if (options.partitions) CHECK(found.partitions.size() == *options.partitions);
  }
  CHECK(refused >= 5);
}

TEST_CASE("passing over ideals that a bound rules out changes nothing") {
  RandomGraphs random(7);
  for (int round = 0; round < 60; ++round) {
    const MappingProblem problem = random.problem(random.graph(12, 20), 3);
    const FoundMapping found = best_mapping(problem);
    const MappingSearchOptions cuts{.method = MappingMethod::cuts};
    const FoundMapping start = best_mapping(problem, cuts);
    CHECK(found.cost.total_s <= start.cost.total_s);
    CHECK(found.cost.total_s >= start.bound_s * (1 - 1e-12));
    CHECK(found.gap() == 0);
    CHECK(start.gap() >= 0);
  }
}

TEST_CASE("the best cut of an order is the best chain of its beginnings") {
  // 0 … 7 in a row: every mapping is a cut of the one order there is.
  RandomGraphs random(8);
  for (int round = 0; round < 40; ++round) {
    DataflowGraph graph = random.graph(8, 0);
    for (std::size_t i = 1; i < 8; ++i) {
      graph.tensors.push_back({i - 1, i, static_cast<double>(8 * random.draw(1, 8))});
    }
    const MappingProblem problem = random.problem(std::move(graph), 3);
    const MappingSearchOptions cuts{.method = MappingMethod::cuts};
    CHECK(best_mapping(problem, cuts).cost.total_s ==
          close_to(best_mapping(problem).cost.total_s).within(1e-12));
  }
}

TEST_CASE("compute by cycles: the ideals' mapping is the best of all") {
  RandomGraphs random(9);
  const CycleChip chip{6, 2, 2, 1, 4};
  for (int round = 0; round < 40; ++round) {
    MappingProblem problem = random.problem(random.graph(4, 50), 2);
    for (DataflowKernel& kernel : problem.graph.kernels) {
      kernel.extents = {1, random.draw(1, 9), random.draw(1, 9), random.draw(1, 9)};
    }
    MappingSearchOptions options;
    options.cycles = chip;
    const FoundMapping found = best_mapping(problem, options);
    double least = kNoneFits;
    for (std::size_t p = 1; p <= 4; ++p) {
      options.partitions = p;
      const FoundMapping of_p = best_mapping(problem, options);
      if (!of_p.partitions.empty()) least = std::min(least, of_p.cost.total_s);
    }
    CHECK(found.cost.total_s == close_to(least).within(1e-12));
    CHECK(found.cost.total_s ==
          close_to(cycle_mapping_cost(problem, chip, found.partitions).total_s).within(1e-12));
  }
}

TEST_CASE("tiny graphs that stream: no partitions, and no whole bytes loaded, take less") {
  RandomGraphs random(16);
  for (int round = 0; round < 60; ++round) {
    const auto kernels = static_cast<std::size_t>(random.draw(1, 4));
    MappingProblem problem = random.problem(random.graph(kernels, 50), 2);
    problem.rates.streams_weights = true;
    problem.rates.seconds_per_weight_byte =
        1 / (problem.rates.dram_bytes_per_s * static_cast<double>(random.draw(1, 4)));
    const FoundMapping found = best_mapping(problem);
    REQUIRE(found.is_optimal);
    CHECK(found.cost.total_s == close_to(brute_force(problem, {})).within(1e-12));
    // Each kernel's weights whole: any subset of them loaded, the others read in each pass.
    for (std::uint64_t mask = 0; mask < (std::uint64_t{1} << kernels); ++mask) {
      MappingProblem chosen = problem;
      chosen.rates.streams_weights = false;
      for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
        if ((mask >> kernel & 1) != 0) continue;
        chosen.graph.kernels[kernel].dram_bytes += chosen.graph.kernels[kernel].weight_bytes;
        chosen.graph.kernels[kernel].weight_bytes = 0;
      }
      CHECK(found.cost.total_s <= brute_force(chosen, {}) * (1 + 1e-12));
    }
  }
}

TEST_CASE("more SRAM never takes longer where weights can be streamed") {
  RandomGraphs random(17);
  const CycleChip chip{9, 2, 2, 1, 4};
  for (int round = 0; round < 40; ++round) {
    MappingProblem problem = random.problem(random.graph(7, 30), 1);
    for (DataflowKernel& kernel : problem.graph.kernels) {
      kernel.extents = {1, random.draw(1, 9), random.draw(1, 9), random.draw(1, 9)};
    }
    problem.rates.streams_weights = true;
    problem.rates.seconds_per_weight_byte =
        1 / (problem.rates.dram_bytes_per_s * static_cast<double>(random.draw(1, 4)));
    MappingSearchOptions options;
    if (round % 2 == 1) options.cycles = chip;
    const double whole = problem.rates.sram_bytes;
    double before = kNoneFits;
    for (int tenths = 1; tenths <= 12; ++tenths) {
      problem.rates.sram_bytes = whole * tenths / 10;
      const FoundMapping found = best_mapping(problem, options);
      CAPTURE(round);
      CAPTURE(tenths);
      const double now = found.partitions.empty() ? kNoneFits : found.cost.total_s;
      CHECK(now <= before * (1 + 1e-12));
      before = now;
    }
    CHECK(before < kNoneFits);
  }
}

TEST_CASE("ideals that lead to no less than the best cut are passed over") {
  const MappingProblem problem = sn10_problem(8);
  const auto ideals = order_ideals(problem.graph, twin_orders(problem.graph), 60'000);
  REQUIRE(ideals.has_value());
  IdealProgramOptions known;
  known.known_total_s = best_mapping(problem, {.method = MappingMethod::cuts}).cost.total_s;
  const FoundMapping found = best_mapping(problem);
  CHECK(found.ideals == ideals->count());
  CHECK(found.transitions == best_chain(problem, *ideals, known).transitions);
  CHECK(found.transitions < best_chain(problem, *ideals, {}).transitions);
}

TEST_CASE("DFModel's mapping of a GPT-3 layer is proved by little work") {
  const FoundMapping found = best_mapping(sn10_problem(8));
  CHECK(found.is_optimal);
  CHECK(found.ideals < 1000);
  CHECK(found.transitions < 10'000);
}

TEST_CASE("more partitions than SRAM asks for are never better") {
  RandomGraphs random(10);
  for (int round = 0; round < 60; ++round) {
    const MappingProblem problem = random.problem(random.graph(8, 30), 3);
    const double best = best_mapping(problem).cost.total_s;
    double least = kNoneFits;
    for (std::size_t p = 1; p <= most_partitions(problem); ++p) {
      const FoundMapping found = best_mapping(problem, {.partitions = p});
      if (!found.partitions.empty()) least = std::min(least, found.cost.total_s);
    }
    CHECK(least == close_to(best).within(1e-12));
  }
}

TEST_CASE("a limit on ideals: CBC goes on, and the gap is told") {
  RandomGraphs random(11);
  const MappingProblem problem = random.problem(random.graph(7, 25), 3);
  MappingSearchOptions options;
  const double best = best_mapping(problem, options).cost.total_s;
  options.most_ideals = 5;
  const FoundMapping found = best_mapping(problem, options);
  CHECK(found.ideals == 0);
  CHECK(found.is_optimal);
  CHECK(found.cost.total_s == close_to(best).within(1e-9));
  options.method = MappingMethod::ideals;
  CHECK_THROWS_WITH_AS(best_mapping(problem, options), "the graph has more than 5 order ideals",
                       RequestError);
  options.method = MappingMethod::automatic;
  options.time_limit_s = 0;
  const FoundMapping cut = best_mapping(problem, options);
  CHECK(cut.cost.total_s >= best * (1 - 1e-12));
  CHECK(cut.bound_s <= best * (1 + 1e-9));
}

TEST_CASE("no mapping takes less than each resource needs, and weights come before, by hand") {
  DataflowGraph graph;
  graph.kernels.resize(2);
  graph.kernels[0] = {"product", KernelType::gemm, {}, 600, 40, 0, 0, 5};
  graph.kernels[1] = {"sums", KernelType::element_wise, {}, 60, 20, 0, 30, 0};
  ChipRates rates;
  rates.flop_per_s = 100;
  rates.element_flop_per_s = 20;
  rates.dram_bytes_per_s = 2;
  MappingProblem problem(graph, rates);
  CHECK(least_total_s(problem) == close_to(6.0 + 3.0));
  problem.rates.seconds_per_reduced_byte = 0.5;
  CHECK(least_total_s(problem) == close_to(15.0));
  problem.rates.dram_bytes_per_s = 0.25;
  CHECK(least_total_s(problem) == close_to(20.0));
  problem.rates.seconds_per_weight_byte = 0.1;
  CHECK(least_total_s(problem) == close_to(20.0 + 6.0));
}

TEST_CASE("what cannot be mapped is said with its figures") {
  RandomGraphs random(12);
  MappingProblem problem = random.problem(random.graph(4, 50), 2);
  CHECK_THROWS_WITH_AS(best_mapping(problem, {.partitions = 5}),
                       "expected 1 to 4 partitions of so many kernels, found 5", RequestError);
  const FoundMapping whole = best_mapping(sn10_problem(8), {.partitions = 1});
  CHECK(whole.partitions.empty());
  CHECK(whole.why_infeasible == "no mapping into 1 partition fits 335,544,320 bytes of SRAM");
  problem.rates.sram_bytes = 1;
  const FoundMapping found = best_mapping(problem);
  CHECK(found.partitions.empty());
  CHECK(found.why_infeasible.find("bytes of SRAM, of 1;") != std::string::npos);
}

}  // namespace
}  // namespace waferloom::planner
