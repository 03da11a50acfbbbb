#include "cluster/islands/island_folder.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cluster/task_array.h"
#include "tests/support/complaint.h"
#include "tests/support/scratch_folder.h"

using namespace waferloom;
using namespace waferloom::cluster;
using test::complaint_of;

namespace {

const Json kIdentity{{"schema", "waferloom/islands_run/1"}, {"seed", 1}};
using Opening = IslandFolder::Opening;

}  // namespace

TEST_CASE("a folder is of one run") {
  const test::ScratchFolder scratch;
  const std::string path = scratch.file("run");
  CHECK(complaint_of([&] { IslandFolder(path, kIdentity, Opening::finds); }) ==
        path + ": expected a folder of islands; found no run.json in it");
  IslandFolder(path, kIdentity, Opening::makes);
  IslandFolder(path, kIdentity, Opening::finds);
  Json other = kIdentity;
  other["seed"] = 2;
  CHECK(complaint_of([&] { IslandFolder(path, other, Opening::makes); }) ==
        path + "/run.json: is of another run: its seed differs; give --run another folder");
}

TEST_CASE("a closed epoch has the islands that were done, and no others later") {
  const test::ScratchFolder scratch;
  const IslandFolder folder(scratch.file("run"), kIdentity, Opening::makes);
  CHECK(complaint_of<EngineError>([&] { folder.closed({.number = 1, .islands = 3}); }) ==
        folder.path() + ": no island of epoch 2 left a result");
  CHECK_FALSE(folder.is_closed(1));
  folder.write_record({1, 2}, Json{{"island", 3}});
  scratch.write("run/results/epoch-2/island-1.json", "{");  // a power failure
  CHECK(folder.done(1) == std::vector<std::size_t>{2});
  const auto texts = folder.closed({.number = 1, .islands = 3});
  REQUIRE(texts.size() == 3);
  CHECK_FALSE(texts[0]);
  CHECK(Json::parse(texts[2].value()).at("island") == 3);
  CHECK(folder.is_closed(1));
  folder.write_record({1, 0}, Json{{"island", 1}});
  CHECK(folder.done(1) == std::vector<std::size_t>{0, 2});
  CHECK_FALSE(folder.closed({.number = 1, .islands = 3})[0]);
  CHECK(folder.so_far({.number = 1, .islands = 3})[0]);
}
