#include <doctest/doctest.h>

#include <string>

#include "model/errors.h"
#include "model/plan.h"

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

}  // namespace
}  // namespace waferloom
