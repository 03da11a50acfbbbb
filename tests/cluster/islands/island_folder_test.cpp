#include "cluster/islands/island_folder.h"

#include <doctest/doctest.h>

#include "cluster/task_array.h"
#include "tests/support/complaint.h"
#include "tests/support/scratch_folder.h"

using namespace waferloom;
using namespace waferloom::cluster;
using test::complaint_of;

namespace {

const IslandsRun kIdentity{.program = "0.1.0",
                           .command = "place",
                           .counts = {3, 2},
                           .seed = 1,
                           .effort = 5,
                           .options = {{"CASE", {"A.kgraph"}}},
                           .inputs = {{"A.kgraph", 12, "0123abcd"}}};
using Opening = IslandFolder::Opening;

}  // namespace

TEST_CASE("a folder is of one run") {
  const test::ScratchFolder scratch;
  const std::string path = scratch.file("run");
  CHECK(complaint_of([&] { IslandFolder(path, kIdentity, Opening::finds); }) ==
        path + ": expected a folder of islands; found no run.json in it");
  const IslandFolder made(path, kIdentity, Opening::makes);
  const IslandFolder found(path, kIdentity, Opening::finds);
  IslandsRun other = kIdentity;
  other.seed = 2;
  CHECK(complaint_of([&] { IslandFolder(path, other, Opening::makes); }) ==
        path + "/run.json: is of another run: its seed differs; give --run another folder");
  other = kIdentity;
  other.inputs.front().crc32 = "0123abce";
  CHECK(complaint_of([&] { IslandFolder(path, other, Opening::makes); }) ==
        path + "/run.json: is of another run: its inputs differ; give --run another folder");
  scratch.write("run/run.json", "{}");
  CHECK(complaint_of([&] { IslandFolder(path, kIdentity, Opening::finds); }) ==
        path + "/run.json:1:1: expected the key 'schema', found an object without it");
}

TEST_CASE("a closed epoch has the islands that were done, and no others later") {
  const test::ScratchFolder scratch;
  const IslandFolder folder(scratch.file("run"), kIdentity, Opening::makes);
  CHECK(complaint_of<EngineError>([&] { folder.closed({.number = 1, .islands = 3}); }) ==
        folder.path() + ": no island of epoch 2 left a result");
  CHECK_FALSE(folder.is_closed(1));
  folder.write_record({1, 2}, "{\n  \"island\": 3\n}\n");
  scratch.write("run/results/epoch-2/island-1.json", "{");  // a power failure
  CHECK(folder.done(1) == std::vector<std::size_t>{2});
  const auto texts = folder.closed({.number = 1, .islands = 3});
  REQUIRE(texts.size() == 3);
  CHECK_FALSE(texts[0]);
  CHECK(texts[2].value() == "{\n  \"island\": 3,\n \"whole\": true\n}\n");
  CHECK(folder.is_closed(1));
  folder.write_record({1, 0}, "{\n  \"island\": 1\n}\n");
  CHECK(folder.done(1) == std::vector<std::size_t>{0, 2});
  CHECK_FALSE(folder.closed({.number = 1, .islands = 3})[0]);
  CHECK(folder.so_far({.number = 1, .islands = 3})[0]);
}

TEST_CASE("what closes an epoch lists islands of its run") {
  const test::ScratchFolder scratch;
  const IslandFolder folder(scratch.file("run"), kIdentity, Opening::makes);
  const auto fault = [&](const std::string& islands) {
    scratch.write("run/results/epoch-1/closed.json",
                  R"({"schema": "waferloom/islands_closed/1", "islands": [)" + islands + "]}");
    return complaint_of([&] { folder.closed({.number = 0, .islands = 3}); });
  };
  const std::string path = folder.file("results/epoch-1/closed.json");
  CHECK(fault("") == path + ":1:53: expected at least 1 item in islands, found an array");
  CHECK(fault("0").starts_with(path + ":1:54: expected an island as a whole number from 1 to"));
  CHECK(fault("4") == path + ": expected islands from 1 to 3, found 4");
}
