#include <string>

#include "model/describe.h"
#include "optimize/wafer_runs.h"

namespace waferloom {

template <>
const TypeRows& rows_of<planner::TrustRow>();

template <>
const TypeRows& rows_of<optimize::InsideCheck>() {
  using optimize::InsideCheck;
  static const TypeRows rows = report_rows(
      {row("closed_form", &InsideCheck::closed_form, {"cycles in closed form", kAmount}),
       row("moved", &InsideCheck::moved, {"cycles as its words moved in simulation", kCount})});
  return rows;
}

namespace optimize {
namespace {

/// A run of such a plan, with all that the report says of it.
template <typename Plan, typename Run>
struct WaferRunReport {
  const Plan* plan;
  const Hardware* hardware;
  const WaferRunOptions* options;
  const Run* run;
};
using ResidentReport = WaferRunReport<ResidentPlan, ResidentRun>;
using StreamingReport = WaferRunReport<StreamingPlan, StreamingRun>;

constexpr std::array<std::string_view, 1> kResidentWay{"resident"};
constexpr std::array<std::string_view, 1> kStreamingWay{"streaming"};

template <typename Report>
std::vector<Row> ran_on_rows() {
  const auto hardware = [](const Report& report) -> const Hardware& { return *report.hardware; };
  const auto options = [](const Report& report) -> const WaferRunOptions& {
    return *report.options;
  };
  return joined(
      {through<Report>(hardware, {row("hardware", &Hardware::name, {"name of the hardware"})}),
       through<Report>(options, {row("network", &WaferRunOptions::network,
                                     {"model of the network on chip"})})});
}

std::vector<Row> resident_time_rows() {
  using Times = sim::ResidentTimes;
  const auto times = [](const ResidentReport& report) -> const Times& { return report.run->times; };
  const auto tpot_s = [](const ResidentReport& report) {
    return static_cast<double>(report.run->times.pass_cycles) /
           static_cast<double>(report.hardware->clock_hz);
  };
  return joined(
      {{computed<ResidentReport>("tpot_s", tpot_s,
                                 {"seconds from one token of a request to its next", kAmount})},
       through<ResidentReport>(
           times, {row("pass_cycles", &Times::pass_cycles,
                       {"cycles in which a token goes through all regions", kCount}),
                   row("first_cycles", &Times::first_cycles,
                       {"cycles until the first token is out", kCount}),
                   row("move_cycles", &Times::move_cycles,
                       {"of pass_cycles, cycles between regions", kCount}),
                   row("busiest_link_words", &Times::busiest_link_words,
                       {"words of a pass over the busiest link between regions", kCount}),
                   row("events", &Times::events, {"simulated events", kCount})})});
}

const TypeRows& resident_run_rows() {
  using Report = ResidentReport;
  const auto way = [](const Report& /*report*/) { return kResidentWay.front(); };
  const auto plan = [](const Report& report) -> const ResidentPlan& { return *report.plan; };
  const auto run = [](const Report& report) -> const ResidentRun& { return *report.run; };
  static const TypeRows rows = report_file(
      "waferloom/wafer_run/1",
      joined({{listed_row(computed<Report>("way", way, {"the way of the plan"}), kResidentWay)},
              through<Report>(plan,
                              {row("workload", &ResidentPlan::workload, {"name of the workload"})}),
              ran_on_rows<Report>(),
              through<Report>(
                  plan, {row("requests", &ResidentPlan::requests, {"requests at once", kCount})}),
              through<Report>(run,
                              {row("bottleneck", &ResidentRun::bottleneck, {kBottleneckMeaning})}),
              through<Report>(
                  plan, {group("planned",
                               {row("tpot_s", &ResidentPlan::tpot_s,
                                    {"seconds from one token of a request to its next", kAmount})},
                               {"what the plan says"})}),
              {group("simulated", resident_time_rows(), {"what was simulated"})},
              through<Report>(
                  run, {row("inside", &ResidentRun::inside,
                            {.meaning = "cycles of a layer's widest product on at most 32x32 "
                                        "tiles, programs left out; with --inside alone",
                             .or_null = false}),
                        row("trust", &ResidentRun::trust, {planner::kTrustMeaning})})}));
  return rows;
}

/// At a clock, which makes seconds of cycles.
struct ClockedTimes {
  const sim::StreamingTimes* times;
  double clock_hz;
};

std::vector<Row> clocked_rows() {
  using Times = sim::StreamingTimes;
  const auto times = [](const ClockedTimes& at) -> const Times& { return *at.times; };
  const auto step = [](const ClockedTimes& at) { return at.times->step_cycles / at.clock_hz; };
  const auto shown = [](const ClockedTimes& at) {
    return static_cast<double>(at.times->shown_cycles) / at.clock_hz;
  };
  const auto forward = [](const ClockedTimes& at) {
    return at.times->forward_layer_cycles / at.clock_hz;
  };
  const auto backward = [](const ClockedTimes& at) {
    return at.times->backward_layer_cycles / at.clock_hz;
  };
  return joined(
      {{computed<ClockedTimes>("step_s", step,
                               {"seconds of a step, from the layers that were run", kAmount}),
        computed<ClockedTimes>("shown_s", shown, {"seconds of the layers that were run", kAmount}),
        computed<ClockedTimes>("forward_layer_s", forward,
                               {"seconds of a layer's forward", kAmount}),
        computed<ClockedTimes>("backward_layer_s", backward,
                               {"seconds of a layer's backward", kAmount})},
       through<ClockedTimes>(
           times, {row("block_side", &Times::block_side,
                       {"tiles of the side of a block that is simulated as one", kCount}),
                   row("messages", &Times::messages, {"messages that were simulated", kCount}),
                   row("events", &Times::events, {"simulated events", kCount})})});
}

}  // namespace
}  // namespace optimize

template <>
const TypeRows& rows_of<optimize::ClockedTimes>() {
  static const TypeRows rows = report_rows(optimize::clocked_rows());
  return rows;
}

namespace optimize {
namespace {

const TypeRows& streaming_run_rows() {
  using Report = StreamingReport;
  const auto way = [](const Report& /*report*/) { return kStreamingWay.front(); };
  const auto plan = [](const Report& report) -> const StreamingPlan& { return *report.plan; };
  const auto run = [](const Report& report) -> const StreamingRun& { return *report.run; };
  const auto simulated = [](const Report& report) {
    return ClockedTimes{&report.run->times, static_cast<double>(report.hardware->clock_hz)};
  };
  static const TypeRows rows = report_file(
      "waferloom/wafer_run/1",
      joined(
          {{listed_row(computed<Report>("way", way, {"the way of the plan"}), kStreamingWay)},
           through<Report>(plan,
                           {row("trains", &StreamingPlan::trains,
                                {"whether a step is trained; else forward alone"}),
                            row("workload", &StreamingPlan::workload, {"name of the workload"})}),
           ran_on_rows<Report>(),
           through<Report>(run,
                           {row("bottleneck", &StreamingRun::bottleneck, {kBottleneckMeaning})}),
           through<Report>(
               plan, {group("planned",
                            {row("step_s", &StreamingPlan::step_s, {"seconds of a step", kAmount})},
                            {"what the plan says"})}),
           {computed<Report>("simulated", simulated, {"what was simulated"})},
           through<Report>(run, {row("trust", &StreamingRun::trust, {planner::kTrustMeaning})})}));
  return rows;
}

}  // namespace

Report resident_run_report(const ResidentPlan& plan, const Hardware& hardware,
                           const WaferRunOptions& options, const ResidentRun& run) {
  const ResidentReport report{&plan, &hardware, &options, &run};
  return rows_report(resident_run_rows(), &report);
}

Report streaming_run_report(const StreamingPlan& plan, const Hardware& hardware,
                            const WaferRunOptions& options, const StreamingRun& run) {
  const StreamingReport report{&plan, &hardware, &options, &run};
  return rows_report(streaming_run_rows(), &report);
}

std::string wafer_run_schema() {
  return schema_text({{"A plan whose weights stay on the tiles.", &resident_run_rows()},
                      {"A plan whose weights come through the host ports.", &streaming_run_rows()}},
                     "Report of waferloom simulate of a plan of a whole wafer");
}

Report streamed_report(const planner::WaferStreamingJob& job, const StreamedStep& step) {
  const sim::StreamingTimes& times = step.times;
  const auto clock_hz = static_cast<double>(job.hardware.clock_hz);
  const planner::SimulatedStep simulated{sim::network_name(sim::NetworkKind::fair),
                                         times.step_cycles / clock_hz,
                                         static_cast<double>(times.shown_cycles) / clock_hz,
                                         times.forward_layer_cycles / clock_hz,
                                         times.backward_layer_cycles / clock_hz,
                                         times.block_side,
                                         static_cast<std::int64_t>(times.messages),
                                         static_cast<std::int64_t>(times.events)};
  return planner::wafer_streaming_report(job, step.found, simulated);
}

}  // namespace optimize
}  // namespace waferloom
