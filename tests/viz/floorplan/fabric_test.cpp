#include "viz/fabric.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "model/errors.h"
#include "tests/viz/canvas/picture_reader.h"
#include "viz/floorplan/dead_links.h"

namespace waferloom::viz {
namespace {

using test::groups_of;
using test::has_text;
using test::parse_xml;
using test::XmlElement;

XmlElement svg_of(const Fabric& fabric) {
  return parse_xml(draw_fabric(fabric, PictureFormat::svg));
}

Fabric fabric_of(std::int64_t width, std::int64_t height) {
  Fabric fabric;
  fabric.mesh = {width, height};
  return fabric;
}

/// Number of lines in the mesh's path.
std::ptrdiff_t mesh_lines(const XmlElement& svg) {
  const auto meshes = groups_of(svg, "mesh");
  REQUIRE(meshes.size() == 1);
  const auto paths = test::elements_named(*meshes[0], "path");
  REQUIRE(!paths.empty());
  const std::string& path = paths[0]->attributes.at("d");
  return std::count(path.begin(), path.end(), 'M');
}

TEST_CASE("assumed ports stand at every 64th row of both vertical edges") {
  const auto ports = assumed_ports({633, 633});
  CHECK(ports.size() == 20);
  CHECK(ports.front() == FabricPort{FabricPort::Side::left, 32});
  CHECK(ports.back() == FabricPort{FabricPort::Side::right, 32 + 9 * 64});
  CHECK(assumed_ports({1, 1}).size() == 2);
}

TEST_CASE("a 633 × 633 fabric shows lines that can be seen in at most a megabyte of SVG") {
  Fabric fabric = fabric_of(633, 633);
  for (std::int64_t i = 0; i < 4'000; ++i) {  // a percent of the tiles
    fabric.dead.push_back({i * 7919 % 633, i * 104729 % 631, 1, 1});
  }
  fabric.group = {54, 94};
  const std::string bytes = draw_fabric(fabric, PictureFormat::svg);
  CHECK(bytes.size() <= 1'000'000);
  const XmlElement svg = parse_xml(bytes);
  CHECK(has_text(svg, "every 10 tiles"));
  CHECK(mesh_lines(svg) == 2 * 65);
  CHECK(groups_of(svg, "ports")[0]->children.size() == 20);
  CHECK(has_text(svg, "ports (assumed)"));
  CHECK(has_text(svg, "54 × 94 tiles"));
}

TEST_CASE("a larger mesh is thinned out and says so") {
  const std::string bytes = draw_fabric(fabric_of(2500, 2500), PictureFormat::svg);
  CHECK(bytes.size() <= 1'000'000);
  const XmlElement svg = parse_xml(bytes);
  CHECK(has_text(svg, "every 50 tiles"));
  CHECK(mesh_lines(svg) == 2 * 51);
}

TEST_CASE("tiles of four units have a line each") {
  CHECK(has_text(svg_of(fabric_of(175, 175)), "every tile"));
  CHECK(has_text(svg_of(fabric_of(176, 176)), "every 5 tiles"));
}

TEST_CASE("the close-up is centred on the first dead rectangle") {
  Fabric fabric = fabric_of(100, 100);
  fabric.dead = {{40, 60, 8, 4}};  // centre (44, 62)
  CHECK(has_text(svg_of(fabric), "columns 38–49, rows 56–67"));
}

TEST_CASE("shares are rounded, and one tile is one tile") {
  Fabric fabric = fabric_of(3, 1);
  fabric.dead = {{0, 0, 2, 1}};
  CHECK(has_text(svg_of(fabric), "2 (66.67 %)"));
  fabric = fabric_of(1000, 1000);
  fabric.dead = {{0, 0, 1, 1}};
  CHECK(has_text(svg_of(fabric), "1 (< 0.01 %)"));
  const XmlElement svg = svg_of(fabric_of(1, 1));
  CHECK(has_text(svg, "Fabric of 1 × 1 tile"));
  CHECK(has_text(svg, "1 tile · 2 ports"));
}

TEST_CASE("dead tiles are counted once and drawn once each") {
  Fabric fabric = fabric_of(100, 50);
  fabric.dead = {{0, 0, 10, 10}, {5, 5, 10, 10}, {99, 49, 1, 1}};
  const XmlElement svg = svg_of(fabric);
  CHECK(has_text(svg, "176 (3.52 %)"));
  const auto dead = groups_of(svg, "dead");
  REQUIRE(dead.size() == 1);
  const std::string& path = dead[0]->children[0].attributes.at("d");
  CHECK(std::count(path.begin(), path.end(), 'z') == 3);
}

TEST_CASE("given ports are drawn at their sides and not called assumed") {
  Fabric fabric = fabric_of(20, 30);
  fabric.ports = {{FabricPort::Side::left, 0},
                  {FabricPort::Side::right, 29},
                  {FabricPort::Side::bottom, 19},
                  {FabricPort::Side::top, 3}};
  const XmlElement svg = svg_of(fabric);
  CHECK(groups_of(svg, "ports")[0]->children.size() == 4);
  CHECK(has_text(svg, "ports"));
  CHECK(!has_text(svg, "ports (assumed)"));
  fabric.ports = std::vector<FabricPort>{};
  CHECK(groups_of(svg_of(fabric), "ports")[0]->children.empty());
}

TEST_CASE("every size of mesh can be drawn in every format, the same each time") {
  for (const Wafer& mesh : {Wafer{1, 1}, Wafer{5, 5}, Wafer{1, 3000}, Wafer{32'000, 32'000}}) {
    for (const auto format : {PictureFormat::svg, PictureFormat::png, PictureFormat::pdf}) {
      const std::string bytes = draw_fabric(fabric_of(mesh.width, mesh.height), format);
      CHECK(bytes == draw_fabric(fabric_of(mesh.width, mesh.height), format));
      CHECK(bytes.size() <= 1'000'000);
      if (format == PictureFormat::svg) CHECK(parse_xml(bytes).name == "svg");
      if (format == PictureFormat::png) CHECK(test::png_size(bytes).width > 400);
    }
  }
}

TEST_CASE("what lies outside the mesh is refused") {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  const auto refused = [](const Fabric& fabric) {
    CHECK_THROWS_AS(draw_fabric(fabric, PictureFormat::svg), std::logic_error);
  };
  refused(fabric_of(0, 5));
  refused(fabric_of(5, kMaxWaferSide + 1));
  Fabric fabric = fabric_of(5, 5);
  for (const Rectangle& dead :
       {Rectangle{5, 0, 1, 1}, Rectangle{0, 0, 6, 1}, Rectangle{-1, 0, 2, 1}, Rectangle{0, 0, 0, 1},
        Rectangle{kHuge, 0, 1, 1}}) {
    fabric.dead = {dead};
    refused(fabric);
  }
  fabric.dead = {{4, 4, 1, 1}};
  CHECK(!draw_fabric(fabric, PictureFormat::svg).empty());
  fabric.ports = {{FabricPort::Side::top, 5}};
  refused(fabric);
  fabric.ports = {{FabricPort::Side::top, 4}};
  CHECK(!draw_fabric(fabric, PictureFormat::svg).empty());
  fabric.group = {-1, 2};
  refused(fabric);
}

TEST_CASE("a hardware's picture shows its ports by kind, its dead tiles and its groups") {
  Hardware hardware;
  hardware.name = "tiny";
  hardware.wafer = {8, 6, {{1, 1, 2, 3}}};
  hardware.group_columns = 4;
  hardware.host_ports = {{Direction::south, 7, {}, 0, {}}};
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}},
                         {Direction::east, 5, {}, 0, {}},
                         {Direction::north, 3, {}, 0, {}}};
  const Fabric fabric = hardware_fabric(hardware);
  CHECK(fabric.ports ==
        std::vector<FabricPort>{{FabricPort::Side::bottom, 7, FabricPort::Kind::host},
                                {FabricPort::Side::left, 0, FabricPort::Kind::dram},
                                {FabricPort::Side::right, 5, FabricPort::Kind::dram},
                                {FabricPort::Side::top, 3, FabricPort::Kind::dram}});
  const XmlElement svg = svg_of(fabric);
  CHECK(has_text(svg, "tiny: 8 × 6 tiles"));
  CHECK(has_text(svg, "4 × 6 tiles"));
  CHECK(has_text(svg, "6 (12.5 %)"));
  CHECK(has_text(svg, "host ports"));
  CHECK(has_text(svg, "DRAM ports"));
  CHECK(groups_of(svg, "ports")[0]->children.size() == 4);
  CHECK(!has_text(svg, "ports (assumed)"));
}

