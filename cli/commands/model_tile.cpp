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
const std::array<std::vector<std::string_view>, planner::kTileOperatorNames.size()> kExtents{{
    {"m", "k", "n"},
    {"m", "n"},
    {"elements", "distance"},
    {"elements"},
    {"m", "n"},
    {"m", "n"},
    {"elements"},
    {"m", "n"},
    {"tokens", "heads", "head-size"},
    {"tokens", "heads", "head-size", "hidden", "feed-forward"},
}};
constexpr std::array<std::string_view, 10> kAllExtents{
    "m",      "k",     "n",         "elements", "distance",
    "tokens", "heads", "head-size", "hidden",   "feed-forward"};

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
  for (const std::string_view option : kAllExtents) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), option) != wanted.end();
    const std::string text(option);
    if (arguments.has(text) == is_wanted) continue;
    const std::string flag = "--" + text;
    throw Failure(FailureKind::usage,
                  is_wanted ? name + " needs " + flag : flag + ": not of " + name);
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
  job.block.attention = {extent("tokens"), extent("heads"), extent("head-size")};
  job.block.hidden = extent("hidden");
  job.block.feed_forward = extent("feed-forward");
  job.block.kv_heads = arguments.has("kv-heads") ? whole(arguments, "kv-heads") : extent("heads");
  job.groups = whole(arguments, "groups");
  const Wafer tiles = parse_mesh(arguments.text("tiles"), "--tiles");
  job.tiles = {tiles.width, tiles.height};  // rows come first here
  job.data_type = arguments.text_or_default("data-type");
  const std::string algorithm = arguments.text_or_default("algorithm");
  if (algorithm != "all") job.algorithm = algorithm;
  return job;
}

/// Keys and values have whole groups of query heads.
void check_heads(const Arguments& arguments, const planner::TileJob& job) {
  const std::int64_t heads = job.block.attention.heads;
  if (!arguments.has("kv-heads")) return;
  if (!arguments.has("heads")) {
    throw Failure(FailureKind::usage, "--kv-heads: of attention and block alone");
  }
  if (heads % job.block.kv_heads == 0) return;
  throw Failure(FailureKind::usage, "--kv-heads: expected a divisor of the " +
                                        std::to_string(heads) + " heads, found " +
                                        std::to_string(job.block.kv_heads));
}

int model_tile_main(const Arguments& arguments) {
  const ReportTarget target(arguments.common());
  const planner::TileJob job = tile_job(arguments);
  check_heads(arguments, job);
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
                "model tile reduce|element-wise --elements N --tiles RxC",
                "model tile norm|softmax|transpose --m N --n N --tiles RxC",
                "model tile attention|block --tokens N --heads N [options]"},
      .description =
          "Prints the cycles of each algorithm side by side, and where they go: starting phases "
          "and "
          "exchanges, local products, words that nothing hides, hops. Then the share of the tiles' "
          "peak, of the busiest link, colours, and memory of a tile. gemm has weight-stationary, "
          "summa, cannon and meshgemm, reduce along a row star, chain, tree and two-phase. "
          "attention "
          "and block are of a transformer that decodes one token; block also needs --hidden and "
          "--feed-forward. What tiles take for their steps is fitted on measured wafers: "
          "docs/operators.md.\n\n"
          "Exit code 3 where the rectangle is beyond the mesh, or no algorithm fits a tile's "
          "memory.",
      .operands = {{"OPERATOR",
                    "gemm, gemv, shift, reduce, norm, softmax, element-wise, transpose, "
                    "attention or block."}},
      .options = joined({planner::tile_options(),
                         {{.name = "hardware",
                           .value = "NAME|FILE",
                           .help = "A mesh with tile_cycles: wse3 (default), wse2, or a JSON file.",
                           .fallback = "wse3"}}}),
      .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
      .examples = {"waferloom model tile gemm --m 4096 --k 4096 --n 4096 --tiles 660x660",
                   "waferloom model tile gemv --m 4096 --n 4096 --tiles 360x360",
                   "waferloom model tile reduce --elements 512 --tiles 1x750",
                   "waferloom model tile block --tokens 4096 --heads 32 --kv-heads 8 \\\n"
                   "      --head-size 128 --hidden 4096 --feed-forward 14336 --tiles 360x360"},
      .run = model_tile_main};
  return command;
}

}  // namespace waferloom::cli
