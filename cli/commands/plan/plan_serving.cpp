#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/console/warnings.h"
#include "cli/files/hardware_file.h"
#include "cli/files/input_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
#include "cli/options/search_control.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "planner/wafer_serving.h"
#include "viz/serving_picture.h"

namespace waferloom::cli {

bool plans_serving(const ArgumentValues& values) { return values.contains("serve"); }

std::vector<OptionSpec> plan_serving_options() {
  const std::vector<OptionSpec> files{
      {"csv", '\0', "FILE", "Write latency against throughput as CSV."},
      {"draw", '\0', "FILE",
       "Draw that curve, and where a token's time goes in a layer (.svg, .png, .pdf)."}};
  return joined(
      {{{.name = "serve",
         .help = "Serve a language model whose weights stay on the wafer, such as wse2 or "
                 "wse3."}},
       with_modes(joined({planner::wafer_serving_options(), files}),
                  {{{"--serve"}, {"prompt", "output", "requests", "caches", "csv", "draw"}}})});
}

namespace {

viz::ServingPicture serving_picture(const planner::WaferServingJob& job,
                                    const planner::WaferServing& found) {
  viz::ServingPicture picture;
  picture.title = found.model + " on " + job.hardware.name;
  picture.facts = "prompts of " + std::to_string(job.prompt) + " tokens, outputs of " +
                  std::to_string(job.output) + ", by requests at once";
  const auto add = [&](const planner::ServingLevel& level) {
    picture.levels.push_back({std::to_string(level.requests), level.user_tokens_per_s,
                              level.total_tokens_per_s, level.requests == job.requests});
  };
  bool is_shown = false;
  for (const planner::ServingLevel& level : found.levels) {
    if (!is_shown && level.requests > job.requests) add(found.asked);
    is_shown = is_shown || level.requests >= job.requests;
    add(level);
  }
  for (const LaidOperator& part : found.token_layer.operators) {
    picture.operators.push_back({std::string(part.name), part.parts.start, part.parts.local,
                                 part.parts.words, part.parts.hops});
  }
  return picture;
}

/// A token has the vector of its own position, where those are learned.
void warn_of_positions(const planner::WaferServingJob& job, const CommonOptions& common) {
  const std::int64_t tokens = job.prompt + job.output;
  for (const Operator& op : job.workload.operators) {
    const auto* embedding = std::get_if<EmbeddingOperator>(&op.kind);
    if (embedding == nullptr || embedding->positions == 0 || tokens <= embedding->positions) {
      continue;
    }
    Warnings(common).add(job.workload.name + " has " + std::to_string(embedding->positions) +
                         " positions, fewer than the " + std::to_string(tokens) +
                         " tokens of prompt and output");
  }
}

}  // namespace

int plan_serving(const Arguments& arguments, const OutputFile* output, const ReportTarget& target) {
  std::optional<OutputFile> csv;
  std::vector<const OutputFile*> outputs{output};
  if (arguments.has("csv")) outputs.push_back(&csv.emplace(arguments.text("csv")));
  std::optional<PictureFile> picture;
  if (arguments.has("draw")) {
    outputs.push_back(&picture.emplace(picture_file("--draw", arguments.text("draw"))).file);
  }
  check_plan_files(arguments, outputs, target);
  planner::WaferServingJob job;
  job.workload = read_workload_operand(arguments, "WORKLOAD");
  job.hardware = read_network_hardware_option(arguments);
  job.data_type = arguments.text_or_default("data-type");
  job.prompt = whole(arguments, "prompt");
  job.output = whole(arguments, "output");
  job.requests = whole(arguments, "requests");
  job.caches = named<CacheWay>(arguments, "caches", kCacheWayNames);
  job.threads = arguments.common().threads;
  warn_of_positions(job, arguments.common());
  Progress progress(arguments.common(), true);
  planner::WaferServing found;
  try {
    found = planner::plan_wafer_serving(job, run_control(arguments.common(), progress));
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(job.workload.name, error));
  }
  progress.finish();
  if (output != nullptr) output->write(planner::resident_plan_text(job, found));
  if (csv) csv->write(planner::serving_levels_table(found).csv());
  if (picture) {
    picture->file.write(viz::draw_serving_picture(serving_picture(job, found), picture->format));
  }
  target.write(planner::wafer_serving_report(job, found));
  if (!target.on_stdout()) write_stdout(wafer_serving_summary(job, found));
  return 0;
}

}  // namespace waferloom::cli
