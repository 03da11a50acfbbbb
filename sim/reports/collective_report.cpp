#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/collective.h"
#include "sim/report_json.h"

namespace waferloom::sim {
namespace {

Json stepped_json(const CollectiveJob& job, const CollectiveTimes& times) {
  Json json{{"network", network_name(job.run.network)},
            {"routing", routing_name(job.run.network_options.routing)},
            {"time_ps", times.makespan}};
  json["done_ps"] = times.done;
  json["transfers"] = times.transfers;
  json["busiest_link_bytes"] = *std::max_element(times.link_bytes.begin(), times.link_bytes.end());
  json["events"] = times.events;
  json["rate_error"] = rate_error_json(times.rate_error);
  return json;
}

}  // namespace

Json collective_json(const CollectiveJob& job, const CollectiveResult& found) {
  Json report = new_report("collective");
  report["hardware"] = job.hardware.name;
  report["algorithm"] = algorithm_name(job.algorithm);
  report["bytes"] = job.bytes;
  report["count"] = job.count;
  report["groups"] = Json::array();
  for (const TileGroup& group : job.groups) report["groups"].push_back(group.size());
  report["transfer"] = nullptr;
  if (job.transfer) {
    report["transfer"] = {{"to", job.transfer->destination.size()},
                          {"strategy", static_cast<int>(job.transfer->strategy) + 1},
                          {"adapters", job.transfer->adapters},
                          {"spread", algorithm_name(job.transfer->spread)}};
  }
  report["parts"] = Json::array();
  for (const CollectivePart& part : found.parts) {
    report["parts"].push_back({{"name", part.name},
                               {"steps", part.steps},
                               {"analytic_ps", part.analytic},
                               {"macro_ps", part.macro}});
  }
  report["analytic_ps"] = found.analytic;
  report["macro_ps"] = found.macro;
  report["bottleneck"] = bottleneck_json(found.bottleneck);
  if (!found.streamed.empty()) {
    report["streamed"] = Json::array();
    for (const StreamedWay& way : found.streamed) {
      report["streamed"].push_back({{"way", way.name}, {"time_ps", way.time}});
    }
  }
  report["stepwise"] = found.stepped ? stepped_json(job, *found.stepped) : Json(nullptr);
  return report;
}

}  // namespace waferloom::sim
