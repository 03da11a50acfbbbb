#include "cli/summaries/simulation_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "cli/summaries/summary_lines.h"
#include "model/mesh.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr int kDigits = 6;

}  // namespace

std::string duration_text(sim::Picoseconds time) {
  constexpr std::pair<double, const char*> kUnits[] = {
      {1e12, " s"}, {1e9, " ms"}, {1e6, " us"}, {1e3, " ns"}, {1, " ps"}};
  for (const auto& [unit, name] : kUnits) {
    if (static_cast<double>(time) < unit && unit > 1) continue;
    return significant_text(static_cast<double>(time) / unit, kDigits) + name;
  }
  return "0 ps";
}

std::string throughput_text(double samples_per_s) {
  return significant_text(samples_per_s, kDigits) + " samples/s";
}

std::string hardware_line(const sim::SimulationSubject& subject) {
  return summary_line("hardware", subject.hardware.name + ", network " +
                                      std::string(sim::network_name(subject.options.network)) +
                                      ", routing " +
                                      std::string(routing_name(subject.options.routing)));
}

std::string unrest_text(const sim::RateError& error) {
  const double percent = 100 * static_cast<double>(error.cut) /
                         static_cast<double>(std::max<std::uint64_t>(1, error.settles));
  return significant_text(percent, 2) + " % of settles cut: rates may be off by more than 2 %";
}

std::string unrest_lines(const sim::ThroughputReport& found) {
  if (!found.other_networks) return {};
  const sim::OtherNetworks& others = *found.other_networks;
  return summary_line("unrest", unrest_text(*found.rate_error)) +
         summary_line("compare", "makespan " + duration_text(others.exclusive) + " (exclusive), " +
                                     duration_text(others.analytic) + " (analytic)");
}

std::string rate_line(sim::RateOf rate_of) {
  switch (rate_of) {
    case sim::RateOf::steady_state:
      return summary_line("rate", "of the steady state");
    case sim::RateOf::full_pipeline:
      return summary_line("rate", "of the full pipeline, without filling and draining");
    case sim::RateOf::whole_run:
      return summary_line("rate", "of the whole run, with filling and draining");
  }
  return {};
}

std::string busiest_line(const sim::ThroughputReport& found) {
  if (found.links.empty()) return {};
  const sim::LinkUse& link = found.links.front();
  const std::string name = fmt::format("{} of tile ({}, {})", link.direction, link.x, link.y);
  if (!found.links_shared) return summary_line("busiest", name + ", with no link ever short");
  return summary_line("busiest", name + ", " + told_apart(100 * link.busy, 1, 0) +
                                     " % of the time, filling included");
}

std::string bound_text(const sim::ThroughputReport& found) {
  return std::string(sim::bound_name(found.bound)) + ": " + found.bound_by;
}

std::string simulated_bound_line(const sim::ThroughputReport& found, std::int64_t samples_each) {
  const std::optional<Bottleneck> bottleneck = found.bottleneck_of_each(samples_each);
  return bottleneck ? bound_line(bottleneck) : summary_line("bound", bound_text(found));
}

std::string simulation_summary(const sim::ThroughputReport& found,
                               const sim::SimulationSubject& subject, const std::string& name) {
  std::string text = name + ": " + subject.rate + "\n";
  text += rate_line(found.rate_of);
  text += simulated_bound_line(found, subject.samples_each);
  text += busiest_line(found);
  const std::int64_t each = subject.samples_each;
  const std::int64_t samples = found.period_samples * each;
  const std::string of = samples == 1 ? " a sample" : fmt::format(" for {} samples", samples);
  if (each > 1) {
    text += summary_line("replicas", fmt::format("{}, of which each does {}", each,
                                                 throughput_text(found.samples_per_s)));
  }
  const std::string what = found.rate_of == sim::RateOf::whole_run ? "the whole run" : "steady";
  const bool is_full = found.rate_of == sim::RateOf::full_pipeline;
  text += summary_line(
      "period", duration_text(found.period) + of + ", " + (is_full ? "the pipeline full" : what));
  text += summary_line("first", duration_text(found.first_sample));
  text += summary_line("makespan",
                       fmt::format("{} for {} samples, {} simulated", duration_text(found.makespan),
                                   found.samples * each, found.simulated * each));
  text += unrest_lines(found);
  return text + hardware_line(subject);
}

std::string speed_line(const sim::SimulationSpeed& speed) {
  constexpr int kFew = 3;
  return summary_line(
      "speed", fmt::format("{} s, {} M events/s, {} MB", significant_text(speed.wall_s, kFew),
                           significant_text(speed.events_per_s / 1e6, kFew),
                           speed.peak_memory_bytes / 1'000'000));
}

}  // namespace waferloom::cli
