#include "planner/design_space.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

TEST_CASE("price and power of silicon follow from its peak, of systems from all their parts") {
  for (DesignPoint point; point.chip < design_space().chips.size(); ++point.chip) {
    const Chip chip = design_system(point).chip;
    const double x = chip.flop_per_s / 1e12;
    CHECK(chip.power_w == close_to(1e3 * (3e-7 * x * x + 4.3e-4 * x + 0.04)));
    CHECK(chip.price_usd == close_to(0.025 * x * x + 5 * x));
  }
  const System system = design_system({0, 0, 0, 0});
  const Chip& chip = system.chip;
  CHECK(chip.flop_per_s == 993e12);
  CHECK(design_system({3, 0, 0, 0}).chip.power_w == close_to(20140));
  // 1,024 chips and memories, 2 rings of 32 links 32 times.
  CHECK(system.price_usd() == close_to(1024 * (chip.price_usd + 1000) + 2 * 32 * 32 * 200));
  CHECK(system.power_w() == close_to(1024 * (chip.power_w + 20) + 2 * 32 * 32 * 3));
  const DesignResult result =
      design_result(FftWorkload{}, system, ChipExecution::kernel_by_kernel, Objective::time);
  CHECK(result.flop_per_usd_s * system.price_usd() ==
        close_to(result.flop_per_joule * system.power_w()));
}

TEST_CASE("efficiencies are FLOP/s by dollar and by watt, 0 where prices or powers are not known") {
  System system = design_system({0, 0, 0, 0});
  const auto result = [&] {
    return design_result(FftWorkload{}, system, ChipExecution::kernel_by_kernel, Objective::time);
  };
  const DesignResult known = result();
  CHECK(known.flop_per_usd_s == close_to(known.flop / known.step_s / system.price_usd()));
  CHECK(known.flop_per_joule == close_to(known.flop / known.step_s / system.power_w()));
  CHECK(known.utilisation == close_to(known.flop / known.step_s / (1024 * system.chip.flop_per_s)));
  system.chip.price_usd = system.chip.power_w = 0;
  for (MemoryLevel& memory : system.memories) memory.price_usd = memory.power_w = 0;
  for (NetworkDimension& links : system.dimensions) links.price_usd = links.power_w = 0;
  CHECK(result().step_s == known.step_s);
  CHECK(result().flop_per_usd_s == 0);
  CHECK(result().flop_per_joule == 0);
}

TEST_CASE("80 systems of 1,024 chips") {
  const auto points = design_points();
  CHECK(points.size() == 80);
  std::set<std::string> names;
  for (const DesignPoint& point : points) {
    const System system = design_system(point);
    CHECK(system.chips() == 1024);
    names.insert(system.name);
  }
  CHECK(names.size() == 80);
  CHECK(design_system({2, 1, 1, 0}).name == "SN30, 3-D torus, HBM, PCIe");
  CHECK(network_text(design_system({0, 2, 0, 0})) == "fully-connected 32 x fully-connected 32");
}

TEST_CASE("design space of GPT-3 1T") {
  const auto on_one_thread = design_sweep(design_work(DesignWorkload::gpt3_1t), Objective::time, 1);
  const auto on_two_threads =
      design_sweep(design_work(DesignWorkload::gpt3_1t), Objective::time, 2);
  REQUIRE(on_one_thread.size() == 80);
  for (std::size_t i = 0; i < on_one_thread.size(); ++i) {
    INFO(design_system(design_points()[i]).name);
    CHECK(on_one_thread[i].problem.empty());
    CHECK(on_one_thread[i].step_s == on_two_threads[i].step_s);
    CHECK(on_one_thread[i].utilisation > 0);
    CHECK(on_one_thread[i].utilisation <= design_system({}).chip.efficiency.limit);
    CHECK(on_one_thread[i].flop == close_to(3.85072240461978e19).within(1e-12));
    REQUIRE(on_one_thread[i].plan);
    CHECK(on_one_thread[i].plan->tensor * on_one_thread[i].plan->pipeline *
              on_one_thread[i].plan->data ==
          1024);
    // Nothing takes less than any of its parts alone.
    CHECK(on_one_thread[i].step_s >= on_one_thread[i].compute_s * (1 - 1e-12));
    CHECK(on_one_thread[i].step_s >= on_one_thread[i].memory_s * (1 - 1e-12));
    CHECK(on_one_thread[i].step_s >= on_one_thread[i].plan->network_s * (1 - 1e-12));
    CHECK(on_one_thread[i].step_s >= on_one_thread[i].plan->sent_s * (1 - 1e-12));
  }
  for (const DesignClaim& claim : design_claims(DesignWorkload::gpt3_1t, on_one_thread)) {
    INFO(claim.name, ", ", claim.quantity, ": ", claim.ours);
    CHECK(claim.same_tendency);
  }
}

TEST_CASE("design space of DLRM, HPL and FFT") {
  std::set<std::string> deviations;
  for (const auto workload : {DesignWorkload::dlrm, DesignWorkload::hpl, DesignWorkload::fft}) {
    const auto sweep = design_sweep(design_work(workload), Objective::time, 2);
    for (const DesignClaim& claim : design_claims(workload, sweep)) {
      if (claim.same_tendency) continue;
      deviations.insert(std::string(design_workload_name(workload)) + ": " + claim.name + ", " +
                        claim.quantity);
    }
  }
  // docs/design_space.md says why.
  CHECK(deviations == std::set<std::string>{"dlrm: dragonfly over others, cost efficiency",
                                            "hpl: NVLink over PCIe, utilisation"});
}

TEST_CASE("the workloads' names") {
  CHECK(design_workload_name(DesignWorkload::gpt3_175b) == "gpt3-175b");
  CHECK(design_job(DesignWorkload::gpt3_175b).flop() == close_to(1.687400360341e18).within(1e-12));
  CHECK(design_job(DesignWorkload::gpt3_175b).parameters() == 96 * 12 * 12288.0 * 12288);
  CHECK(design_job(DesignWorkload::gpt3_1t).parameters() == 128 * 12 * 25600.0 * 25600);
}

}  // namespace
}  // namespace waferloom::planner
