#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <variant>

#include "model/errors.h"
#include "model/problem.h"
#include "tests/support/shared_data.h"

namespace waferloom {
namespace {

constexpr std::string_view kCase =
    "(*\n"
    "test=branch and join\n"
    "width=100\n"
    "height=80\n"
    "wdeltat=1\n"
    "wlength=0.25\n"
    "wadapter=3\n"
    "memlimit=5000\n"
    "*)\n"
    "\n"
    "(* Node Definitions *)\n"
    "input[0] n=[8 6 3] name='in'\n"
    "conv[ 1] W=6 H=8 R=3 S=2 C=3 K=16 T=2 U=1 name='stem'\n"
    "dblock[2] f=16 h=4 w=6\n"
    "cblock[3] f=32 h=4 w=6 name='k3'\n"
    "output[4] n=[ 2 3 32 ]\n"
    "\n"
    "(* Connectivity *)\n"
    "input[0]:_\t->\tconv[ 1]:x, shape:[8][6][3]\n"
    "conv[ 1]:y    -> dblock[2]:x, shape:[4][6][16]\n"
    "conv[ 1]:y -> cblock[3]:x, shape:[4][6][16]\n"
    "dblock[2]:y -> cblock[3]:x\n"
    "cblock[3]:y -> output[4]:_, shape:[2][3][32]\n";

void check_case(const Problem& problem) {
  CHECK(problem.wafer() == Wafer{100, 80});
  CHECK(problem.memory_limit() == 5000);
  CHECK(problem.weights() == Weights{decimal6(1), Decimal6{250'000}, decimal6(3)});
  REQUIRE(problem.kernel_count() == 3);
  CHECK(problem.kernels()[0].id == 1);
  CHECK(problem.kernels()[0].name == "stem");
  CHECK(problem.kernel(0).formal == KernelFormal(ConvFormal{8, 6, 3, 2, 3, 16, 2, 1}));
  CHECK(problem.kernels()[1].name == "k2");  // k + id where the line names none
  CHECK(problem.kernel(1).formal == KernelFormal(DblockFormal{4, 6, 16}));
  CHECK(problem.kernel(2).formal == KernelFormal(CblockFormal{4, 6, 32}));
  REQUIRE(problem.terminals().size() == 2);
  CHECK(problem.terminals()[0] == Terminal{0, "in", Terminal::Kind::input, TensorShape{8, 6, 3}});
  CHECK(problem.terminals()[1] == Terminal{4, "k4", Terminal::Kind::output, TensorShape{2, 3, 32}});
  const std::vector<Connection> connections{Connection{0, 1, TensorShape{4, 6, 16}},
                                            Connection{0, 2, TensorShape{4, 6, 16}},
                                            Connection{1, 2, TensorShape{}}};
  CHECK(problem.connections() == connections);
  const std::vector<TerminalConnection> ends{TerminalConnection{0, 0, TensorShape{8, 6, 3}},
                                             TerminalConnection{1, 2, TensorShape{2, 3, 32}}};
  CHECK(problem.terminal_connections() == ends);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

Problem one_conv(std::string_view before, std::string_view after = "") {
  return read_kgraph(
      std::string(before) + "conv[1] W=4 H=4 R=1 S=1 C=8 K=8 T=1\n" + std::string(after), "f");
}

}  // namespace

TEST_CASE("a case is read whole") {
  const Problem problem = read_kgraph(kCase, "f");
  CHECK(problem.name() == "branch");  // values end at a blank
  check_case(problem);
}

TEST_CASE("line ends, byte order marks and a missing last newline change nothing") {
  const std::string text(kCase);
  check_case(read_kgraph(replaced(text, "\n", "\r\n"), "f"));
  check_case(read_kgraph(replaced(text, "\n", "\r"), "f"));
  check_case(read_kgraph("\xEF\xBB\xBF" + text, "f"));
  check_case(read_kgraph(text.substr(0, text.size() - 1), "f"));
  check_case(read_kgraph(replaced(text, "\n", " \t\n\n"), "f"));
}

TEST_CASE("numbers may have an exponent, and are exact") {
  std::string text(kCase);
  for (const auto& [plain, other] :
       {std::pair{"width=100", "width=1e2"}, std::pair{"wlength=0.25", "wlength=2.5E-1"},
        std::pair{"memlimit=5000", "memlimit=0.5e+4"}, std::pair{"K=16", "K=1.6e1"},
        std::pair{"[8][6][3]", "[80e-1][6][3]"}}) {
    text = replaced(text, plain, other);
  }
  check_case(read_kgraph(text, "f"));
  const Problem shapes = read_kgraph("shapes[1] options=[2x3:5e-1 2x4:1.5e3:7]\n", "f");
  CHECK(std::get<ShapesFormal>(shapes.kernel(0).formal).options->at(0).time_millionths == 500'000);
  CHECK(std::get<ShapesFormal>(shapes.kernel(0).formal).options->at(1).time_millionths ==
        1'500'000'000);
}

TEST_CASE("blanks, tabs and comments are free between tokens") {
  const std::string text(kCase);
  check_case(read_kgraph(replaced(text, "=", " \t= "), "f"));
  check_case(read_kgraph(replaced(text, "->", "  (* to *) ->\t"), "f"));
  check_case(read_kgraph(replaced(text, "[", " [\t"), "f"));
  check_case(read_kgraph(replaced(text, "]:", "] : "), "f"));
  check_case(read_kgraph(replaced(text, ", shape", "(* a comment *) , shape"), "f"));
}

TEST_CASE("nodes may come in any order and after the edges") {
  const std::string text(kCase);
  const std::size_t edges = text.find("(* Connectivity");
  const std::size_t nodes = text.find("(* Node");
  check_case(read_kgraph(
      text.substr(0, nodes) + text.substr(edges) + text.substr(nodes, edges - nodes), "f"));
  const Problem problem = read_kgraph(
      "dblock[7] f=8 h=2 w=2\nconv[3] U=2 T=1 K=8 C=8 S=1 R=1 H=2 W=2\n"
      "conv[3]:y -> dblock[7]:x\n",
      "f");
  CHECK(problem.kernels()[0].id == 7);
  CHECK(problem.kernel(1).formal == KernelFormal(ConvFormal{2, 2, 1, 1, 8, 8, 1, 2}));
  CHECK(problem.connections()[0] == Connection{1, 0, TensorShape{}});
}

TEST_CASE("U is T where the line names none") {
  const Problem problem = read_kgraph("conv[1] W=4 H=4 R=1 S=1 C=8 K=8 T=2", "f");
  CHECK(problem.kernel(0).formal == KernelFormal(ConvFormal{4, 4, 1, 1, 8, 8, 2, 2}));
}

TEST_CASE("of several names the last one counts") {
  const Problem problem = read_kgraph(
      "input[0] n=[1 1 8] name='x' name='k0'\nconv[1] name='a' W=4 H=4 R=1 S=1 C=8 K=8 T=1 "
      "name='b'",
      "f");
  CHECK(problem.terminals()[0].name == "k0");
  CHECK(problem.kernels()[0].name == "b");
}

TEST_CASE("parallel edges and cycles are kept") {
  const std::string two =
      "conv[1] W=4 H=4 R=1 S=1 C=8 K=8 T=1\nconv[2] W=4 H=4 R=1 S=1 C=8 K=8 T=1\n";
  const Problem problem = read_kgraph(two +
                                          "conv[1]:y -> conv[2]:x\nconv[1]:y -> conv[2]:x\n"
                                          "conv[2]:y -> conv[1]:x\n",
                                      "f");
  CHECK(problem.connections().size() == 3);
  CHECK(topological_order(problem).empty());
}

TEST_CASE("a header that is not there takes the defaults") {
  const Problem problem = one_conv("");
  const ProblemData defaults;
  CHECK(problem.name().empty());
  CHECK(problem.wafer() == defaults.wafer);
  CHECK(problem.memory_limit() == defaults.memory_limit);
  CHECK(problem.weights() == defaults.weights);
}

TEST_CASE("the header is every key=value in the comments before the first node") {
  CHECK(one_conv("(* width=7 height = 9, colour=red *)\n").wafer() == Wafer{7, 9});
  CHECK(one_conv("(* width=7 *)\n(* prose about width. height=9 *)\n").wafer() == Wafer{7, 9});
  CHECK(one_conv("(* width=7 *) (* height=9 *) ").wafer() == Wafer{7, 9});
  CHECK(one_conv("(* test='two words' *)\n").name() == "two words");
  CHECK(one_conv("(* width=7 *)\n", "(* width=8 *)\n").wafer().width == 7);
  CHECK(one_conv("(* wlength=0.000001 wadapter=0 wdeltat=0.5 *)\n").weights() ==
        Weights{Decimal6{500'000}, Decimal6{1}, Decimal6{0}});
}

TEST_CASE("[shared] the 20 cases of the contest are read with their kernel counts and weights") {
  if (!test::have_shared("the 20 cases", "ispd2020/A.kgraph")) return;
  std::ifstream table(test::shared_folder() / "published" / "ispd2020_table1.json");
  REQUIRE(table.good());
  const auto published = nlohmann::json::parse(table);
  REQUIRE(published.at("cases").size() == 20);
  for (const auto& row : published.at("cases")) {
    const std::string name = row.at("case");
    INFO("case ", name);
    std::ifstream file(test::shared_folder() / "ispd2020" / (name + ".kgraph"));
    REQUIRE(file.good());
    std::stringstream text;
    text << file.rdbuf();
    const Problem problem = read_kgraph(text.str(), name);
    CHECK(problem.kernel_count() == row.at("kernels").get<std::size_t>());
    CHECK(problem.wafer() == Wafer{633, 633});
    CHECK(problem.memory_limit() == 24'576);
    const auto& weights = row.at("weights");
    const auto weight = [&weights](const char* key) {
      return decimal6(weights.at(key).get<std::int64_t>());
    };
    CHECK(problem.weights() == Weights{weight("time"), weight("distance"), weight("adapter")});
    CHECK(topological_order(problem).size() == problem.kernel_count());
    CHECK(problem.terminals().size() >= 2);
    CHECK_FALSE(problem.name().empty());
  }
}

}  // namespace waferloom
