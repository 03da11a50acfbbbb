#include <doctest/doctest.h>

#include <algorithm>

#include "model/placement.h"
#include "tests/support/complaint.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

constexpr std::string_view kExample =
    "k1 = dblock( 56 56 256 4 4 8 8 8 8 64 16 )\n"
    "k2 = cblock( 56 56 512 4 4 8 8 8 8 32 32 8 19 )\n"
    "k3 = dblock( 28 28 512 4 4 8 8 8 8 32 8 )\n"
    "k1 : place(0 148 R0)\n"
    "k2 : place(150 0 R0)\n"
    "k3 : place(0 0 R90)\n";

std::string solution_complaint(std::string_view text) {
  return test::complaint_of([&] { read_solution(text, "s"); });
}

}  // namespace

TEST_CASE("the contest's example is read and written alike") {
  const Solution solution = read_solution(kExample, "s");
  CHECK(to_placement(test::contest_example(), solution) == test::contest_example_placement());
  CHECK(solution.kernels[1].position == TextPosition{2, 1});
  CHECK(solution.places[2].position == TextPosition{6, 1});
  CHECK(write_solution(solution) == kExample);
}

TEST_CASE("a convolution's parameters are H W C K R S T U h w c k") {
  const Solution solution = read_solution("a/b-1 = conv( 1 2 3 4 5 6 7 8 9 10 11 12 )", "s");
  REQUIRE(solution.kernels.size() == 1);
  CHECK(solution.kernels[0].name == "a/b-1");
  CHECK(solution.kernels[0].formal == KernelFormal(ConvFormal{1, 2, 5, 6, 3, 4, 7, 8}));
  CHECK(solution.kernels[0].execution == Execution{9, 10, {11}, {12}});
}

TEST_CASE("places may have an exponent") {
  const Solution solution = read_solution("k1 : place(1.2e1 -3e0 R0)", "s");
  REQUIRE(solution.places.size() == 1);
  CHECK(solution.places[0].x == 12);
  CHECK(solution.places[0].y == -3);
}

TEST_CASE("blanks, comments, include and name lines are tolerated") {
  const std::string text =
      "\xEF\xBB\xBF(* a\n solution *)\r\n"
      "include \"kernels.k\"\r\n"
      "name(example)\n"
      "\tname ( x )\n"
      "k1=conv(1 1 8 8 1 1 1 1 1 1 8 8) // all of it\n"
      "\n"
      "  k1\t:\tplace ( -3  4  R90 ) (* rotated *)";
  const Solution solution = read_solution(text, "s");
  REQUIRE(solution.kernels.size() == 1);
  REQUIRE(solution.places.size() == 1);
  CHECK(solution.kernels[0].position == TextPosition{6, 1});
  CHECK(solution.places[0].x == -3);
  CHECK(solution.places[0].y == 4);
  CHECK(solution.places[0].rotated);
}

TEST_CASE("names and unions, as CometPlacer writes them, are passed over") {
  const std::string text =
      "include \"common.paint\"\n"
      "k05 = conv( 1 1 8 8 1 1 1 1 1 1 8 8 )\n"
      "k05 : name('k05)\n"
      "k05 : place(3 4 R90)\n"
      "k06 : name( \"k06\" )\n"
      "k7:name(k7)\n"
      "kmap = union( k05 k06 k7 )";
  const Solution solution = read_solution(text, "s");
  REQUIRE(solution.kernels.size() == 1);
  REQUIRE(solution.places.size() == 1);
  CHECK(solution.kernels[0].name == "k05");
  CHECK(solution.places[0].x == 3);
  CHECK(read_solution("all = union(a,b, c)\nnone=union()\n", "s").kernels.empty());
  // Where they are kernels' names they are read as such.
  const Solution named = read_solution(
      "union = conv( 1 1 8 8 1 1 1 1 1 1 8 8 )\nunion : place(0 0 R0)\nname : name('name)\n", "s");
  CHECK(named.kernels[0].name == "union");
  CHECK(named.places[0].name == "union");
}

TEST_CASE("what only looks like a name or a union is told with its place") {
  // The column is that of the first character that cannot be.
  CHECK(solution_complaint("k5 : name('k5") == "s:1:14: expected ')', found the end of the line");
  CHECK(solution_complaint("k5 : name('k5) R0") ==
        "s:1:16: expected the end of the line, found 'R0'");
  CHECK(solution_complaint("k5 : name()").substr(0, 27) == "s:1:11: expected a name of ");
  CHECK(solution_complaint("k5 : names('k5)") == "s:1:6: expected place or name, found 'names'");
  CHECK(solution_complaint("kmap = union( k1 k2") ==
        "s:1:20: expected a name of 1 to 200 letters, "
        "digits and _ . - + / # @ [ ], found the end "
        "of the line");
  CHECK(solution_complaint("kmap = union( k1 = )").substr(0, 7) == "s:1:18:");
  CHECK(solution_complaint("kmap = unions( k1 )") ==
        "s:1:8: expected conv, dblock, cblock or shapes, found 'unions'");
  CHECK(solution_complaint("kmap : union( k1 )") == "s:1:8: expected place or name, found 'union'");
}

