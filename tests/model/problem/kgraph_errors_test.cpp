#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "model/errors.h"
#include "model/problem.h"
#include "tests/kernels/random_kernels.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

/// What read_kgraph says of a text; empty if it accepts it.
std::string kgraph_complaint(std::string_view text) {
  return test::complaint_of([&] { read_kgraph(text, "f"); });
}

constexpr std::string_view kConv = "conv[1] W=4 H=4 R=1 S=1 C=8 K=8 T=1\n";
constexpr std::string_view kDblock = "dblock[2] f=8 h=4 w=4\n";

std::string with_nodes(std::string_view rest) {
  return std::string(kConv) + std::string(kDblock) + std::string(rest);
}

/// What read_kgraph doubts in the header of a text that it accepts.
std::vector<std::string> doubts(const std::string& header) {
  std::vector<InputProblem> found;
  read_kgraph("(* " + header + " *)\n" + std::string(kConv), "f", &found);
  std::vector<std::string> texts;
  for (const InputProblem& doubt : found) texts.push_back(InputError("f", {doubt}).what());
  return texts;
}

bool printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
}

}  // namespace

TEST_CASE("an empty graph is refused") {
  CHECK(kgraph_complaint("") ==
        "f: expected at least one kernel (conv, dblock, cblock or shapes), found none");
  CHECK(kgraph_complaint("(* width=5 *)\n") ==
        "f: expected at least one kernel (conv, dblock, cblock or shapes), found none");
  CHECK(kgraph_complaint("input[0] n=[1 1 1]\n") ==
        "f: expected at least one kernel (conv, dblock, cblock or shapes), found none");
}

TEST_CASE("words of the header that look like a key are doubted") {
  CHECK(doubts("wlenght=5") ==
        std::vector<std::string>{"f:1:4: unknown header key 'wlenght', did you mean 'wlength'?"});
  CHECK(doubts("width=5 widht = 100\n height=5 WLENGTH=2").size() == 2);
  CHECK(doubts("test='widht=3' width=5 nodes=7 date=2020 x=1 wlenght 5").empty());
}

TEST_CASE("at most twenty words of the header are doubted") {
  std::string header;
  for (int i = 0; i < 30; ++i) header += "\nwlenght=5";
  CHECK(doubts(header).size() == 20);
}

TEST_CASE("unknown node types are told with a guess") {
  CHECK(kgraph_complaint(with_nodes("  covn[3] W=4\n")) ==
        "f:3:3: expected a node (input, output, conv, cblock, dblock or shapes), found 'covn', did "
        "you "
        "mean 'conv'?");
  CHECK(kgraph_complaint(with_nodes("pool[3]\n")) ==
        "f:3:1: expected a node (input, output, conv, cblock, dblock or shapes), found 'pool'");
  CHECK(kgraph_complaint(with_nodes("CONV[3]\n")).find("did you mean 'conv'?") !=
        std::string::npos);
  CHECK(kgraph_complaint(with_nodes("conv[1]:y -> dblokc[2]:x\n")) ==
        "f:3:14: expected a node (input, output, conv, cblock, dblock or shapes), found 'dblokc', "
        "did you "
        "mean 'dblock'?");
}

TEST_CASE("unknown, doubled and missing attributes are told") {
  CHECK(kgraph_complaint("dblock[2] f=8 h=4 W=4\n") ==
        "f:1:19: expected f, h, w, name or the end of the line for dblock, found 'W', did you mean "
        "'w'?");
  CHECK(kgraph_complaint("dblock[2] f=8 h=4 w=4 h=5\n") == "f:1:23: expected h once, found 'h'");
  CHECK(kgraph_complaint("dblock[2] f=8 h=4\n") ==
        "f:1:18: expected w=, found the end of the line");
  CHECK(kgraph_complaint("conv[1] W=4 H=4 R=1 S=1 C=8 K=8\n") ==
        "f:1:32: expected T=, found the end of the line");
  CHECK(kgraph_complaint("input[1] name='a'\n") ==
        "f:1:18: expected n=, found the end of the line");
  CHECK(kgraph_complaint("dblock[2] f 8\n") == "f:1:13: expected '=', found '8'");
  CHECK(kgraph_complaint("dblock[2] f=8 h=4 w=4 ;\n") ==
        "f:1:23: expected f, h, w, name or the end of the line for dblock, found ';'");
}

