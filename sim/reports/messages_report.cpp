#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/report_json.h"

namespace waferloom::sim {

Json messages_json(const MessageSet& set, const MessageRunOptions& options,
                   const MessageTimes& times) {
  Json report = new_report("messages");
  report["network"] = network_name(options.network);
  report["routing"] = routing_name(set.routing);
  report["injection_queues"] = options.injection_queues;
  report["makespan"] = times.makespan;
  report["busiest_link_flits"] =
      *std::max_element(times.link_flits.begin(), times.link_flits.end());
  report["bottleneck"] = bottleneck_json(times.bottleneck);
  report["events"] = times.events;
  report["rate_error"] = rate_error_json(times.rate_error);
  Json messages = Json::array();
  for (std::size_t i = 0; i < set.messages.size(); ++i) {
    messages.push_back({{"id", set.messages[i].id}, {"complete_cycle", times.complete_cycle[i]}});
  }
  report["messages"] = std::move(messages);
  return report;
}

}  // namespace waferloom::sim
