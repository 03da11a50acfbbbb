#include <doctest/doctest.h>

#include "model/errors.h"
#include "sweep/space.h"
#include "tests/support/complaint.h"

using namespace waferloom;
using namespace waferloom::sweep;

namespace {

Space space_with(const std::string& keys) {
  return read_space(R"({"command": "place", )" + keys + "}", "s.json");
}

std::string fault(const std::string& keys) {
  return test::complaint_of<InputError>([&] { space_with(keys); });
}

}  // namespace

TEST_CASE("axes are lists, ranges, or drawn") {
  const Space space = space_with(
      R"("set": {"effort": 7},
         "axes": {"CASE": ["A.kgraph", "B.kgraph"], "seed": {"from": 0, "to": 6, "step": 3},
                  "batch": {"from": 1, "to": 8, "factor": 2}, "inference": [true, false],
                  "x": {"from": 1, "to": 10, "scale": "log"}},
         "sample": {"method": "sobol", "points": 20, "seed": 4})");
  REQUIRE(space.axes.size() == 6);
  CHECK(space.axes[0].fixed);
  CHECK(space.axes[0].values[0].cell() == "7");
  CHECK(space.axes[1].values[1].text == "B.kgraph");
  CHECK(space.axes[2].values.size() == 3);
  CHECK(space.axes[2].values[2].text == "6");
  CHECK(space.axes[3].values.size() == 4);
  CHECK(space.axes[4].values[0].kind == SpaceValue::Kind::flag);
  CHECK(space.axes[4].values[1].kind == SpaceValue::Kind::absent);
  REQUIRE(space.axes[5].range.has_value());
  CHECK(space.axes[5].range->logarithmic);
  REQUIRE(space.sampling.has_value());
  CHECK(space.sampling->method == Sampling::Method::sobol);
  CHECK(points_before_exclusions(space) == 20);
}

TEST_CASE("an object of hardware is the product of its lists") {
  const Space space = space_with(
      R"("axes": {"hardware": ["wse1", {"hardware": "wse2", "set":
           {"link.bytes_per_s": [2.2e9, 4.4e9], "hop_cycles": [1, 2, 3], "routing.rule": "xy"}}]})");
  const SpaceAxis& axis = space.axes.front();
  REQUIRE(axis.values.size() == 7);
  const std::vector<std::string> columns = columns_of(axis);
  CHECK(columns == std::vector<std::string>{"hardware", "hardware.link.bytes_per_s",
                                            "hardware.hop_cycles", "hardware.routing.rule"});
  CHECK(cells_of(columns, axis.values[0]) == std::vector<std::string>{"wse1", "", "", ""});
  CHECK(cells_of(columns, axis.values[6]) ==
        std::vector<std::string>{"wse2", "4400000000", "3", "xy"});
}

TEST_CASE("a text of hardware may hold quotes") {
  const Space space =
      space_with(R"("axes": {"hardware": [{"hardware": "wse2", "set": {"name": "my \"w\""}}]})");
  const SpaceAxis& axis = space.axes.front();
  CHECK(axis.values[0].overrides[0].json == R"("my \"w\"")");
  CHECK(cells_of(columns_of(axis), axis.values[0])[1] == R"(my "w")");
}

TEST_CASE("zipped axes are a dimension") {
  const Space space =
      space_with(R"("axes": {"a": [1, 2], "b": [1, 2, 3], "c": [4, 5]}, "zip": [["a", "c"]])");
  CHECK(dimensions_of(space) == std::vector<std::vector<std::size_t>>{{0, 2}, {1}});
  CHECK(points_before_exclusions(space) == 6);
  const Space fixed = space_with(R"("set": {"z": 1}, "axes": {"a": [1, 2]})");
  CHECK(dimensions_of(fixed) == std::vector<std::vector<std::size_t>>{{1}});
}

TEST_CASE("an axis of a zip may have a value again, the zip may not") {
  const Space space =
      space_with(R"("axes": {"m": [8, 8, 16], "k": [8, 16, 32]}, "zip": [["m", "k"]])");
  CHECK(points_before_exclusions(space) == 3);
  CHECK(fault(R"("axes": {"m": [8, 8, 8], "k": [8, 16, 8]}, "zip": [["m", "k"]])") ==
        "s.json:1:43: the value '8' with '8' of 'm' with 'k' stands twice");
}

