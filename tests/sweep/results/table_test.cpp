#include "sweep/table.h"

#include <doctest/doctest.h>

using namespace waferloom;
using namespace waferloom::sweep;

namespace {

PointResult result(const char* report) {
  PointResult made;
  made.status = PointStatus::done;
  made.wall_s = 0.5;
  made.peak_memory_bytes = 8;
  made.report = parse_json(report, "r");
  return made;
}

}  // namespace

TEST_CASE("a report's scalars have flat keys") {
  const auto found = flattened(parse_json(
      R"({"schema": "s", "made_by": {"version": 1}, "a": {"b": 1.50, "c": {"d": "x"}},
          "list": [1, 2], "flag": true, "none": null, "rate": 708.24606, "small": 2e-7,
          "large": 18446744073709551616, "empty": {}})",
      "r"));
  CHECK(found == std::map<std::string, std::string>{{"a/b", "1.5"},
                                                    {"a/c/d", "x"},
                                                    {"flag", "true"},
                                                    {"large", "18446744073709551616"},
                                                    {"none", ""},
                                                    {"rate", "708.24606"},
                                                    {"small", "2e-07"}});
  CHECK(flattened(JsonValue()).empty());
}

TEST_CASE("columns of the run itself stand last") {
  Table table({"SEED", "size"});
  table.add_keys(result(R"({"z": 1, "wall_s": 2, "seed": 3})"));
  table.add_keys(result(R"({"speed": {"events_per_s": 1}, "a": 1})"));
  CHECK(table.columns() == std::vector<std::string>{"id", "SEED", "size", "status", "exit_code",
                                                    "reason", "a", "report/seed", "z",
                                                    "speed/events_per_s", "wall_s", "point_wall_s",
                                                    "point_peak_memory_bytes"});
  CHECK(table.run_columns() == 4);
  const Point point{0, "id0", {}, {"4", "s"}};
  const PointResult first = result(R"({"z": 1, "wall_s": 2, "seed": 3})");
  CHECK(table.row(point, &first) == std::vector<std::string>{"id0", "4", "s", "done", "0", "", "",
                                                             "3", "1", "", "2", "0.5", "8"});
  const std::vector<std::string> missing = table.row(point, nullptr);
  CHECK(missing.size() == table.columns().size());
  CHECK(missing[3] == "missing");
}

TEST_CASE("keys of a run are known by their last word") {
  CHECK(is_of_the_run("wall_s"));
  CHECK(is_of_the_run("speed/peak_memory_bytes"));
  CHECK_FALSE(is_of_the_run("wall_s/x"));
  CHECK_FALSE(is_of_the_run("tile_wall_s"));
}
