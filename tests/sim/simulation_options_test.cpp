#include <doctest/doctest.h>

#include "model/plan.h"
#include "sim/collective.h"
#include "sim/collective/group_transfer.h"
#include "sim/message_run.h"
#include "sim/simulate.h"
#include "tests/support/option_tables.h"

using namespace waferloom;
using namespace waferloom::sim;

TEST_CASE("a run's options have the defaults of SimulateOptions") {
  const std::vector<OptionSpec> table = simulation_options();
  check_table(table);
  const SimulateOptions defaults;
  CHECK(fallback_of(table, "network") == network_name(defaults.network));
  CHECK(fallback_of(table, "routing") == routing_name(Plan{}.routing));
  CHECK(std::stoll(fallback_of(table, "samples")) == defaults.samples);
  CHECK(std::stoull(fallback_of(table, "top")) == defaults.top);
  CHECK(fallback_of(table, "samples") == "1000");
  CHECK(help_text(option_named(table, "routing")) ==
        "planned (default, or what the plan has), xy (default of messages), yx, o1turn or "
        "adaptive.");
}

TEST_CASE("options of messages have the defaults of MessageRunOptions") {
  const std::vector<OptionSpec> table = message_options();
  check_table(table);
  CHECK(std::stoll(fallback_of(table, "injection-queues")) == MessageRunOptions{}.injection_queues);
  CHECK(network_option().fallback == network_name(MessageRunOptions{}.network));
}

TEST_CASE("options of exchanges have the defaults of GroupTransfer") {
  check_table(joined({collective_options(), transfer_options(), plan_run_options()}));
  const GroupTransfer defaults;
  CHECK(fallback_of(collective_options(), "algorithm") == algorithm_name(defaults.all_reduce));
  CHECK(fallback_of(transfer_options(), "spread") == algorithm_name(defaults.spread));
  CHECK(std::stoll(fallback_of(transfer_options(), "adapters")) == defaults.adapters);
  CHECK(std::stoi(fallback_of(transfer_options(), "strategy")) ==
        static_cast<int>(defaults.strategy) + 1);
}

// What docs/cli.md tells, and limits far beyond what a run has time for.

TEST_CASE("a run's options in the order of help, with their values and ranges") {
  CHECK(table_text(simulation_options()) ==
        "network MODEL: analytic, exclusive, fair (default) or packet; default fair\n"
        "routing RULE: planned (default, or what the plan has), xy (default of messages), yx, "
        "o1turn or adaptive; default planned\n"
        "samples N: 1 to 1000000; default 1000\n"
        "training\n"
        "patience N: 1 to 1000000; default 10\n"
        "no-extrapolation\n"
        "top N: 1 to 100000; default 10\n");
  CHECK(table_text({hardware_option()}) == "hardware NAME|FILE: default wse1\n");
  CHECK(table_text(plan_run_options()) == "allow-infeasible\nno-dram\n");
  CHECK(table_text(message_options()) == "injection-queues N: 1 to 16; default 4\n");
}

TEST_CASE("options of exchanges in the order of help, with their values and ranges") {
  CHECK(table_text(collective_options()) ==
        "algorithm A: ring (default), bidirectional, 2-d, tree, hierarchical or direct; default "
        "ring\n"
        "bytes N: 1 to 1000000000000000; default 1000000\n"
        "count N: 1 to 1000; default 1\n"
        "stepwise\n"
        "network MODEL: analytic, exclusive, fair (default) or packet; default fair\n"
        "routing RULE: xy (default), yx, o1turn or adaptive; default xy\n");
  CHECK(table_text(transfer_options()) ==
        "strategy 1|2: 1 to 2; default 1\n"
        "adapters K: 1 to 1000000; default 1\n"
        "spread A: ring, bidirectional, 2-d, tree (default), hierarchical or direct; default "
        "tree\n");
}
