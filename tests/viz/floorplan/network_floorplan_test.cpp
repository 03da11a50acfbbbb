#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/viz/canvas/picture_reader.h"
#include "tests/viz/floorplan/sample_plans.h"
#include "viz/floorplan.h"
#include "viz/floorplan/ports.h"
#include "viz/floorplan/stage_facts.h"

namespace waferloom::viz {
namespace {

using test::elements_named;
using test::grid_plan;
using test::groups_of;
using test::has_text;
using test::parse_xml;
using test::SamplePlan;
using test::XmlElement;

/// Four stages in a chain of three tensors, two by two on a wafer of 96 × 128 tiles.
struct Network {
  SamplePlan plan = grid_plan(4, {96, 128});
  FloorplanOptions options{};
  Network() {
    NetworkStages network;
    network.network = "T-4";
    network.hardware = "small_wafer";
    network.stages = {{"embedding, transformer", "embedding–layer.2"},
                      {"transformer", "layer.3–4"},
                      {"transformer", "layer.5–6"},
                      {"transformer, head", "layer.7–head"}};
    network.time_unit_s = 1e-3;
    network.tensor_bytes = {1'000, 50'300'000, 2'000'000'000};
    network.ports = {{FabricPort::Side::left, 3, FabricPort::Kind::dram},
                     {FabricPort::Side::right, 3, FabricPort::Kind::dram},
                     {FabricPort::Side::top, 40, FabricPort::Kind::host}};
    options.network = network;
  }
  XmlElement svg() const {
    return parse_xml(draw_floorplan(plan.problem, plan.placement, PictureFormat::svg, options));
  }
};

TEST_CASE("a network's title names it and the wafer, and its times have units") {
  const Network network;
  const XmlElement svg = network.svg();
  CHECK(has_text(svg, "T-4 on small_wafer"));
  // A conv of 4 × 4 pixels and 16 × 16 features cut by h = w = 4, c = 3, k = 16: ⌈16/3⌉ = 6 units.
  const auto facts = test::find_all(svg, [](const XmlElement& element) {
    return element.text.starts_with("longest stage k0: 6 ms a micro-batch · distance ");
  });
  CHECK(facts.size() == 1);
  CHECK(groups_of(svg, "kernel")[1]->children[0].text.ends_with(", 6 ms a micro-batch"));
}

TEST_CASE("stages are coloured by what they hold, which they and the legend say") {
  const Network network;
  const XmlElement svg = network.svg();
  std::vector<std::string> fills;
  for (const XmlElement* stage : groups_of(svg, "kernel")) {
    fills.push_back(elements_named(*stage, "rect").at(0)->attributes.at("fill"));
  }
  CHECK(fills == std::vector<std::string>{hex(kind_colour(0)), hex(kind_colour(1)),
                                          hex(kind_colour(1)), hex(kind_colour(2))});
  for (const char* kind : {"embedding, transformer", "transformer", "transformer, head"}) {
    CHECK(has_text(svg, kind));
  }
  const XmlElement& labels = *groups_of(svg, "labels")[0];
  for (const auto& stage : network.options.network->stages) CHECK(has_text(labels, stage.content));
  CHECK(has_text(labels, "48×64"));
}

TEST_CASE("colours of stages follow the order in which their kinds occur") {
  NetworkStages network;
  for (const char* kind : {"a", "b", "a", "c", "b"}) {
    network.stages.emplace_back();
    network.stages.back().kind = kind;
  }
  const std::vector<Colour> expected{kind_colour(0), kind_colour(1), kind_colour(0), kind_colour(2),
                                     kind_colour(1)};
  CHECK(stage_colours(network) == expected);
}

TEST_CASE("by load a network's stages have the colours of their times") {
  Network network;
  network.options.colour = FloorplanOptions::Colour::load;
  const XmlElement svg = network.svg();
  for (const XmlElement* stage : groups_of(svg, "kernel")) {
    CHECK(elements_named(*stage, "rect").at(0)->attributes.at("fill") == hex(slack_colour(0)));
  }
  CHECK(has_text(svg, "time, as a share of the longest"));
  CHECK(!has_text(svg, "transformer"));
}

TEST_CASE("tensors have their bytes beside their arrows, and heavier arrows the larger they are") {
  const Network network;
  const XmlElement svg = network.svg();
  const XmlElement& tensors = *groups_of(svg, "tensors").at(0);
  for (const char* text : {"1 kB", "50.3 MB", "2 GB"}) CHECK(has_text(tensors, text));
  std::vector<double> widths;
  for (const XmlElement* edge : groups_of(svg, "edge")) {
    widths.push_back(elements_named(*edge, "path").at(1)->number("stroke-width"));
  }
  REQUIRE(widths.size() == 3);
  CHECK(widths[0] < widths[1]);
  CHECK(widths[1] < widths[2]);
  CHECK(groups_of(svg, "edge")[1]->children[0].text == "k1 → k2, 50.3 MB a micro-batch");
}

TEST_CASE("of tensors that are alike the legend tells the bytes, once") {
  Network network;
  network.options.network->tensor_bytes = {197'000, 197'000, 197'000};
  const XmlElement svg = network.svg();
  CHECK(groups_of(svg, "tensors").empty());
  CHECK(has_text(svg, "each 197 kB"));
}

TEST_CASE("of many tensors the twelve largest are told, of many that are alike none") {
  const auto drawn = [](bool alike) {
    const SamplePlan plan = grid_plan(60, {480, 384});
    NetworkStages network;
    network.stages.assign(60, {"transformer", "layer"});
    for (std::int64_t i = 0; i < 59; ++i) {
      network.tensor_bytes.push_back(alike ? 1'000 : 1'000 * (i + 1));
    }
    FloorplanOptions options;
    options.network = network;
    const XmlElement svg =
        parse_xml(draw_floorplan(plan.problem, plan.placement, PictureFormat::svg, options));
    std::vector<std::string> texts;
    for (const XmlElement* group : groups_of(svg, "tensors")) {
      for (const XmlElement* text : elements_named(*group, "text")) texts.push_back(text->text);
    }
    return texts;
  };
  CHECK(drawn(true).empty());
  const std::vector<std::string> told = drawn(false);
  REQUIRE(told.size() == 12);
  CHECK(told.front() == "59 kB");
  CHECK(told.back() == "48 kB");
}

TEST_CASE("ports are wedges around the mesh, by kind") {
  const Network network;
  const XmlElement svg = network.svg();
  const auto wedges = elements_named(*groups_of(svg, "ports").at(0), "polygon");
  REQUIRE(wedges.size() == 3);
  CHECK(wedges[0]->attributes.at("fill") == hex(kDramPort));
  CHECK(wedges[2]->attributes.at("fill") == hex(kPort));
  CHECK(has_text(svg, "host ports"));
  CHECK(has_text(svg, "DRAM ports"));
  CHECK(groups_of(parse_xml(draw_floorplan(network.plan.problem, network.plan.placement,
                                           PictureFormat::svg)),
                  "ports")
            .empty());
}

TEST_CASE("a network of other numbers of stages or tensors is refused") {
  Network network;
  network.options.network->stages.pop_back();
  CHECK_THROWS_AS(network.svg(), std::logic_error);
  network = Network();
  network.options.network->tensor_bytes.push_back(1);
  CHECK_THROWS_AS(network.svg(), std::logic_error);
}

}  // namespace
}  // namespace waferloom::viz
