#include "model/hardware.h"
#include "model/text.h"
#include "sim/report_json.h"

namespace waferloom {
namespace {

constexpr std::array<std::string_view, 8> kLinkNames{
    kDirectionNames[0],    kDirectionNames[1],    kDirectionNames[2],    kDirectionNames[3],
    kSwitchedLinkNames[0], kSwitchedLinkNames[1], kSwitchedLinkNames[2], kSwitchedLinkNames[3]};

/// In full, so that parts add up to 100.
template <sim::Picoseconds sim::StageTimes::*part>
double percent_of(const sim::StageTimes& stage) {
  const sim::Picoseconds whole = stage.total();
  return whole == 0 ? 0 : 100 * static_cast<double>(stage.*part) / static_cast<double>(whole);
}

/// A busy link, and for which share of the time; nothing where no link is ever short.
struct ReportedLink {
  sim::LinkUse use;
  std::optional<double> busy;
};

/// The error of a run's rates, and what the run was held against because of it.
struct RunRateError {
  sim::RateError error;
  std::optional<sim::OtherNetworks> other_networks;
};

}  // namespace

template <>
const TypeRows& rows_of<sim::Utilisation>() {
  using sim::Utilisation;
  static const TypeRows rows = report_rows(
      {row("name", &Utilisation::name, {"name of the stage, link, port or adapter"}),
       row("busy_per_sample_ps", &Utilisation::busy_per_sample,
           {"picoseconds that it works for a sample", kCount}),
       computed<Utilisation>("busy", [](const Utilisation& use) { return rounded(use.busy); },
                             {"share of the time that it works", kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::StageTimes>() {
  using Times = sim::StageTimes;
  static const TypeRows rows = report_rows(
      {row("name", &Times::name, {"name of the stage"}),
       row("compute_ps", &Times::compute, {"picoseconds in which the stage computes", kCount}),
       row("communication_ps", &Times::communication,
           {"picoseconds in which its tensors are on their way, or its tiles exchange data",
            kCount}),
       row("edge_ps", &Times::edge,
           {"picoseconds in which a port of the wafer's edge has its tensors", kCount}),
       row("stalled_ps", &Times::stalled,
           {"picoseconds in which it waits for room behind it", kCount}),
       row("idle_ps", &Times::idle,
           {"picoseconds in which it waits for other stages; all five add up to simulated_time_ps",
            kCount}),
       computed<Times>("compute_percent", percent_of<&Times::compute>,
                       {"compute_ps in percent of the five", kAmount}),
       computed<Times>("communication_percent", percent_of<&Times::communication>,
                       {"communication_ps in percent", kAmount}),
       computed<Times>("edge_percent", percent_of<&Times::edge>, {"edge_ps in percent", kAmount}),
       computed<Times>("stalled_percent", percent_of<&Times::stalled>,
                       {"stalled_ps in percent", kAmount}),
       computed<Times>("idle_percent", percent_of<&Times::idle>, {"idle_ps in percent", kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<ReportedLink>() {
  using sim::LinkUse;
  const auto use = [](const ReportedLink& link) -> const LinkUse& { return link.use; };
  const auto direction = [](const LinkUse& link) { return std::string_view(link.direction); };
  static const TypeRows rows = report_rows(joined(
      {through<ReportedLink>(
           use,
           {row("x", &LinkUse::x, {"column of the tile that the link leaves, from 0", kCount}),
            row("y", &LinkUse::y, {"row of the tile that the link leaves, from 0", kCount}),
            listed_row(computed<LinkUse>(
                           "direction", direction,
                           {"the direction of the link; of switched hardware the kind of link"}),
                       kLinkNames),
            row("bytes", &LinkUse::bytes,
                {"bytes that arrived over it in this direction, exchanges of stages and updates "
                 "included; summed over all links: bytes times hops of all that moved",
                 kCount})}),
       {row("busy", &ReportedLink::busy,
            {"share of the time until the last update is over; null on the analytic network, where "
             "no link is ever short",
             kShare})}}));
  return rows;
}

template <>
const TypeRows& rows_of<sim::PortUse>() {
  using sim::PortUse;
  const auto bytes = [](const PortUse& port) { return port.bytes_in + port.bytes_out; };
  static const TypeRows rows =
      report_rows({row("name", &PortUse::name, {"name of the port"}),
                   computed<PortUse>("bytes", bytes, {"bytes in both directions", kCount}),
                   row("bytes_in", &PortUse::bytes_in,
                       {"bytes into the wafer; each direction has the port's whole rate", kCount}),
                   row("bytes_out", &PortUse::bytes_out, {"bytes out of the wafer", kCount}),
                   computed<PortUse>("busy", [](const PortUse& port) { return rounded(port.busy); },
                                     {"share of the time that its busier direction works", kShare}),
                   row("waited_ps", &PortUse::waited,
                       {"picoseconds that all transfers together waited for it", kCount}),
                   row("held_bytes", &PortUse::held_bytes,
                       {"bytes of all samples that may be under way through it at once", kCount}),
                   row("capacity_bytes", &PortUse::capacity_bytes,
                       {"bytes of the memory behind it; null: no limit", kCount}),
                   row("fits", &PortUse::fits, {"whether that memory holds them"})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::FlowUse>() {
  using sim::FlowUse;
  static const TypeRows rows = report_rows(
      {row("name", &FlowUse::name, {"name of the flow"}),
       row("bytes", &FlowUse::bytes, {"bytes of a sample; with --plan of a micro-batch", kCount}),
       row("mean_ps", &FlowUse::mean, {"picoseconds that it takes in the mean", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::RateError>() {
  using sim::RateError;
  const auto pending = [](const RateError& error) { return rounded(error.largest_pending); };
  static const TypeRows rows = report_rows(
      {row("tolerance", &RateError::tolerance,
           {"error of a rate that the run allows, as a share", kAmount}),
       row("settles", &RateError::settles,
           {"steps that brought all rates to rest after a change", kCount}),
       row("cut", &RateError::cut,
           {"of these, steps that ended before rates were at rest", kCount}),
       computed<RateError>("largest_pending", pending,
                           {"largest share of a rate that such a step left open", kShare})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::OtherNetworks>() {
  using sim::OtherNetworks;
  static const TypeRows rows = report_rows(
      {row("exclusive_makespan_ps", &OtherNetworks::exclusive,
           {"makespan of the same run with the exclusive network, in picoseconds", kCount}),
       row("analytic_makespan_ps", &OtherNetworks::analytic,
           {"makespan of the same run with the analytic network, in picoseconds", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<RunRateError>() {
  const auto error = [](const RunRateError& at) -> const sim::RateError& { return at.error; };
  static const TypeRows rows =
      report_rows(joined({through<RunRateError>(error, rows_of<sim::RateError>().rows),
                          {row("other_networks", &RunRateError::other_networks,
                               {"the same run with other networks, where rates may be off by more "
                                "than 2 %; else null"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<sim::SimulationSpeed>() {
  using sim::SimulationSpeed;
  static const TypeRows rows = report_rows(
      {computed<SimulationSpeed>(
           "wall_s", [](const SimulationSpeed& speed) { return rounded_to_ms(speed.wall_s); },
           {"seconds of the run, to the millisecond", kAmount}),
       computed<SimulationSpeed>(
           "events_per_s", [](const SimulationSpeed& speed) { return rounded(speed.events_per_s); },
           {"simulated events a second", kAmount}),
       row("peak_memory_bytes", &SimulationSpeed::peak_memory_bytes,
           {"bytes of memory that the program had at most", kCount})});
  return rows;
}

namespace {

struct SimulationReport {
  const sim::ThroughputReport* found;
  const sim::SimulationSubject* subject;
  const sim::SimulationExtras* extras;
};

const sim::ThroughputReport& run_of(const SimulationReport& report) { return *report.found; }

/// Samples of the workload.
template <std::int64_t sim::ThroughputReport::*samples>
std::int64_t samples_of(const SimulationReport& report) {
  return report.found->*samples * report.subject->samples_each;
}

std::vector<sim::Utilisation> resources_of(const SimulationReport& report) {
  const std::int64_t each = report.subject->samples_each;
  std::vector<sim::Utilisation> resources = report.found->resources;
  for (sim::Utilisation& resource : resources) {
    const sim::Picoseconds time = resource.busy_per_sample;
    // Rounded half up.
    resource.busy_per_sample = time / each + (time % each >= each - each / 2 ? 1 : 0);
  }
  return resources;
}

std::vector<ReportedLink> links_of(const sim::ThroughputReport& found) {
  std::vector<ReportedLink> links;
  for (const sim::LinkUse& link : found.links) {
    links.push_back({link, found.links_shared ? std::optional(rounded(link.busy)) : std::nullopt});
  }
  return links;
}

std::optional<RunRateError> rate_error_of(const sim::ThroughputReport& found) {
  if (!found.rate_error) return std::nullopt;
  return RunRateError{*found.rate_error, found.other_networks};
}

std::vector<HardwareFigure> assumptions_of(const SimulationReport& report) {
  return hardware_figures(report.subject->hardware);
}

std::vector<Row> subject_rows() {
  using Report = SimulationReport;
  using Options = sim::SimulateOptions;
  const auto hardware = [](const Report& report) -> const Hardware& {
    return report.subject->hardware;
  };
  const auto options = [](const Report& report) -> const Options& {
    return report.subject->options;
  };
  return joined(
      {through<Report>(hardware, {row("hardware", &Hardware::name, {"name of the hardware"})}),
       through<Report>(options,
                       {row("network", &Options::network, {"model of the network on chip"}),
                        row("routing", &Options::routing, {"how transfers find their way"})}),
       {computed<Report>("training", [](const Report& report) { return report.subject->training; },
                         {"whether batches are trained; else inference or a contest case"})}});
}

std::vector<Row> sample_rows() {
  using Found = sim::ThroughputReport;
  using Report = SimulationReport;
  const auto found = [](const Report& report) -> const Found& { return run_of(report); };
  const auto extrapolated = [](const Found& run) { return run.simulated < run.samples; };
  const auto samples_per_s = [](const Report& report) {
    return rounded(report.subject->samples_per_s.value_or(report.found->samples_per_s));
  };
  const auto rate_of = [](const Report& report) {
    return report.subject->rate_of.value_or(report.found->rate_of);
  };
  return joined(
      {{computed<Report>(
            "samples", samples_of<&Found::samples>,
            {"samples that were asked for, of all replicas of a case", kPositiveCount}),
        computed<Report>("simulated_samples", samples_of<&Found::simulated>,
                         {"of these, samples that were simulated", kPositiveCount})},
       through<Report>(found, {computed<Found>("extrapolated", extrapolated,
                                               {"whether the others follow from the period"}),
                               row("steady", &Found::steady, {"whether the period repeated"}),
                               row("period_ps", &Found::period,
                                   {"picoseconds of period_samples; of the whole run until the "
                                    "last is done",
                                    kCount})}),
       {computed<Report>("period_samples", samples_of<&Found::period_samples>,
                         {"samples of the period, or those that the rate is of", kPositiveCount}),
        computed<Report>(
            "samples_per_s", samples_per_s,
            {"samples a second; with --plan that of plan, so of training those of whole batches",
             kAmount}),
        computed<Report>("rate_of", rate_of, {kRateOfMeaning})}});
}

std::vector<Row> found_rows() {
  using Found = sim::ThroughputReport;
  using Report = SimulationReport;
  const auto found = [](const Report& report) -> const Found& { return run_of(report); };
  const auto bottleneck = [](const Report& report) {
    return report.found->bottleneck_of_each(report.subject->samples_each);
  };
  return joined(
      {through<Report>(
           found,
           {row("first_sample_ps", &Found::first_sample,
                {"picoseconds until the first sample is done", kCount}),
            row("makespan_ps", &Found::makespan,
                {"picoseconds until the last sample is done", kCount}),
            row("simulated_time_ps", &Found::simulated_time,
                {"picoseconds of simulated time", kCount}),
            row("bound", &Found::bound, {"the kind of resource that bounds the rate"}),
            row("bound_by", &Found::bound_by, {"name of the resource that bounds the rate"})}),
       {computed<Report>("bottleneck", bottleneck, {kBottleneckMeaning}),
        computed<Report>("resources", resources_of, {"the busiest resource of each kind"})},
       through<Report>(
           found, {row("stages", &Found::stages, {"what each stage does with its time"}),
                   computed<Found>("links", links_of,
                                   {"the busiest links: --top of them, or all with --links"}),
                   row("ports", &Found::ports, {"the ports of the wafer's edge that were used"}),
                   row("flows", &Found::flows, {"the slowest transfers between stages"}),
                   row("buffer_bytes", &Found::buffer_bytes,
                       {"bytes of the buffers of all edges", kCount}),
                   row("events", &Found::events, {"simulated events", kCount}),
                   computed<Found>(
                       "rate_error", rate_error_of,
                       {"how exact the rates of the fair network are; null of other networks"})}),
       {computed<Report>("assumptions", assumptions_of,
                         {"every figure of the hardware in force, with its source"})}});
}

std::vector<Row> extra_rows() {
  using Extras = sim::SimulationExtras;
  return through<SimulationReport>(
      [](const SimulationReport& report) -> const Extras& { return *report.extras; },
      {row("plan", &Extras::plan,
           {.meaning = "the plan in force, and what came of it; with --plan alone",
            .or_null = false}),
       row("speed", &Extras::speed,
           {"how fast the program ran; null without --verbose, so that the same input gives the "
            "same bytes"}),
       row("warnings", &Extras::warnings, {kWarningsMeaning})});
}

const TypeRows& simulation_rows() {
  static const TypeRows rows = report_file(
      "waferloom/simulate/1", joined({subject_rows(), sample_rows(), found_rows(), extra_rows()}));
  return rows;
}

}  // namespace

namespace sim {

Report simulation_report(const ThroughputReport& found, const SimulationSubject& subject,
                         const SimulationExtras& extras) {
  const SimulationReport report{&found, &subject, &extras};
  return rows_report(simulation_rows(), &report);
}

std::string simulate_schema() {
  return schema_text(simulation_rows(), "Report of waferloom simulate");
}

}  // namespace sim
}  // namespace waferloom
