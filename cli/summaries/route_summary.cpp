#include "cli/summaries/route_summary.h"

#include <fmt/format.h>

#include "cli/summaries/summary_lines.h"
#include "model/mesh.h"
#include "model/text.h"
#include "router/route_bound.h"
#include "router/route_report.h"

namespace waferloom::cli {
namespace {

constexpr double kPicosecond = 1e-12;

std::string end_text(router::RouteEnd end) {
  switch (end) {
    case router::RouteEnd::not_binding:
      return "links need less than the slowest stage";
    case router::RouteEnd::at_bound:
      return "at the bound";
    case router::RouteEnd::effort:
      return "rounds and passes are used up";
    case router::RouteEnd::stopped:
      return "stopped";
  }
  return "";
}

std::string time_text(double ps) { return seconds_text(ps * kPicosecond); }

std::string stage_line(const Traffic& traffic) {
  return summary_line("stage",
                      "the slowest needs " + time_text(static_cast<double>(traffic.period_ps)));
}

}  // namespace

std::string bound_summary(const router::RouteBound& bound, const Traffic& traffic,
                          const std::string& name) {
  std::string text = fmt::format("{}: {} tensors to route\n", name, traffic.tensors.size());
  text += summary_line("bound", "at least " + time_text(bound.time_ps) + " a sample");
  if (bound.time_ps >= 1) text += summary_line("proof", router::proof_text(bound.proof));
  return text + stage_line(traffic);
}

std::string route_summary(const router::RouteResult& found, const Traffic& traffic,
                          const Hardware& hardware, const std::string& name,
                          const std::optional<CutReason>& cut_by) {
  const Mesh mesh(hardware);
  std::string text =
      fmt::format("{}: {} tensors routed{}\n", name, traffic.tensors.size(), cut_text(cut_by));
  text += bound_line(router::route_bottleneck(found, traffic, hardware));
  text += summary_line("busiest", time_text(found.busiest.time_ps) + " a sample, " +
                                      mesh.link_text(found.busiest.link));
  std::string bound = time_text(found.bound_ps) + " on a link, whatever the routes";
  // Of a bound below a picosecond no gap says anything.
  if (found.bound_ps >= 1) {
    const double gap = 100 * (found.busiest.time_ps / found.bound_ps - 1);
    bound += ", gap " + significant_text(gap) + " %";
  }
  text += summary_line("at least", bound);
  if (found.bound_ps >= 1) text += summary_line("proof", router::proof_text(found.proof));
  text += stage_line(traffic);
  text += summary_line(
      "lanes",
      fmt::format("{}, {} hops in the mean", found.lanes,
                  significant_text(static_cast<double>(found.hops) /
                                   static_cast<double>(std::max<std::int64_t>(1, found.lanes)))));
  text += summary_line("colours", fmt::format("{} of {} at one tile at most", found.colours,
                                              hardware.routing.colours));
  if (found.period_ps > 0) {
    std::string buffers = bytes_text(static_cast<double>(found.buffer_bytes)) + ", a sample in " +
                          time_text(found.period_ps);
    if (!found.short_edge.empty()) {
      buffers += "; " + found.short_edge + " finds no room for " + time_text(found.unlimited_ps);
    }
    if (!found.buffers_fit) buffers += "; not even a sample an edge fits";
    text += summary_line("buffers", buffers);
  }
  text += summary_line("end", end_text(found.end));
  return text;
}

}  // namespace waferloom::cli
