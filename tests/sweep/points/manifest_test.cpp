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
  CHECK(fault(line, 8) == "m:9:1: expected point 8, found point 7");
  CHECK(fault(line.substr(0, 40), 7) ==
        "m:8:41: expected a string that ends with a double quote, found the end of the file");
  CHECK(fault(R"({"index": 7, "id": "a", "axes": {}, "arguments": ["x"]})", 7)
            .starts_with("m:8:20: expected id of 64 hexadecimal digits"));
  const std::string id(64, 'a');
  CHECK(fault(R"({"index": 7, "id": ")" + id + R"(", "axes": {}, "arguments": []})", 7) ==
        "m:8:113: expected at least 1 item in arguments, found an array");
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
  CHECK(fault("{}") == "r:1:1: expected the key 'schema', found an object without it");
  CHECK(fault(R"({"schema": "waferloom/sweep_run/2"})") ==
        "r:1:12: expected the schema 'waferloom/sweep_run/1', found 'waferloom/sweep_run/2'");
}
