#include <doctest/doctest.h>

#include "model/problem.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

void check_same(const Problem& a, const Problem& b) {
  CHECK(a.name() == b.name());
  CHECK(a.wafer() == b.wafer());
  CHECK(a.memory_limit() == b.memory_limit());
  CHECK(a.weights() == b.weights());
  REQUIRE(a.kernel_count() == b.kernel_count());
  for (KernelIndex i = 0; i < a.kernel_count(); ++i) {
    CHECK(a.kernels()[i].id == b.kernels()[i].id);
    CHECK(a.kernels()[i].name == b.kernels()[i].name);
    CHECK(a.kernel(i).formal == b.kernel(i).formal);
  }
  CHECK(a.terminals() == b.terminals());
  CHECK(a.connections() == b.connections());
  CHECK(a.terminal_connections() == b.terminal_connections());
}

}  // namespace

TEST_CASE("a problem is written in the contest's form") {
  ProblemData data = test::chain({ConvFormal{8, 6, 3, 2, 4, 16, 2, 1}, CblockFormal{4, 6, 32}});
  data.name = "tiny";
  data.weights.distance = Decimal6{250'000};
  data.connections[0].tensor = TensorShape{4, 6, 16};
  data.terminals = {Terminal{0, "in", Terminal::Kind::input, TensorShape{8, 6, 4}},
                    Terminal{3, "out", Terminal::Kind::output, TensorShape{2, 3, 32}}};
  data.terminal_connections = {TerminalConnection{0, 0, TensorShape{8, 6, 4}},
                               TerminalConnection{1, 1, TensorShape{}}};
  CHECK(write_kgraph(Problem(std::move(data))) ==
        "(*\n"
        "test=tiny\n"
        "width=633\n"
        "height=633\n"
        "wdeltat=1\n"
        "wlength=0.25\n"
        "wadapter=0\n"
        "memlimit=24576\n"
        "*)\n"
        "\n"
        "(* Node Definitions *)\n"
        "input[0] n=[8 6 4] name='in'\n"
        "conv[1] W=6 H=8 R=3 S=2 C=4 K=16 T=2 U=1 name='k1'\n"
        "cblock[2] f=32 h=4 w=6 name='k2'\n"
        "output[3] n=[2 3 32] name='out'\n"
        "\n"
        "(* Connectivity *)\n"
        "input[0]:_ -> conv[1]:x, shape:[8][6][4]\n"
        "conv[1]:y -> cblock[2]:x, shape:[4][6][16]\n"
        "cblock[2]:y -> output[3]:_\n");
}

TEST_CASE("shapes and weights are written where there are any") {
  const ShapesFormal shapes{std::make_shared<const std::vector<ShapeOption>>(
      std::vector<ShapeOption>{{12, 30, 5'000'000'000},
                               {15, 24, 5'100'500'000, 128},
                               {1, 2, 1, 0, Signature{4, 5, 6, 6}}})};
  ProblemData data = test::chain({shapes, shapes});
  data.connections[0].weight = Decimal6{2'500'000};
  data.connections.push_back(Connection{0, 1, TensorShape{1, 2, 3}, Decimal6{0}});
  const std::string text = write_kgraph(Problem(std::move(data)));
  CHECK(
      text.find("shapes[1] options=[12x30:5000 15x24:5100.5:128 1x2:0.000001@4,5,6] name='k1'\n") !=
      std::string::npos);
  CHECK(text.find("\nshapes[1]:y -> shapes[2]:x, weight=2.5\n") != std::string::npos);
  CHECK(text.find("\nshapes[1]:y -> shapes[2]:x, shape:[1][2][3], weight=0\n") !=
        std::string::npos);
}

TEST_CASE("reading what was written gives the same problem") {
  const std::uint64_t seed = 42;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  for (int round = 0; round < 500; ++round) {
    INFO("round ", round);
    const Problem problem = test::random_problem(random);
    const std::string text = write_kgraph(problem);
    INFO(text);
    const Problem again = read_kgraph(text, "written");
    check_same(problem, again);
    CHECK(write_kgraph(again) == text);
  }
}

TEST_CASE("dead tiles are written into the header, and read back") {
  ProblemData data = test::chain({ConvFormal{8, 6, 3, 2, 4, 16, 2, 1}, CblockFormal{4, 6, 32}});
  data.wafer.dead = {{3, 4, 2, 1}, {0, 632, 633, 1}};
  const Problem problem(std::move(data));
  const std::string text = write_kgraph(problem);
  CHECK(text.find("dead=2x1:3:4\ndead=633x1:0:632\n*)") != std::string::npos);
  check_same(read_kgraph(text, "dead.kgraph"), problem);
}

}  // namespace waferloom
