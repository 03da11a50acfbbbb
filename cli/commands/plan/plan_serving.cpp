#include <fmt/format.h>

#include <optional>
#include <variant>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/console/warnings.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/search_control.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "planner/wafer_serving.h"
#include "viz/serving_picture.h"

namespace waferloom::cli {

bool plans_serving(const ArgumentValues& values) { return values.contains("serve"); }

Options<PlanRequest> plan_serving_options() {
  using Request = PlanRequest;
  return joined_options<Request>(
      {{option(&Request::serve,
               {.name = "serve",
                .help = "Serve a language model whose weights stay on the wafer, such as wse2 or "
                        "wse3."})},
       in_modes(
           joined_options<Request>(
               {options_inside(&Request::serving, planner::wafer_serving_options()),
                {option(&Request::csv,
                        {"csv", '\0', "FILE", "Write latency against throughput as CSV."}),
                 option(&Request::draw,
                        {"draw", '\0', "FILE",
                         "Draw that curve, and where a token's time goes in a layer (.svg, .png, "
                         ".pdf)."})}}),
           {{{"--serve", "--for serve"}, {"prompt", "output", "requests", "caches"}},
            {{"--serve"}, {"csv", "draw"}}})});
}

namespace {

viz::ServingPicture serving_picture(const planner::WaferServingJob& job,
                                    const planner::WaferServing& found) {
  viz::ServingPicture picture;
  picture.title = found.model + " on " + job.hardware.name;
  picture.facts = fmt::format("prompts of {} tokens, outputs of {}, by requests at once",
                              job.prompt, job.output);
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
    Warnings(common).add(
        fmt::format("{} has {} positions, fewer than the {} tokens of prompt and output",
                    job.workload.name, embedding->positions, tokens));
  }
}

}  // namespace

int plan_serving(const PlanRequest& request, const OutputFile* output, const ReportTarget& target) {
  std::optional<OutputFile> csv;
  std::vector<const OutputFile*> outputs{output};
  if (request.csv) outputs.push_back(&csv.emplace(*request.csv));
  std::optional<PictureFile> picture;
  if (request.draw) {
    outputs.push_back(&picture.emplace(picture_file("--draw", *request.draw)).file);
  }
  check_plan_files(request, outputs, target);
  planner::WaferServingJob job = request.serving;
  job.workload = read_workload_named(request.workload, "WORKLOAD", request.common);
  job.hardware = read_fabric(request.hardware, sim::kNetworkHardware, request.common);
  job.data_type = request.cut.data_type;
  job.threads = request.common.threads;
  warn_of_positions(job, request.common);
  Progress progress(request.common, true);
  planner::WaferServing found;
  try {
    found = planner::plan_wafer_serving(job, run_control(request.common, progress));
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
