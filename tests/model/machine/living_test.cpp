#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "model/mesh.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using test::close_to;

Hardware bare(std::int64_t columns, std::int64_t rows) {
  Hardware hardware;
  hardware.wafer.width = columns;
  hardware.wafer.height = rows;
  return hardware;
}

TEST_CASE("a mesh without anything dead is one part") {
  const LiveParts parts(Mesh(bare(4, 3)));
  CHECK(parts.is_whole());
  CHECK(parts.count() == 1);
  CHECK(parts.part(0) == parts.part(11));
  const Living living(bare(4, 3));
  CHECK(living.is_whole());
  CHECK(living.joined_tiles() == 12);
  CHECK(living.text().empty());
  CHECK(living.is_joined({0, 0, 4, 3}));
  CHECK_FALSE(living.is_joined({0, 0, 5, 3}));
}

TEST_CASE("a wall of dead tiles makes two parts, a gap joins them") {
  Hardware hardware = bare(4, 3);
  hardware.wafer.dead = {{2, 0, 1, 3}};
  const LiveParts two{Mesh(hardware)};
  CHECK_FALSE(two.is_whole());
  CHECK(two.part(0) == two.part(9));
  CHECK(two.part(3) == two.part(11));
  CHECK(two.part(0) != two.part(3));
  hardware.wafer.dead = {{2, 0, 1, 2}};
  const LiveParts joined{Mesh(hardware)};
  CHECK(joined.part(0) == joined.part(3));
}

TEST_CASE("tiles that pass traffic alone take no work, join what lies around and carry ports") {
  Hardware hardware = bare(4, 3);
  hardware.passing = {{2, 0, 1, 3}};
  hardware.wafer.dead = hardware.passing;
  hardware.dram_ports = {{Direction::west, 1, {}, 0, {}, 2}, {Direction::north, 2, {}, 0, {}, 0}};
  const Living living(hardware);
  CHECK(living.joined_tiles() == 9);
  CHECK(living.cut_off_tiles() == 0);
  CHECK(living.state({2, 1}) == TileState::passing);
  CHECK(living.state({3, 1}) == TileState::joined);
  CHECK_FALSE(living.is_joined({1, 0, 2, 1}));
  CHECK(living.dram_ports().places == std::vector<std::size_t>{0, 1});
  CHECK(living.dram_ports().lost == 0);
  CHECK(closed_tiles(hardware).empty());
  // One of them is dead for good.
  hardware.wafer.dead.push_back({2, 1, 1, 1});
  CHECK(closed_tiles(hardware) == std::vector<Rectangle>{{2, 1, 1, 1}});
  const Living broken(hardware);
  CHECK(broken.state({2, 1}) == TileState::dead);
  CHECK(broken.dram_ports().places == std::vector<std::size_t>{1});
  CHECK(broken.joined_tiles() == 9);
}

TEST_CASE("a link that is dead one way joins nothing") {
  Hardware hardware = bare(3, 1);
  hardware.dead_links = {{1, 0, Direction::east}};
  const LiveParts parts{Mesh(hardware)};
  CHECK(parts.part(0) == parts.part(1));
  CHECK(parts.part(1) != parts.part(2));
  const Living living(hardware);
  CHECK(living.joined_tiles() == 2);
  CHECK(living.state({2, 0}) == TileState::cut_off);
  CHECK(living.text() == "1 of its 3 tiles are cut off");
}

//  . . x .
//  . . x .
//  . . x .   six tiles on the left, three on the right
TEST_CASE("the largest part is what can work together") {
  Hardware hardware = bare(4, 3);
  hardware.wafer.dead = {{2, 0, 1, 3}};
  const Living living(hardware);
  CHECK(living.dead_tiles() == 3);
  CHECK(living.joined_tiles() == 6);
  CHECK(living.cut_off_tiles() == 3);
  CHECK(living.state({1, 2}) == TileState::joined);
  CHECK(living.state({2, 0}) == TileState::dead);
  CHECK(living.state({3, 1}) == TileState::cut_off);
  CHECK(living.is_joined({0, 0, 2, 3}));
  CHECK_FALSE(living.is_joined({1, 0, 2, 1}));
  CHECK_FALSE(living.is_joined({3, 0, 1, 1}));
  CHECK(living.first_lost({0, 1, 4, 2}) == TilePlace{2, 1});
  CHECK_FALSE(living.first_lost({0, 0, 2, 3}).has_value());
  CHECK(living.text() == "3 of its 12 tiles are dead, 3 more cut off");
}

