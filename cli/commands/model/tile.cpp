#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/progress.h"
#include "cli/files/hardware_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/options/option_values.h"
#include "cli/options/search_control.h"
#include "cli/summaries/tile_summary.h"
#include "model/text.h"
#include "planner/tile_operators.h"
#include "sim/simulate.h"
#include "sim/wafer_runs.h"
#include "viz/tile_picture.h"

namespace waferloom::cli {
namespace {

TileOperatorKind kind_of(const Arguments& arguments) {
  std::vector<std::string_view> names;
  for (const TileOperatorRow& row : tile_operator_rows()) names.push_back(row.name);
  const std::string word = arguments.text("OPERATOR");
  const auto at = std::find(names.begin(), names.end(), word);
  if (at == names.end()) {
    throw Failure(FailureKind::usage,
                  "OPERATOR: expected " + alternatives(names) + ", found " + in_quotes(word));
  }
  return static_cast<TileOperatorKind>(at - names.begin());
}

/// Every operator has its own extents, and needs all of them.
void check_extents(const Arguments& arguments, TileOperatorKind kind) {
  const auto& wanted = tile_operator_rows()[static_cast<std::size_t>(kind)].extents;
  const std::string name(tile_operator_name(kind));
  std::vector<std::string> missing;
  for (const TileExtent& extent : kTileExtents) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), extent.name) != wanted.end();
    if (arguments.has(std::string(extent.name)) == is_wanted) continue;
    std::string option = "--";
    option += extent.name;
    if (!is_wanted) {
      option += ": not of ";
      throw Failure(FailureKind::usage, option + name);
    }
    missing.push_back(std::move(option));
  }
  if (!arguments.has("tiles")) missing.emplace_back("--tiles");
  if (missing.empty()) return;
  std::string flags = missing.front();
  for (std::size_t i = 1; i < missing.size(); ++i) {
    flags += (i + 1 < missing.size() ? ", " : " and ") + missing[i];
  }
  throw Failure(FailureKind::usage, name + " needs " + flags);
}

MatrixLayout layout(const Arguments& arguments, const std::string& option) {
  const auto& names = kMatrixLayoutNames;
  const auto at = std::find(names.begin(), names.end(), arguments.text_or_default(option));
  return static_cast<MatrixLayout>(at - names.begin());
}

TileJob tile_job(const Arguments& arguments) {
  TileJob job;
  job.kind = kind_of(arguments);
  check_extents(arguments, job.kind);
  for (const TileExtent& extent : kTileExtents) {
    const std::string name(extent.name);
    if (arguments.has(name)) job.extents.*extent.extent = whole(arguments, name);
  }
  if (arguments.has("kv-heads")) job.kv_heads = whole(arguments, "kv-heads");
  job.load = real(arguments, "load");
  job.from = layout(arguments, "from");
  job.to = layout(arguments, "to");
  job.groups = whole(arguments, "groups");
  const Wafer tiles = parse_mesh(arguments.text("tiles"), "--tiles");
  job.tiles = {tiles.height, tiles.width};
  const std::string algorithm = arguments.text_or_default("algorithm");
  if (algorithm != "all") job.algorithm = algorithm;
  return job;
}

/// Options that only some operators have.
void check_kinds(const Arguments& arguments, TileOperatorKind kind) {
  if (kind != TileOperatorKind::convert && (arguments.has("from") || arguments.has("to"))) {
    throw Failure(FailureKind::usage, "--from and --to: of convert alone");
  }
  if (kind != TileOperatorKind::experts && arguments.has("load")) {
    throw Failure(FailureKind::usage, "--load: of experts alone");
  }
}

/// Keys and values have whole groups of query heads.
void check_heads(const Arguments& arguments, const TileJob& job) {
  const std::int64_t heads = job.extents.heads;
  if (!arguments.has("kv-heads")) return;
  if (!arguments.has("heads")) {
    throw Failure(FailureKind::usage, "--kv-heads: of attention, prefill and block alone");
  }
  if (heads % job.kv_heads == 0) return;
  throw Failure(FailureKind::usage, "--kv-heads: expected a divisor of the " +
                                        std::to_string(heads) + " heads, found " +
                                        std::to_string(job.kv_heads));
}

/// Numbers that bound one another.
void check_bounds(const Arguments& arguments, const TileJob& job) {
  const auto refuse = [](const std::string& text) { throw Failure(FailureKind::usage, text); };
  const TileExtents& extents = job.extents;
  if (extents.chosen > extents.experts) {
    refuse("--chosen: expected at most the " + std::to_string(extents.experts) +
           " experts, found " + std::to_string(extents.chosen));
  }
  // The even share is tokens · chosen / experts, and an expert sees a token once.
  const double most_load =
      static_cast<double>(extents.experts) / static_cast<double>(extents.chosen);
  if (job.kind == TileOperatorKind::experts && job.load > most_load) {
    refuse("--load: expected at most " + significant_text(most_load) + ", " +
           std::to_string(extents.experts) + " experts over " + std::to_string(extents.chosen) +
           " chosen, found " + significant_text(job.load));
  }
  const std::int64_t tiles = job.tiles.rows * job.tiles.columns;
  if (job.groups > tiles) {
    refuse("--groups: expected at most the " + std::to_string(tiles) + " tiles of " +
           arguments.text("tiles") + ", found " + std::to_string(job.groups));
  }
  if (job.kind == TileOperatorKind::shift && extents.distance >= job.tiles.columns) {
    refuse("--distance: a shift by " + std::to_string(extents.distance) +
           " tiles leaves a rectangle of " + std::to_string(job.tiles.columns) + " columns");
  }
}

