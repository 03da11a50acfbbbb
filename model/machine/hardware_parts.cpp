#include "model/machine/hardware_rows.h"

// Rows of the parts of a hardware file that are objects of numbers.

namespace waferloom {
namespace {

constexpr NumberRange kRateRange{1, kMaxRate};
constexpr NumberRange kLatencyRange{0, 1'000'000'000'000};
constexpr NumberRange kCycleRange{0, 1'000'000};
constexpr NumberRange kTilesAlong{1, kMaxWaferSide};

}  // namespace

template <>
const TypeRows& rows_of<LinkClass>() {
  static const TypeRows rows = rows_for<LinkClass>(
      "link", {row("bytes_per_s", &LinkClass::bytes_per_s,
                   {"what a link moves in one direction; null: no limit", kRateRange}),
               row("latency_ps", &LinkClass::latency_ps,
                   {"what a hop adds to a transfer's time", kLatencyRange})});
  return rows;
}

template <>
const TypeRows& rows_of<RouterSpec>() {
  constexpr NumberRange kFew{1, 16};
  constexpr NumberRange kFlits{1, 1'024};
  static const TypeRows rows = rows_for<RouterSpec>(
      "router", {row("flit_bytes", &RouterSpec::flit_bytes,
                     {"what a link moves in a cycle", NumberRange{1, 65'536}}),
                 row("packet_flits", &RouterSpec::packet_flits,
                     {"the longest packet, its head included", kFlits}),
                 row("virtual_channels", &RouterSpec::virtual_channels, {"of an input port", kFew}),
                 row("buffer_flits", &RouterSpec::buffer_flits, {"of a virtual channel", kFlits}),
                 row("injection_queues", &RouterSpec::injection_queues, {"of a tile", kFew})});
  return rows;
}

template <>
const TypeRows& rows_of<RoutingSpec>() {
  static const TypeRows rows = rows_for<RoutingSpec>(
      "routing",
      {row("lane_sides", &RoutingSpec::lane_sides),
       row("lanes_max", &RoutingSpec::lanes_max,
           {"parallel lanes of a tensor on planned routes", kTilesAlong}),
       row("colours", &RoutingSpec::colours, {"that planned routes may have", NumberRange{1, 64}}),
       row("kernel_colours", &RoutingSpec::kernel_colours,
           {"of those, what a kernel keeps on its own tiles", NumberRange{0, 64}}),
       row("kernel_link_percent", &RoutingSpec::kernel_link_percent,
           {"of a link inside a kernel, what the kernel's own work takes", NumberRange{0, 99}})});
  return rows;
}

std::vector<Row> machine_rows() {
  return {
      row("group_columns", &Hardware::group_columns, {"columns of a group of tiles", kTilesAlong}),
      row("group_rows", &Hardware::group_rows, {"rows of a group of tiles", kTilesAlong}),
      row("endpoint_latency_ps", &Hardware::endpoint_latency_ps,
          {"once a transfer, besides its hops", kLatencyRange}),
      row("clock_hz", &Hardware::clock_hz, {"of the tiles", NumberRange{1, 1'000'000'000'000}}),
      row("cycles_per_time_unit", &Hardware::cycles_per_time_unit,
          {"of a kernel's time", NumberRange{1, 1'000'000'000}}),
      row("element_bytes", &Hardware::element_bytes, {"of a tensor", NumberRange{1, 64}}),
      row("lanes_max", &Hardware::lanes_max,
          {"parallel lanes of a tensor between two rectangles", kTilesAlong}),
      row("buffer_samples", &Hardware::buffer_samples,
          {"that every edge holds; null: automatic, so that skips never stall",
           NumberRange{1, 1'000'000}}),
      row("adapter_setup_ps", &Hardware::adapter_setup_ps,
          {"of a pass through an adapter", kLatencyRange}),
      row("host_bytes_per_s", &Hardware::host_bytes_per_s,
          {"of all host ports together, in one direction; null: no limit", kRateRange}),
      row("sram_bytes_per_tile", &Hardware::sram_bytes_per_tile,
          {"memory of a tile; null: not known", kRateRange}),
      row("program_bytes_per_tile", &Hardware::program_bytes_per_tile,
          {"of that, what a tile's program takes", NumberRange{0, kMaxRate}}),
      row("dram_bytes_per_tile", &Hardware::dram_bytes_per_tile,
          {"memory beside a tile, of its own; null: there is none", kRateRange}),
      row("dram_bytes_per_s_per_tile", &Hardware::dram_bytes_per_s_per_tile,
          {"what that memory moves; null: no limit", kRateRange}),
      row("achievable_percent", &Hardware::achievable_percent,
          {"of the peak rate", NumberRange{1, 100}}),
      row("price_usd", &Hardware::price_usd, {"of all tiles; null: not known", kRateRange}),
      row("power_w", &Hardware::power_w, {"of all tiles at work; null: not known", kRateRange})};
}

std::vector<Row> fabric_rows() {
  constexpr NumberRange kHop{0, 10'000};
  constexpr NumberRange kWords{1, 1'024};
  return {
      row("hop_cycles", &Hardware::hop_cycles,
          {"of a word from router to router; in place of link.latency_ps", kHop}),
      row("ramp_cycles", &Hardware::ramp_cycles,
          {"of a word between a tile and its router, each way", kHop}),
      row("sram_read_words_per_cycle", &Hardware::sram_read_words_per_cycle,
          {"words of 32 bits that a tile reads", kWords}),
      row("sram_write_words_per_cycle", &Hardware::sram_write_words_per_cycle,
          {"words of 32 bits that a tile writes", kWords}),
      row("colours_available", &Hardware::colours_available, {"to programs", NumberRange{1, 64}})};
}

template <>
const TypeRows& rows_of<TileCycles>() {
  using Cycles = TileCycles;
  static const TypeRows rows = rows_for<Cycles>(
      "the figures of a program",
      {row("start", &Cycles::start, {"an operator begins", kCycleRange}),
       row("phase", &Cycles::phase, {"a phase of a collective begins", kCycleRange}),
       row("exchange", &Cycles::exchange,
           {"the exchange of a block with a neighbour begins", kCycleRange}),
       row("relay", &Cycles::relay, {"a tile takes a block in and hands it on", kCycleRange}),
       row("relay_word", &Cycles::relay_word, {"of that, each word", kCycleRange}),
       row("chain_stage", &Cycles::chain_stage,
           {"a tile adds what comes to its own and hands the sum on", kCycleRange}),
       row("reduced_word", &Cycles::reduced_word,
           {"a word of a reduction, beside its passes through ramps", kCycleRange}),
       row("update", &Cycles::update, {"a rank-one update of a block begins", kCycleRange}),
       row("vector", &Cycles::vector, {"a vector operation begins", kCycleRange}),
       row("issue", &Cycles::issue,
           {"up to lanes multiply-adds of a vector operation; not beyond the tile's peak",
            kCycleRange}),
       row("lanes", &Cycles::lanes,
           {"multiply-adds of an issue; 0: as many as the tile does in a cycle", kCycleRange}),
       row("step", &Cycles::step,
           {"a program of many operators goes on to its next operator", kCycleRange}),
       row("exponential", &Cycles::exponential,
           {"of a number, beside three vector operations", kCycleRange})});
  return rows;
}

template <>
const TypeRows& rows_of<TrainingFigures>() {
  using Training = TrainingFigures;
  constexpr NumberRange kPercent{1, 100};
  static const TypeRows rows = rows_for<Training>(
      "training of a data type",
      {row("layer_seconds", &Training::layer_seconds,
           {"that a layer takes of a micro-batch, whatever its size", NumberRange{0, 1'000}}),
       row("products_percent", &Training::products_percent,
           {"of the peak that multiply-adds run at", kPercent}),
       row("ports_percent", &Training::ports_percent,
           {"of the host ports' rate that weights and gradients move at", kPercent})});
  return rows;
}

template <>
const TypeRows& rows_of<MeasuredBacking>() {
  using Backing = MeasuredBacking;
  constexpr NumberRange kPercent{0, 1'000'000'000};
  constexpr NumberRange kReach{0, kMaxRate};
  static const TypeRows rows = rows_for<Backing>(
      "a measured model",
      {needed("what", &Backing::what), row("algorithm", &Backing::algorithm),
       row("data_type", &Backing::data_type), row("program", &Backing::program),
       needed("source", &Backing::source),
       needed("rows", &Backing::rows, {"that were judged", NumberRange{1, 1'000'000}}),
       needed("median_percent", &Backing::median_percent, {"of the absolute error", kPercent}),
       needed("worst_percent", &Backing::worst_percent, {"of the absolute error", kPercent}),
       row("least_tiles", &Backing::least_tiles, {"of a measured mesh; 0: not told", kReach}),
       row("most_tiles", &Backing::most_tiles, {"of a measured mesh; 0: not told", kReach}),
       row("least_block", &Backing::least_block,
           {"numbers along a side of a tile's blocks; 0: not told", kReach}),
       row("most_block", &Backing::most_block,
           {"numbers along a side of a tile's blocks; 0: not told", kReach})});
  return rows;
}

}  // namespace waferloom
