#include "kernels/tile_parts.h"
#include "model/describe.h"
#include "model/text.h"
#include "optimize/ways.h"
#include "planner/tile_operators.h"

namespace waferloom {
namespace optimize {
namespace {

struct WaysReport {
  const WaysJob* job;
  const Ways* found;
};

/// A way that is possible.
struct RankedWay {
  const PlannedWay* way;
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
  for (const PlannedWay& way : report.found->ways) {
    if (way.is_possible()) {
      ways.emplace_back(RankedWay{&way, report.job->tokens()});
    } else {
      ways.emplace_back(LackingWay{way.way, way.lacks});
    }
  }
  return ways;
}

double tokens_per_s(const RankedWay& ranked) {
  return ranked.way->samples_per_s * as_double(ranked.tokens);
}

std::optional<std::string> bound_note(const WaysJob& job) {
  const std::string note = job.upper_bound();
  return note.empty() ? std::nullopt : std::optional(note);
}

}  // namespace
}  // namespace optimize

template <>
const TypeRows& rows_of<optimize::RankedWay>() {
  using optimize::PlannedWay;
  using optimize::RankedWay;
  const auto way = [](const RankedWay& ranked) -> const PlannedWay& { return *ranked.way; };
  static const TypeRows rows = report_rows(joined(
      {through<RankedWay>(
           way, {listed_row(row("way", &PlannedWay::way, {"the way"}), optimize::kWayNames),
                 null_row("lacks", "null: the way is possible"),
                 row("how", &PlannedWay::how, {"replicas, stages, regions, degrees or batch"}),
                 row("note", &PlannedWay::note,
                     {"whether it was planned, simulated, or priced by a model"}),
                 row("samples_per_s", &PlannedWay::samples_per_s,
                     {"samples a second; to serve: requests", kAmount})}),
       {computed<RankedWay>("tokens_per_s", optimize::tokens_per_s,
                            {"samples_per_s times the tokens of a sample", kAmount})},
       through<RankedWay>(
           way,
           {row("is_priced", &PlannedWay::is_priced,
                {"whether a model alone says it: neither planned whole nor simulated"}),
            row("latency_s", &PlannedWay::latency_s,
                {"seconds of a sample, from its first word in to its last one out; to serve: to a "
                 "request's first token",
                 kAmount}),
            row("tiles", &PlannedWay::tiles, {"tiles or chips that it uses", kCount}),
            row("memory_bytes", &PlannedWay::memory_bytes,
                {"bytes that it keeps on all of its tiles or chips together, where these are alike "
                 "as many on each as on the fullest; of a pipeline without its programs; null: not "
                 "known",
                 kAmount}),
            row("share_of_peak", &PlannedWay::share_of_peak,
                {"multiply-adds that are wanted, as a share of what all tiles could do", kAmount}),
            row("joules", &PlannedWay::joules,
                {"joules of a sample, or of a request, where the whole machine takes its power all "
                 "the time; null: "
                 "its power is not known",
                 kAmount}),
            row("usd_s", &PlannedWay::usd_s,
                {"dollars of the whole machine for each sample, or request, a second; null: its "
                 "price is not known",
                 kAmount}),
            row("bottleneck", &PlannedWay::bottleneck, {kBottleneckMeaning})})}));
  return rows;
}

template <>
const TypeRows& rows_of<optimize::LackingWay>() {
  using optimize::LackingWay;
  static const TypeRows rows =
      report_rows({listed_row(row("way", &LackingWay::way, {"the way"}), optimize::kWayNames),
                   row("lacks", &LackingWay::lacks, {"why it is not possible"})});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::WaysReport>() {
  using optimize::Ways;
  using optimize::WaysReport;
  using Job = optimize::WaysJob;
  const auto job = [](const WaysReport& report) -> const Job& { return *report.job; };
  const auto found = [](const WaysReport& report) -> const Ways& { return *report.found; };
  static const TypeRows rows = report_file(
      "waferloom/wafer_ways/1",
      joined(
          {through<WaysReport>(
               job, {computed<Job>("workload", [](const Job& of) { return of.workload.name; },
                                   {"name of the workload"}),
                     computed<Job>("hardware", [](const Job& of) { return of.machine.name; },
                                   {"name of the hardware"}),
                     row("data_type", &Job::data_type, {"type of numbers that are computed with"}),
                     row("trains", &Job::trains, {"whether batches are trained"}),
                     row("purpose", &Job::purpose, {"what it is planned for"})}),
           through<WaysReport>(
               found,
               {group("roofline",
                      {row("samples_per_s", &Ways::roof_samples_per_s,
                           {"samples a second if all tiles did nothing but multiply and add; 0: "
                            "not known",
                            kAmount}),
                       row("ports_samples_per_s", &Ways::port_samples_per_s,
                           {"samples a second if only the ports took time, for inputs and "
                            "outputs of samples; null: no limit",
                            kAmount})},
                      {"the rates that no way exceeds"})}),
           through<WaysReport>(
               job, {computed<Job>("upper_bound", optimize::bound_note,
                                   {"why the rates are upper bounds; null: they are none"})}),
           {computed<WaysReport>("ways", optimize::reported_ways,
                                 {"most samples a second first; those that are priced alone behind "
                                  "the others, those that are not possible last"})}}));
  return rows;
}

namespace optimize {

Report ways_report(const WaysJob& job, const Ways& found) {
  return described_report(WaysReport{&job, &found});
}

TextTable ways_table(const WaysJob& job, const Ways& found) {
  const bool serves = job.purpose == Purpose::serve;
  const bool has_tokens = job.tokens() > 1;
  TextTable table({"way", "how", has_tokens ? "tokens/s" : "samples/s",
                   serves ? "first token" : "latency", "of peak", "memory"});
  for (const PlannedWay& way : found.ways) {
    if (!way.is_possible()) continue;
    const double each = has_tokens ? as_double(job.tokens()) : 1;
    table.add({way.way, way.how, significant_text(each * way.samples_per_s),
               seconds_text(way.latency_s, 3), percent_text(way.share_of_peak, 2),
               way.memory_bytes ? bytes_text(*way.memory_bytes) : "-"});
  }
  return table;
}

std::string ways_schema() {
  return schema_text(rows_of<WaysReport>(), "Report of waferloom plan of all ways",
                     "all ways to use a machine for a network, side by side");
}

}  // namespace optimize
}  // namespace waferloom
