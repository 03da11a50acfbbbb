#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/text.h"
#include "sim/report_json.h"

namespace waferloom::sim {
namespace {

/// In full, so that parts add up to 100.
double percent(Picoseconds part, Picoseconds whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

Json stages_json(const ThroughputReport& found) {
  Json stages = Json::array();
  for (const StageTimes& stage : found.stages) {
    const Picoseconds all = stage.total();
    stages.push_back({{"name", stage.name},
                      {"compute_ps", stage.compute},
                      {"communication_ps", stage.communication},
                      {"edge_ps", stage.edge},
                      {"stalled_ps", stage.stalled},
                      {"idle_ps", stage.idle},
                      {"compute_percent", percent(stage.compute, all)},
                      {"communication_percent", percent(stage.communication, all)},
                      {"edge_percent", percent(stage.edge, all)},
                      {"stalled_percent", percent(stage.stalled, all)},
                      {"idle_percent", percent(stage.idle, all)}});
  }
  return stages;
}

Json links_json(const ThroughputReport& found) {
  Json links = Json::array();
  for (const LinkUse& link : found.links) {
    links.push_back({{"x", link.x},
                     {"y", link.y},
                     {"direction", link.direction},
                     {"bytes", link.bytes},
                     {"busy", found.links_shared ? Json(rounded(link.busy)) : Json()}});
  }
  return links;
}

Json ports_json(const ThroughputReport& found) {
  Json ports = Json::array();
  for (const PortUse& port : found.ports) {
    ports.push_back({{"name", port.name},
                     {"bytes", port.bytes_in + port.bytes_out},
                     {"bytes_in", port.bytes_in},
                     {"bytes_out", port.bytes_out},
                     {"busy", rounded(port.busy)},
                     {"waited_ps", port.waited},
                     {"held_bytes", port.held_bytes},
                     {"capacity_bytes", port.capacity_bytes ? Json(*port.capacity_bytes) : Json()},
                     {"fits", port.fits()}});
  }
  return ports;
}

Json flows_json(const ThroughputReport& found) {
  Json flows = Json::array();
  for (const FlowUse& flow : found.flows) {
    flows.push_back({{"name", flow.name}, {"bytes", flow.bytes}, {"mean_ps", flow.mean}});
  }
  return flows;
}

/// Rounded half up.
Picoseconds of_each(Picoseconds time, std::int64_t samples) {
  return time / samples + (time % samples >= samples - samples / 2 ? 1 : 0);
}

Json resources_json(const ThroughputReport& found, std::int64_t samples_each) {
  Json resources = Json::array();
  for (const Utilisation& resource : found.resources) {
    resources.push_back({{"name", resource.name},
                         {"busy_per_sample_ps", of_each(resource.busy_per_sample, samples_each)},
                         {"busy", rounded(resource.busy)}});
  }
  return resources;
}

Json assumptions_json(const Hardware& hardware) {
  Json assumptions = Json::array();
  for (const HardwareFigure& figure : hardware_figures(hardware)) {
    assumptions.push_back(
        {{"key", figure.key}, {"value", Json::parse(figure.value)}, {"source", figure.source}});
  }
  return assumptions;
}

Json other_networks_json(const ThroughputReport& found) {
  if (!found.other_networks) return nullptr;
  return {{"exclusive_makespan_ps", found.other_networks->exclusive},
          {"analytic_makespan_ps", found.other_networks->analytic}};
}

}  // namespace

Json simulation_json(const ThroughputReport& found, const SimulationSubject& subject) {
  const std::int64_t each = subject.samples_each;
  Json report = new_report("simulate");
  report["hardware"] = subject.hardware.name;
  report["network"] = network_name(subject.options.network);
  report["routing"] = routing_name(subject.options.routing);
  report["training"] = subject.training;
  report["samples"] = found.samples * each;
  report["simulated_samples"] = found.simulated * each;
  report["extrapolated"] = found.simulated < found.samples;
  report["steady"] = found.steady;
  report["period_ps"] = found.period;
  report["period_samples"] = found.period_samples * each;
  report["samples_per_s"] = rounded(subject.samples_per_s.value_or(found.samples_per_s));
  report["rate_of"] = rate_name(subject.steady.value_or(found.steady));
  report["first_sample_ps"] = found.first_sample;
  report["makespan_ps"] = found.makespan;
  report["simulated_time_ps"] = found.simulated_time;
  report["bound"] = bound_name(found.bound);
  report["bound_by"] = found.bound_by;
  report["bottleneck"] = bottleneck_json(found.bottleneck_of_each(each));
  report["resources"] = resources_json(found, each);
  report["stages"] = stages_json(found);
  report["links"] = links_json(found);
  report["ports"] = ports_json(found);
  report["flows"] = flows_json(found);
  report["buffer_bytes"] = found.buffer_bytes;
  report["events"] = found.events;
  report["rate_error"] = rate_error_json(found.rate_error);
  if (found.rate_error) report["rate_error"]["other_networks"] = other_networks_json(found);
  report["assumptions"] = assumptions_json(subject.hardware);
  return report;
}

Json rate_error_json(const std::optional<RateError>& error) {
  if (!error) return nullptr;
  return {{"tolerance", error->tolerance},
          {"settles", error->settles},
          {"cut", error->cut},
          {"largest_pending", rounded(error->largest_pending)}};
}

Json speed_json(const SimulationSpeed& speed) {
  return {{"wall_s", rounded_to_ms(speed.wall_s)},
          {"events_per_s", rounded(speed.events_per_s)},
          {"peak_memory_bytes", speed.peak_memory_bytes}};
}

std::vector<double> link_busy(const ThroughputReport& found, const Hardware& hardware) {
  const Mesh mesh(hardware, found.reserve);
  std::vector<double> busy(found.link_bytes.size(), 0);
  double most = 0;
  for (LinkIndex link = 0; link < busy.size(); ++link) {
    if (found.link_bytes[link] == 0) continue;
    busy[link] = link_time(mesh, link, found.link_bytes[link]);
    most = std::max(most, busy[link]);
  }
  const double whole =
      found.links_shared ? static_cast<double>(std::max<Picoseconds>(1, found.whole_time)) : most;
  if (whole > 0) {
    for (double& share : busy) share /= whole;
  }
  return busy;
}

std::string links_csv(const ThroughputReport& found, const Hardware& hardware) {
  std::string text = "x,y,direction,bytes,busy\n";
  const Mesh mesh(hardware);
  const std::vector<double> busy = link_busy(found, hardware);
  const auto columns = static_cast<std::size_t>(hardware.wafer.width);
  for (std::size_t link = 0; link < found.link_bytes.size(); ++link) {
    if (found.link_bytes[link] == 0) continue;
    const std::size_t tile = link / 4;
    text += std::to_string(tile % columns) + "," + std::to_string(tile / columns) + "," +
            mesh.link_name(static_cast<LinkIndex>(link)) + "," +
            std::to_string(found.link_bytes[link]) + "," +
            (found.links_shared ? shortest_text(rounded(busy[link])) : "") + "\n";
  }
  return text;
}

}  // namespace waferloom::sim
