#include "kernels/tile_parts.h"
#include "model/describe.h"
#include "planner/tile_operators.h"
#include "planner/wafer/plan_rows.h"
#include "planner/wafer_ways.h"

namespace waferloom {
namespace planner {
namespace {

constexpr std::string_view kWays[] = {"pipeline", "resident", "streaming", "cut"};

struct WaysReport {
  const WaferWaysJob* job;
  const WaferWays* found;
};

/// A way that is possible.
struct RankedWay {
  const WaferWay* way;
  std::int64_t tokens;  ///< of a sample
};

/// A way that is not.
struct LackingWay {
  std::string way;
  std::string lacks;
};

using ReportedWay = OneFormOf<RankedWay, LackingWay>;

std::vector<ReportedWay> reported_ways(const WaysReport& report) {
  std::vector<ReportedWay> ways;
  for (const WaferWay& way : report.found->ways) {
    if (way.is_possible()) {
      ways.emplace_back(RankedWay{&way, report.job->workload.tokens});
    } else {
      ways.emplace_back(LackingWay{way.way, way.lacks});
    }
  }
  return ways;
}

double tokens_per_s(const RankedWay& ranked) {
  return ranked.way->samples_per_s * as_double(ranked.tokens);
}

std::optional<std::string> bound_note(const WaferWaysJob& job) {
  const std::string note = upper_bound_note(job.hardware);
  return note.empty() ? std::nullopt : std::optional(note);
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::RankedWay>() {
  using planner::RankedWay;
  using planner::WaferWay;
  const auto way = [](const RankedWay& ranked) -> const WaferWay& { return *ranked.way; };
  static const TypeRows rows = report_rows(joined(
      {through<RankedWay>(
           way, {listed_row(row("way", &WaferWay::way, {"the way"}), planner::kWays),
                 null_row("lacks", "null: the way is possible"),
                 row("how", &WaferWay::how, {"replicas, stages, regions or batch"}),
                 row("note", &WaferWay::note,
                     {"whether it was planned, simulated, or priced by a model"}),
                 row("samples_per_s", &WaferWay::samples_per_s, {"samples a second", kAmount})}),
       {computed<RankedWay>("tokens_per_s", planner::tokens_per_s,
                            {"samples_per_s times the tokens of a sample", kAmount})},
       through<RankedWay>(
           way,
           {row("latency_s", &WaferWay::latency_s,
                {"seconds of a sample, from its first word in to its last one out", kAmount}),
            row("tiles", &WaferWay::tiles, {"tiles that it uses", kCount}),
            row("share_of_peak", &WaferWay::share_of_peak,
                {"multiply-adds that are wanted, as a share of what all tiles could do", kAmount}),
            row("bottleneck", &WaferWay::bottleneck, {kBottleneckMeaning})})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::LackingWay>() {
  using planner::LackingWay;
  static const TypeRows rows =
      report_rows({listed_row(row("way", &LackingWay::way, {"the way"}), planner::kWays),
                   row("lacks", &LackingWay::lacks, {"why it is not possible"})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::WaysReport>() {
  using planner::WaferWays;
  using planner::WaysReport;
  using Job = planner::WaferWaysJob;
  const auto job = [](const WaysReport& report) -> const Job& { return *report.job; };
  const auto found = [](const WaysReport& report) -> const WaferWays& { return *report.found; };
  static const TypeRows rows = report_file(
      "waferloom/wafer_ways/1",
      joined(
          {through<WaysReport>(
               job, {computed<Job>("workload", [](const Job& of) { return of.workload.name; },
                                   {"name of the workload"}),
                     computed<Job>("hardware", [](const Job& of) { return of.hardware.name; },
                                   {"name of the hardware"}),
                     row("data_type", &Job::data_type, {"type of numbers that are computed with"}),
                     row("trains", &Job::trains,
                         {"whether batches are trained; else inference: forward alone"})}),
           through<WaysReport>(
               found, {group("roofline",
                             {row("samples_per_s", &WaferWays::roof_samples_per_s,
                                  {"samples a second if all tiles did nothing but multiply and add",
                                   kAmount}),
                              row("ports_samples_per_s", &WaferWays::port_samples_per_s,
                                  {"samples a second if only the ports took time, for inputs and "
                                   "outputs of samples; null: no limit",
                                   kAmount})},
                             {"the rates that no way exceeds"})}),
           through<WaysReport>(
               job, {computed<Job>("upper_bound", planner::bound_note,
                                   {"why the rates are upper bounds; null: they are none"})}),
           {computed<WaysReport>(
               "ways", planner::reported_ways,
               {"most samples a second first; those that are not possible last"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::PlannedTiles>() {
  using planner::PlannedTiles;
  const auto tiles = [](const PlannedTiles& planned) -> const Rectangle& { return planned.tiles; };
  static const TypeRows rows = report_rows(through<PlannedTiles>(
      tiles, {row("x", &Rectangle::x, {"column of the lower left tile, from 0", kCount}),
              row("y", &Rectangle::y, {"row of the lower left tile, from 0", kCount}),
              row("width", &Rectangle::width, {"columns of tiles", kPositiveCount}),
              row("height", &Rectangle::height, {"rows of tiles", kPositiveCount})}));
  return rows;
}

namespace planner {

std::vector<Row> plan_head_rows(std::string_view way) {
  return {format_row("waferloom/wafer_plan/1"),
          fixed_row("way", way, "how the network is laid over the wafer")};
}

std::string wafer_plan_schema() {
  return schema_text(
      {{"of plan --serve", &resident_plan_rows()},
       {"how a network is laid over a wafer's tiles in rectangles", &pipeline_plan_rows()},
       {"of plan --way streaming: a training step, or prompts", &streaming_plan_rows()}},
      "Plan of a whole wafer (waferloom plan --serve, --way pipeline, --way streaming)");
}

Report wafer_ways_report(const WaferWaysJob& job, const WaferWays& found) {
  return described_report(WaysReport{&job, &found});
}

std::string wafer_ways_schema() {
  return schema_text(rows_of<WaysReport>(), "Report of waferloom plan --way all",
                     "all ways to use a wafer of small tiles for a network, side by side");
}

}  // namespace planner
}  // namespace waferloom
