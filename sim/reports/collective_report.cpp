#include <algorithm>

#include "sim/collective.h"
#include "sim/report_json.h"

namespace waferloom {
namespace {

/// A run step by step, and how it was asked for.
struct SteppedRun {
  const sim::CollectiveRunOptions* options = nullptr;
  const sim::CollectiveTimes* times = nullptr;
};

struct CollectiveReport {
  const sim::CollectiveJob* job;
  const sim::CollectiveResult* found;
};

std::vector<std::size_t> group_sizes(const sim::CollectiveJob& job) {
  std::vector<std::size_t> sizes;
  for (const sim::TileGroup& group : job.groups) sizes.push_back(group.size());
  return sizes;
}

std::optional<SteppedRun> stepped_run(const CollectiveReport& report) {
  if (!report.found->stepped) return std::nullopt;
  return SteppedRun{&report.job->run, &*report.found->stepped};
}

}  // namespace

template <>
const TypeRows& rows_of<sim::GroupTransfer>() {
  using sim::GroupTransfer;
  const auto to = [](const GroupTransfer& transfer) { return transfer.destination.size(); };
  const auto strategy = [](const GroupTransfer& transfer) {
    return std::int64_t{1} + static_cast<std::int64_t>(transfer.strategy);
  };
  static const TypeRows rows = report_rows(
      {computed<GroupTransfer>("to", to, {"tiles of the group that receives", kPositiveCount}),
       computed<GroupTransfer>(
           "strategy", strategy,
           {"1: sums are made before the adapters send; 2: behind them (docs/collectives.md)",
            NumberRange{1, 2}}),
       row("adapters", &GroupTransfer::adapters, {"tiles that act as adapters", kPositiveCount}),
       row("spread", &GroupTransfer::spread, {"the algorithm of reductions and broadcasts"})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::CollectivePart>() {
  using sim::CollectivePart;
  static const TypeRows rows = report_rows(
      {row("name", &CollectivePart::name, {"name of the part"}),
       row("steps", &CollectivePart::steps, {"its steps, one after another", kCount}),
       row("analytic_ps", &CollectivePart::analytic, {"picoseconds if groups do not meet", kCount}),
       row("macro_ps", &CollectivePart::macro,
           {"picoseconds with the busiest link shared among the flows over it", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::StreamedWay>() {
  using sim::StreamedWay;
  static const TypeRows rows =
      report_rows({row("way", &StreamedWay::name, {"name of the way"}),
                   row("time_ps", &StreamedWay::time, {"picoseconds of this way", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<SteppedRun>() {
  using Options = sim::CollectiveRunOptions;
  using Times = sim::CollectiveTimes;
  const auto options = [](const SteppedRun& run) -> const Options& { return *run.options; };
  const auto times = [](const SteppedRun& run) -> const Times& { return *run.times; };
  const auto routing = [](const Options& at) { return routing_name(at.network_options.routing); };
  const auto most_bytes = [](const Times& at) {
    return *std::max_element(at.link_bytes.begin(), at.link_bytes.end());
  };
  static const TypeRows rows = report_rows(joined(
      {through<SteppedRun>(
           options,
           {row("network", &Options::network, {"model of the network on chip"}),
            listed_row(computed<Options>("routing", routing, {"how transfers find their way"}),
                       kRoutingNames)}),
       through<SteppedRun>(
           times,
           {row("time_ps", &Times::makespan, {"picoseconds of all tasks", kCount}),
            row("done_ps", &Times::done, {"by task: picoseconds until it is done", kCount}),
            row("transfers", &Times::transfers, {"transfers that were simulated", kCount}),
            computed<Times>("busiest_link_bytes", most_bytes,
                            {"bytes over the busiest link", kCount}),
            row("events", &Times::events, {"simulated events", kCount}),
            row("rate_error", &Times::rate_error,
                {"how exact the rates of the fair network are; null of other networks"})})}));
  return rows;
}

namespace {

std::vector<Row> collective_job_rows() {
  using Job = sim::CollectiveJob;
  const auto hardware = [](const Job& job) -> const std::string& { return job.hardware.name; };
  return through<CollectiveReport>(
      [](const CollectiveReport& report) -> const Job& { return *report.job; },
      {computed<Job>("hardware", hardware, {"name of the hardware"}),
       row("algorithm", &Job::algorithm, {"the algorithm"}),
       row("bytes", &Job::bytes, {"bytes of every member of a group", kPositiveCount}),
       row("count", &Job::count, {"collectives one after another", kPositiveCount}),
       computed<Job>(
           "groups", group_sizes,
           {.meaning = "tiles of each group", .range = kPositiveCount, .items = {1, kCount.most}}),
       row("transfer", &Job::transfer,
           {"how one group hands its sum to another; null of other collectives"})});
}

std::vector<Row> collective_found_rows() {
  using Found = sim::CollectiveResult;
  return through<CollectiveReport>(
      [](const CollectiveReport& report) -> const Found& { return *report.found; },
      {row("parts", &Found::parts,
           {.meaning = "the parts of the collective, one after another",
            .items = {1, kCount.most}}),
       row("analytic_ps", &Found::analytic,
           {"picoseconds of all parts if groups do not meet", kCount}),
       row("macro_ps", &Found::macro,
           {"picoseconds of all parts with the busiest link shared", kCount}),
       row("bottleneck", &Found::bottleneck, {kBottleneckMeaning}),
       row("streamed", &Found::streamed,
           {.meaning = "ways with words that stream over a wafer's fabric, the fastest first; only "
                       "of a single reduce, all-reduce or broadcast on rectangles of hardware with "
                       "hop_cycles",
            .items = {1, kCount.most},
            .or_null = false})});
}

const TypeRows& collective_rows() {
  static const TypeRows rows = report_file(
      "waferloom/collective/1",
      joined({collective_job_rows(),
              collective_found_rows(),
              {computed<CollectiveReport>(
                  "stepwise", stepped_run,
                  {"the collective run step by step on a network; null without --stepwise"})}}));
  return rows;
}

}  // namespace

namespace sim {

Report collective_report(const CollectiveJob& job, const CollectiveResult& found) {
  const CollectiveReport report{&job, &found};
  return rows_report(collective_rows(), &report);
}

std::string collective_schema() {
  return schema_text(collective_rows(), "Report of waferloom collective");
}

}  // namespace sim
}  // namespace waferloom
