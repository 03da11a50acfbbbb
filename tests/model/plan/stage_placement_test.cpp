#include <doctest/doctest.h>

#include <string>

#include "model/errors.h"
#include "model/plan.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

TEST_CASE("placed stages are read as they were written, with and without a hardware's name") {
  StagePlacement placement{{{"s0", {0, 0, 4, 2}, true}, {"s1", {4, 0, 1, 1}, false}}};
  CHECK(stage_placement_text(placement).find("hardware") == std::string::npos);
  CHECK(read_stage_placement(stage_placement_text(placement), "t") == placement);
  placement.hardware = "a \"wafer\"";
  CHECK(read_stage_placement(stage_placement_text(placement), "t") == placement);
}

TEST_CASE("a hardware that is no name is told with its place") {
  try {
    read_stage_placement("{\"hardware\": 7, \"stages\": []}", "t.json");
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("t.json:1:14: expected hardware") == 0);
  }
}

TEST_CASE("what no stage can be is told with its place") {
  const auto fault = [](const std::string& keys) {
    return test::complaint_of([&] {
      read_stage_placement(
          R"({"stages": [{"name": "a", "x": 0, "y": 0, "width": 1, "height": 1)" + keys + "}]}",
          "t.json");
    });
  };
  CHECK(fault(R"(, "rotation": 90)").empty());
  CHECK(fault(R"(, "rotation": 45)") == "t.json:1:80: expected rotation as 0 or 90, found '45'");
  CHECK(fault(R"(, "turn": 90)").starts_with("t.json:1:68: expected one of the keys name, x"));
  CHECK(fault(R"(}, {"name": "a", "x": 0, "y": 0, "width": 1, "height": 1)") ==
        "t.json:1:78: expected a name that no other stage has, found 'a'");
  CHECK(fault(R"(}, {"name": "\u0007", "x": 0, "y": 0, "width": 1, "height": 1)") ==
        "t.json:1:78: expected name of printable characters, found '\\x07'");
  CHECK(fault(R"(}, {"name": "b", "x": 32000, "y": 0, "width": 1, "height": 1)")
            .find("expected x as a whole number from 0 to 31999") != std::string::npos);
  CHECK(fault(R"(}, {"name": "b")") ==
        "t.json:1:69: expected the key 'x', found an object without it");
}

}  // namespace
}  // namespace waferloom
