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
      {row("name", &Utilisation::name),
       row("busy_per_sample_ps", &Utilisation::busy_per_sample, {.range = kCount}),
       computed<Utilisation>("busy", [](const Utilisation& use) { return rounded(use.busy); },
                             {.range = kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::StageTimes>() {
  using Times = sim::StageTimes;
  static const TypeRows rows = report_rows(
      {row("name", &Times::name), row("compute_ps", &Times::compute, {.range = kCount}),
       row("communication_ps", &Times::communication, {.range = kCount}),
       row("edge_ps", &Times::edge, {.range = kCount}),
       row("stalled_ps", &Times::stalled, {.range = kCount}),
       row("idle_ps", &Times::idle, {.range = kCount}),
       computed<Times>("compute_percent", percent_of<&Times::compute>, {.range = kAmount}),
       computed<Times>("communication_percent", percent_of<&Times::communication>,
                       {.range = kAmount}),
       computed<Times>("edge_percent", percent_of<&Times::edge>, {.range = kAmount}),
       computed<Times>("stalled_percent", percent_of<&Times::stalled>, {.range = kAmount}),
       computed<Times>("idle_percent", percent_of<&Times::idle>, {.range = kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<ReportedLink>() {
  using sim::LinkUse;
  const auto use = [](const ReportedLink& link) -> const LinkUse& { return link.use; };
  const auto direction = [](const LinkUse& link) { return std::string_view(link.direction); };
  static const TypeRows rows = report_rows(joined(
      {through<ReportedLink>(
           use, {row("x", &LinkUse::x, {.range = kCount}), row("y", &LinkUse::y, {.range = kCount}),
                 listed_row(computed<LinkUse>("direction", direction), kLinkNames),
                 row("bytes", &LinkUse::bytes,
                     {"That arrived, in this direction, what stages exchange included.", kCount})}),
       {row("busy", &ReportedLink::busy,
            {"Of the time until the last update is over. Null on the analytic network, where no "
             "link is ever short.",
             kShare})}}));
  return rows;
}

template <>
const TypeRows& rows_of<sim::PortUse>() {
  using sim::PortUse;
  const auto bytes = [](const PortUse& port) { return port.bytes_in + port.bytes_out; };
  static const TypeRows rows =
      report_rows({row("name", &PortUse::name),
                   computed<PortUse>("bytes", bytes, {"In both directions.", kCount}),
                   row("bytes_in", &PortUse::bytes_in,
                       {"Into the wafer. Either direction has the port's whole rate.", kCount}),
                   row("bytes_out", &PortUse::bytes_out, {.range = kCount}),
                   computed<PortUse>("busy", [](const PortUse& port) { return rounded(port.busy); },
                                     {"Of the time, in the busier direction.", kShare}),
                   row("waited_ps", &PortUse::waited, {.range = kCount}),
                   row("held_bytes", &PortUse::held_bytes, {.range = kCount}),
                   row("capacity_bytes", &PortUse::capacity_bytes, {.range = kCount}),
                   row("fits", &PortUse::fits)});
  return rows;
}

template <>
const TypeRows& rows_of<sim::FlowUse>() {
  using sim::FlowUse;
  static const TypeRows rows =
      report_rows({row("name", &FlowUse::name), row("bytes", &FlowUse::bytes, {.range = kCount}),
                   row("mean_ps", &FlowUse::mean, {.range = kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::RateError>() {
  using sim::RateError;
  const auto pending = [](const RateError& error) { return rounded(error.largest_pending); };
  static const TypeRows rows =
      report_rows({row("tolerance", &RateError::tolerance, {.range = kAmount}),
                   row("settles", &RateError::settles, {.range = kCount}),
                   row("cut", &RateError::cut, {.range = kCount}),
                   computed<RateError>("largest_pending", pending, {.range = kShare})});
  return rows;
}

template <>
const TypeRows& rows_of<sim::OtherNetworks>() {
  using sim::OtherNetworks;
  static const TypeRows rows =
      report_rows({row("exclusive_makespan_ps", &OtherNetworks::exclusive, {.range = kCount}),
                   row("analytic_makespan_ps", &OtherNetworks::analytic, {.range = kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<RunRateError>() {
  const auto error = [](const RunRateError& at) -> const sim::RateError& { return at.error; };
  static const TypeRows rows =
      report_rows(joined({through<RunRateError>(error, rows_of<sim::RateError>().rows),
                          {row("other_networks", &RunRateError::other_networks)}}));
  return rows;
}

template <>
const TypeRows& rows_of<sim::SimulationSpeed>() {
  using sim::SimulationSpeed;
  static const TypeRows rows = report_rows(
      {computed<SimulationSpeed>(
           "wall_s", [](const SimulationSpeed& speed) { return rounded_to_ms(speed.wall_s); },
           {.range = kAmount}),
       computed<SimulationSpeed>(
           "events_per_s", [](const SimulationSpeed& speed) { return rounded(speed.events_per_s); },
           {.range = kAmount}),
       row("peak_memory_bytes", &SimulationSpeed::peak_memory_bytes, {.range = kCount})});
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
  return joined({through<Report>(hardware, {row("hardware", &Hardware::name)}),
                 through<Report>(options, {row("network", &Options::network),
                                           row("routing", &Options::routing)}),
                 {computed<Report>(
                     "training", [](const Report& report) { return report.subject->training; })}});
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
    return std::string_view(sim::rate_name(report.subject->steady.value_or(report.found->steady)));
  };
  return joined(
      {{computed<Report>("samples", samples_of<&Found::samples>, {.range = kPositiveCount}),
        computed<Report>("simulated_samples", samples_of<&Found::simulated>,
                         {.range = kPositiveCount})},
       through<Report>(
           found, {computed<Found>("extrapolated", extrapolated),
                   row("steady", &Found::steady, {"Whether the period repeated."}),
                   row("period_ps", &Found::period,
                       {"Of period_samples; if none repeated, until the last sample is done, of "
                        "all samples.",
                        kCount})}),
       {computed<Report>("period_samples", samples_of<&Found::period_samples>,
                         {.range = kPositiveCount}),
        computed<Report>("samples_per_s", samples_per_s, {.range = kAmount}),
        listed_row(computed<Report>("rate_of", rate_of, {kRateOfMeaning}), sim::kRateNames)}});
}

std::vector<Row> found_rows() {
  using Found = sim::ThroughputReport;
  using Report = SimulationReport;
  const auto found = [](const Report& report) -> const Found& { return run_of(report); };
  const auto bottleneck = [](const Report& report) {
    return report.found->bottleneck_of_each(report.subject->samples_each);
  };
  return joined(
      {through<Report>(found, {row("first_sample_ps", &Found::first_sample, {.range = kCount}),
                               row("makespan_ps", &Found::makespan, {.range = kCount}),
                               row("simulated_time_ps", &Found::simulated_time, {.range = kCount}),
                               row("bound", &Found::bound), row("bound_by", &Found::bound_by)}),
       {computed<Report>("bottleneck", bottleneck, {kBottleneckMeaning}),
        computed<Report>("resources", resources_of)},
       through<Report>(found, {row("stages", &Found::stages), computed<Found>("links", links_of),
                               row("ports", &Found::ports), row("flows", &Found::flows),
                               row("buffer_bytes", &Found::buffer_bytes, {.range = kCount}),
                               row("events", &Found::events, {.range = kCount}),
                               computed<Found>("rate_error", rate_error_of)}),
       {computed<Report>("assumptions", assumptions_of)}});
}

std::vector<Row> extra_rows() {
  using Extras = sim::SimulationExtras;
  return through<SimulationReport>(
      [](const SimulationReport& report) -> const Extras& { return *report.extras; },
      {row("plan", &Extras::plan, {.or_null = false}), row("speed", &Extras::speed),
       row("warnings", &Extras::warnings)});
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
