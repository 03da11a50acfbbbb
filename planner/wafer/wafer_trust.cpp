#include <algorithm>

#include "kernels/tile_parts.h"
#include "planner/tile_operators.h"

namespace waferloom::planner {
namespace {

TrustRow figure_row(const Hardware& hardware, const std::string& part, std::string_view key) {
  const std::string source = source_of(hardware, key);
  if (source.empty() || source.starts_with("assumed")) {
    return {part, "assumed", source.empty() ? "no source in the hardware file" : source};
  }
  return {part, "calibrated", source};
}

/// What stands behind figures that were measured with another program than the plan's.
std::string borrowed_note(const MeasuredBacking& backing) {
  return backing.program.empty()
             ? "figures of another program: " + backing.source
             : "figures of " + backing.program + "; nobody ran this plan's program";
}

}  // namespace

std::optional<bool> is_inside(const MeasuredBacking& backing, const TrustReach& reach) {
  if (backing.most_tiles == 0 || reach.tiles == 0) return std::nullopt;
  const bool mesh = backing.least_tiles <= reach.tiles && reach.tiles <= backing.most_tiles;
  const bool blocks =
      backing.most_block == 0 || reach.most_block == 0 ||
      (backing.least_block <= reach.least_block && reach.most_block <= backing.most_block);
  return mesh && blocks;
}

TrustReach reach_of(const TileGrid& region, const MatrixShape& matrix) {
  const std::int64_t high = parts_of(matrix.rows, region.rows);
  const std::int64_t wide = parts_of(matrix.columns, region.columns);
  return {region.rows * region.columns, std::min(high, wide), std::max(high, wide)};
}

std::string upper_bound_note(const Hardware& hardware) {
  if (knows_programs(hardware)) return "";
  return hardware.name + " tells no programs: their steps cost nothing";
}

std::vector<TrustRow> trust_card(const Hardware& hardware, std::string_view data_type,
                                 const std::vector<TrustPart>& parts, const KeptNumbers& kept) {
  std::vector<TrustRow> rows;
  if (kept != KeptNumbers{}) {
    rows.push_back({"narrow numbers", "upper bound", "operators widen them in no time"});
  }
  const std::string step = program_key(TileProgram::waferllm, data_type) + ".start";
  for (const TrustPart& part : parts) {
    const MeasuredBacking* backing = find_backing(
        hardware, {.what = part.what, .algorithm = part.algorithm, .data_type = data_type});
    if (backing != nullptr) {
      rows.push_back({part.part, part.is_program ? "measured" : "calibrated",
                      part.is_program ? backing->source : borrowed_note(*backing), *backing,
                      part.reach, is_inside(*backing, part.reach)});
    } else if (part.key.empty() && !knows_programs(hardware)) {
      rows.push_back({part.part, "upper bound", upper_bound_note(hardware)});
    } else {
      rows.push_back(figure_row(hardware, part.part, part.key.empty() ? step : part.key));
    }
  }
  rows.push_back(figure_row(hardware, "clock", "clock_hz"));
  return rows;
}

}  // namespace waferloom::planner
