#include "model/machine/hardware_rows.h"

#include "model/machine/json_rectangle.h"
#include "model/mesh.h"

namespace waferloom {
namespace {

constexpr NumberRange kAlong{1, kMaxWaferSide};

/// Where hops are given in cycles, the latency follows and is not written.
constexpr OwnForm<Hardware> kLink{
    [](const JsonReader& reader, const JsonValue& value, Hardware& hardware) {
      read_rows(reader, value, "link", rows_of<LinkClass>(), &hardware.link);
    },
    [](const Hardware& hardware, ValueSink& sink) {
      static const TypeRows rate = report_rows({rows_of<LinkClass>().rows.front()});
      write_rows(hardware.hop_cycles ? rate : rows_of<LinkClass>(), &hardware.link, sink);
    },
    [](ValueSink& schema) { describe_rows(rows_of<LinkClass>(), schema); }};

/// Rates that follow from multiply-adds are not written.
constexpr OwnForm<Hardware> kPeaks{
    [](const JsonReader& reader, const JsonValue& value, Hardware& hardware) {
      reader.expect_object(value, "peak_flop_per_s_per_tile as an object");
      for (std::size_t i = 0; i < value.keys.size(); ++i) {
        hardware.peak_flop_per_s_per_tile[value.keys[i]] =
            reader.whole(value.items[i], "peak_flop_per_s_per_tile", {1, kMaxRate});
      }
    },
    [](const Hardware& hardware, ValueSink& sink) {
      sink.open_object();
      for (const auto& [type, rate] : hardware.peak_flop_per_s_per_tile) {
        if (!hardware.multiply_adds_per_cycle.contains(type)) sink.pair(type, rate);
      }
      sink.close();
    },
    [](ValueSink& schema) {
      schema.pair("type", "object");
      schema.key("additionalProperties");
      schema.open_object();
      schema.pair("type", "integer");
      schema.pair("minimum", 1);
      schema.pair("maximum", kMaxRate);
      schema.close();
    }};

/// Read once all figures are known that may have a source (hardware_check.cpp).
constexpr OwnForm<Hardware> kSources{
    [](const JsonReader& /*reader*/, const JsonValue& /*value*/, Hardware& /*hardware*/) {},
    [](const Hardware& hardware, ValueSink& sink) {
      sink.open_object();
      for (const FigureSource& source : hardware.sources) sink.pair(source.key, source.text);
      sink.close();
    },
    [](ValueSink& schema) {
      schema.pair("type", "object");
      schema.key("additionalProperties");
      schema.open_object();
      schema.pair("type", "string");
      schema.close();
    }};

/// Rows of meshes are written of meshes alone, unless they say themselves where they are.
std::vector<Row> of_meshes(std::vector<Row> rows) {
  for (Row& row : rows) {
    const bool is_of_meshes =
        std::find(std::begin(kMeshKeys), std::end(kMeshKeys), row.key) != std::end(kMeshKeys);
    if (!is_of_meshes || row.applies != nullptr) continue;
    row = where<Hardware>(
        [](const Hardware& hardware) { return hardware.topology != Topology::switched; },
        std::move(row));
  }
  return rows;
}

std::vector<Row> edge_rows() {
  constexpr NumberRange kPort{0, static_cast<std::int64_t>(kMaxEdgePorts) - 1};
  constexpr NumberRange kMostLinks{0, 1'000'000};
  return joined(
      {{ports_row("host_ports", &Hardware::host_ports, {"ports between the mesh and the host"}),
        row("host_port_choice", &Hardware::host_port_choice,
            {"which host ports a transfer uses: the nearest, or all of them, each for an even "
             "part"}),
        row("host_port_of", &Hardware::host_port_of,
            {.meaning =
                 "by name of an input or output: the place of its port in host_ports, from 0",
             .range = kPort,
             .item = "host_port_of"}),
        ports_row("dram_ports", &Hardware::dram_ports, {"ports between the mesh and DRAM"}),
        row("dram_port_choice", &Hardware::dram_port_choice,
            {"which DRAM ports a transfer uses: the nearest, or all of them, each for an even "
             "part"}),
        row("edge_io", &Hardware::edge_io,
            {"the ports through which inputs come in and outputs go out"})},
       inside(&Hardware::wafer, {dead_row()}),
       terse({row("passing", &Hardware::passing,
                  {.meaning = "rectangles of tiles that compute nothing and whose routers live: a "
                              "harvested row, memory controllers. Nothing is laid there, routes "
                              "pass, ports may stand there",
                   .items = {0, kMaxDeadRectangles}})}),
       {row("dead_links", &Hardware::dead_links,
            {.meaning = "links that carry nothing", .items = kMostLinks})}});
}

}  // namespace

template <>
const TypeRows& rows_of<DeadLink>() {
  constexpr NumberRange kPlace{0, kMaxWaferSide - 1};
  static const TypeRows rows = rows_for<DeadLink>(
      "a dead link",
      {needed("x", &DeadLink::x, {"column of the tile that the link leaves, from 0", kPlace}),
       needed("y", &DeadLink::y, {"row of the tile that the link leaves, from 0", kPlace}),
       needed("direction", &DeadLink::direction,
              {"the direction in which the link leaves the tile; north is towards greater y"})});
  return rows;
}

template <>
const TypeRows& rows_of<Hardware>() {
  constexpr NumberRange kMostBackings{0, 1'000};
  static const TypeRows rows = rows_for<Hardware>(
      "hardware",
      of_meshes(joined(
          {{format_row("waferloom/hardware/1"),
            row("name", &Hardware::name, {"name of the machine, for reports"})},
           inside(&Hardware::wafer,
                  {needed("columns", &Wafer::width,
                          {"tiles of a row of the mesh; at most 16,000,000 tiles in all", kAlong}),
                   needed("rows", &Wafer::height, {"rows of the mesh", kAlong})}),
           {row("topology", &Hardware::topology,
                {"a mesh; a torus, whose rows and columns close to rings; or switched: a row is a "
                 "node of a cluster, at most 1,000,000 tiles, without groups, dead links, router "
                 "and routing"})},
           {where<Hardware>(
               [](const Hardware& hardware) { return hardware.topology == Topology::torus; },
               row("networks", &Hardware::networks,
                   {"the networks that a torus's links make: a single one, or two opposite ones, "
                    "in which transfers go east and north alone, or west and south alone"}))},
           machine_rows(),
           terse({row("achievable_percent_by_type", &Hardware::achievable_percent_by_type,
                      {.meaning = "by data type: the same of products whose operands have it, in "
                                  "place of achievable_percent",
                       .range = NumberRange{1, 100},
                       .item = "achievable_percent_by_type"})}),
           {formed("link", kLink, {"a link between neighbours, in one direction"}),
            row("group_link", &Hardware::group_link,
                {"a link between two groups of tiles; by default as link"}),
            row("column_link", &Hardware::column_link,
                {.meaning = "a link within a column of tiles; by default as link",
                 .or_null = false}),
            row("router", &Hardware::router, {"the routers of the packet network"}),
            row("routing", &Hardware::routing, {"what planned routes may use"})},
           terse({row("noc", &Hardware::noc,
                      {.meaning = "networks on chip of a torus on which device traces run",
                       .or_null = false})}),
           fabric_rows(),
           {formed("peak_flop_per_s_per_tile", kPeaks,
                   {"by data type: floating-point operations a second of a tile; none: not known"}),
            row("multiply_adds_per_cycle", &Hardware::multiply_adds_per_cycle,
                {.meaning = "by data type: multiply-adds of a tile in a cycle; twice that a cycle "
                            "is then peak_flop_per_s_per_tile of the type, which may not be given",
                 .range = NumberRange{1, kMostMultiplyAdds},
                 .item = "multiply_adds_per_cycle"}),
            tile_cycles_row(), programs_row(),
            row("backing", &Hardware::backing,
                {.meaning = "errors of our models against what was measured on this machine",
                 .items = kMostBackings})},
           edge_rows(),
           {formed("sources", kSources,
                   {"by key: where its figure comes from, or \"assumed\"; repeated in reports; "
                    "programs are named programs.PROGRAM.TYPE"})}})),
      check_hardware);
  return rows;
}

Hardware hardware_of_file(const Hardware& hardware) {
  Hardware file = hardware;
  file.wafer.dead = closed_tiles(hardware);
  return file;
}

std::string hardware_schema() { return schema_text(rows_of<Hardware>(), "waferloom/hardware/1"); }

}  // namespace waferloom
