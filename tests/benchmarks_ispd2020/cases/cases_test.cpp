#include "benchmarks_ispd2020/cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "benchmarks_ispd2020/published.h"
#include "model/problem.h"
#include "tests/support/shared_data.h"

namespace waferloom::ispd2020 {
namespace {

/// An edge by the node numbers of its ends, with its tensor.
using Edge = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

Edge edge(std::int64_t from, std::int64_t to, const TensorShape& tensor) {
  return {from, to, tensor.height, tensor.width, tensor.channels};
}

/// All edges, terminals' included, ascending; equal ones stand as often as they occur.
std::vector<Edge> edges(const Problem& problem) {
  std::vector<Edge> all;
  for (const Connection& c : problem.connections())
    all.push_back(
        edge(problem.kernels()[c.producer].id, problem.kernels()[c.consumer].id, c.tensor));
  for (const TerminalConnection& c : problem.terminal_connections()) {
    const Terminal& terminal = problem.terminals()[c.terminal];
    const std::int64_t kernel = problem.kernels()[c.kernel].id;
    all.push_back(terminal.kind == Terminal::Kind::input ? edge(terminal.id, kernel, c.tensor)
                                                         : edge(kernel, terminal.id, c.tensor));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::map<std::int64_t, ProblemKernel> kernels_by_id(const Problem& problem) {
  std::map<std::int64_t, ProblemKernel> by_id;
  for (const ProblemKernel& kernel : problem.kernels()) by_id[kernel.id] = kernel;
  return by_id;
}

std::map<std::int64_t, Terminal> terminals_by_id(const Problem& problem) {
  std::map<std::int64_t, Terminal> by_id;
  for (const Terminal& terminal : problem.terminals()) by_id[terminal.id] = terminal;
  return by_id;
}

void check_same_nodes(const Problem& made, const Problem& original) {
  REQUIRE(made.kernel_count() == original.kernel_count());
  const auto by_id = kernels_by_id(made);
  for (const ProblemKernel& expected : original.kernels()) {
    CAPTURE(expected.id);
    const auto found = by_id.find(expected.id);
    REQUIRE(found != by_id.end());
    CHECK(found->second.name == expected.name);
    CHECK(type_name(found->second.kernel.formal) == type_name(expected.kernel.formal));
    CHECK(found->second.kernel.formal == expected.kernel.formal);
  }
  CHECK(terminals_by_id(made) == terminals_by_id(original));
}

void check_same(const Problem& made, const Problem& original) {
  CHECK(made.name() == original.name());
  CHECK(made.wafer() == original.wafer());
  CHECK(made.memory_limit() == original.memory_limit());
  CHECK(made.weights() == original.weights());
  CHECK(made.time_denominator() == original.time_denominator());
  check_same_nodes(made, original);
  CHECK(edges(made) == edges(original));
}

Problem read_original(const std::string& name) {
  const auto path = test::shared_folder() / "ispd2020" / (name + ".kgraph");
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return read_kgraph(text, path.string());
}

/// The kernel without predecessors among the kernels.
std::vector<KernelIndex> sources(const Problem& problem) {
  std::vector<bool> fed(problem.kernel_count(), false);
  for (const Connection& c : problem.connections()) fed[c.consumer] = true;
  std::vector<KernelIndex> free;
  for (KernelIndex i = 0; i < fed.size(); ++i)
    if (!fed[i]) free.push_back(i);
  return free;
}

TEST_CASE("every generated case is the contest's file of that name [shared]") {
  if (!test::have_shared("every generated case", "ispd2020/A.kgraph")) return;
  for (const std::string& name : case_names()) {
    CAPTURE(name);
    check_same(make_case(name), read_original(name));
  }
}

TEST_CASE("the cases are A to T") {
  std::string all;
  for (const std::string& name : case_names()) all += name;
  CHECK(all == "ABCDEFGHIJKLMNOPQRST");
}

TEST_CASE("a case has as many kernels as GigaPlacer's Table 1 says") {
  for (const std::string& name : case_names()) {
    CAPTURE(name);
    CHECK(static_cast<std::int64_t>(make_case(name).kernel_count()) ==
          published_case(name).kernels);
  }
}

TEST_CASE("every case flows without cycles from one input to one output on the contest's wafer") {
  for (const std::string& name : case_names()) {
    CAPTURE(name);
    const Problem problem = make_case(name);
    CHECK(problem.wafer() == Wafer{633, 633});
    CHECK(problem.memory_limit() == 24'576);
    CHECK(topological_order(problem).size() == problem.kernel_count());
    REQUIRE(problem.terminals().size() == 2);
    REQUIRE(problem.terminal_connections().size() == 2);
    CHECK(sources(problem) ==
          std::vector<KernelIndex>{problem.terminal_connections().front().kernel});
  }
}

TEST_CASE("each network comes with two sets of weights") {
  const std::string first = "ABCDIJKLMN";
  const std::string second = "EFGHOPQRST";
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Problem problem = make_case(first.substr(i, 1));
    const Problem other = make_case(second.substr(i, 1));
    CAPTURE(first[i]);
    check_same_nodes(problem, other);
    CHECK(edges(problem) == edges(other));
    CHECK(problem.weights().adapter == decimal6(0));
    CHECK(other.weights().adapter > decimal6(0));
    CHECK(problem.weights().distance < other.weights().distance);
  }
}

TEST_CASE("an unknown case is refused by name") {
  for (const char* name : {"", "a", "U", "AA"})
    CHECK_THROWS_WITH_AS(
        make_case(name),
        ("expected a contest case A to T, found \"" + std::string(name) + "\"").c_str(),
        std::logic_error);
}

}  // namespace
}  // namespace waferloom::ispd2020
