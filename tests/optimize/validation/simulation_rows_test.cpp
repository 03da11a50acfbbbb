#include "optimize/simulation_rows.h"

#include <doctest/doctest.h>

#include <algorithm>
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
  // Megatron's batches and Table 1, twice; PALM's Tables IV, VII and Eq. 1.
  CHECK(rows().size() == 2 * (8 + 10) + 6 + 3 + 3);
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
  CHECK(row("Table 1, 18.4B, AMPeD").published == 135);
  CHECK(row("Batch, 175B selective").published == 13.75);
  CHECK(row("Batch, 175B selective").kind == RowKind::calibrated);
  CHECK(row("Table IV, T-145B").published == 83.888);
  CHECK(row("Table VII, T-18B").published == 7.3457);
}

/// Sizes of relative errors of rows whose names begin and end so.
struct Errors {
  std::size_t rows = 0;
  double mean = 0;
  double worst = 0;
};

Errors errors_of(const std::string& begin, bool of_amped) {
  Errors found;
  for (const ValidationRow& row : rows()) {
    if (!row.name.starts_with(begin) || row.name.ends_with(", AMPeD") != of_amped) continue;
    const double error = row.error().value();
    ++found.rows;
    found.mean += error;
    found.worst = std::max(found.worst, error);
  }
  found.mean /= static_cast<double>(found.rows);
  return found;
}

TEST_CASE("Megatron's batches and rates on the one A100, simulated and by AMPeD") {
  for (const bool of_amped : {false, true}) {
    CAPTURE(of_amped);
    const Errors batches = errors_of("Batch, ", of_amped);
    CHECK(batches.rows == 8);
    CHECK(batches.mean <= 0.08);
    CHECK(batches.worst <= 0.15);
    const Errors rates = errors_of("Table 1, ", of_amped);
    CHECK(rates.rows == 10);
    CHECK(rates.mean <= 0.08);
    CHECK(rates.worst <= 0.15);
  }
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
