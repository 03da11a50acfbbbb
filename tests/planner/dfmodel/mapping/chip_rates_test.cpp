#include "planner/dfmodel/mapping/chip_rates.h"

#include <doctest/doctest.h>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "tests/planner/dfmodel/mapping/gpt3_chip.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

TEST_CASE("rates of an SN10 in a ring of eight") {
  const ChipRates rates = chip_rates(test::preset_system("sn10_8x1"), 8);
  CHECK(rates.flop_per_s == close_to(0.9 * 307.2e12));
  CHECK(rates.element_flop_per_s == rates.flop_per_s);
  CHECK(rates.dram_bytes_per_s == 100e9);
  CHECK(rates.sram_bytes == 335544320);
  CHECK(rates.seconds_per_reduced_byte == close_to(2 * 7.0 / 8 / 50e9));
  CHECK(rates.seconds_per_reduction == 0);
  CHECK(rates.seconds_per_weight_byte == 0);
}

TEST_CASE("chips that share kernels: whole dimensions, or neighbours of the innermost one") {
  const System torus = test::preset_system("sn10_4x2");
  CHECK(tensor_network(torus, 1).empty());
  CHECK(tensor_network(torus, 4).size() == 1);
  CHECK(tensor_network(torus, 8).size() == 2);
  const auto part = tensor_network(torus, 2);
  REQUIRE(part.size() == 1);
  CHECK(part[0].size == 2);
  CHECK(part[0].topology == DimensionTopology::line);
  CHECK_THROWS_WITH_AS(tensor_network(torus, 6),
                       "system sn10_4x2, ring 4 x ring 2: no 6 chips are whole dimensions, "
                       "innermost first, or neighbours in one",
                       RequestError);
  CHECK_THROWS_AS(tensor_network(torus, 16), RequestError);
}

}  // namespace
}  // namespace waferloom::planner
