#include "sweep/manifest.h"

#include <doctest/doctest.h>

#include "model/errors.h"
#include "tests/support/complaint.h"

using namespace waferloom;
using namespace waferloom::sweep;

TEST_CASE("a point is read back from its line") {
  const Point point{7, std::string(64, 'a'), {"place", "in puts/A,\"1\".kgraph"}, {"A", ""}};
  const std::string line = manifest_line(point, {"CASE", "seed"});
  CHECK(line.ends_with("\n"));
  CHECK(line.find('\n') == line.size() - 1);
  const Point read = read_manifest_line(line, "m", 7);
  CHECK(read.index == 7);
  CHECK(read.id == point.id);
  CHECK(read.arguments == point.arguments);
  CHECK(read.cells == point.cells);
}

TEST_CASE("a line that is cut, or of another place, is refused") {
  const Point point{7, std::string(64, 'a'), {"place"}, {"A"}};
  const std::string line = manifest_line(point, {"CASE"});
  const auto fault = [&](const std::string& text, std::uint64_t index) {
    return test::complaint_of<InputError>([&] { read_manifest_line(text, "m", index); });
  };
  CHECK(fault(line, 8) == "m:9:1: expected point 8");
  CHECK(fault(line.substr(0, 40), 7) == "m:8:1: expected a point as `sweep plan` writes it");
}

TEST_CASE("run.json is read back, and no other file") {
  const RunFacts facts{"0.1.0", "model amped", {"a", "b"}, 12};
  const RunFacts read = read_run(run_text(facts), "r");
  CHECK(read.program == "0.1.0");
  CHECK(read.command == "model amped");
  CHECK(read.columns == facts.columns);
  CHECK(read.points == 12);
  const auto fault = [](const std::string& text) {
    return test::complaint_of<InputError>([&] { read_run(text, "r"); });
  };
  CHECK(fault("{}") == "r: expected what `sweep plan` wrote, found something else");
  CHECK(fault(R"({"schema": "waferloom/sweep_run/2"})") ==
        "r: expected a run of schema waferloom/sweep_run/1, found 'waferloom/sweep_run/2'");
}