TEST_CASE("kernels may be called include or name") {
  const Solution solution =
      read_solution("include = conv( 1 1 8 8 1 1 1 1 1 1 8 8 )\nname : place(0 0 R0)\n", "s");
  REQUIRE(solution.kernels.size() == 1);
  CHECK(solution.kernels[0].name == "include");
  CHECK(solution.places[0].name == "name");
}

TEST_CASE("what is of the form but wrong is left to verify") {
  const Solution solution = read_solution(
      "k1 = dblock( 0 -1 5 0 0 0 0 0 0 0 0 )\nk1 = dblock( 1 1 1 1 1 1 1 1 1 1 1 )\n", "s");
  REQUIRE(solution.kernels.size() == 2);
  CHECK(solution.kernels[0].formal == KernelFormal(DblockFormal{0, -1, 5}));
  CHECK(read_solution("", "s").kernels.empty());
}

TEST_CASE("what is not of the form is told with its place") {
  const std::string good(kExample);
  CHECK(solution_complaint(good + "k4 = blob( 1 )") ==
        "s:7:6: expected conv, dblock, cblock or shapes, found 'blob'");
  CHECK(solution_complaint(good + "k4 = dblok( 1 )") ==
        "s:7:6: expected conv, dblock, cblock or shapes, found 'dblok', did you mean 'dblock'?");
  CHECK(solution_complaint(good + "k4 place(0 0 R0)") ==
        "s:7:4: expected = or : behind the name of a kernel, found 'place'");
  CHECK(solution_complaint(good + "k4 : place(0 0 R180)") ==
        "s:7:16: expected R0 or R90, found 'R180'");
  CHECK(solution_complaint(good + "k4 : place(0 0)") == "s:7:15: expected R0 or R90, found ')'");
  CHECK(solution_complaint(good + "k4 : place(0.5 0 R0)").substr(0, 7) == "s:7:12:");
  CHECK(solution_complaint(good + "k4 : place(1000000000001 0 R0)") ==
        "s:7:12: expected x as a whole number from -1000000000000 to 1000000000000, found "
        "'1000000000001'");
  CHECK(solution_complaint(good + "k4 = dblock( 56 56 256 4 4 8 8 8 8 64 )").find("found ')'") !=
        std::string::npos);
  CHECK(solution_complaint(good + "k4 = dblock( 56 56 256 4 4 8 8 8 8 64 16 17 )") ==
        "s:7:42: expected ')', found '17'");
  CHECK(solution_complaint(good + "k4 : place(0 0 R0) k5") ==
        "s:7:20: expected the end of the line, found 'k5'");
  CHECK(solution_complaint(good + "(* open") ==
        "s:7:1: expected *) to close this comment, found the end of the file");
  CHECK(solution_complaint("=\n:\n") ==
        "s:1:1: expected a name of 1 to 200 letters, digits and _ . - + / # @ [ ], found '='");
}

TEST_CASE("every cut of a solution is read or told, never both or neither") {
  const std::string good(kExample);
  for (std::size_t length = 0; length <= good.size(); ++length) {
    INFO("length ", length);
    const std::string cut = good.substr(0, length);
    const bool whole_lines = length == 0 || good[length - 1] == '\n' || good[length - 1] == ')';
    CHECK(solution_complaint(cut).empty() == whole_lines);
  }
}

TEST_CASE("reading what was written gives the same solution") {
  const std::uint64_t seed = 8;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  for (int round = 0; round < 300; ++round) {
    INFO("round ", round);
    const Problem problem = test::random_problem(random);
    const Placement placement = test::random_placement(random, problem);
    const std::string text = write_solution(to_solution(problem, placement));
    const Solution again = read_solution(text, "s");
    CHECK(to_placement(problem, again) == placement);
    for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
      if (is_shape_list(problem.kernel(i))) continue;  // not repeated in solutions
      CHECK(again.kernels[i].formal == problem.kernel(i).formal);
    }
    CHECK(write_solution(again) == text);
  }
}

TEST_CASE("noise is refused in one printable line") {
  const std::uint64_t seed = 3;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  std::string noise(100'000, '\0');
  for (char& c : noise) c = static_cast<char>(random.between(-128, 127));
  const std::string message = solution_complaint(noise);
  CHECK_FALSE(message.empty());
  CHECK(message.size() < 200);
  CHECK(std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; }));
}

}  // namespace waferloom