TEST_CASE("numbers must be whole, positive and not too large") {
  const auto with_f = [](const std::string& f) {
    return kgraph_complaint("dblock[2] f=" + f + " h=4 w=4\n");
  };
  const std::string expected = "f:1:13: expected f as a whole number from 1 to 262144, found ";
  for (const char* f :
       {"0", "-8", "262145", "99999999999999999999999", "8.5", "1e6", "85e-1", "1e", "x", "0x8"}) {
    CHECK(with_f(f) == expected + "'" + f + "'");
  }
  CHECK(with_f("262144").empty());
  CHECK(with_f("1e3").empty());
  CHECK(with_f("") == "f:1:14: expected f as a whole number from 1 to 262144, found 'h'");
  CHECK(kgraph_complaint("dblock[-2] f=8 h=4 w=4\n") ==
        "f:1:8: expected an id as a whole number from 0 to 1000000000000, found '-2'");
  CHECK(kgraph_complaint("input[1] n=[4 0 1]\n") ==
        "f:1:15: expected a size as a whole number from 1 to 262144, found '0'");
  CHECK(kgraph_complaint(with_nodes("conv[1]:y -> dblock[2]:x, shape:[4][4][0]\n")) ==
        "f:3:40: expected a tensor size as a whole number from 1 to 262144, found '0'");
}

TEST_CASE("wrong weights of edges are told where they stand") {
  const auto edge = [](const std::string& rest) {
    return kgraph_complaint(with_nodes("conv[1]:y -> dblock[2]:x" + rest + "\n"));
  };
  CHECK(edge(", weight=2.5").empty());
  CHECK(edge(", shape:[4][4][8], weight=0").empty());
  CHECK(edge(", weight=1000000.1") ==
        "f:3:34: expected weight as a decimal from 0 to 1000000 of at most six places, found "
        "'1000000.1'");
  CHECK(edge(", weight=-1").find("f:3:34: expected weight") == 0);
  CHECK(edge(", weight=1e3").empty());
  CHECK(edge(", weight=1e7").find("f:3:34: expected weight") == 0);
  CHECK(edge(", weight=1e-7").find("f:3:34: expected weight") == 0);
  CHECK(edge(", weight=1e") == "f:3:35: expected the end of the line, found 'e'");
  CHECK(edge(", weight 3") == "f:3:34: expected '=', found '3'");
  CHECK(edge(", shape:[4][4][8] weight=2") ==
        "f:3:43: expected the end of the line, found 'weight'");
  CHECK(edge(", weight=2, shape:[4][4][8]") == "f:3:35: expected the end of the line, found ','");
  CHECK(kgraph_complaint(with_nodes("input[5] n=[1 1 1]\ninput[5]:_ -> conv[1]:x, weight=2\n")) ==
        "f:4:26: expected no weight on an edge of an input or an output, found one");
}

TEST_CASE("wrong options of shapes are told where they stand") {
  const auto options = [](const std::string& list) {
    return kgraph_complaint("shapes[7] options=" + list + "\n");
  };
  CHECK(options("[12x30:5000 15 x 24 : 5100.5 : 128 @ 4, 4,8]").empty());
  CHECK(options("[]") ==
        "f:1:21: expected at least one option in options=[], found the end of "
        "the line");
  CHECK(options("[12x30]") == "f:1:25: expected ':', found ']'");
  CHECK(options("[0x30:1]") ==
        "f:1:20: expected a width as a whole number from 1 to 262144, found '0x30'");
  CHECK(options("[12*30:1]") == "f:1:22: expected 'x', found '*'");
  CHECK(options("[12x30:0]") == "f:1:26: expected a time above 0, found '0'");
  CHECK(options("[12x30:1.0000001]").find("f:1:26: expected a time as a decimal") == 0);
  CHECK(options("[12x30:1:x]").find("f:1:28: expected words of memory") == 0);
  CHECK(options("[12x30:1@1,2]") == "f:1:31: expected ',', found ']'");
  CHECK(options("[12x30:1").find("f:1:27: expected a width") == 0);
  CHECK(options("12x30:1") == "f:1:19: expected '[', found '12x30'");
  CHECK(kgraph_complaint("shapes[7] name='a'\n") ==
        "f:1:19: expected options=, found the end of the line");
  CHECK(kgraph_complaint("shapes[7] option=[1x1:1]\n") ==
        "f:1:11: expected options, name or the end of the line for shapes, found 'option', did you "
        "mean 'options'?");
}

