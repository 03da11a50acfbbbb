#include "sim/resident_run.h"

#include <doctest/doctest.h>

namespace waferloom::sim {
namespace {

/// Three regions of 4×4 tiles side by side, one of 4×4 above the last.
ResidentPass small_pass(std::int64_t groups) {
  ResidentPass pass;
  pass.columns = 12;
  pass.rows = 8;
  pass.regions = {{0, 0, 4, 4}, {4, 0, 4, 4}, {8, 0, 4, 4}, {8, 4, 4, 4}};
  pass.cycles = {1000, 1000, 1000, 500};
  pass.ends_cycles = 100;
  pass.words = 8;
  pass.groups = groups;
  return pass;
}

TEST_CASE("a token takes its regions' cycles and the ways between them") {
  const ResidentTimes times = run_resident_pass(small_pass(1), NetworkKind::fair);
  // Two words a lane over four hops to a region's far end, or up, and two ramps of two each time.
  CHECK(times.move_cycles == 3 * (2 + 4 + 4));
  CHECK(times.first_cycles == 3500 + 100 + times.move_cycles);
  CHECK(times.pass_cycles == times.first_cycles);
  CHECK(times.busiest_link_words == 2);
}

TEST_CASE("groups go through the regions one behind the other") {
  // Two groups: each region has room for both within a pass.
  const ResidentTimes two = run_resident_pass(small_pass(2), NetworkKind::fair);
  CHECK(two.pass_cycles == run_resident_pass(small_pass(1), NetworkKind::fair).pass_cycles);
  // Eight groups wait for a region: a thousand cycles and the ends of another group each.
  const ResidentTimes eight = run_resident_pass(small_pass(8), NetworkKind::fair);
  CHECK(eight.pass_cycles == 8 * (1000 + 100));
}

TEST_CASE("all networks that know contention agree where lanes meet nowhere") {
  const ResidentPass pass = small_pass(3);
  CHECK(run_resident_pass(pass, NetworkKind::fair).pass_cycles ==
        run_resident_pass(pass, NetworkKind::exclusive).pass_cycles);
  CHECK(run_resident_pass(pass, NetworkKind::fair).pass_cycles ==
        run_resident_pass(pass, NetworkKind::analytic).pass_cycles);
}

TEST_CASE("a run that is stopped says so") {
  CHECK(run_resident_pass(small_pass(1), NetworkKind::fair, [] { return true; }).stopped);
}

}  // namespace
}  // namespace waferloom::sim
