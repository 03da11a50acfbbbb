#include "planner/tile_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/text.h"

namespace waferloom::planner {
namespace {

/// The choices; a request for an algorithm that there is none of is refused.
std::vector<TileChoice> demanded_choices(const TileJob& job, const TileFabric& fabric) {
  std::vector<TileChoice> choices = tile_choices(job, fabric);
  if (!choices.empty()) return choices;
  TileJob all = job;
  all.algorithm.reset();
  std::string names;
  for (const TileChoice& choice : tile_choices(all, fabric)) {
    names += (names.empty() ? "" : ", ") + choice.algorithm;
  }
  throw RequestError(std::string(tile_operator_name(job.kind)) + " has no algorithm " +
                     *job.algorithm + "; it has " + names);
}

/// Marks what does not fit; whether anything fits.
bool mark_memory(std::vector<TileChoice>& choices, const Hardware& hardware) {
  if (!hardware.sram_bytes_per_tile) return true;
  bool any_fits = false;
  for (TileChoice& choice : choices) {
    if (choice.cost.bytes_per_tile <= *hardware.sram_bytes_per_tile) {
      any_fits = true;
    } else {
      choice.lacks = fmt::format("needs {} bytes a tile of {}", choice.cost.bytes_per_tile,
                                 *hardware.sram_bytes_per_tile);
    }
  }
  return any_fits;
}

/// The smallest square on which some algorithm fits, with sides above the job's shorter side;
/// nothing if there is none.
std::optional<TileGrid> nearest_fit(TileJob job, const TileFabric& fabric,
                                    const Hardware& hardware) {
  const std::int64_t most = std::min(hardware.wafer.width, hardware.wafer.height);
  for (std::int64_t side = std::min(job.tiles.rows, job.tiles.columns) + 1; side <= most; ++side) {
    job.tiles = {side, side};
    std::vector<TileChoice> choices = tile_choices(job, fabric);
    if (mark_memory(choices, hardware)) return job.tiles;
  }
  return std::nullopt;
}

void demand_room(const TileJob& job, const Hardware& hardware) {
  if (job.tiles.rows <= hardware.wafer.height && job.tiles.columns <= hardware.wafer.width) return;
  throw InfeasibleError(std::string(tile_operator_name(job.kind)) + ": " + grid_text(job.tiles) +
                        " tiles are more than " + hardware.name + " has, " +
                        grid_text({hardware.wafer.height, hardware.wafer.width}));
}

/// Cycles that a link of that rate takes for a word; a tile hands on one a cycle at most.
double word_cycles(const Hardware& hardware, const TileFabric& fabric, const Rate& rate) {
  if (!rate) return 1;
  const double fastest = as_double(fabric.word_bytes) * as_double(hardware.clock_hz);
  return std::max(1.0, fastest / as_double(*rate));
}

/// Multiply-adds that a tile does in a cycle: as it says, or as its peak has them.
std::optional<double> lanes_of(const Hardware& hardware, const std::string& data_type) {
  const auto lanes = hardware.multiply_adds_per_cycle.find(data_type);
  if (lanes != hardware.multiply_adds_per_cycle.end()) return as_double(lanes->second);
  const auto peak = hardware.peak_flop_per_s_per_tile.find(data_type);
  if (peak == hardware.peak_flop_per_s_per_tile.end()) return std::nullopt;
  return as_double(peak->second) / 2 / as_double(hardware.clock_hz);
}

[[noreturn]] void throw_no_lanes(const Hardware& hardware, const std::string& data_type) {
  std::string known;
  for (const auto& [name, rate] : hardware.peak_flop_per_s_per_tile) {
    known += (known.empty() ? "" : ", ") + name;
  }
  throw RequestError(hardware.name +
                     " says no multiply_adds_per_cycle and no peak_flop_per_s_per_tile of " +
                     data_type + "; it has " + (known.empty() ? "none" : known));
}

/// A word is what the widest link moves in a cycle, and no less than 32 bits. Links without a limit
/// move so much, where nothing is known of programs that hand on words, that nothing waits for
/// them.
std::int64_t word_bytes_of(const Hardware& hardware, const TileFabric& fabric) {
  constexpr std::int64_t kNoLimit = 1 << 16;
  std::int64_t most = fabric.word_bytes;
  for (const LinkClass& link : {hardware.link, hardware.group_link}) {
    if (link.bytes_per_s) most = std::max(most, *link.bytes_per_s / hardware.clock_hz);
    if (!link.bytes_per_s && fabric.any_shape) most = std::max(most, kNoLimit);
  }
  return most;
}

/// The blocks of a tile, by the extents that the measured programs of an operator cut.
TrustReach tile_reach(const TileJob& job, const TileChoice& choice) {
  const TileGrid& used = choice.cost.used;
  const std::int64_t steps = std::max(used.rows, used.columns);
  switch (job.kind) {
    case TileOperatorKind::gemm: {
      TrustReach reach = reach_of(used, {job.extents.m, job.extents.n});
      const std::int64_t inner = parts_of(job.extents.k, steps);
      reach.least_block = std::min(reach.least_block, inner);
      reach.most_block = std::max(reach.most_block, inner);
      return reach;
    }
    case TileOperatorKind::gemv:
      return reach_of(used, {job.extents.m, job.extents.n});
    case TileOperatorKind::block:
      return reach_of(used, {job.extents.hidden, job.extents.hidden});
    case TileOperatorKind::shift:
      return {used.rows * used.columns, job.extents.elements, job.extents.elements};
    default:
      return {used.rows * used.columns};
  }
}

}  // namespace

bool is_wafer_of_tiles(const Hardware& hardware) {
  return hardware.topology == Topology::mesh && hardware.sram_bytes_per_tile &&
         !hardware.dram_bytes_per_tile;
}

std::string grid_text(const TileGrid& tiles) {
  return fmt::format("{}x{}", tiles.columns, tiles.rows);
}

TileFabric tile_fabric(const Hardware& hardware, const std::string& data_type,
                       const KeptNumbers& kept) {
  demand_mesh(hardware, "an operator on a rectangle of tiles");
  const auto type = std::find_if(kDataTypes.begin(), kDataTypes.end(),
                                 [&](const DataType& known) { return known.name == data_type; });
  const std::optional<double> lanes = lanes_of(hardware, data_type);
  if (type == kDataTypes.end() || !lanes) throw_no_lanes(hardware, data_type);
  constexpr double kDefaultRamp = 2;
  constexpr double kSecond = 1e12;
  TileFabric fabric;
  fabric.any_shape = !knows_programs(hardware);
  if (!fabric.any_shape) {
    const auto known = hardware.programs.find(data_type);
    if (known == hardware.programs.end()) {
      throw RequestError(hardware.name + " has no figures of programs with " + data_type +
                         ", only with other data types");
    }
    fabric.programs = known->second;
    fabric.cycles = fabric.programs.first();
  }
  fabric.hop_cycles = hardware.hop_cycles ? as_double(*hardware.hop_cycles)
                                          : as_double(hardware.link.latency_ps) *
                                                as_double(hardware.clock_hz) / kSecond;
  const double ramp = fabric.any_shape ? 0 : kDefaultRamp;
  fabric.ramp_cycles = hardware.ramp_cycles ? as_double(*hardware.ramp_cycles) : ramp;
  fabric.lanes = *lanes;
  fabric.element_bytes = type->bytes;
  fabric.program_bytes = hardware.program_bytes_per_tile;
  fabric.kept = kept;
  fabric.word_bytes = word_bytes_of(hardware, fabric);
  fabric.word_cycles = word_cycles(hardware, fabric, hardware.link.bytes_per_s);
  return fabric;
}

double group_word_cycles(const Hardware& hardware, const TileFabric& fabric) {
  return word_cycles(hardware, fabric, hardware.group_link.bytes_per_s);
}

TileFindings run_tile_job(const TileJob& job, const Hardware& hardware,
                          const std::string& data_type) {
  demand_room(job, hardware);
  if (hardware.topology == Topology::mesh && !knows_programs(hardware)) {
    throw RequestError(hardware.name + " has no programs, what its tiles take for their steps");
  }
  TileFindings found;
  found.fabric = tile_fabric(hardware, data_type);
  found.data_type = data_type;
  found.choices = demanded_choices(job, found.fabric);
  if (!mark_memory(found.choices, hardware)) {
    const auto least = std::min_element(found.choices.begin(), found.choices.end(),
                                        [](const TileChoice& a, const TileChoice& b) {
                                          return a.cost.bytes_per_tile < b.cost.bytes_per_tile;
                                        });
    const auto fit = nearest_fit(job, found.fabric, hardware);
    throw InfeasibleError(
        std::string(tile_operator_name(job.kind)) + " on " + grid_text(job.tiles) + " tiles " +
        least->lacks + "; " +
        (fit ? grid_text(*fit) + " would do" : "no square of " + hardware.name + " would do"));
  }
  std::stable_sort(found.choices.begin(), found.choices.end(),
                   [](const TileChoice& a, const TileChoice& b) {
                     if (a.lacks.empty() != b.lacks.empty()) return a.lacks.empty();
                     return a.cost.parts.total() < b.cost.parts.total();
                   });
  const double tiles = as_double(job.tiles.rows) * as_double(job.tiles.columns);
  found.roofline_cycles = found.choices.front().cost.multiply_adds / (tiles * found.fabric.lanes);
  found.bound_cycles = tile_bound(job, found.fabric);
  return found;
}

TrustRow tile_trust(const TileJob& job, const TileChoice& choice, const Hardware& hardware,
                    std::string_view data_type) {
  const bool is_block = job.kind == TileOperatorKind::block;
  const std::string_view what = is_block ? "decode" : tile_operator_name(job.kind);
  TrustRow row{choice.algorithm, "closed form", ""};
  const MeasuredBacking* backing =
      job.kind == TileOperatorKind::prefill
          ? nullptr  // of attention alone nothing was measured
          : find_backing(hardware,
                         {.what = what, .algorithm = choice.algorithm, .data_type = data_type});
  if (backing == nullptr) return row;
  // The program of a layer has one fused head.
  row.kind = is_block && job.extents.heads > 1 ? "calibrated" : "measured";
  row.backing = *backing;
  row.reach = tile_reach(job, choice);
  row.inside = is_inside(*backing, row.reach);
  return row;
}

}  // namespace waferloom::planner