TEST_CASE("kernels whose work overflows are told with their line") {
  CHECK(kgraph_complaint("dblock[2] f=8 h=4 w=4\n"
                         "conv[1] W=262144 H=262144 R=99 S=99 C=262144 K=8 T=1\n") ==
        "f:2:1: expected a kernel of less than 2^62 steps, found 'k1' with more");
}

TEST_CASE("header values are checked where they stand") {
  const auto header = [](const std::string& text) {
    return kgraph_complaint("(*\n" + text + "\n*)\n" + std::string(kConv));
  };
  CHECK(header("width=0") == "f:2:7: expected width as a whole number from 1 to 32000, found '0'");
  CHECK(header("height=32001") ==
        "f:2:8: expected height as a whole number from 1 to 32000, found '32001'");
  CHECK(header("memlimit=many") ==
        "f:2:10: expected memlimit as a whole number from 1 to 1000000000000, found 'many'");
  CHECK(header("wlength=-1") ==
        "f:2:9: expected wlength as a decimal from 0 to 9000000000 of at most six places, found "
        "'-1'");
  CHECK(header("  wadapter = 0.1234567").substr(0, 8) == "f:2:14: ");
  CHECK(header("wdeltat=1e3 width=2e2").empty());
  CHECK(header("wdeltat=1e10").find("found '1e10'") != std::string::npos);
  CHECK(header("wdeltat=") ==
        "f:2:9: expected wdeltat as a decimal from 0 to 9000000000 of at most six places, found "
        "the end of the line");
  CHECK(header("test=caf\xC3\xA9").substr(0, 6) == "f:2:6:");
  CHECK(kgraph_complaint("(* width=0 *) " + std::string(kConv)).substr(0, 7) == "f:1:10:");
  CHECK(kgraph_complaint("\xEF\xBB\xBF(* width=0 *) " + std::string(kConv)).substr(0, 7) ==
        "f:1:10:");
}

TEST_CASE("ids and names are unique among all nodes") {
  CHECK(kgraph_complaint(with_nodes("cblock[1] f=8 h=4 w=4\n")) ==
        "f:3:1: expected an id of its own, found [1] as in line 1");
  CHECK(kgraph_complaint(with_nodes("input[2] n=[1 1 1]\n")) ==
        "f:3:1: expected an id of its own, found [2] as in line 2");
  CHECK(kgraph_complaint(with_nodes("cblock[3] f=8 h=4 w=4 name='k1'\n")) ==
        "f:3:1: expected a name of its own, found 'k1' a second time");
  CHECK(kgraph_complaint(with_nodes("cblock[3] f=8 h=4 w=4 name='a b'\n")) ==
        "f:3:31: expected a single quote, found 'b'");
  CHECK(kgraph_complaint(with_nodes("cblock[3] f=8 h=4 w=4 name=''\n")) ==
        "f:3:29: expected a name of 1 to 200 letters, digits and _ . - + / # @ [ ], found '''");
}

TEST_CASE("edges must join nodes of the file") {
  CHECK(kgraph_complaint(with_nodes("conv[1]:y -> dblock[9]:x\n")) ==
        "f:3:14: expected a node of this file, found 'dblock[9]', which has no line of its own");
  CHECK(kgraph_complaint(with_nodes("conv[1]:y -> cblock[2]:x\n")) ==
        "f:3:14: expected 'dblock[2]' as in line 2, found 'cblock[2]'");
  CHECK(kgraph_complaint(with_nodes("conv[1]:y -> conv[1]:x\n")) ==
        "f:3:1: expected an edge between two kernels, found one from 'k1' to itself");
  const std::string ends = "input[3] n=[1 1 1]\noutput[4] n=[1 1 1]\n";
  CHECK(kgraph_complaint(with_nodes(ends + "input[3]:_ -> output[4]:_\n")) ==
        "f:5:1: expected a kernel at one end of the edge, found an input and an output");
  CHECK(kgraph_complaint(with_nodes(ends + "output[4]:_ -> conv[1]:x\n")) ==
        "f:5:1: expected a kernel or an input here, found 'output[4]'");
  CHECK(kgraph_complaint(with_nodes(ends + "conv[1]:y -> input[3]:_\n")) ==
        "f:5:14: expected a kernel or an output here, found 'input[3]'");
}