TEST_CASE("what is wrong is told with its place") {
  CHECK(fault(R"("axis": {})").starts_with("s.json:1:22: "));
  CHECK(fault(R"("axes": {"a": []})") ==
        "s.json:1:36: expected at least 1 item in an axis, found an array");
  CHECK(fault(R"("axes": {"a": 1})") ==
        "s.json:1:36: expected an axis as an array or as an object with from and to, found '1'");
  CHECK(fault(R"("axes": {})") == "s.json:1:30: expected at least 1 key in axes, found an object");
  CHECK(fault(R"("axes": {"a": [1, 1]})") == "s.json:1:40: the value '1' of 'a' stands twice");
  CHECK(fault(R"("axes": {"a": [[1]]})") ==
        "s.json:1:37: expected a text, a number, true, false, null or an object with hardware, "
        "found an array");
  CHECK(fault(R"("set": {"a": 1}, "axes": {"a": [1]})") ==
        "s.json:1:48: 'a' stands in set and in axes");
  CHECK(
      fault(
          R"("set": {"hardware": {"hardware": "w", "set": {"k": [1, 2]}}}, "axes": {"a": [1]})") ==
      "s.json:1:42: expected a single value in set, found 2");
  CHECK(fault(R"("axes": {"hardware": [{"hardware": "w", "set": {"k": []}}]})") ==
        "s.json:1:75: expected at least one value, found an array");
  CHECK(fault(R"("axes": {"hardware": [{"hardware": "w", "sets": {}}]})")
            .starts_with("s.json:1:62: expected one of the keys hardware, set, found 'sets'"));
  CHECK(fault(R"("axes": {"a": {"from": 2, "to": 1, "step": 1}})").find("from at most to") !=
        std::string::npos);
  CHECK(
      fault(R"("axes": {"a": {"from": 0, "to": 1, "step": 0}})").find("step as a number above 0") !=
      std::string::npos);
  CHECK(fault(R"("axes": {"a": {"from": 1, "to": 2, "factor": 1}})")
            .find("factor as a number above 1") != std::string::npos);
  CHECK(fault(R"("axes": {"a": {"from": 1, "to": 2, "factor": 2, "step": 1}})")
            .find("step or factor, not both") != std::string::npos);
  CHECK(fault(R"("axes": {"a": {"from": 1, "to": 2, "step": 1, "whole": true}})") ==
        "s.json:1:77: expected scale and whole only without step and factor, found 'true'");
  CHECK(fault(R"("axes": {"a": {"from": 0, "to": 2, "scale": "log"}})")
            .find("from above 0 for scale log") != std::string::npos);
  CHECK(fault(R"("axes": {"a": {"from": 0, "to": 1, "factor": 2}})").find("from above 0") !=
        std::string::npos);
  CHECK(fault(R"("axes": {"a": {"from": 0, "to": 1}})").find("or the key sample") !=
        std::string::npos);
  CHECK(fault(R"("axes": {"a": {"from": 0, "to": 1e6, "step": 1}})").find("at most 100000") !=
        std::string::npos);
}

TEST_CASE("zips, exclusions and samples name what is there") {
  CHECK(fault(R"("axes": {"ab": [1], "c": [1]}, "zip": [["ab", "cd"]])") ==
        "s.json:1:68: expected an axis (ab or c), found 'cd'");
  CHECK(fault(R"("axes": {"a": [1, 2], "b": [1]}, "zip": [["a", "b"]])") ==
        "s.json:1:63: expected axes of equal length in a zip, found 'a' with 2 and 'b' with 1");
  CHECK(fault(R"("axes": {"a": [1], "b": [1]}, "zip": [["a", "a"]])").find("zipped twice") !=
        std::string::npos);
  CHECK(fault(R"("axes": {"a": [1], "b": [1], "c": [1]}, "zip": [["a", "b"], ["b", "c"]])") ==
        "s.json:1:83: this axis is zipped twice");
  CHECK(fault(R"("axes": {"a": [1]}, "zip": [["a"]])") ==
        "s.json:1:50: expected at least 2 items in a zip, found an array");
  CHECK(fault(R"("axes": {"a": [1], "b": {"from": 1, "to": 2}}, "zip": [["a", "b"]],
                 "sample": {"method": "sobol", "points": 3})")
            .find("axes with lists of values in a zip, found a range") != std::string::npos);
  CHECK(fault(R"("axes": {"a": [1]}, "exclude": [{}])").find("at least 1 key in an exclusion") !=
        std::string::npos);
  CHECK(fault(R"("axes": {"a": [1]}, "exclude": [{"a": [1, [2]]}])") ==
        "s.json:1:64: expected a text, a number, true, false or null, found an array");
  CHECK(fault(R"("axes": {"a": [1]}, "exclude": [{"b": 1}])") ==
        "s.json:1:55: expected a column (a), found 'b'");
  CHECK(fault(R"("axes": {"a": [1]}, "exclude": [{"a": 2}])") ==
        "s.json:1:60: expected a value of 'a', found '2'");
  CHECK(fault(R"("axes": {"a": [1]}, "sample": {"method": "halton", "points": 3})")
            .find("latin-hypercube or sobol") != std::string::npos);
}

TEST_CASE("ten million points are the limit") {
  const auto axis = [](int to) {
    return R"({"from": 1, "step": 1, "to": )" + std::to_string(to) + "}";
  };
  const std::string most = R"("axes": {"a": )" + axis(5000) + R"(, "b": )" + axis(2000) + "}";
  CHECK(points_before_exclusions(space_with(most)) == kMostPoints);
  const std::string more = R"("axes": {"a": )" + axis(5000) + R"(, "b": )" + axis(2001) + "}";
  CHECK(fault(more).starts_with("s.json:1:22: the product has more than 10000000 points"));
}
