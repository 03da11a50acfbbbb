#include "cluster/space_files.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/complaint.h"
#include "tests/support/scratch_folder.h"

using namespace waferloom;
using namespace waferloom::cluster;

namespace {

/// place CASE --seed N --batch N -o SOL.
std::vector<SweptCommand> commands() {
  SweptCommand place{.name = "place"};
  place.operands = {{"CASE", true}};
  place.options = {{.name = "batch", .value = "N", .range = WholeRange{1, 9}},
                   {.name = "seed", .value = "N", .range = WholeRange{0, 99}}};
  place.outputs = {"output"};
  place.effort = "5";
  return {place};
}

ResolvedSpace resolved(const std::string& axes, const test::ScratchFolder& scratch) {
  const std::string text =
      R"({"schema": "waferloom/sweep_space/1", "command": "place", "axes": {)" + axes + "}}";
  const auto read = [](const std::string& path) { return "bytes of " + path; };
  return resolve_space(sweep::read_space(text, "s.json"), commands(), scratch.file(""),
                       {"1.0", read});
}

std::string complaint(const std::string& axes, const test::ScratchFolder& scratch) {
  return test::complaint_of([&] { resolved(axes, scratch); });
}

}  // namespace

TEST_CASE("files become inputs, and what a command needs is added") {
  const test::ScratchFolder scratch;
  scratch.write("A.kgraph", "");
  const ResolvedSpace space = resolved(R"("CASE": ["A.kgraph"], "seed": [1, 2])", scratch);
  REQUIRE(space.inputs.size() == 1);
  const auto& [name, bytes] = *space.inputs.begin();
  CHECK(name.ends_with("/A.kgraph"));
  CHECK(bytes.starts_with("bytes of "));
  std::vector<std::string> lines;
  sweep::for_each_point(space.points, [&](const sweep::Point& point) {
    std::string line;
    for (const std::string& word : point.arguments) line += " " + word;
    lines.push_back(line);
    return true;
  });
  CHECK(lines == std::vector<std::string>{" place " + name + " --seed 1 --output - --effort 5",
                                          " place " + name + " --seed 2 --output - --effort 5"});
}

TEST_CASE("what the command does not take is told with its place") {
  const test::ScratchFolder scratch;
  scratch.write("A.kgraph", "");
  const std::string with_case = R"("CASE": ["A.kgraph"], )";
  CHECK(complaint(with_case + R"("sede": [1])", scratch)
            .ends_with("found 'sede', did you mean 'seed'?"));
  CHECK(complaint(with_case + R"("batch": [10])", scratch)
            .ends_with("batch: expected a whole number from 1 to 9, found '10'"));
  CHECK(
      complaint(R"("CASE": ["B.kgraph"])", scratch).ends_with("CASE: there is no file 'B.kgraph'"));
}
