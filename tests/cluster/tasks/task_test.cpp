#include "cluster/task.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/sweep_folder.h"
#include "sweep/manifest.h"
#include "tests/support/complaint.h"
#include "tests/support/cut_run.h"
#include "tests/support/scratch_folder.h"

using namespace waferloom;
using namespace waferloom::cluster;

namespace {

const std::vector<std::string> kColumns{"n"};

std::string id_of(std::uint64_t index) { return std::string(63, 'a') + std::to_string(index); }

/// A run of four points, "test 0" to "test 3".
SweepFolder four_points(const std::string& path, const std::string& version = "1.0") {
  const auto points = [](const std::function<void(std::string_view)>& append) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      const std::string number = std::to_string(i);
      append(sweep::manifest_line({i, id_of(i), {"test", number}, {number}}, kColumns));
    }
    return std::uint64_t{4};
  };
  const sweep::RunFacts facts{.program = "1.0", .command = "test", .columns = kColumns};
  write_run_folder(path, {facts, "{}", {}, points}, RunControl{});
  const auto read = [path](const std::string&) {
    return sweep::run_text({.program = "1.0", .command = "test", .columns = kColumns, .points = 4});
  };
  return {path, {version, read}};
}

/// Point 1 has no answer, point 2 fails, the others are done.
int answer(const std::vector<std::string>& words, int report) {
  if (words[1] == "1") return 3;
  if (words[1] == "2") return 7;
  const std::string_view text = "{\"total\": 5}\n";
  return write(report, text.data(), text.size()) > 0 ? 0 : 1;
}

}  // namespace

TEST_CASE("a task runs its share, and what has an answer only once") {
  const test::ScratchFolder scratch;
  const SweepFolder run = four_points(scratch.file("run"));
  const PointCounts share = run_task(run, {1, 2}, {}, answer, RunControl{});
  CHECK(share.points == 2);
  CHECK(share.infeasible == 1);
  CHECK(share.done == 1);
  const PointCounts all = run_task(run, {}, {}, answer, RunControl{});
  CHECK(all.points == 4);
  CHECK(all.already == 2);
  CHECK(all.failed == 1);
  CHECK(all.left() == 0);
  CHECK(points_text(all) == "4 of 4 points");
  CHECK(run.status(id_of(1)) == sweep::PointStatus::infeasible);
}

TEST_CASE("points are counted by names and by whole files") {
  const test::ScratchFolder scratch;
  const SweepFolder run = four_points(scratch.file("run"));
  run_task(run, {}, {}, answer, RunControl{});
  CHECK(count_points(run).done == 2);
  scratch.write("run/" + sweep::result_path(id_of(0), sweep::PointStatus::done), "");
  CHECK(count_points(run).done == 2);
  CHECK(count_whole_points(run, RunControl{}).done == 1);
  test::check_cut([&](const RunControl& control) { count_whole_points(run, control); }, 4);
}

TEST_CASE("a task that is cut leaves the rest") {
  const test::ScratchFolder scratch;
  const SweepFolder run = four_points(scratch.file("run"));
  const test::CutRun cut(0);
  const PointCounts counts = run_task(run, {}, {}, answer, cut.control());
  CHECK(counts.left() == 4);
  CHECK_FALSE(run.status(id_of(0)));
}

TEST_CASE("an answer takes an earlier failure away") {
  const test::ScratchFolder scratch;
  const SweepFolder run = four_points(scratch.file("run"));
  run.write_outcome(id_of(2), {.exit_code = 7});
  CHECK(run.status(id_of(2)) == sweep::PointStatus::failed);
  run.write_outcome(id_of(2), {.exit_code = 0, .report = "{}"});
  CHECK(run.status(id_of(2)) == sweep::PointStatus::done);
  CHECK_FALSE(run.has_result(sweep::result_path(id_of(2), sweep::PointStatus::failed)));
}

TEST_CASE("a run is never overwritten, and of one version") {
  const test::ScratchFolder scratch;
  four_points(scratch.file("run"));
  CHECK(test::complaint_of([&] {
          four_points(scratch.file("run"));
        }).ends_with("it is there already; `sweep plan` never overwrites a run"));
  CHECK(test::complaint_of([&] { four_points(scratch.file("other"), "2.0"); })
            .ends_with("/run.json: planned by waferloom 1.0, this is 2.0; its results would not "
                       "compare, plan it again"));
}
