#include "sim/simulation_options.h"

#include <doctest/doctest.h>

#include "sim/group_transfer.h"
#include "sim/message_run.h"
#include "sim/simulate.h"
#include "tests/support/option_tables.h"

using namespace waferloom;
using namespace waferloom::sim;

TEST_CASE("a run's options have the defaults of SimulateOptions") {
  const std::vector<OptionSpec> table = simulation_options();
  check_table(table);
  const SimulateOptions defaults;
  CHECK(network_named(fallback_of(table, "network")) == defaults.network);
  CHECK(routing_named(fallback_of(table, "routing")) == defaults.routing);
  CHECK(std::stoll(fallback_of(table, "samples")) == defaults.samples);
  CHECK(std::stoull(fallback_of(table, "top")) == defaults.top);
  CHECK(fallback_of(table, "samples") == "1000");
  CHECK(help_text(option_named(table, "routing")) ==
        "xy (default, or as the plan has it), yx, o1turn or adaptive.");
}

TEST_CASE("options of messages have the defaults of MessageRunOptions") {
  const std::vector<OptionSpec> table = message_options();
  check_table(table);
  CHECK(std::stoll(fallback_of(table, "injection-queues")) == MessageRunOptions{}.injection_queues);
  CHECK(network_named(network_option().fallback) == MessageRunOptions{}.network);
}

TEST_CASE("options of exchanges have the defaults of GroupTransfer") {
  check_table(joined({collective_options(), transfer_options(), plan_run_options()}));
  const GroupTransfer defaults;
  CHECK(algorithm_named(fallback_of(collective_options(), "algorithm")) == defaults.all_reduce);
  CHECK(algorithm_named(fallback_of(transfer_options(), "spread")) == defaults.spread);
  CHECK(std::stoll(fallback_of(transfer_options(), "adapters")) == defaults.adapters);
  CHECK(std::stoi(fallback_of(transfer_options(), "strategy")) ==
        static_cast<int>(defaults.strategy) + 1);
}
