#include "benchmarks_ispd2020/generated_cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "benchmarks_ispd2020/generated/networks.h"
#include "benchmarks_ispd2020/generated/objective.h"
#include "benchmarks_ispd2020/generated/shelf_placement.h"
#include "model/errors.h"
#include "model/placement.h"
#include "model/problem.h"
#include "tests/support/small_problems.h"

namespace waferloom::ispd2020 {
namespace {

/// FNV-1a of a case as a file.
std::uint64_t fingerprint(const Problem& problem) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char byte : write_kgraph(problem)) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211U;
  }
  return hash;
}

bool is_shelf_legal(const Problem& problem) {
  const auto placement = shelf_placement(problem, problem.wafer().height / 2);
  return placement && verify(problem, to_solution(problem, *placement)).empty();
}

Problem network(const std::string& family, const NetworkScale& scale, std::uint64_t seed = 1) {
  for (const GeneratedFamily& generated_family : generated_families()) {
    if (generated_family.name == family) {
      return Problem(generated_family.network({}, scale, SeededDraws(seed, DrawUse::network)));
    }
  }
  throw RequestError(family);
}

const ConvFormal& conv(const Problem& problem, KernelIndex index) {
  return std::get<ConvFormal>(problem.kernel(index).formal);
}

/// Kernels that read this one.
std::vector<KernelIndex> readers(const Problem& problem, KernelIndex kernel) {
  std::vector<KernelIndex> all;
  for (const Connection& edge : problem.connections()) {
    if (edge.producer == kernel) all.push_back(edge.consumer);
  }
  return all;
}

