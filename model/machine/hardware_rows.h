#pragma once

#include <cstdint>

#include "model/describe.h"
#include "model/hardware.h"

// Rows of hardware files that several sources of this room use. Private to model/.

namespace waferloom {

inline constexpr std::int64_t kMaxRate = 1'000'000'000'000'000'000;
inline constexpr std::size_t kMaxEdgePorts = 100'000;
inline constexpr std::int64_t kMaxSwitchedTiles = 1'000'000;
/// Of a tile in a cycle. With the highest clock the peak rate stays below 2^63.
inline constexpr std::int64_t kMostMultiplyAdds = 1'000'000;

/// The key of a program's figures that train, beside those of kTileProgramNames.
inline constexpr std::string_view kTrainingName = "training";

/// Keys that mean nothing where tiles are joined by switches.
inline constexpr std::string_view kMeshKeys[] = {
    "group_columns", "group_rows",  "column_link", "networks",   "router",      "routing",
    "noc",           "passing",     "dead_links",  "hop_cycles", "ramp_cycles", "colours_available",
    "programs",      "tile_cycles", "backing"};

/// Numbers of the machine as a whole.
std::vector<Row> machine_rows();
/// What is known of few fabrics: null where it is not known.
std::vector<Row> fabric_rows();
/// Ports of a kind: `host_ports` or `dram_ports`.
Row ports_row(std::string_view key, std::vector<EdgePort> Hardware::*ports, RowFacts facts);
/// The figures of programs, by program and data type; and what files had of the first one alone.
Row programs_row();
Row tile_cycles_row();

template <>
const TypeRows& rows_of<LinkClass>();
template <>
const TypeRows& rows_of<RouterSpec>();
template <>
const TypeRows& rows_of<RoutingSpec>();
template <>
const TypeRows& rows_of<NocNetwork>();
template <>
const TypeRows& rows_of<NocSpec>();
template <>
const TypeRows& rows_of<TileCycles>();
template <>
const TypeRows& rows_of<TrainingFigures>();
template <>
const TypeRows& rows_of<MeasuredBacking>();
template <>
const TypeRows& rows_of<Hardware>();

/// As a file says it: the passing tiles, which reading adds to the dead ones, not among these.
Hardware hardware_of_file(const Hardware& hardware);

/// Demands of a file what its rows cannot demand alone, and sets what follows from others.
void check_hardware(const JsonReader& reader, const JsonValue& file, Hardware& hardware);

}  // namespace waferloom