TEST_CASE("truncated lines are told where they end") {
  const std::string edge = "conv[1]:y -> dblock[2]:x, shape:[4][4][8]";
  REQUIRE(kgraph_complaint(with_nodes(edge)).empty());
  for (std::size_t length = 1; length < edge.size(); ++length) {
    const std::string cut = edge.substr(0, length);
    if (cut == "conv[1]:y -> dblock[2]:x") continue;  // an edge without shape
    INFO("cut ", cut);
    const std::string message = kgraph_complaint(with_nodes(cut));
    REQUIRE(message.substr(0, 4) == "f:3:");
    CHECK(std::stoul(message.substr(4)) <= length + 1);
  }
  CHECK(kgraph_complaint("(*\nwidth=5\n" + std::string(kConv)) ==
        "f:1:1: expected *) to close this comment, found the end of the file");
}

TEST_CASE("all bad lines are told, at most twenty") {
  CHECK(kgraph_complaint("(* width=0 *)\ndblock[2] f=0 h=4 w=4\n" + std::string(kConv) +
                         "pool[3]\n") ==
        "f:2:13: expected f as a whole number from 1 to 262144, found '0'\n"
        "f:4:1: expected a node (input, output, conv, cblock, dblock or shapes), found 'pool'\n"
        "f:1:10: expected width as a whole number from 1 to 32000, found '0'");
  std::string many(kConv);
  for (int i = 0; i < 100; ++i) many += "pool[3]\n";
  const std::string message = kgraph_complaint(many);
  CHECK(std::count(message.begin(), message.end(), '\n') == 19);
  std::string dangling(kConv);
  for (int i = 0; i < 100; ++i) dangling += "conv[1]:y -> conv[7]:x\n";
  const std::string dangling_message = kgraph_complaint(dangling);
  CHECK(std::count(dangling_message.begin(), dangling_message.end(), '\n') == 19);
}

TEST_CASE("some other file is told in one line") {
  CHECK(kgraph_complaint("#include <vector>\nint main() {}\n") ==
        "f:1:1: expected a node (input, output, conv, cblock, dblock or shapes), found '#'");
  CHECK(kgraph_complaint("{\n  \"nodes\": []\n}\n") ==
        "f:1:1: expected a node (input, output, conv, cblock, dblock or shapes), found '{'");
}

TEST_CASE("ten megabytes of noise give one short printable message") {
  const std::uint64_t seed = 10;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  std::string block(100'000, ' ');
  for (const bool letters : {false, true}) {
    for (char& c : block) {
      c = static_cast<char>(letters ? random.between(33, 126) : random.between(-128, 127));
    }
    std::string noise;
    for (int i = 0; i < 100; ++i) noise += block;
    const std::string message = kgraph_complaint(noise);
    CHECK(message.substr(0, 2) == "f:");
    CHECK(message.size() < 200);
    CHECK(printable(message));
    CHECK(std::count(message.begin(), message.end(), '\n') == 0);
  }
}

TEST_CASE("messages stay printable and texts are never overread when bytes are changed") {
  const std::uint64_t seed = 12;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  const std::string good =
      "(* width=50 height=40 *)\n" + with_nodes(
                                         "input[3] n=[4 4 8] name='in'\n"
                                         "input[3]:_ -> conv[1]:x, shape:[4][4][8]\n"
                                         "conv[1]:y -> dblock[2]:x, shape:[4][4][8]\n");
  REQUIRE(kgraph_complaint(good).empty());
  int refused = 0;
  for (int round = 0; round < 5'000; ++round) {
    INFO("round ", round);
    std::string text = good;
    const auto at = [&] {
      return static_cast<std::size_t>(random.between(0, std::ssize(text) - 1));
    };
    for (std::int64_t i = random.between(1, 3); i > 0; --i) {
      switch (random.between(0, 2)) {
        case 0:
          text[at()] = static_cast<char>(random.between(-128, 127));
          break;
        case 1:
          text.erase(at(), 1);
          break;
        default:
          text[at()] = text[at()];
      }
    }
    const std::string message = kgraph_complaint(text);
    CHECK(printable(message));
    refused += int{!message.empty()};
  }
  CHECK(refused > 2'500);
}

}  // namespace waferloom
