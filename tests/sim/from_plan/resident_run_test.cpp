#include <doctest/doctest.h>

#include "model/errors.h"
#include "sim/wafer_runs.h"
#include "tests/support/cut_run.h"

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

TEST_CASE("vectors go around tiles that are dead, and nowhere where none lead") {
  ResidentPass pass = small_pass(1);
  const ResidentTimes whole = run_resident_pass(pass, NetworkKind::fair);
  // A lane of the first move goes up a row and down again: two hops more. The next region waits.
  pass.dead.tiles = {{5, 1, 1, 1}};
  const ResidentTimes around = run_resident_pass(pass, NetworkKind::fair);
  CHECK(around.move_cycles > whole.move_cycles);
  // A dead row between the third region and the one above it cuts the mesh.
  pass.dead.tiles = {{0, 4, 12, 1}};
  pass.regions.back() = {8, 5, 4, 3};
  CHECK_THROWS_AS(run_resident_pass(pass, NetworkKind::fair), InfeasibleError);
}

// By hand: the second move waits for its border, 50 cycles for the words and 200 on the way, in
// place of 2 words, 4 hops and 4 of ramps; the token takes 3 and 200 back before the next pass.
TEST_CASE("borders between groups are paid on the way and back") {
  ResidentPass pass = small_pass(1);
  const ResidentTimes whole = run_resident_pass(pass, NetworkKind::fair);
  pass.crossings = {{}, {50, 200}, {}};
  pass.back = BorderCrossing{3, 200};
  const ResidentTimes over = run_resident_pass(pass, NetworkKind::fair);
  CHECK(over.move_cycles == 2 * (2 + 4 + 4) + 50 + 200);
  CHECK(over.pass_cycles == whole.pass_cycles - (2 + 4 + 4) + 50 + 200 + 3 + 200);
}

TEST_CASE("a border carries the words of one group after another") {
  ResidentPass pass = small_pass(8);
  pass.crossings = {{}, {5'000, 200}, {}};
  // Eight groups need 8 · 5,000 cycles of the border, more than of any region.
  CHECK(run_resident_pass(pass, NetworkKind::fair).pass_cycles == 8 * 5'000);
}

TEST_CASE("a run that is stopped says so") {
  const test::CutRun cut(0);
  CHECK(run_resident_pass(small_pass(1), NetworkKind::fair, cut.control()).stopped);
  CHECK(cut.questions() == 1);
}

}  // namespace
}  // namespace waferloom::sim
