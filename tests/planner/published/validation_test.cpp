#include "planner/validation.h"

#include <doctest/doctest.h>

#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

ValidationRow row_of(RowKind kind, double expected, double ours) {
  ValidationRow row;
  row.kind = kind;
  (kind == RowKind::closed_form ? row.derived : row.published) = expected;
  row.ours = ours;
  return row;
}

TEST_CASE("a judged row holds up to its tolerance and fails beyond it") {
  for (const RowKind kind : {RowKind::reproduced, RowKind::closed_form, RowKind::calibrated}) {
    INFO(row_kind_name(kind));
    ValidationRow row = row_of(kind, -8, -9);
    CHECK(*row.error() == 0.125);
    row.tolerance = 0.125;
    CHECK(row.holds() == true);
    CHECK_FALSE(row.fails());
    row.tolerance = 0.124;
    CHECK(row.holds() == false);
    CHECK(row.fails());
  }
}

TEST_CASE("the usual tolerance is a millionth") {
  CHECK(row_of(RowKind::reproduced, 1e6, 1e6 + 0.99).holds() == true);
  CHECK(row_of(RowKind::reproduced, 1e6, 1e6 + 1.01).holds() == false);
}

TEST_CASE("nothing holds or fails where nothing is judged, but the error is shown") {
  const ValidationRow row = row_of(RowKind::not_judged, 90, 550);
  CHECK_FALSE(row.holds().has_value());
  CHECK_FALSE(row.fails());
  CHECK(*row.error() == close_to(460 / 90.0));
}

TEST_CASE("a judged row without one of its figures fails") {
  ValidationRow row = row_of(RowKind::reproduced, 3, 3);
  CHECK(row.holds() == true);
  row.ours.reset();
  CHECK_FALSE(row.error().has_value());
  CHECK(row.fails());
  row.ours = 3;
  row.published.reset();
  CHECK_FALSE(row.error().has_value());
  CHECK(row.fails());
}

TEST_CASE("errors beside 0") {
  CHECK(*row_of(RowKind::reproduced, 0, 0).error() == 0);
  CHECK(row_of(RowKind::reproduced, 0, 1e-300).fails());
  CHECK(*row_of(RowKind::calibrated, 4, 5).error_of(3) == 0.25);
}

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
}  // namespace waferloom::planner
