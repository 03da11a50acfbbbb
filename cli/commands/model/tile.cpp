#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/progress.h"
#include "cli/files/machine_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/options/command_rows.h"
#include "cli/options/search_control.h"
#include "cli/summaries/tile_summary.h"
#include "model/text.h"
#include "planner/tile_operators.h"
#include "sim/simulate.h"
#include "sim/wafer_runs.h"
#include "viz/tile_picture.h"

namespace waferloom::cli {
namespace {

constexpr std::string_view kTileHardware = "wse3";

/// What the command line asks for.
struct TileRequest {
  CommonOptions common;
  std::string operator_name;
  planner::TileQuestion tile;
  MachineChoice hardware;
  std::optional<std::string> draw;
};

TileOperatorKind kind_of(const std::string& word) {
  std::vector<std::string_view> names;
  for (const TileOperatorRow& row : tile_operator_rows()) names.push_back(row.name);
  const auto at = std::find(names.begin(), names.end(), word);
  if (at == names.end()) {
    throw Failure(FailureKind::usage,
                  "OPERATOR: expected " + alternatives(names) + ", found " + in_quotes(word));
  }
  return static_cast<TileOperatorKind>(at - names.begin());
}

bool has_extent(TileOperatorKind kind, std::string_view name) {
  const auto& extents = tile_operator_rows()[static_cast<std::size_t>(kind)].extents;
  return std::find(extents.begin(), extents.end(), name) != extents.end();
}

/// Every operator has its own extents, and needs all of them.
void check_extents(const planner::TileQuestion& tile, TileOperatorKind kind) {
  const std::string name(tile_operator_name(kind));
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < kTileExtents.size(); ++i) {
    const std::string_view extent = kTileExtents.at(i).name;
    const bool is_wanted = has_extent(kind, extent);
    if (tile.extents.at(i).has_value() == is_wanted) continue;
    std::string option = "--";
    option += extent;
    if (!is_wanted) {
      option += ": not of ";
      throw Failure(FailureKind::usage, option + name);
    }
    missing.push_back(std::move(option));
  }
  if (!tile.tiles) missing.emplace_back("--tiles");
  if (missing.empty()) return;
  std::string flags = missing.front();
  for (std::size_t i = 1; i < missing.size(); ++i) {
    flags += (i + 1 < missing.size() ? ", " : " and ") + missing[i];
  }
  throw Failure(FailureKind::usage, name + " needs " + flags);
}

TileJob tile_job(const TileRequest& request) {
  const planner::TileQuestion& tile = request.tile;
  TileJob job;
  job.kind = kind_of(request.operator_name);
  check_extents(tile, job.kind);
  for (std::size_t i = 0; i < kTileExtents.size(); ++i) {
    if (tile.extents.at(i)) job.extents.*kTileExtents.at(i).extent = *tile.extents.at(i);
  }
  job.kv_heads = tile.kv_heads.value_or(job.kv_heads);
  job.load = tile.load.value_or(job.load);
  job.from = tile.from.value_or(job.from);
  job.to = tile.to.value_or(job.to);
  job.groups = tile.groups;
  const Wafer tiles = parse_mesh(tile.tiles.value(), "--tiles");
  job.tiles = {tiles.height, tiles.width};
  if (tile.algorithm != "all") job.algorithm = tile.algorithm;
  return job;
}

/// Options that only some operators have.
void check_kinds(const planner::TileQuestion& tile, TileOperatorKind kind) {
  if (kind != TileOperatorKind::convert && (tile.from || tile.to)) {
    throw Failure(FailureKind::usage, "--from and --to: of convert alone");
  }
  if (kind != TileOperatorKind::experts && tile.load) {
    throw Failure(FailureKind::usage, "--load: of experts alone");
  }
}

/// Keys and values have whole groups of query heads.
void check_heads(const planner::TileQuestion& tile, const TileJob& job) {
  if (!tile.kv_heads) return;
  const std::int64_t heads = job.extents.heads;
  if (!has_extent(job.kind, "heads")) {
    throw Failure(FailureKind::usage, "--kv-heads: of attention, prefill and block alone");
  }
  if (heads % job.kv_heads == 0) return;
  throw Failure(
      FailureKind::usage,
      fmt::format("--kv-heads: expected a divisor of the {} heads, found {}", heads, job.kv_heads));
}

/// Numbers that bound one another.
void check_bounds(const std::string& rectangle, const TileJob& job) {
  const auto refuse = [](const std::string& text) { throw Failure(FailureKind::usage, text); };
  const TileExtents& extents = job.extents;
  if (extents.chosen > extents.experts) {
    refuse(fmt::format("--chosen: expected at most the {} experts, found {}", extents.experts,
                       extents.chosen));
  }
  // The even share is tokens · chosen / experts, and an expert sees a token once.
  const double most_load =
      static_cast<double>(extents.experts) / static_cast<double>(extents.chosen);
  if (job.kind == TileOperatorKind::experts && job.load > most_load) {
    refuse(fmt::format("--load: expected at most {}, {} experts over {} chosen, found {}",
                       significant_text(most_load), extents.experts, extents.chosen,
                       significant_text(job.load)));
  }
  const std::int64_t tiles = job.tiles.rows * job.tiles.columns;
  if (job.groups > tiles) {
    refuse(fmt::format("--groups: expected at most the {} tiles of {}, found {}", tiles, rectangle,
                       job.groups));
  }
  if (job.kind == TileOperatorKind::shift && extents.distance >= job.tiles.columns) {
    refuse(fmt::format("--distance: a shift by {} tiles leaves a rectangle of {} columns",
                       extents.distance, job.tiles.columns));
  }
}

/// Cycles by algorithm as the fabric moves the words; empty without --inside.
planner::TileInside moved_words(const TileRequest& request, const TileJob& job,
                                const planner::TileFindings& found) {
  planner::TileInside inside;
  if (!request.tile.inside) return inside;
  Progress progress(request.common);
  const RunControl control = run_control(request.common);
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

int run_model_tile(const TileRequest& request) {
  const ReportTarget target(request.common);
  std::optional<PictureFile> picture;
  if (request.draw) {
    picture = picture_file("--draw", *request.draw);
    std::vector<const OutputFile*> outputs{&picture->file};
    if (target.file() != nullptr) outputs.push_back(target.file());
    check_distinct(outputs, machine_inputs(request.hardware));
  }
  const TileJob job = tile_job(request);
  check_kinds(request.tile, job.kind);
  check_heads(request.tile, job);
  check_bounds(*request.tile.tiles, job);
  const Hardware hardware = read_fabric(request.hardware, kTileHardware, request.common);
  const planner::TileFindings found = planner::run_tile_job(job, hardware, request.tile.data_type);
  const planner::TileInside inside = moved_words(request, job, found);
  if (picture) {
    const auto messages_of = [&](const TileJob& small, const std::string& algorithm) {
      return sim::operator_messages(small, algorithm, found.fabric);
    };
    const viz::TileResults results{found.choices, hardware.name, found.data_type,
                                   found.roofline_cycles, found.bound_cycles};
    picture->file.write(
        viz::draw_tile_picture(viz::tile_picture(job, results, messages_of), picture->format));
  }
  target.write(planner::tile_report(job, found, inside, hardware));
  if (!target.on_stdout()) write_stdout(tile_summary(job, found, inside, hardware));
  return 0;
}

constexpr const char* kBlockExample =
    "waferloom model tile block --tokens 4096 --heads 32 --kv-heads 8 \\\n"
    "      --head-size 128 --hidden 4096 --feed-forward 14336 --tiles 360x360";

}  // namespace

const Command& model_tile_command() {
  static const Command command = command_of<TileRequest>(
      {.name = "model tile",
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
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .examples = {"waferloom model tile gemm --m 4096 --k 4096 --n 4096 --tiles 660x660",
                    "waferloom model tile gemv --m 4096 --n 4096 --tiles 360x360",
                    "waferloom model tile reduce --elements 512 --tiles 750x1",
                    "waferloom model tile all-reduce --elements 64 --tiles 16x16 --inside",
                    "waferloom model tile gemm --m 64 --k 64 --n 64 --tiles 16x16 --draw tile.svg",
                    kBlockExample}},
      {operand(&TileRequest::operator_name, {"OPERATOR", "One of those above."})},
      joined_options<TileRequest>(
          {options_inside(&TileRequest::tile, planner::tile_options()),
           machine_rows(&TileRequest::hardware,
                        {.name = "hardware",
                         .value = "NAME|FILE",
                         .help = "A mesh with programs: wse3 (default), wse2, or a JSON file.",
                         .fallback = std::string(kTileHardware)}),
           {option(&TileRequest::draw,
                   {"draw", '\0', "FILE",
                    "Draw the algorithms' cycles and who sends words to whom (.svg, .png, "
                    ".pdf)."})}}),
      run_model_tile);
  return command;
}

}  // namespace waferloom::cli
