#include <doctest/doctest.h>

#include "planner/validation.h"

namespace waferloom {
namespace {

TEST_CASE("rows of validate have a short unit, a source and a certainty in their places") {
  for (const auto rows :
       {amped_rows, dfmodel_mapping_rows, dfmodel_system_rows, serving_rows, centimani_rows}) {
    for (const ValidationRow& row : rows()) {
      INFO(row.model, ", ", row.name);
      CHECK_FALSE(row.name.empty());
      CHECK_FALSE(row.source.empty());
      CHECK_FALSE(row.certainty.empty());
      CHECK(row.unit.size() <= 12);  // "TFLOP/s/GPU", "of 2 GPUs"
    }
  }
}

}  // namespace
}  // namespace waferloom