TEST_CASE("dead links are drawn in the mesh and in the close-up, and counted in the legend") {
  Hardware hardware;
  hardware.wafer = {100, 100};
  hardware.dead_links = {{50, 60, Direction::east}, {90, 5, Direction::south}};
  const XmlElement svg = svg_of(hardware_fabric(hardware));
  CHECK(has_text(svg, "dead links"));
  CHECK(has_text(svg, "columns 45–56, rows 55–66"));  // five tiles before the first, six behind
  const auto groups = groups_of(svg, "dead-links");
  REQUIRE(groups.size() == 2);
  const auto bars = [&](std::size_t group) {
    const std::string& path = groups[group]->children[0].attributes.at("d");
    return std::count(path.begin(), path.end(), 'z');
  };
  CHECK(bars(0) == 2);
  CHECK(bars(1) == 1);
  hardware.dead_links = {{100, 0, Direction::east}};
  CHECK_THROWS_AS(draw_fabric(hardware_fabric(hardware), PictureFormat::svg), std::logic_error);
  hardware.dead_links = {};
  CHECK(!has_text(svg_of(hardware_fabric(hardware)), "dead links"));
}

TEST_CASE("the bar of a dead link lies in the tile that the link leaves, on the link's side") {
  const Box tile{100, 200, 50, 50};
  const Box east = dead_link_bar({0, 0, Direction::east}, tile);
  CHECK(east.x + east.width == 150);
  CHECK(east.y + east.height / 2 == 225);
  CHECK(dead_link_bar({0, 0, Direction::west}, tile).x == 100);
  CHECK(dead_link_bar({0, 0, Direction::north}, tile).y == 200);
  const Box south = dead_link_bar({0, 0, Direction::south}, tile);
  CHECK(south.y + south.height == 250);
  CHECK(south.x + south.width / 2 == 125);
  const Box tiny = dead_link_bar({0, 0, Direction::east}, {0, 0, 1, 1});
  CHECK(tiny.width > 1.5);
  CHECK(tiny.height > 4);
}

TEST_CASE("hardware without ports or groups is drawn without, switched hardware is refused") {
  Hardware hardware;
  hardware.wafer = {8, 6};
  const XmlElement svg = svg_of(hardware_fabric(hardware));
  CHECK(has_text(svg, "48 tiles · 0 ports"));
  CHECK(!has_text(svg, "groups"));
  hardware.topology = Topology::switched;
  CHECK_THROWS_AS(hardware_fabric(hardware), RequestError);
}

}  // namespace
}  // namespace waferloom::viz
