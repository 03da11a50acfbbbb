#include "placer/free/infeasible_kernel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

/// What infeasible_kernel says of one kernel that is to stand on a wafer of this side.
std::string reason(const KernelFormal& formal, std::int64_t side, std::int64_t memory_limit) {
  ProblemData data = test::problem_data({formal}, {}, Wafer{side, side});
  data.memory_limit = memory_limit;
  const Problem problem(data);
  const auto found = infeasible_kernel(ShapeLibrary(problem), ClearSpace(problem));
  return found ? found->message : "";
}

bool says(const std::string& message, const std::string& part) {
  INFO(message);
  return message.find(part) != std::string::npos;
}

TEST_CASE("the first kernel that fits nowhere is named") {
  ProblemData data =
      test::problem_data({test::dense(1, 1), test::dense(40, 40)}, test::chain(2), Wafer{10, 10});
  data.memory_limit = 60;  // k2 needs 40/9·40/3 + 40/3 words on 9 × 10 tiles
  const Problem problem(data);
  const auto found = infeasible_kernel(ShapeLibrary(problem), ClearSpace(problem));
  REQUIRE(found.has_value());
  CHECK(found->kernel == "k2");
  CHECK(says(found->message,
             "kernel k2 (conv) does not fit a 10x10 wafer with 60 words a tile; "
             "its smallest shape within the memory is "));
}

TEST_CASE("the nearest miss is a shape, the words of the finest cut, or that all are too large") {
  // dense(2, 2) cut finest is 3 × 6 tiles of 2/2·2/2 + 2/2 words.
  CHECK(reason(test::dense(2, 2), 6, 2).empty());
  CHECK(says(reason(test::dense(2, 2), 5, 2), "its smallest shape within the memory is 6x3"));
  CHECK(says(reason(test::dense(2, 2), 6, 1), "cut finest a tile needs 2 words, on 6x3 tiles"));
  CHECK(says(reason(DblockFormal{4, 4, 3}, 60, 1000), "fewer features than its convolutions"));
  // Cut finest it takes 2 words, but on 3000 × 1'001'000'000 tiles.
  const ConvFormal large{1000, 1000, 1, 1, 1000, 1000, 1, 1};
  CHECK(says(reason(large, 10, 2), "all its shapes within the memory are more than 80 tiles wide"));
  CHECK(says(reason(large, 10, 1), "cut finest a tile needs 2 words"));
}

TEST_CASE("the nearest miss of a list of shapes is one of its options") {
  const auto list = [](const std::vector<ShapeOption>& options) {
    return ShapesFormal{std::make_shared<const std::vector<ShapeOption>>(options)};
  };
  const ShapesFormal formal = list({{8, 3, 1, 500, kNoSignature}, {5, 9, 1, 300, kNoSignature}});
  CHECK(reason(formal, 9, 300).empty());
  CHECK(says(reason(formal, 8, 499), "its smallest shape within the memory is 5x9"));
  CHECK(says(reason(formal, 7, 500), "its smallest shape within the memory is 8x3"));
  CHECK(says(reason(formal, 9, 299), "in its leanest shape a tile needs 300 words, on 5x9 tiles"));
  CHECK(says(reason(list({{900, 3, 1, 5, kNoSignature}}), 9, 300), "more than 72 tiles wide"));
}

TEST_CASE("once stopped, the nearest miss is left out") {
  const Problem problem(test::problem_data({test::dense(4, 4)}, {}, Wafer{3, 1}));
  const ShapeLibrary library(problem);
  std::atomic<bool> raised{true};
  const auto found = infeasible_kernel(library, ClearSpace(problem), RunControl{.stop = &raised});
  REQUIRE(found.has_value());
  CHECK(found->message.find(';') == std::string::npos);
}

}  // namespace
}  // namespace waferloom::placer