TEST_CASE("generated cases: of every size asked for, without cycles, and shelves hold them") {
  for (const std::string& family : family_names()) {
    for (const std::int64_t kernels : {10, 37, 300, 2000}) {
      for (const Extent& wafer : {Extent{400, 300}, Extent{2500, 400}, Extent{2500, 2500}}) {
        for (const std::uint64_t seed : {1, 2, 3}) {
          const GeneratedCase wanted{family, kernels, wafer, seed, seed == 2, ""};
          CAPTURE(case_title(wanted));
          const Problem problem = make_generated_case(wanted);
          CHECK(static_cast<std::int64_t>(problem.kernel_count()) == kernels);
          CHECK(problem.wafer() == Wafer{wafer.width, wafer.height});
          CHECK(problem.name() == case_title(wanted));
          CHECK(topological_order(problem).size() == problem.kernel_count());
          CHECK(is_shelf_legal(problem));
          CHECK(problem.has_unit_edges() == (seed != 2));
          CHECK(problem.weights().time >= decimal6(1));
          CHECK(problem.weights().distance >= Decimal6{10'000});
        }
      }
    }
  }
}

TEST_CASE("generated cases: 60 tiles a kernel are enough") {
  for (const std::string& family : family_names()) {
    CHECK_NOTHROW(make_generated_case({family, 10'000, {600, 1000}}));
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CHECK_NOTHROW(make_generated_case({family, 166, {100, 100}, seed}));
    }
    CHECK_THROWS_AS(make_generated_case({family, 10'000, {100, 100}}), RequestError);
  }
}

TEST_CASE("generated cases: a file of one reads back as the same case") {
  for (const std::string& family : family_names()) {
    const Problem problem = make_generated_case({family, 30, {500, 400}, 5, true});
    const std::string text = write_kgraph(problem);
    CHECK(write_kgraph(read_kgraph(text, "case")) == text);
  }
}

TEST_CASE("generated cases: seeds differ, streams do not disturb each other") {
  for (const std::string& family : family_names()) {
    const GeneratedCase generated_case{family, 50, {633, 633}, 1};
    GeneratedCase other = generated_case;
    CHECK(fingerprint(make_generated_case(generated_case)) ==
          fingerprint(make_generated_case(other)));
    other.edge_weights = true;
    other.name = case_title(generated_case);
    const Problem plain = make_generated_case(generated_case);
    const Problem weighted = make_generated_case(other);
    CHECK(plain.weights() == weighted.weights());
    CHECK(plain.connections().size() == weighted.connections().size());
    for (KernelIndex i = 0; i < plain.kernel_count(); ++i)
      CHECK(plain.kernel(i).formal == weighted.kernel(i).formal);
    other = generated_case;
    other.seed = 2;
    CHECK(fingerprint(plain) != fingerprint(make_generated_case(other)));
  }
}

TEST_CASE("generated cases: what is out of range is refused") {
  CHECK_THROWS_AS(make_generated_case({"lstm"}), RequestError);
  CHECK_THROWS_AS(make_generated_case({"vgg", 9}), RequestError);
  CHECK_THROWS_AS(make_generated_case({"vgg", 10'001}), RequestError);
  CHECK_THROWS_AS(make_generated_case({"vgg", 10, {99, 500}}), RequestError);
  CHECK_THROWS_AS(make_generated_case({"vgg", 10, {500, 32'001}}), RequestError);
}

TEST_CASE("the table: all sizes, its names say family and kernels, few kernels first") {
  const std::vector<GeneratedCase>& table = generated_cases();
  std::set<std::string> names;
  std::int64_t least = kMostKernels;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const GeneratedCase& generated_case = table[i];
    names.insert(generated_case.name);
    CHECK(generated_case.name ==
          generated_case.family + "-" + std::to_string(generated_case.kernels));
    CHECK((i < small_generated_cases()) == (generated_case.kernels <= 40));
    least = std::min(least, generated_case.kernels);
    most = std::max(most, generated_case.kernels);
  }
  CHECK(names.size() == table.size());
  CHECK(least == 10);
  CHECK(most == 2000);
  CHECK(std::count_if(table.begin(), table.end(), [](const GeneratedCase& generated_case) {
          return generated_case.kernels == 1500 && generated_case.wafer == Extent{2500, 2500};
        }) == 1);
}

TEST_CASE("the table: its cases are what they were") {
  std::uint64_t all = 0;
  for (const GeneratedCase& generated_case : generated_cases()) {
    const Problem problem = make_generated_case(generated_case);
    CHECK(is_shelf_legal(problem));
    all = all * 1'099'511'628'211U + fingerprint(problem);
  }
  // Results measured before a change of this number do not compare with those after.
  CHECK(all == 17827'775'564'314'393'082U);
}

TEST_CASE("vgg: a chain in five stages with three layers on one pixel") {
  const Problem problem = network("vgg", {40, 64, 8});
  REQUIRE(problem.kernel_count() == 40);
  std::set<std::int64_t> images;
  for (KernelIndex i = 0; i < 40; ++i) images.insert(conv(problem, i).height);
  CHECK(images == std::set<std::int64_t>{64, 32, 16, 8, 4, 1});
  CHECK(conv(problem, 0).channels_in == 3);
  CHECK(conv(problem, 36).channels_out == 64);
  // 2 × 2 pixels of 64 channels
  CHECK(conv(problem, 37) == ConvFormal{1, 1, 1, 1, 256, 512, 1, 1});
  CHECK(conv(problem, 39) == ConvFormal{1, 1, 1, 1, 512, 128, 1, 1});
  REQUIRE(problem.connections().size() == 39);
  for (const Connection& edge : problem.connections()) {
    CHECK(edge.consumer == edge.producer + 1);
    CHECK(edge.tensor.channels == conv(problem, edge.consumer).channels_in);
  }
}

TEST_CASE("densenet: a convolution reads all before it in its block, and all their channels") {
  const Problem problem = network("densenet", {60, 64, 8});
  std::vector<std::int64_t> read(60, 0);
  for (const Connection& edge : problem.connections()) {
    CHECK(edge.producer < edge.consumer);
    CHECK(edge.tensor.channels == conv(problem, edge.producer).channels_out);
    read[edge.consumer] += edge.tensor.channels;
  }
  KernelIndex begin = 0;  // of the block
  for (KernelIndex i = 1; i < 60; ++i) {
    CHECK(conv(problem, i).channels_in == read[i]);
    const std::vector<KernelIndex> next = readers(problem, i - 1);
    CHECK(std::find(next.begin(), next.end(), i) != next.end());
    if (conv(problem, i).field_height == 3) {
      CHECK(conv(problem, i).channels_out == 4);
      continue;
    }
    CHECK(i - begin - 1 >= 4);
    CHECK(i - begin - 1 <= 8);
    CHECK(conv(problem, i).channels_out == read[i] / 2);
    for (KernelIndex j = begin; j < i; ++j) CHECK(readers(problem, j).back() == i);
    begin = i;
  }
  CHECK(begin > 0);
}

TEST_CASE("mixed: a chain of all three kinds with skips forward, every block whole") {
  const Problem problem = network("mixed", {200, 64, 16});
  std::set<std::string_view> kinds;
  std::int64_t image = 64;
  std::int64_t channels = 32;
  for (const ProblemKernel& kernel : problem.kernels()) {
    kinds.insert(type_name(kernel.kernel.formal));
    CHECK(kernel.kernel.height == image);
    if (const auto* formal = std::get_if<ConvFormal>(&kernel.kernel.formal)) {
      CHECK(formal->channels_in == channels);
      channels = formal->channels_out;
      if (formal->field_height == 2) image *= 2;
    } else if (const auto* block = std::get_if<CblockFormal>(&kernel.kernel.formal)) {
      CHECK(block->features % 4 == 0);
      channels = block->features;
      image /= 2;
    } else {
      CHECK(std::get<DblockFormal>(kernel.kernel.formal).features == channels);
    }
  }
  CHECK(kinds == std::set<std::string_view>{"cblock", "conv", "dblock"});
  std::size_t skips = 0;
  for (std::size_t i = 0; i < problem.connections().size(); ++i) {
    const Connection& edge = problem.connections()[i];
    if (i < 199) {
      CHECK(edge.producer == i);
      CHECK(edge.consumer == i + 1);
    } else {
      CHECK(edge.consumer >= edge.producer + 2);
      ++skips;
    }
  }
  CHECK(skips > 10);
  CHECK(skips < 60);
}

TEST_CASE("dag: every convolution reads the channels of its edges; numbers are shuffled") {
  const Problem problem = network("dag", {300, 64, 16});
  std::vector<std::int64_t> read(300, 0);
  std::vector<int> sources(300, 0);
  std::size_t against = 0;
  for (const Connection& edge : problem.connections()) {
    read[edge.consumer] += edge.tensor.channels;
    ++sources[edge.consumer];
    if (edge.consumer < edge.producer) ++against;
  }
  for (const TerminalConnection& edge : problem.terminal_connections()) {
    if (problem.terminals()[edge.terminal].kind == Terminal::Kind::output) {
      CHECK(readers(problem, edge.kernel).empty());
      continue;
    }
    CHECK(sources[edge.kernel] == 0);
    read[edge.kernel] += edge.tensor.channels;
  }
  for (KernelIndex i = 0; i < 300; ++i) {
    CHECK(sources[i] <= 3);
    CHECK(conv(problem, i).channels_in == read[i]);
    CHECK(conv(problem, i).height >= 4);
    CHECK(conv(problem, i).height <= 64);
  }
  CHECK(against > problem.connections().size() / 4);
  CHECK(against < 3 * problem.connections().size() / 4);
}

TEST_CASE("shelves: nothing where the kernels do not fit, or one of them does not") {
  // 8 → 8 features on one pixel: 3·k × (c + 1), least with c = k = 1, 3 × 2 tiles
  const auto pixels = [](std::size_t count, const Wafer& wafer) {
    ProblemData data = test::chain(std::vector<KernelFormal>(count, test::kPixel));
    data.wafer = wafer;
    return Problem(data);
  };
  const Problem six = pixels(6, {10, 9});
  const auto placement = shelf_placement(six, 4);
  REQUIRE(placement);
  CHECK(verify(six, to_solution(six, *placement)).empty());
  CHECK(placement->kernels[5].x == 6);
  CHECK(placement->kernels[5].y == 2);
  CHECK_FALSE(shelf_placement(six, 3));
  CHECK_FALSE(shelf_placement(pixels(1, {2, 9}), 9));
  CHECK_FALSE(shelf_placement(pixels(1, {9, 9}), 1));
  ProblemData hungry = pixels(1, {9, 9}).data();
  hungry.memory_limit = 1;  // 64 weights and 8 pixels are at least 72 / 64 words a tile
  CHECK_FALSE(shelf_placement(Problem(hungry), 9));
}

TEST_CASE("draws: in range, all of them, the same for the same seed and use") {
  SeededDraws draws(7, DrawUse::network);
  SeededDraws same(7, DrawUse::network);
  SeededDraws other(7, DrawUse::objective);
  std::set<std::int64_t> seen;
  bool differs = false;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t drawn = draws.below(6);
    CHECK(drawn == same.below(6));
    differs = differs || drawn != other.below(6);
    seen.insert(drawn);
  }
  CHECK(seen == std::set<std::int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(differs);
}

TEST_CASE("objective: distance's weight is round and grows with the network's work") {
  ProblemData data =
      test::chain({ConvFormal{64, 64, 3, 3, 64, 64, 1, 1}, ConvFormal{64, 64, 3, 3, 64, 64, 1, 1}});
  ProblemData larger = data;
  larger.kernels[0].kernel = make_kernel(ConvFormal{640, 640, 3, 3, 64, 64, 1, 1});
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const SeededDraws draws(seed, DrawUse::objective);
    const Weights weights = drawn_weights(data, draws);
    std::int64_t digits = weights.distance.millionths;
    while (digits % 10 == 0) digits /= 10;
    CHECK((digits == 1 || digits == 2 || digits == 5));
    CHECK(drawn_weights(larger, draws).distance > weights.distance);
    CHECK((weights.adapter.millionths == 0 || weights.adapter >= weights.distance));
  }
}

}  // namespace
}  // namespace waferloom::ispd2020
