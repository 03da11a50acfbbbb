#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "model/describe.h"
#include "model/report.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using test::close_to;

const std::vector<NamedBound> kBounds{{"compute", "stage a", 3e-6},
                                      {"io", "port host 0", 4e-6},
                                      {"link", "link east of tile (1, 2)", 3e-6},
                                      {"dram", "port dram 1", 0},
                                      {"link", "no link", std::numeric_limits<double>::infinity()}};

TEST_CASE("the slowest bound binds, and the next is the first of equals") {
  const auto found = bottleneck_of(kBounds, "a sample");
  REQUIRE(found);
  CHECK(found->binds == kBounds[1]);
  REQUIRE(found->next);
  CHECK(*found->next == kBounds[0]);
  CHECK(found->next_percent() == close_to(25));
  CHECK(bottleneck_text(*found) ==
        "io: port host 0, 4 us a sample; next compute: stage a, 3 us, 25 % less");
}

TEST_CASE("the next bound is of another kind: what is alike is mended together") {
  const NamedBound other{"io", "port host 1", 3.9e-6};
  CHECK(bottleneck_of({kBounds[1], other, kBounds[0]}, "a sample")->next == kBounds[0]);
  CHECK(bottleneck_of({other, kBounds[1]}, "a sample")->next == other);
}

TEST_CASE("bounds of no time, or of endless, bind nothing") {
  CHECK_FALSE(bottleneck_of({}, "a sample"));
  CHECK_FALSE(bottleneck_of({kBounds[3], kBounds[4]}, "a sample"));
  const auto alone = bottleneck_of({kBounds[3], kBounds[0]}, "a token");
  REQUIRE(alone);
  CHECK_FALSE(alone->next);
  CHECK(alone->next_percent() == 100);
  CHECK(bottleneck_text(*alone) == "compute: stage a, 3 us a token");
  CHECK(described_report(*alone).json()["next"].is_null());
}

TEST_CASE("a port that is held to its link and that link are one bound") {
  const NamedBound port{"io", "port host 0", 4e-6};
  const NamedBound link{"link", "link east of tile (0, 0)", 4e-6};
  const auto found = bottleneck_of({link, port, kBounds[0]}, "a sample");
  CHECK(found->binds == link);
  CHECK(found->next == kBounds[0]);
  CHECK(bottleneck_of({link, port}, "a sample")->next == port);
}

TEST_CASE("parts that follow one another allow no rate of their own") {
  const auto found = longest_part_of({kBounds[0], kBounds[1]}, "a token");
  CHECK(found->binds == kBounds[1]);
  CHECK(described_report(*found).json()["per_s"].is_null());
}

TEST_CASE("what is as near says so") {
  const auto found = bottleneck_of({kBounds[0], kBounds[2]}, "a sample");
  REQUIRE(found);
  CHECK(bottleneck_text(*found) ==
        "compute: stage a, 3 us a sample; next link: link east of tile (1, 2), 3 us, as near");
}

TEST_CASE("a report has times, rates and the distance; parts of a unit divide them") {
  auto found = bottleneck_of(kBounds, "a sample");
  found->divide(4);
  const Json json = described_report(*found).json();
  CHECK(json["kind"] == "io");
  CHECK(json["name"] == "port host 0");
  CHECK(json["of"] == "a sample");
  CHECK(json["seconds"].get<double>() == close_to(1e-6));
  CHECK(json["per_s"].get<double>() == close_to(1e6));
  CHECK(json["next"]["name"] == "stage a");
  CHECK(json["next"]["seconds"].get<double>() == close_to(0.75e-6));
  CHECK(json["next"]["percent_less"].get<double>() == close_to(25));
}

}  // namespace
}  // namespace waferloom
