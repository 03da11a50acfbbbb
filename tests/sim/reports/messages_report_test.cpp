#include <doctest/doctest.h>

#include "sim/report_json.h"
#include "tests/support/json_check.h"

namespace waferloom::sim {
namespace {

TEST_CASE("the report of messages has the cycle of each by its id, in the order of the file") {
  MessageSet set;
  set.routing = Routing::adaptive;
  set.messages.resize(2);
  set.messages[0].id = 17;
  set.messages[1].id = 5;
  MessageRunOptions options;
  options.injection_queues = 3;
  MessageTimes times;
  times.complete_cycle = {40, -1};
  times.makespan = 41;
  times.link_flits = {6, 9, 7};
  times.events = 123;
  times.network = NetworkKind::exclusive;
  times.bottleneck = bottleneck_of({{"schedule", "waits", 4.1e-8}}, "a run at 1 GHz");
  test::check_json(messages_report(set, options, times).json(),
                   R"({"schema": "waferloom/messages/1",
    "network": "exclusive", "network_reason": null, "routing": "adaptive", "injection_queues": 3, "makespan": 41,
    "busiest_link_flits": 9,
    "bottleneck": {"kind": "schedule", "name": "waits", "of": "a run at 1 GHz",
                   "seconds": 4.1e-8, "per_s": 24390200.0, "next": null}, "events": 123, "rate_error": null,
    "messages": [{"id": 17, "complete_cycle": 40}, {"id": 5, "complete_cycle": -1}]})");
  times.rate_error = RateError{0.25, 1, 2, 0.5};
  CHECK(messages_report(set, options, times).json()["rate_error"]["cut"] == 2);
  times.network_reason = "few flits";
  CHECK(messages_report(set, options, times).json()["network_reason"] == "few flits");
}

}  // namespace
}  // namespace waferloom::sim
