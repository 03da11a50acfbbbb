#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/report_target.h"
#include "cli/options/option_values.h"
#include "cli/options/simulation_options.h"
#include "cli/summaries/tile_summary.h"
#include "model/text_scan.h"
#include "planner/model_options.h"
#include "planner/tile_operators.h"
#include "sim/simulation_options.h"

namespace waferloom::cli {
namespace {

/// What the operators need, in the order of kTileOperatorNames; other extents are refused.
const std::array<std::vector<std::string_view>, planner::kTileOperatorNames.size()> kExtents{
    {{"m", "k", "n"}, {"m", "n"}, {"elements", "distance"}, {"elements"}}};

planner::TileOperatorKind kind_of(const Arguments& arguments) {
  const auto& names = planner::kTileOperatorNames;
  const std::string word = arguments.text("OPERATOR");
  const auto at = std::find(names.begin(), names.end(), word);
  if (at == names.end()) {
    throw Failure(FailureKind::usage,
                  "OPERATOR: expected " + alternatives(names) + ", found " + in_quotes(word));
  }
  return static_cast<planner::TileOperatorKind>(at - names.begin());
}

void check_extents(const Arguments& arguments, planner::TileOperatorKind kind) {
  const auto& wanted = kExtents[static_cast<std::size_t>(kind)];
  const std::string name(planner::kTileOperatorNames[static_cast<std::size_t>(kind)]);
  for (const std::string_view option : {"m", "k", "n", "elements", "distance"}) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), option) != wanted.end();
    const std::string text(option);
    if (arguments.has(text) == is_wanted) continue;
    throw Failure(FailureKind::usage,
                  is_wanted ? name + " needs --" + text : "--" + text + ": not of " + name);
  }
}

planner::TileJob tile_job(const Arguments& arguments) {
  planner::TileJob job;
  job.kind = kind_of(arguments);
  check_extents(arguments, job.kind);
  const auto extent = [&](const char* name) {
    return arguments.has(name) ? whole(arguments, name) : 1;
  };
  job.shape = {extent("m"), extent("k"), extent("n")};
  job.elements = extent("elements");
  job.distance = extent("distance");
  job.groups = whole(arguments, "groups");
  const Wafer tiles = parse_mesh(arguments.text("tiles"), "--tiles");
  job.tiles = {tiles.width, tiles.height};  // rows come first here
  job.data_type = arguments.text_or_default("data-type");
  const std::string algorithm = arguments.text_or_default("algorithm");
  if (algorithm != "all") job.algorithm = algorithm;
  return job;
}

int model_tile_main(const Arguments& arguments) {
  const ReportTarget target(arguments.common());
  const planner::TileJob job = tile_job(arguments);
  const Hardware hardware = read_hardware_option(arguments);
  const planner::TileFindings found = planner::run_tile_job(job, hardware);
  target.write(planner::tile_json(job, found, hardware));
  if (!target.on_stdout()) write_stdout(tile_summary(job, found, hardware));
  return 0;
}

}  // namespace

const Command& model_tile_command() {
  static const Command command{
      .name = "model tile",
      .summary = "Tell what an operator costs on a rectangle of tiles.",
      .usage = {"model tile gemm --m M --k K --n N --tiles RxC [options]",
                "model tile gemv --m M --n N --tiles RxC [options]",
                "model tile shift --elements N --distance N --tiles RxC",
                "model tile reduce --elements N --tiles RxC [options]"},
      .description =
          "Prints the cycles of each algorithm side by side, and where they go: starting phases "
          "and "
          "exchanges, local products, words that nothing hides, hops. Then the share of the tiles' "
          "peak, of the busiest link, colours, and memory of a tile. gemm has weight-stationary, "
          "summa, cannon and meshgemm, reduce along a row star, chain, tree and two-phase. What "
          "tiles take for their steps is fitted on measured wafers: docs/operators.md.\n\n"
          "Exit code 3 where the rectangle is beyond the mesh, or no algorithm fits a tile's "
          "memory.",
      .operands = {{"OPERATOR", "gemm, gemv, shift or reduce."}},
      .options = joined({planner::tile_options(),
                         {{.name = "hardware",
                           .value = "NAME|FILE",
                           .help = "A mesh with tile_cycles: wse3 (default), wse2, or a JSON file.",
                           .fallback = "wse3"}}}),
      .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
      .examples = {"waferloom model tile gemm --m 4096 --k 4096 --n 4096 --tiles 660x660",
                   "waferloom model tile gemv --m 4096 --n 4096 --tiles 360x360",
                   "waferloom model tile reduce --elements 512 --tiles 1x750"},
      .run = model_tile_main};
  return command;
}

}  // namespace waferloom::cli
