#pragma once

#include <string_view>
#include <tuple>
#include <variant>

#include "model/hardware.h"
#include "model/text.h"

namespace waferloom {

/// One number of a hardware file. The tables below drive its reader, the echo of what is in force
/// and the schema. Private to model/.
template <typename Owner>
struct HardwareKey {
  std::string_view name;  ///< ends in the unit, where it has one
  std::string_view meaning;
  NumberRange range;
  /// A number, one that may be null (no limit, not known, or automatic, as `meaning` says), a
  /// decimal, or a fitted figure.
  std::variant<std::int64_t Owner::*, std::optional<std::int64_t> Owner::*, Decimal6 Owner::*,
               double Owner::*>
      member;
};

inline constexpr std::int64_t kMaxRate = 1'000'000'000'000'000'000;
inline constexpr std::int64_t kMaxLatency = 1'000'000'000'000;
inline constexpr NumberRange kRateRange{1, kMaxRate};
inline constexpr NumberRange kLatencyRange{0, kMaxLatency};

inline constexpr HardwareKey<LinkClass> kLinkKeys[] = {
    {"bytes_per_s", "what a link moves in one direction; null: no limit", kRateRange,
     &LinkClass::bytes_per_s},
    {"latency_ps", "what a hop adds to a transfer's time", kLatencyRange, &LinkClass::latency_ps},
};

inline constexpr HardwareKey<RouterSpec> kRouterKeys[] = {
    {"flit_bytes", "what a link moves in a cycle", {1, 65'536}, &RouterSpec::flit_bytes},
    {"packet_flits",
     "the longest packet, its head included",
     {1, 1'024},
     &RouterSpec::packet_flits},
    {"virtual_channels", "of an input port", {1, 16}, &RouterSpec::virtual_channels},
    {"buffer_flits", "of a virtual channel", {1, 1'024}, &RouterSpec::buffer_flits},
    {"injection_queues", "of a tile", {1, 16}, &RouterSpec::injection_queues},
};

inline constexpr HardwareKey<RoutingSpec> kRoutingKeys[] = {
    {"lanes_max",
     "parallel lanes of a tensor on planned routes",
     {1, kMaxWaferSide},
     &RoutingSpec::lanes_max},
    {"colours", "that planned routes may have", {1, 64}, &RoutingSpec::colours},
    {"kernel_colours",
     "of those, what a kernel keeps on its own tiles",
     {0, 64},
     &RoutingSpec::kernel_colours},
    {"kernel_link_percent",
     "of a link inside a kernel, what the kernel's own work takes",
     {0, 99},
     &RoutingSpec::kernel_link_percent},
};

inline constexpr HardwareKey<EdgePort> kPortKeys[] = {
    {"position",
     "the port's tile, counted along its side from 0",
     {0, kMaxWaferSide - 1},
     &EdgePort::position},
    {"bytes_per_s", "what the port moves in one direction; null: no limit", kRateRange,
     &EdgePort::bytes_per_s},
    {"response_ps", "passes once a transfer", kLatencyRange, &EdgePort::response_ps},
    {"capacity_bytes",
     "of the memory behind it; null: no limit",
     {0, kMaxRate},
     &EdgePort::capacity_bytes},
};

inline constexpr HardwareKey<Hardware> kHardwareKeys[] = {
    {"group_columns", "columns of a group of tiles", {1, kMaxWaferSide}, &Hardware::group_columns},
    {"group_rows", "rows of a group of tiles", {1, kMaxWaferSide}, &Hardware::group_rows},
    {"endpoint_latency_ps", "once a transfer, besides its hops", kLatencyRange,
     &Hardware::endpoint_latency_ps},
    {"clock_hz", "of the tiles", {1, 1'000'000'000'000}, &Hardware::clock_hz},
    {"cycles_per_time_unit",
     "of a kernel's time",
     {1, 1'000'000'000},
     &Hardware::cycles_per_time_unit},
    {"element_bytes", "of a tensor", {1, 64}, &Hardware::element_bytes},
    {"lanes_max",
     "parallel lanes of a tensor between two rectangles",
     {1, kMaxWaferSide},
     &Hardware::lanes_max},
    {"buffer_samples",
     "that every edge holds; null: automatic, so that skips never stall",
     {1, 1'000'000},
     &Hardware::buffer_samples},
    {"adapter_setup_ps", "of a pass through an adapter", kLatencyRange,
     &Hardware::adapter_setup_ps},
    {"host_bytes_per_s", "of all host ports together, in one direction; null: no limit", kRateRange,
     &Hardware::host_bytes_per_s},
    {"sram_bytes_per_tile",
     "memory of a tile; null: not known",
     {1, kMaxRate},
     &Hardware::sram_bytes_per_tile},
    {"program_bytes_per_tile",
     "of that, what a tile's program takes",
     {0, kMaxRate},
     &Hardware::program_bytes_per_tile},
    {"dram_bytes_per_tile",
     "memory beside a tile, of its own; null: there is none",
     {1, kMaxRate},
     &Hardware::dram_bytes_per_tile},
    {"dram_bytes_per_s_per_tile", "what that memory moves; null: no limit", kRateRange,
     &Hardware::dram_bytes_per_s_per_tile},
    {"achievable_percent", "of the peak rate", {1, 100}, &Hardware::achievable_percent},
    {"price_usd", "of all tiles; null: not known", {1, kMaxRate}, &Hardware::price_usd},
    {"power_w", "of all tiles at work; null: not known", {1, kMaxRate}, &Hardware::power_w},
};

/// What is known of few fabrics: left out where it is not known.
inline constexpr NumberRange kCycleRange{0, 1'000'000};
inline constexpr HardwareKey<Hardware> kFabricKeys[] = {
    {"hop_cycles",
     "of a word from router to router; in place of link.latency_ps",
     {0, 10'000},
     &Hardware::hop_cycles},
    {"ramp_cycles",
     "of a word between a tile and its router, each way",
     {0, 10'000},
     &Hardware::ramp_cycles},
    {"sram_read_words_per_cycle",
     "words of 32 bits that a tile reads",
     {1, 1'024},
     &Hardware::sram_read_words_per_cycle},
    {"sram_write_words_per_cycle",
     "words of 32 bits that a tile writes",
     {1, 1'024},
     &Hardware::sram_write_words_per_cycle},
    {"colours_available", "to programs", {1, 64}, &Hardware::colours_available},
};
inline constexpr HardwareKey<TileCycles> kTileCycleKeys[] = {
    {"start", "an operator begins", kCycleRange, &TileCycles::start},
    {"phase", "a phase of a collective begins", kCycleRange, &TileCycles::phase},
    {"exchange", "the exchange of a block with a neighbour begins", kCycleRange,
     &TileCycles::exchange},
    {"relay", "a tile takes a block in and hands it on", kCycleRange, &TileCycles::relay},
    {"relay_word", "of that, each word", kCycleRange, &TileCycles::relay_word},
    {"chain_stage", "a tile adds what comes to its own and hands the sum on", kCycleRange,
     &TileCycles::chain_stage},
    {"reduced_word", "a word of a reduction, beside its passes through ramps", kCycleRange,
     &TileCycles::reduced_word},
    {"update", "a rank-one update of a block begins", kCycleRange, &TileCycles::update},
    {"vector", "a vector operation begins", kCycleRange, &TileCycles::vector},
    {"issue", "up to lanes multiply-adds of a vector operation; not beyond the tile's peak",
     kCycleRange, &TileCycles::issue},
    {"lanes",
     "multiply-adds of an issue; 0: as many as the tile does in a cycle",
     {0, 1'000'000},
     &TileCycles::lanes},
    {"step", "a program of many operators goes on to its next operator", kCycleRange,
     &TileCycles::step},
    {"exponential", "of a number, beside three vector operations", kCycleRange,
     &TileCycles::exponential},
};

/// Beside the programs of tiles, those that train.
inline constexpr std::string_view kTrainingName = "training";
inline constexpr HardwareKey<TrainingFigures> kTrainingKeys[] = {
    {"layer_seconds",
     "that a layer takes of a micro-batch, whatever its size",
     {0, 1'000},
     &TrainingFigures::layer_seconds},
    {"products_percent",
     "of the peak that multiply-adds run at",
     {1, 100},
     &TrainingFigures::products_percent},
    {"ports_percent",
     "of the host ports' rate that weights and gradients move at",
     {1, 100},
     &TrainingFigures::ports_percent},
};

/// Ports that one entry of a file stands for: from `position` to `last`, `every` so many tiles.
struct PortRange {
  std::int64_t last = 0;
  std::int64_t every = 1;
};
inline constexpr HardwareKey<PortRange> kPortRangeKeys[] = {
    {"last",
     "the last of several such ports along the side; position where it is not there",
     {0, kMaxWaferSide - 1},
     &PortRange::last},
    {"every", "tiles from one of them to the next", {1, kMaxWaferSide}, &PortRange::every},
};

/// Keys that mean nothing where tiles are joined by switches.
inline constexpr std::string_view kMeshKeys[] = {
    "group_columns", "group_rows",        "router",   "routing",     "dead_links", "hop_cycles",
    "ramp_cycles",   "colours_available", "programs", "tile_cycles", "backing"};

/// Ranges that a backing may tell.
inline constexpr HardwareKey<MeasuredBacking> kBackingKeys[] = {
    {"rows", "that were judged", {1, 1'000'000}, &MeasuredBacking::rows},
    {"median_percent",
     "of the absolute error",
     {0, 1'000'000'000},
     &MeasuredBacking::median_percent},
    {"worst_percent", "of the absolute error", {0, 1'000'000'000}, &MeasuredBacking::worst_percent},
    {"least_tiles",
     "of a measured mesh; 0: not told",
     {0, kMaxRate},
     &MeasuredBacking::least_tiles},
    {"most_tiles", "of a measured mesh; 0: not told", {0, kMaxRate}, &MeasuredBacking::most_tiles},
    {"least_block",
     "numbers along a side of a tile's blocks; 0: not told",
     {0, kMaxRate},
     &MeasuredBacking::least_block},
    {"most_block",
     "numbers along a side of a tile's blocks; 0: not told",
     {0, kMaxRate},
     &MeasuredBacking::most_block},
};
/// Texts of a backing; the first and the last have to be there.
struct BackingText {
  std::string_view name;
  std::string MeasuredBacking::*member;
  bool is_needed;
};
inline constexpr BackingText kBackingTexts[] = {
    {"what", &MeasuredBacking::what, true},
    {"algorithm", &MeasuredBacking::algorithm, false},
    {"data_type", &MeasuredBacking::data_type, false},
    {"program", &MeasuredBacking::program, false},
    {"source", &MeasuredBacking::source, true},
};

inline constexpr std::size_t kMostBackings = 1'000;
inline constexpr std::int64_t kMaxSwitchedTiles = 1'000'000;
inline constexpr std::size_t kMaxEdgePorts = 100'000;
inline constexpr std::size_t kMaxDeadLinks = 1'000'000;

}  // namespace waferloom
