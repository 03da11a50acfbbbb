#include <doctest/doctest.h>

#include "planner/design_space.h"
#include "planner/dfmodel/systems/science_workloads.h"
#include "planner/system_plan.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

// DLRM, HPL and FFT as graphs of operators against their closed forms.

namespace waferloom::planner {
namespace {

using test::close_to;

/// SN30 of the design space in a torus of 32 x 32 with HBM and NVLink.
System sn30() { return design_system({2, 0, 1, 1}); }

SystemPlan best_of(const char* preset, double batch, bool trains) {
  return ranked_system_plans(chips_job(test::preset_workload(preset), batch, trains), sn30(), {},
                             Objective::time)
      .front();
}

/// How much more the first takes.
double times(double seconds, double form_s) { return seconds / form_s; }

TEST_CASE("FFT as a graph takes 5 % more than its closed form, which hides passes over memory") {
  const SystemPlan plan = best_of("fft", 1, false);
  const WorkTime form = fft_time({.log2_points = 38}, sn30());
  CHECK(plan.compute_s == close_to(form.compute_s));
  // Two passes, less what computing hides of them.
  CHECK(plan.memory_s + plan.compute_s == close_to(form.memory_s));
  // Three all-to-alls; exchanges are charged with the latency of all-reduces.
  CHECK(times(plan.network_s, form.network_s) > 1);
  CHECK(times(plan.network_s, form.network_s) < 1.01);
  CHECK(times(plan.total_s, form.total_s()) > 1.04);
  CHECK(times(plan.total_s, form.total_s()) < 1.07);
}

TEST_CASE("HPL as a graph takes 40 % less than its closed form, which waits for pivots") {
  const SystemPlan plan = best_of("hpl", 1, false);
  const WorkTime form = hpl_time({.n = 1e6}, sn30());
  CHECK(times(plan.compute_s, form.compute_s) > 1);
  CHECK(times(plan.compute_s, form.compute_s) < 1.001);
  // A million searches, each five steps of 0.5 us along a side of 32: most of the form's network.
  CHECK(form.total_s() == form.network_s);
  CHECK(times(1e6 * 5 * 0.5e-6, form.network_s) > 1);  // the other side has none
  CHECK(times(plan.total_s, form.total_s()) > 0.55);
  CHECK(times(plan.total_s, form.total_s()) < 0.65);
}

TEST_CASE("DLRM as a graph takes 3.3 times its closed form, which hides all but the network") {
  const SystemPlan plan = best_of("dlrm", 65536, true);
  const WorkTime form = dlrm_time({}, sn30());
  CHECK(plan.choice.by_samples);
  CHECK(times(plan.compute_s, form.compute_s) > 1);
  CHECK(times(plan.compute_s, form.compute_s) < 1.02);  // the matrix that leads into the layers
  CHECK(times(plan.network_s, form.network_s) > 1);
  CHECK(times(plan.network_s, form.network_s) < 1.1);
  // The optimizer moves 30 bytes of each of 231e6 parameters; in the form, layers are updated as
  // they are, by 2 bytes.
  CHECK(plan.memory_s - form.memory_s < 231.3e6 * 30 / 3e12);
  CHECK(plan.memory_s - form.memory_s > 0.6 * 231.3e6 * 30 / 3e12);
  CHECK(times(plan.total_s, form.total_s()) > 3.2);
  CHECK(times(plan.total_s, form.total_s()) < 3.4);
}

}  // namespace
}  // namespace waferloom::planner
