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
      "link",
      {row("bytes_per_s", &LinkClass::bytes_per_s,
           {"bytes that a link moves in a second in one direction; null: no limit", kRateRange}),
       row("latency_ps", &LinkClass::latency_ps,
           {"picoseconds that a hop adds to a transfer's time; with hop_cycles it follows from "
            "them",
            kLatencyRange})});
  return rows;
}

template <>
const TypeRows& rows_of<RouterSpec>() {
  constexpr NumberRange kFew{1, 16};
  constexpr NumberRange kFlits{1, 1'024};
  static const TypeRows rows = rows_for<RouterSpec>(
      "router", {row("flit_bytes", &RouterSpec::flit_bytes,
                     {"bytes that a link moves in a cycle: a flit", NumberRange{1, 65'536}}),
                 row("packet_flits", &RouterSpec::packet_flits,
                     {"flits of the longest packet, its head included", kFlits}),
                 row("virtual_channels", &RouterSpec::virtual_channels,
                     {"virtual channels of an input port of a router; on planned routes there is "
                      "one a colour instead",
                      kFew}),
                 row("buffer_flits", &RouterSpec::buffer_flits,
                     {"flits that a virtual channel holds", kFlits}),
                 row("injection_queues", &RouterSpec::injection_queues,
                     {"queues in which a tile's messages wait to enter the network", kFew})});
  return rows;
}

template <>
const TypeRows& rows_of<NocNetwork>() {
  static const TypeRows rows = rows_for<NocNetwork>(
      "a network",
      {needed("name", &NocNetwork::name, {"its name, as device traces call it"}),
       row("along_x", &NocNetwork::along_x, {"the way of its links along a row: east or west"}),
       row("along_y", &NocNetwork::along_y,
           {"the way of its links along a column: north, towards greater y, or south"}),
       row("order", &NocNetwork::order, {"the axis along which a message goes first"})});
  return rows;
}

template <>
const TypeRows& rows_of<NocSpec>() {
  constexpr NumberRange kMostNetworks{1, 8};
  static const TypeRows rows = rows_for<NocSpec>(
      "noc",
      {needed("networks", &NocSpec::networks,
              {.meaning = "networks whose links go one way along each axis; all tiles are on each",
               .items = kMostNetworks}),
       row("link_bytes_per_s", &NocSpec::link_bytes_per_s,
           {"bytes a second that a link keeps up; null: a flit a cycle", kRateRange}),
       row("tile_bytes_per_s", &NocSpec::tile_bytes_per_s,
           {"bytes a second that a tile takes from a network, and gives it; null: as a link",
            kRateRange}),
       row("dram_bytes_per_s", &NocSpec::dram_bytes_per_s,
           {"the same of a tile with a DRAM port; null: as of other tiles", kRateRange}),
       row("request_ps", &NocSpec::request_ps,
           {"picoseconds of a read of the own tile besides its data; of others, hops and the "
            "response of a DRAM port come to it",
            kLatencyRange}),
       row("sends", &NocSpec::sends,
           {"packets that the end of a tile sends at a time", NumberRange{1, 8}}),
       row("channels", &NocSpec::channels,
           {"virtual channels of answers, of requests and of broadcasts on a link, each; as many "
            "again behind the dateline",
            NumberRange{1, 3}}),
       row("buffer_flits", &NocSpec::buffer_flits,
           {"flits of the buffer of a channel at a router's input", NumberRange{1, 65'536}})});
  return rows;
}

template <>
const TypeRows& rows_of<RoutingSpec>() {
  static const TypeRows rows = rows_for<RoutingSpec>(
      "routing", {row("lane_sides", &RoutingSpec::lane_sides,
                      {"where lanes leave a rectangle: by the sides of two rectangles that face "
                       "each other, or by any"}),
                  row("lanes_max", &RoutingSpec::lanes_max,
                      {"parallel lanes of a tensor on planned routes, at most", kTilesAlong}),
                  row("colours", &RoutingSpec::colours,
                      {"colours that planned routes may have", NumberRange{1, 64}}),
                  row("kernel_colours", &RoutingSpec::kernel_colours,
                      {"of those, colours that a kernel keeps for itself on its own tiles",
                       NumberRange{0, 64}}),
                  row("kernel_link_percent", &RoutingSpec::kernel_link_percent,
                      {"percent of a link inside a kernel that the kernel's own work takes",
                       NumberRange{0, 99}})});
  return rows;
}

std::vector<Row> machine_rows() {
  return {
      row("group_columns", &Hardware::group_columns,
          {"columns of a group of tiles; links between two groups are group_link; by default all",
           kTilesAlong}),
      row("group_rows", &Hardware::group_rows,
          {"rows of a group of tiles; by default all", kTilesAlong}),
      row("endpoint_latency_ps", &Hardware::endpoint_latency_ps,
          {"picoseconds that a transfer takes once, besides its hops", kLatencyRange}),
      row("clock_hz", &Hardware::clock_hz,
          {"cycles of a tile in a second", NumberRange{1, 1'000'000'000'000}}),
      row("cycles_per_time_unit", &Hardware::cycles_per_time_unit,
          {"clock cycles of a unit of time of a contest case's kernels",
           NumberRange{1, 1'000'000'000}}),
      row("element_bytes", &Hardware::element_bytes,
          {"bytes of a number of a tensor", NumberRange{1, 64}}),
      row("lanes_max", &Hardware::lanes_max,
          {"parallel lanes of a tensor between two rectangles, at most", kTilesAlong}),
      row("buffer_samples", &Hardware::buffer_samples,
          {"samples that the buffer of every edge, input and output holds; null: as many as let no "
           "skip connection stall",
           NumberRange{1, 1'000'000}}),
      row("adapter_setup_ps", &Hardware::adapter_setup_ps,
          {"picoseconds to begin a pass through an adapter", kLatencyRange}),
      row("host_bytes_per_s", &Hardware::host_bytes_per_s,
          {"bytes a second of all host ports together, in one direction; null: no limit",
           kRateRange}),
      row("sram_bytes_per_tile", &Hardware::sram_bytes_per_tile,
          {"bytes of a tile's memory; null: not known", kRateRange}),
      row("program_bytes_per_tile", &Hardware::program_bytes_per_tile,
          {"of that, bytes that the tile's program takes", NumberRange{0, kMaxRate}}),
      row("dram_bytes_per_tile", &Hardware::dram_bytes_per_tile,
          {"bytes of a memory beside a tile, for it alone; null: there is none", kRateRange}),
      row("dram_bytes_per_s_per_tile", &Hardware::dram_bytes_per_s_per_tile,
          {"bytes a second that this memory moves; null: no limit", kRateRange}),
      row("achievable_percent", &Hardware::achievable_percent,
          {"percent of the peak rate that plans reach, with at most six decimals",
           NumberRange{1, 100}}),
      row("element_memory_percent", &Hardware::element_memory_percent,
          {"percent of dram_bytes_per_s_per_tile that kernels of element-wise operations reach, "
           "each of which reads and writes that memory, with at most six decimals; 0: they take "
           "their operations' time alone",
           NumberRange{0, 100}}),
      row("price_usd", &Hardware::price_usd,
          {"US dollars of all tiles, for plan --objective cost; null: not known", kRateRange}),
      row("power_w", &Hardware::power_w,
          {"watts of all tiles at work, for plan --objective energy; null: not known",
           kRateRange})};
}

std::vector<Row> fabric_rows() {
  constexpr NumberRange kHop{0, 10'000};
  constexpr NumberRange kWords{1, 1'024};
  return {
      row("hop_cycles", &Hardware::hop_cycles,
          {"cycles of a word from router to router, in place of link.latency_ps; null: not known",
           kHop}),
      row("ramp_cycles", &Hardware::ramp_cycles,
          {"cycles of a word between a tile and its router, each way; null: not known", kHop}),
      row("sram_read_words_per_cycle", &Hardware::sram_read_words_per_cycle,
          {"words of 32 bits that a tile reads from its memory in a cycle; null: not known",
           kWords}),
      row("sram_write_words_per_cycle", &Hardware::sram_write_words_per_cycle,
          {"words of 32 bits that a tile writes to its memory in a cycle; null: not known",
           kWords}),
      row("colours_available", &Hardware::colours_available,
          {"colours that programs may use; null: not known", NumberRange{1, 64}})};
}

template <>
const TypeRows& rows_of<TileCycles>() {
  using Cycles = TileCycles;
  static const TypeRows rows = rows_for<Cycles>(
      "the figures of a program",
      {row("start", &Cycles::start, {"cycles to begin an operator", kCycleRange}),
       row("phase", &Cycles::phase, {"cycles to begin a phase of a collective", kCycleRange}),
       row("exchange", &Cycles::exchange,
           {"cycles to begin the exchange of a block with a neighbour", kCycleRange}),
       row("relay", &Cycles::relay,
           {"cycles in which a tile takes a block in and hands it on", kCycleRange}),
       row("relay_word", &Cycles::relay_word, {"of these, cycles for each word", kCycleRange}),
       row("chain_stage", &Cycles::chain_stage,
           {"cycles in which a tile adds what comes to its own and hands the sum on", kCycleRange}),
       row("reduced_word", &Cycles::reduced_word,
           {"cycles of a word of a reduction, besides its way between tile and router",
            kCycleRange}),
       row("update", &Cycles::update,
           {"cycles to begin a rank-one update of a block", kCycleRange}),
       row("vector", &Cycles::vector, {"cycles to begin a vector operation", kCycleRange}),
       row("issue", &Cycles::issue,
           {"cycles of an issue: as many multiply-adds of a vector operation as `lanes` says; "
            "never faster than the tile's peak",
            kCycleRange}),
       row("lanes", &Cycles::lanes,
           {"multiply-adds of an issue; 0: as many as the tile does in a cycle", kCycleRange}),
       row("step", &Cycles::step,
           {"cycles to go on to the next operator, in a program of many", kCycleRange}),
       row("exponential", &Cycles::exponential,
           {"cycles of the exponential of a number, besides three vector operations",
            kCycleRange})});
  return rows;
}

template <>
const TypeRows& rows_of<TrainingFigures>() {
  using Training = TrainingFigures;
  constexpr NumberRange kPercent{1, 100};
  static const TypeRows rows = rows_for<Training>(
      "training of a data type",
      {row("layer_seconds", &Training::layer_seconds,
           {"seconds that a layer takes for a micro-batch, whatever its size",
            NumberRange{0, 1'000}}),
       row("products_percent", &Training::products_percent,
           {"percent of the peak at which multiply-adds run", kPercent}),
       row("ports_percent", &Training::ports_percent,
           {"percent of the host ports' rate at which weights and gradients move", kPercent})});
  return rows;
}

template <>
const TypeRows& rows_of<MeasuredBacking>() {
  using Backing = MeasuredBacking;
  constexpr NumberRange kPercent{0, 1'000'000'000};
  constexpr NumberRange kReach{0, kMaxRate};
  static const TypeRows rows = rows_for<Backing>(
      "a measured model",
      {needed("what", &Backing::what,
              {"what was measured: gemm, gemv, a reduction, training and so on"}),
       row("algorithm", &Backing::algorithm, {"the algorithm that was measured; empty: any"}),
       row("data_type", &Backing::data_type, {"the type of its numbers; empty: any"}),
       row("program", &Backing::program,
           {"the program that was measured, by its key in programs; empty: none"}),
       needed("source", &Backing::source, {"where the measured figures come from"}),
       needed(
           "rows", &Backing::rows,
           {"rows that were judged, whose mesh nothing was fitted on", NumberRange{1, 1'000'000}}),
       needed("median_percent", &Backing::median_percent,
              {"median of the errors' sizes, in percent", kPercent}),
       needed("worst_percent", &Backing::worst_percent,
              {"largest of the errors' sizes, in percent", kPercent}),
       row("least_tiles", &Backing::least_tiles,
           {"tiles of the smallest measured mesh; 0: not told", kReach}),
       row("most_tiles", &Backing::most_tiles,
           {"tiles of the largest measured mesh; 0: not told", kReach}),
       row("least_block", &Backing::least_block,
           {"numbers along the shortest side of a tile's blocks; 0: not told", kReach}),
       row("most_block", &Backing::most_block,
           {"numbers along the longest side of a tile's blocks; 0: not told", kReach})});
  return rows;
}

}  // namespace waferloom