/// Cycles by algorithm as the fabric moves the words; empty without --inside.
TileInside moved_words(const Arguments& arguments, const TileJob& job,
                       const planner::TileFindings& found) {
  TileInside inside;
  if (!arguments.has("inside")) return inside;
  Progress progress(arguments.common());
  const RunControl control = run_control(arguments.common());
  for (const TileChoice& choice : found.choices) {
    progress.update("moving words", choice.algorithm);
    TileJob single = job;
    single.algorithm = choice.algorithm;
    const TileFabric bare = found.fabric.without_program();
    const auto cycles = sim::inside_cycles(single, choice.algorithm, bare, control);
    if (!cycles) throw RunCut(control.cut_reason());
    inside.push_back({tile_choices(single, bare).front().cost.parts.total(), *cycles});
  }
  progress.finish();
  return inside;
}

int model_tile_main(const Arguments& arguments) {
  const ReportTarget target(arguments.common());
  std::optional<PictureFile> picture;
  if (arguments.has("draw")) {
    picture = picture_file("--draw", arguments.text("draw"));
    std::vector<const OutputFile*> outputs{&picture->file};
    if (target.file() != nullptr) outputs.push_back(target.file());
    check_distinct(outputs, hardware_files(arguments));
  }
  const TileJob job = tile_job(arguments);
  check_kinds(arguments, job.kind);
  check_heads(arguments, job);
  check_bounds(arguments, job);
  const Hardware hardware = read_hardware_option(arguments);
  const planner::TileFindings found =
      planner::run_tile_job(job, hardware, arguments.text_or_default("data-type"));
  const TileInside inside = moved_words(arguments, job, found);
  Json report = planner::tile_json(job, found, hardware);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    report["algorithms"][i]["inside"] = {{"closed_form", inside[i].closed_form},
                                         {"moved", inside[i].moved}};
  }
  if (picture) {
    const auto messages_of = [&](const TileJob& small, const std::string& algorithm) {
      return sim::operator_messages(small, algorithm, found.fabric);
    };
    const viz::TileResults results{found.choices, hardware.name, found.data_type,
                                   found.roofline_cycles, found.bound_cycles};
    picture->file.write(
        viz::draw_tile_picture(viz::tile_picture(job, results, messages_of), picture->format));
  }
  target.write(report);
  if (!target.on_stdout()) write_stdout(tile_summary(job, found, inside, hardware));
  return 0;
}

constexpr const char* kBlockExample =
    "waferloom model tile block --tokens 4096 --heads 32 --kv-heads 8 \\\n"
    "      --head-size 128 --hidden 4096 --feed-forward 14336 --tiles 360x360";

}  // namespace

const Command& model_tile_command() {
  static const Command command{
      .name = "model tile",
      .summary = "Tell what an operator costs on a rectangle of tiles.",
      .usage = {"model tile gemm|gemm-backward --m M --k K --n N --tiles WxH",
                "model tile gemv|norm|softmax --m M --n N --tiles WxH",
                "model tile transpose|convert --m M --n N --tiles WxH",
                "model tile reduce|all-reduce|broadcast --elements N --tiles WxH",
                "model tile element-wise --elements N --tiles WxH",
                "model tile shift --elements N --distance N --tiles WxH",
                "model tile attention|prefill|block --tokens N [options]",
                "model tile convolution|rotary|embedding|head|experts [options]"},
      .description =
          "Prints the cycles of each algorithm side by side, and where they go: starting phases "
          "and exchanges, local products, words that nothing hides, hops. Then the share of the "
          "tiles' peak, of the busiest link, colours, and memory of a tile. What tiles take for "
          "their steps is fitted on measured wafers: docs/operators.md. With --inside the very "
          "words also move over the fabric, and stand beside the closed form, both without what "
          "programs take.\n\n"
          "Every operator needs all of its extents. reduce, all-reduce and broadcast are of all "
          "tiles of the rectangle. attention and block are of a transformer that decodes one "
          "token, prefill of a whole prompt.\n\n"
          "Exit code 3 where the rectangle is beyond the mesh, or no algorithm fits a tile's "
          "memory.",
      .operands = {{"OPERATOR", "One of those above."}},
      .options = joined({planner::tile_options(),
                         {{.name = "hardware",
                           .value = "NAME|FILE",
                           .help = "A mesh with programs: wse3 (default), wse2, or a JSON file.",
                           .fallback = "wse3"},
                          {"draw", '\0', "FILE",
                           "Draw the algorithms' cycles and who sends words to whom (.svg, .png, "
                           ".pdf)."}}}),
      .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
      .examples = {"waferloom model tile gemm --m 4096 --k 4096 --n 4096 --tiles 660x660",
                   "waferloom model tile gemv --m 4096 --n 4096 --tiles 360x360",
                   "waferloom model tile reduce --elements 512 --tiles 750x1",
                   "waferloom model tile all-reduce --elements 64 --tiles 16x16 --inside",
                   "waferloom model tile gemm --m 64 --k 64 --n 64 --tiles 16x16 --draw tile.svg",
                   kBlockExample},
      .run = model_tile_main};
  return command;
}

}  // namespace waferloom::cli