TEST_CASE("the largest part is one that inputs and outputs reach, if any is") {
  Hardware hardware = bare(9, 2);
  hardware.wafer.dead = {{3, 0, 1, 2}};  // 6 tiles on the left, 10 on the right
  CHECK(Living(hardware).joined_tiles() == 10);
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  hardware.dram_ports = {{Direction::east, 0, {}, 0, {}}};
  CHECK(Living(hardware).joined_tiles() == 6);
  CHECK(Living(hardware).host_ports().places.size() == 1);
  CHECK(Living(hardware).dram_ports().lost == 1);
  hardware.edge_io = EdgeIo::dram;
  CHECK(Living(hardware).joined_tiles() == 10);
  // A port at a dead tile reaches nothing.
  hardware.edge_io = EdgeIo::host;
  hardware.wafer.dead.push_back({0, 0, 1, 1});
  CHECK(Living(hardware).joined_tiles() == 10);
}

TEST_CASE("ports count where their tile is joined, at most at its link's rate") {
  Hardware hardware = bare(4, 3);
  hardware.link.bytes_per_s = 100;
  hardware.host_ports = {{Direction::west, 0, 60, 0, 1000},
                         {Direction::west, 1, 300, 0, 1000},
                         {Direction::east, 0, 60, 0, 1000}};
  CHECK(*Living(hardware).host_ports().bytes_per_s == 60 + 100 + 60);
  CHECK(*Living(hardware).host_ports().capacity_bytes == 3000);
  hardware.wafer.dead = {{2, 0, 1, 3}};
  const LivePorts cut = Living(hardware).host_ports();
  CHECK(cut.places == std::vector<std::size_t>{0, 1});
  CHECK(cut.lost == 1);
  CHECK(*cut.bytes_per_s == 160);
  CHECK(*cut.capacity_bytes == 2000);
  hardware.host_bytes_per_s = 90;
  CHECK(*Living(hardware).host_ports().bytes_per_s == 90);
  hardware.host_ports[0].capacity_bytes.reset();
  CHECK_FALSE(Living(hardware).host_ports().capacity_bytes.has_value());
}

TEST_CASE("switches join all tiles that live") {
  Hardware hardware = bare(4, 3);
  hardware.topology = Topology::switched;
  hardware.wafer.dead = {{2, 0, 1, 3}};
  const Living living(hardware);
  CHECK(living.joined_tiles() == 9);
  CHECK(living.cut_off_tiles() == 0);
  CHECK(living.is_joined({3, 0, 1, 3}));
}

TEST_CASE("nothing lives on a machine whose tiles are all dead") {
  Hardware hardware = bare(2, 2);
  hardware.wafer.dead = {{0, 0, 2, 2}};
  hardware.host_ports = {{Direction::west, 0, 60, 0, {}}};
  const Living living(hardware);
  CHECK(living.joined_tiles() == 0);
  CHECK(living.host_ports().places.empty());
  CHECK_FALSE(living.host_ports().bytes_per_s.has_value());
}

// Counted tile by tile, by a flood that knows neither meshes nor links.
TEST_CASE("random dead tiles leave the part that a flood finds") {
  constexpr unsigned kSeed = 37;
  std::mt19937 random(kSeed);
  const auto draw = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(1, most)(random);
  };
  for (int round = 0; round < 50; ++round) {
    Hardware hardware = bare(draw(12), draw(12));
    const std::int64_t width = hardware.wafer.width;
    const std::int64_t height = hardware.wafer.height;
    for (std::int64_t left = draw(30); left > 0; --left) {
      hardware.wafer.dead.push_back({draw(width) - 1, draw(height) - 1, 1, 1});
    }
    const auto is_dead = [&](std::int64_t x, std::int64_t y) {
      return !is_clear(hardware.wafer, {x, y, 1, 1});
    };
    std::vector<int> part(static_cast<std::size_t>(width * height), 0);
    std::vector<std::int64_t> sizes{0};
    const auto flood = [&](auto&& self, std::int64_t x, std::int64_t y) -> void {
      if (x < 0 || y < 0 || x >= width || y >= height || is_dead(x, y)) return;
      int& own = part[static_cast<std::size_t>(y * width + x)];
      if (own != 0) return;
      own = static_cast<int>(sizes.size()) - 1;
      ++sizes.back();
      for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}})
        self(self, x + dx, y + dy);
    };
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        sizes.push_back(0);
        flood(flood, x, y);
        if (sizes.back() == 0) sizes.pop_back();
      }
    }
    const auto largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
    const Living living(hardware);
    CHECK(living.joined_tiles() == sizes[static_cast<std::size_t>(largest)]);
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        const bool joins = largest > 0 && part[static_cast<std::size_t>(y * width + x)] ==
                                              static_cast<int>(largest);
        CHECK((living.state({x, y}) == TileState::joined) == joins);
        CHECK((living.state({x, y}) == TileState::dead) == is_dead(x, y));
      }
    }
  }
}

