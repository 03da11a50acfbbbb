#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "viz/tile_picture.h"

namespace waferloom::viz {
namespace {

/// Two algorithms for a product on 40 × 40 tiles; the second does not fit.
TileResults two_choices() {
  TileResults found;
  found.choices.resize(2);
  found.choices[0].algorithm = "shift";
  found.choices[0].cost.parts.local = 100;
  found.choices[1].algorithm = "broadcast";
  found.choices[1].lacks = "memory";
  found.hardware = "wafer";
  found.data_type = "fp16";
  found.roofline_cycles = 50;
  return found;
}

TileJob product() {
  TileJob job;
  job.kind = TileOperatorKind::gemm;
  job.tiles = {40, 40};
  job.extents.m = job.extents.k = job.extents.n = 400;
  return job;
}

Message message(TilePlace from, TilePlace to, std::vector<std::size_t> after = {}) {
  Message sent;
  sent.source = from;
  sent.destinations = {to};
  sent.flits = 1;
  for (const std::size_t index : after) sent.after.push_back(index);
  return sent;
}

TEST_CASE("a picture has a bar an algorithm, and who sends words on few tiles") {
  std::vector<TileJob> asked;
  const TilePicture picture =
      tile_picture(product(), two_choices(), [&](const TileJob& small, const std::string& name) {
        asked.push_back(small);
        MessageSet set;
        if (name == "shift") set.messages = {message({0, 0}, {1, 0}), message({1, 0}, {1, 1})};
        return set;
      });
  REQUIRE(picture.bars.size() == 2);
  CHECK(picture.bars[0].local == 100);
  CHECK(picture.bars[0].fits);
  CHECK_FALSE(picture.bars[1].fits);
  CHECK(picture.title.find("40 × 40 tiles of wafer") != std::string::npos);
  CHECK(picture.roofline_cycles == 50);
  CHECK_FALSE(picture.is_bound);
  // Asked for operators of at most four tiles a side; one without messages has no panel.
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].tiles.rows == 4);
  CHECK(asked[0].tiles.columns == 4);
  CHECK(asked[0].extents.m == 16);
  REQUIRE(picture.panels.size() == 1);
  CHECK(picture.panels[0].which == "all steps");
  CHECK(picture.panels[0].moves == std::vector<TilePicture::Move>{{0, 0, 0, 1}, {0, 1, 1, 1}});
}

TEST_CASE("of many moves one step is drawn, the one with most") {
  const TilePicture picture =
      tile_picture(product(), two_choices(), [](const TileJob&, const std::string&) {
        MessageSet set;
        set.messages.push_back(message({0, 0}, {0, 1}));
        for (std::int64_t i = 0; i < 70; ++i) {
          set.messages.push_back(message({i, 0}, {i, 2}, {0}));
        }
        return set;
      });
  REQUIRE(picture.panels.size() == 2);
  CHECK(picture.panels[0].which == "one step");
  CHECK(picture.panels[0].moves.size() == 70);
}

TEST_CASE("what no algorithm beats is the mark in place of the roofline") {
  TileResults found = two_choices();
  found.bound_cycles = 80;
  const TilePicture picture = tile_picture(
      product(), found, [](const TileJob&, const std::string&) { return MessageSet(); });
  CHECK(picture.is_bound);
  CHECK(picture.roofline_cycles == 80);
  CHECK(picture.panels.empty());
}

}  // namespace
}  // namespace waferloom::viz
