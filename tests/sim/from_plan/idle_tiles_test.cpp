#include <doctest/doctest.h>

#include "sim/collective.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

/// A stage of four tiles of 1 TFLOP/s, a byte in 1,000 ps and 1,000 ps a hop between them.
StageSpec stage_of(const OperatorKind& kind) {
  Hardware hardware = small_fabric(2, 2);
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  Workload workload;
  workload.operators = {{"a", kind, {}}};
  Plan plan;
  plan.tensor = 4;
  return plan_pipeline(workload, plan, hardware, lay_out_stages(plan, hardware),
                       Contention::ignored)
      .spec.stages[0];
}

TEST_CASE("a linear operator of two features keeps two of four tiles idle") {
  // The input's 64 · 32 elements of 2 bytes are gathered around a ring: 3 steps of a quarter.
  constexpr Picoseconds kGather = Picoseconds{3} * (1'024'000 + 1'000);
  CHECK(stage_of(LinearOperator{64, 32, 2, false}).forward == 2 * 64 * 32 * 2 / 2 + kGather);
  CHECK(stage_of(LinearOperator{64, 32, 4, false}).forward == 2 * 64 * 32 * 4 / 4 + kGather);
  // Three features are one each on three tiles, and six two each on two of four.
  CHECK(stage_of(LinearOperator{64, 32, 3, false}).forward ==
        Picoseconds{2} * 64 * 32 * 1 + kGather);
  CHECK(stage_of(LinearOperator{64, 32, 6, false}).forward ==
        Picoseconds{2} * 64 * 32 * 2 + kGather);
}

TEST_CASE("a layer with fewer heads than tiles computes longer") {
  const Picoseconds four =
      stage_of(TransformerOperator{16, 32, 4, 4, 64, false, Biases::all}).forward;
  const Picoseconds two =
      stage_of(TransformerOperator{16, 32, 2, 2, 64, false, Biases::all}).forward;
  CHECK(two > four);
}

}  // namespace
}  // namespace waferloom::sim
