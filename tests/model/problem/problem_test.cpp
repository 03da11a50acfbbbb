#include "model/problem.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "model/errors.h"
#include "tests/support/complaint.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

/// What Problem says of a sound chain of two kernels with a terminal, changed by `spoil`.
std::string problem_complaint(const std::function<void(ProblemData&)>& spoil) {
  ProblemData data = test::chain({test::kPixel, test::kPixel});
  data.terminals.push_back(Terminal{9, "in", Terminal::Kind::input, TensorShape{1, 1, 8}});
  data.terminal_connections.push_back(TerminalConnection{0, 0, TensorShape{}});
  spoil(data);
  return test::complaint_of<RequestError>([&] { const Problem problem(std::move(data)); });
}

}  // namespace

TEST_CASE("a sound problem is accepted") {
  CHECK(problem_complaint([](ProblemData&) {}).empty());
  CHECK(problem_complaint([](ProblemData& d) { d.wafer = Wafer{1, kMaxWaferSide}; }).empty());
  CHECK(problem_complaint([](ProblemData& d) { d.weights.time = kMaxWeight; }).empty());
}

TEST_CASE("every broken invariant is told") {
  CHECK(problem_complaint([](ProblemData& d) {
          d.kernels.clear();
          d.connections.clear();
          d.terminal_connections.clear();
        }) == "expected at least one kernel (conv, dblock, cblock or shapes), found none");
  CHECK(problem_complaint([](ProblemData& d) { d.wafer.width = 0; }) ==
        "expected a wafer side from 1 to 32000, found 0");
  CHECK(problem_complaint([](ProblemData& d) { d.wafer.height = 32'001; }) ==
        "expected a wafer side from 1 to 32000, found 32001");
  CHECK(problem_complaint([](ProblemData& d) { d.memory_limit = 0; }) ==
        "expected a memory limit from 1 to 1000000000000, found 0");
  for (const int replicas : {0, 3}) {
    CHECK(problem_complaint([&](ProblemData& d) { d.replicas = replicas; }) ==
          "expected from 1 replica to as many as kernels, 2, found " + std::to_string(replicas));
  }
  CHECK(problem_complaint([](ProblemData& d) { d.weights.adapter = Decimal6{-1}; }) ==
        "expected a weight from 0 to 9000000000, found -1 millionths");
  CHECK(problem_complaint([](ProblemData& d) { d.kernels[1].name = "k1"; }) ==
        "expected a name of its own, found 'k1' a second time");
  CHECK(problem_complaint([](ProblemData& d) { d.terminals[0].name = "k2"; }) ==
        "expected a name of its own, found 'k2' a second time");
  CHECK(problem_complaint([](ProblemData& d) { d.kernels[1].id = 1; }) ==
        "expected an id of its own, found 1 a second time");
  CHECK(problem_complaint([](ProblemData& d) { d.terminals[0].id = 2; }) ==
        "expected an id of its own, found 2 a second time");
  CHECK(problem_complaint([](ProblemData& d) { d.kernels[0].id = -1; }) ==
        "expected an id from 0 to 1000000000000, found -1");
  CHECK(problem_complaint([](ProblemData& d) { d.connections[0].consumer = 0; }) ==
        "expected an edge between two kernels, found one from 'k1' to itself");
  CHECK(problem_complaint([](ProblemData& d) { d.connections[0].consumer = 2; }) ==
        "expected an edge between kernels, found none such");
  CHECK(problem_complaint([](ProblemData& d) { d.terminal_connections[0].terminal = 1; }) ==
        "expected an edge between a terminal and a kernel, found none such");
  CHECK(problem_complaint([](ProblemData& d) { d.connections[0].tensor.width = 3; }) ==
        "expected tensor sizes from 1 to 262144, found another");
  CHECK(problem_complaint([](ProblemData& d) { d.terminals[0].shape.channels = 0; }) ==
        "expected sizes from 1 to 262144, found another");
}

TEST_CASE("parameters are checked before they are multiplied") {
  for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-5}, kMaxParameter + 1,
                                   std::int64_t{9'000'000'000'000'000}}) {
    INFO("value ", wrong);
    CHECK(problem_complaint([wrong](ProblemData& d) {
            d.kernels[0].kernel.formal = ConvFormal{1, 1, 1, 1, wrong, 1, 1, 1};
          }) == "expected a parameter from 1 to 262144, found " + std::to_string(wrong));
    CHECK_FALSE(problem_complaint([wrong](ProblemData& d) {
                  d.kernels[0].kernel.formal = DblockFormal{1, wrong, 8};
                }).empty());
    CHECK_FALSE(problem_complaint([wrong](ProblemData& d) {
                  d.kernels[0].kernel.formal = CblockFormal{1, 1, wrong};
                }).empty());
  }
}

TEST_CASE("names that no solution could hold are refused") {
  for (const char* name : {"", "a b", "a=b", "a:b", "a(b", "a'b", "a//b", "caf\xC3\xA9", "a\n"}) {
    INFO("name ", std::string(name));
    CHECK_FALSE(problem_complaint([name](ProblemData& d) { d.kernels[0].name = name; }).empty());
  }
  CHECK(problem_complaint([](ProblemData& d) {
          d.kernels[0].name = "/layer.1/conv_2-a[0]";
        }).empty());
  CHECK(problem_complaint([](ProblemData& d) { d.kernels[0].name.assign(200, 'a'); }).empty());
  CHECK_FALSE(
      problem_complaint([](ProblemData& d) { d.kernels[0].name.assign(201, 'a'); }).empty());
  CHECK_FALSE(problem_complaint([](ProblemData& d) { d.name = "it's"; }).empty());
  CHECK_FALSE(problem_complaint([](ProblemData& d) { d.name = "a*)"; }).empty());
}

TEST_CASE("times below 2^62 steps are accepted, larger ones not") {
  const auto with_steps = [](std::int64_t field) {
    return problem_complaint([field](ProblemData& d) {
      d.weights.time = Decimal6{0};
      // 2^17 · 2^18 · 2^18 · field
      d.kernels[0].kernel.formal =
          ConvFormal{131'072, kMaxParameter, field, 1, 1, kMaxParameter, 1, 1};
    });
  };
  CHECK(with_steps(511).empty());
  CHECK(with_steps(512) == "expected a kernel of less than 2^62 steps, found 'k1' with more");
}

TEST_CASE("weights under which the total could overflow are refused") {
  const auto with_weight = [](Decimal6 weight) {
    return problem_complaint([weight](ProblemData& d) {
      d.weights.time = weight;
      // Below 2^62 steps in units of 1/q with q = 2^17: a total of up to 2^62 · 9·10^15.
      d.kernels[0].kernel.formal = ConvFormal{262'143, 1, 1, 1, 131'071, 1, 1, 131'072};
    });
  };
  CHECK(with_weight(decimal6(1)).empty());
  const auto distant = [](std::int64_t strides) {
    return problem_complaint([strides](ProblemData& d) {
      d.weights.distance = kMaxWeight;
      d.wafer = Wafer{kMaxWaferSide, kMaxWaferSide};
      d.connections.assign(100'000, Connection{0, 1, {}});
      d.kernels[0].kernel.formal = ConvFormal{1, 1, 1, 1, 1, 1, strides, strides};
    });
  };
  CHECK(distant(1).empty());
  CHECK(distant(262'144) ==
        "expected weights under which the largest cost stays below 2^120 units, found larger ones");
}

TEST_CASE("weights of edges are from 0 to their cap, their sum below 2^62") {
  const auto with_weight = [](std::int64_t millionths, std::size_t edges) {
    return problem_complaint([&](ProblemData& d) {
      d.connections.assign(edges, Connection{0, 1, {}, Decimal6{millionths}});
    });
  };
  CHECK(with_weight(0, 3).empty());
  CHECK(with_weight(kMaxEdgeWeight.millionths, 3).empty());
  CHECK(with_weight(kMaxEdgeWeight.millionths + 1, 1) ==
        "expected a weight from 0 to 1000000, found 1000000000001 millionths");
  CHECK_FALSE(with_weight(-1, 1).empty());
  // 10^12 − 1 units of 2·(633 + 633) half tiles: 1821 edges reach 2^62.
  CHECK(with_weight(999'999'999'999, 1821).empty());
  CHECK(with_weight(999'999'999'999, 1822).find("below 2^62 units") != std::string::npos);
}

TEST_CASE("dead rectangles lie on the wafer") {
  const auto with_dead = [](const Rectangle& dead) {
    return problem_complaint([&](ProblemData& d) { d.wafer = Wafer{10, 8, {dead, dead}}; });
  };
  CHECK(with_dead({0, 0, 10, 8}).empty());
  CHECK(with_dead({9, 7, 1, 1}).empty());
  for (const Rectangle& wrong :
       {Rectangle{-1, 0, 2, 2}, Rectangle{0, 0, 11, 1}, Rectangle{9, 7, 1, 2},
        Rectangle{0, 0, 0, 1}, Rectangle{10, 0, 1, 1}, Rectangle{1, 1, INT64_MAX, 1}}) {
    CHECK(with_dead(wrong) == "expected a dead rectangle on the wafer, found another");
  }
}

TEST_CASE("lists of shapes are within their ranges") {
  const auto with_option = [](const ShapeOption& option) {
    return problem_complaint([&](ProblemData& d) {
      d.kernels[0].kernel.formal =
          ShapesFormal{std::make_shared<const std::vector<ShapeOption>>(1, option)};
    });
  };
  CHECK(with_option(ShapeOption{1, 1, 1}).empty());
  CHECK(with_option(ShapeOption{kMaxParameter, kMaxParameter, 1, kMaxOptionMemory}).empty());
  for (const ShapeOption& wrong :
       {ShapeOption{0, 1, 1}, ShapeOption{1, kMaxParameter + 1, 1}, ShapeOption{1, 1, 0},
        ShapeOption{1, 1, kMaxOptionTime + 1}, ShapeOption{1, 1, 1, -1},
        ShapeOption{1, 1, 1, 0, Signature{1, 0, 1, 1}}}) {
    CHECK(with_option(wrong) ==
          "expected sizes, time, memory and signature within their ranges, found others in option "
          "1");
  }
  CHECK(problem_complaint([](ProblemData& d) { d.kernels[0].kernel.formal = ShapesFormal{}; }) ==
        "expected 1 to 100000 shapes, found 0");
}

TEST_CASE("constraints are of the problem's kernels") {
  const auto with_fixed = [](const FixedKernel& fixed) {
    return problem_complaint([&](ProblemData& d) { d.constraints.fixed.push_back(fixed); });
  };
  CHECK(with_fixed({0, 632, 632, true, Execution{1, 1, {8}, {8}}}).empty());
  CHECK_FALSE(with_fixed({7, 0, 0, false, {}}).empty());
  CHECK_FALSE(with_fixed({0, 633, 0, false, {}}).empty());
  CHECK_FALSE(with_fixed({0, 0, -1, false, {}}).empty());
  CHECK_FALSE(with_fixed({0, 0, 0, false, Execution{1, 1, {9}, {8}}}).empty());
  CHECK(problem_complaint([](ProblemData& d) {
          d.constraints.fixed = {FixedKernel{1, 0, 0, false, {}}, FixedKernel{1, 5, 5, false, {}}};
        }) == "expected a kernel that is fixed once, found 'k2' again");
  const auto with_region = [](const Region& region) {
    return problem_complaint([&](ProblemData& d) { d.constraints.regions.push_back(region); });
  };
  const Rectangle area{-5, 0, 20, 20};
  CHECK(with_region({{0, 1}, area, RegionRule::prefer, kMaxPreference}).empty());
  CHECK_FALSE(with_region({{1, 0}, area, RegionRule::inside, {}}).empty());
  CHECK_FALSE(with_region({{0, 9}, area, RegionRule::inside, {}}).empty());
  CHECK_FALSE(with_region({{0}, {0, 0, 0, 5}, RegionRule::inside, {}}).empty());
  CHECK_FALSE(with_region({{0}, {40'000, 0, 5, 5}, RegionRule::inside, {}}).empty());
  CHECK_FALSE(with_region({{0}, area, RegionRule::prefer, Decimal6{-1}}).empty());
}

TEST_CASE("the time denominator is common to all kernels") {
  ProblemData data =
      test::problem_data({ConvFormal{1, 1, 1, 1, 1, 1, 2, 3}, ConvFormal{1, 1, 1, 1, 1, 1, 1, 4},
                          CblockFormal{4, 4, 8}});
  CHECK(Problem(std::move(data)).time_denominator() == 12);
  CHECK(Problem(test::chain({test::kPixel})).time_denominator() == 1);
}

TEST_CASE("strides without a common multiple below 2^62 are refused") {
  CHECK(problem_complaint([](ProblemData& d) {
          d.kernels[0].kernel.formal = ConvFormal{1, 1, 1, 1, 1, 1, 262'139, 262'133};
          d.kernels[1].kernel.formal = ConvFormal{1, 1, 1, 1, 1, 1, 262'127, 262'121};
        }).find("common multiple") != std::string::npos);
}

TEST_CASE("kernels always agree with their formal parameters") {
  ProblemData data = test::chain({test::kPixel});
  data.kernels[0].kernel.width = 77;
  CHECK(Problem(std::move(data)).kernel(0).width == 1);
}

}  // namespace waferloom