Hardware three_groups() {
  Hardware hardware = bare(12, 5);
  hardware.link = {4'000'000'000, 1'000};
  hardware.group_link = {1'000, 1'000'000'000'000};
  hardware.group_columns = 4;
  hardware.group_rows = 5;
  return hardware;
}

TEST_CASE("groups are felt where links between them differ") {
  Hardware hardware = three_groups();
  const Living living(hardware);
  const GroupBorders borders(hardware, living);
  CHECK(borders.are_felt());
  CHECK(borders.columns() == 3);
  CHECK(borders.rows() == 1);
  CHECK(borders.group({7, 4}) == GroupPlace{1, 0});
  CHECK(borders.tiles({2, 0}) == Rectangle{8, 0, 4, 5});
  hardware.group_link = hardware.link;
  CHECK_FALSE(GroupBorders(hardware, living).are_felt());
}

// Two borders of five links of 1,000 bytes a second each: 1 s a hop each, and 10,000 bytes need
// 10,000 / 5,000 = 2 s side by side; they stream over both borders at once.
TEST_CASE("a way over borders takes their latency, and its bytes over all links side by side") {
  const Hardware hardware = three_groups();
  const Living living(hardware);
  const GroupBorders borders(hardware, living);
  const BorderWay way = borders.way({0, 0}, {2, 0});
  CHECK(way.crossings == 2);
  constexpr double kSecond = 1e12;
  CHECK(way.picoseconds(10'000) / kSecond == close_to(2 + 2));
  CHECK(borders.way({1, 0}, {1, 0}).picoseconds(10'000) == 0);
}

TEST_CASE("dead tiles take their links from a border, and a wall of them its way") {
  Hardware hardware = three_groups();
  hardware.wafer.dead = {{4, 0, 1, 3}};
  const Living living(hardware);
  const BorderWay way = GroupBorders(hardware, living).way({0, 0}, {1, 0});
  constexpr double kSecond = 1e12;
  CHECK(way.picoseconds(2'000) / kSecond == close_to(1 + 1));
  hardware.wafer.dead = {{4, 0, 1, 5}};
  const Living cut(hardware);
  CHECK(GroupBorders(hardware, cut).way({0, 0}, {1, 0}).bytes_per_ps == 0);
}

TEST_CASE("a port of switched hardware has the faster of its tile's ways") {
  Hardware hardware = bare(4, 1);
  hardware.link.bytes_per_s = 100;
  hardware.group_link.bytes_per_s = 30;
  const EdgePort port{Direction::west, 0, 300, 0, {}};
  CHECK(*port_bytes_per_s(hardware, port) == 100);
  hardware.topology = Topology::switched;
  CHECK(*port_bytes_per_s(hardware, port) == 100);
  hardware.group_link.bytes_per_s = 200;
  CHECK(*port_bytes_per_s(hardware, port) == 200);
  hardware.group_link.bytes_per_s.reset();
  CHECK(*port_bytes_per_s(hardware, port) == 300);
  CHECK_FALSE(port_bytes_per_s(hardware, EdgePort{}).has_value());
}

//  . . x .
//  . x . .   the corner at (0, 0) is joined to the left; (2, 1) … to the right
//  . . x x
TEST_CASE("what is cut off lies in rectangles that do not overlap") {
  Hardware hardware = bare(4, 3);
  hardware.wafer.dead = {{2, 0, 2, 1}, {1, 1, 1, 1}, {2, 2, 1, 1}};
  const Living living(hardware);
  REQUIRE(living.joined_tiles() == 5);
  CHECK(living.cut_off_rectangles() == std::vector<Rectangle>{{2, 1, 2, 1}, {3, 2, 1, 1}});
  const Wafer joined = joined_wafer(hardware);
  CHECK(usable_tiles(joined) == 5);
  CHECK(joined.dead.size() == 5);
  CHECK(joined_wafer(bare(4, 3)) == bare(4, 3).wafer);
}

}  // namespace
}  // namespace waferloom
