#include <doctest/doctest.h>

#include "sim/collective.h"
#include "sim/report_json.h"
#include "tests/support/json_check.h"

namespace waferloom::sim {
namespace {

using test::check_json;

CollectiveJob job() {
  CollectiveJob job;
  job.hardware.name = "wafer";
  job.groups = {TileGroup(4), TileGroup(6)};
  job.algorithm = CollectiveAlgorithm::two_d;
  job.bytes = 1024;
  job.count = 3;
  job.run.network = NetworkKind::packet;
  job.run.network_options.routing = Routing::o1turn;
  return job;
}

CollectiveResult result() {
  CollectiveResult found;
  found.parts = {{"all-reduce", 6, 100, 200}, {"broadcast", 2, 30, 40}};
  found.analytic = 101;
  found.macro = 202;
  found.bottleneck = longest_part_of({{"link", "the slowest link", 5e-9}}, "a run");
  return found;
}

TEST_CASE("the report of collectives has groups, parts and times in picoseconds") {
  check_json(collective_report(job(), result()).json(), R"({"schema": "waferloom/collective/1",
    "hardware": "wafer", "algorithm": "2-d", "bytes": 1024, "count": 3, "groups": [4, 6],
    "transfer": null,
    "parts": [{"name": "all-reduce", "steps": 6, "analytic_ps": 100, "macro_ps": 200},
              {"name": "broadcast", "steps": 2, "analytic_ps": 30, "macro_ps": 40}],
    "analytic_ps": 101, "macro_ps": 202,
    "bottleneck": {"kind": "link", "name": "the slowest link", "of": "a run",
                   "seconds": 5e-9, "per_s": null, "next": null},
    "stepwise": null
})");
}

TEST_CASE("the report of a transfer has its strategy from 1, adapters and spread") {
  CollectiveJob moved = job();
  moved.transfer.emplace();
  moved.transfer->source = TileGroup(4);
  moved.transfer->destination = TileGroup(9);
  moved.transfer->adapters = 2;
  moved.transfer->spread = CollectiveAlgorithm::direct;
  check_json(collective_report(moved, result()).json()["transfer"],
             R"({"to": 9, "strategy": 1, "adapters": 2, "spread": "direct"})");
  moved.transfer->strategy = TransferStrategy::sum_behind;
  CHECK(collective_report(moved, result()).json()["transfer"]["strategy"] == 2);
}

TEST_CASE("the report of a stepwise run has its network, its times and the busiest link") {
  CollectiveResult stepped = result();
  stepped.stepped.emplace();
  stepped.stepped->done = {50, 60};
  stepped.stepped->makespan = 61;
  stepped.stepped->transfers = 7;
  stepped.stepped->link_bytes = {1, 12, 5};
  stepped.stepped->events = 99;
  check_json(collective_report(job(), stepped).json()["stepwise"],
             R"({"network": "packet", "routing": "o1turn", "time_ps": 61, "done_ps": [50, 60],
                 "transfers": 7, "busiest_link_bytes": 12, "events": 99, "rate_error": null})");
  stepped.stepped->rate_error = RateError{0.5, 4, 3, 0.25};
  CHECK(collective_report(job(), stepped).json()["stepwise"]["rate_error"]["settles"] == 4);
}

}  // namespace
}  // namespace waferloom::sim
