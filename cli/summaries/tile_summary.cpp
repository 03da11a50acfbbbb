#include "cli/summaries/tile_summary.h"

#include <fmt/format.h>

#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

std::string cycles_text(double cycles) { return fixed_text(cycles, 0); }

std::string cycles_table(const planner::TileFindings& found) {
  TextTable table({"cycles", "all", "start", "local", "words", "hops", "of roofline"});
  for (const TileChoice& choice : found.choices) {
    const OperatorParts& parts = choice.cost.parts;
    table.add({choice.algorithm, cycles_text(parts.total()), cycles_text(parts.start),
               cycles_text(parts.local), cycles_text(parts.words), cycles_text(parts.hops),
               percent_text(found.roofline_cycles / parts.total(), 1)});
  }
  return table.text();
}

/// "1.5 % off, 61 rows"; "outside, 1.5 % off" of another range; "closed form" where nothing was
/// measured.
std::string backing_text(const planner::TrustRow& row) {
  if (!row.backing) return row.kind;
  const std::string off = significant_text(row.backing->median_percent, 2) + " % off";
  if (!row.inside.value_or(true)) return "outside, " + off;
  return fmt::format("{}, {} rows", off, row.backing->rows);
}

std::string needs_table(const TileJob& job, const planner::TileFindings& found,
                        const Hardware& hardware) {
  TextTable table({"needs", "tiles", "bytes a tile", "colours", "link busy", "backing"});
  for (const TileChoice& choice : found.choices) {
    const MeshOperator& cost = choice.cost;
    table.add({choice.algorithm, std::to_string(cost.used.rows * cost.used.columns),
               std::to_string(cost.bytes_per_tile), std::to_string(cost.colours),
               percent_text(cost.link_share(), 1),
               backing_text(planner::tile_trust(job, choice, hardware, found.data_type))});
  }
  return table.text();
}

std::string inside_table(const planner::TileFindings& found, const planner::TileInside& inside) {
  TextTable table({"without programs", "closed form", "words moved", "difference"});
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const auto moved = static_cast<double>(inside[i].moved);
    table.add({found.choices[i].algorithm, cycles_text(inside[i].closed_form), cycles_text(moved),
               moved > 0 ? percent_text(inside[i].closed_form / moved - 1, 1) : "-"});
  }
  return table.text();
}

std::string faults_text(const planner::TileFindings& found) {
  std::string text;
  for (const TileChoice& choice : found.choices) {
    if (choice.lacks.empty()) continue;
    text += choice.algorithm + " does not fit: it " + choice.lacks + "\n";
  }
  return text;
}

}  // namespace

std::string tile_summary(const TileJob& job, const planner::TileFindings& found,
                         const planner::TileInside& inside, const Hardware& hardware) {
  const TileChoice& best = found.choices.front();
  const double total = best.cost.parts.total();
  const auto clock = static_cast<double>(hardware.clock_hz);
  std::string text = std::string(tile_operator_name(job.kind)) + " on " +
                     planner::grid_text(job.tiles) + " tiles of " + hardware.name + ": " +
                     cycles_text(total) + " cycles, " + seconds_text(total / clock) + "\n";
  text += summary_line("best", best.algorithm + ", " + found.data_type);
  if (found.bound_cycles) {
    text += summary_line("bound",
                         cycles_text(*found.bound_cycles) + " cycles: no algorithm takes fewer");
  } else if (found.roofline_cycles > 0) {
    text += summary_line("roofline", cycles_text(found.roofline_cycles) +
                                         " cycles, if all tiles did nothing but multiply and add");
  }
  text += "\n" + cycles_table(found) + "\n" + needs_table(job, found, hardware);
  if (!inside.empty()) text += "\n" + inside_table(found, inside);
  return text + faults_text(found);
}

}  // namespace waferloom::cli
