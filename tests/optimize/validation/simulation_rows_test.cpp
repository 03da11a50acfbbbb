#include "optimize/simulation_rows.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/close_to.h"
#include "tests/support/validation_row.h"

namespace waferloom::optimize {
namespace {

using planner::RowKind;
using planner::ValidationRow;
using test::close_to;

const std::vector<ValidationRow>& rows() {
  static const std::vector<ValidationRow> all = simulation_rows();
  return all;
}

const ValidationRow& row(const std::string& name) { return test::row_of(rows(), name); }

TEST_CASE("every published row is there, and none that is judged fails") {
  CHECK(rows().size() == 10 + 6 + 3 + 3);  // Megatron's Table 1; PALM's Tables IV, VII and Eq. 1
  for (const ValidationRow& validation_row : rows()) {
    CAPTURE(validation_row.name);
    CHECK(validation_row.ours.has_value());
    CHECK(validation_row.published.has_value() != validation_row.derived.has_value());
    CHECK_FALSE(validation_row.fails());
  }
}

TEST_CASE("rows have the figures that were published") {
  CHECK(row("Table 1, 1.7B").published == 137);
  CHECK(row("Table 1, 145.6B").published == 148);
  CHECK(row("Table 1, 145.6B").kind == RowKind::calibrated);
  CHECK(row("Table 1, 18.4B, fitted").published == 135);
  CHECK(row("Table 1, 1.7B").kind == RowKind::not_judged);
  CHECK(row("Table IV, T-145B").published == 83.888);
  CHECK(row("Table VII, T-18B").published == 7.3457);
}

// 320 tiles of 16 TFLOP/s, busy 21 of 21 + 20 - 1 slots, through 3 l (24 s h^2 + 4 s^2 h) FLOP a
// sample, with s = 2048 and l layers of h features.
TEST_CASE("PALM's closed form of a pipeline is what its equation gives by hand") {
  CHECK(row("1F1B pipeline, T-18B").derived.value() == close_to(11.437294775979561));  // 40 x 6144
  CHECK(row("1F1B pipeline, T-76B").derived.value() == close_to(2.80398194507886));    // 60 x 10240
  CHECK(row("1F1B pipeline, T-145B").derived.value() ==
        close_to(1.4683013563757543));  // 80 x 12288
  CHECK(row("1F1B pipeline, T-18B").kind == RowKind::closed_form);
}

}  // namespace
}  // namespace waferloom::optimize
