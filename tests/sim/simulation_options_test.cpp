#include <doctest/doctest.h>

#include "model/plan.h"
#include "sim/collective.h"
#include "sim/collective/group_transfer.h"
#include "sim/message_run.h"
#include "sim/simulate.h"
#include "tests/support/option_tables.h"

using namespace waferloom;
using namespace waferloom::sim;

TEST_CASE("a run without options goes by the defaults of SimulateOptions and Plan") {
  const std::vector<OptionSpec> table = specs_of(simulation_options());
  check_table(table);
  const SimulateOptions defaults;
  const SimulateOptions made = RunRequest{}.options();
  CHECK(made.network == defaults.network);
  CHECK(made.routing == defaults.routing);
  CHECK(made.samples == defaults.samples);
  CHECK(made.patience == defaults.patience);
  CHECK(made.extrapolate == defaults.extrapolate);
  CHECK(made.top == defaults.top);
  CHECK(fallback_of(table, "routing") == routing_name(Plan{}.routing));
  CHECK(help_text(option_named(table, "routing")) ==
        "planned (default, or what the plan has), xy (default of messages), yx, o1turn or "
        "adaptive.");
}

TEST_CASE("a run's options set what their rows name") {
  RunRequest request;
  for (const Option<RunRequest>& row : simulation_options()) {
    if (row.spec.name == "network") row.set(request, {"packet"});
    if (row.spec.name == "training") row.set(request, {""});
    if (row.spec.name == "routing") {
      row.set(request, {"yx"});
      CHECK(request.options().routing == Routing::yx);
      row.set(request, {"planned"});
    }
    if (row.spec.name == "samples") row.set(request, {"7"});
    if (row.spec.name == "patience") row.set(request, {"8"});
    if (row.spec.name == "no-extrapolation") row.set(request, {""});
    if (row.spec.name == "top") row.set(request, {"9"});
  }
  const SimulateOptions made = request.options();
  CHECK(made.network == NetworkKind::packet);
  CHECK(made.routing == Routing::planned);
  CHECK(request.training);
  CHECK(made.samples == 7);
  CHECK(made.patience == 8);
  CHECK(!made.extrapolate);
  CHECK(made.top == 9);
}

TEST_CASE("where nobody says which network, that of pipelines is fair and messages choose") {
  CHECK(network_choice_option().fallback == "auto");
  CHECK(network_of(RunRequest{}.network) == MessageRunOptions{}.network);
  CHECK(network_option().fallback == network_name(RunRequest{}.pipeline_network()));
}

TEST_CASE("options of exchanges have the defaults of GroupTransfer") {
  const std::vector<OptionSpec> exchange = specs_of(collective_options());
  const std::vector<OptionSpec> transfer = specs_of(transfer_options());
  check_table(joined({exchange, transfer, {allow_infeasible_option()}}));
  const GroupTransfer defaults;
  CHECK(fallback_of(exchange, "algorithm") == algorithm_name(defaults.all_reduce));
  CHECK(fallback_of(transfer, "spread") == algorithm_name(defaults.spread));
  CHECK(std::stoll(fallback_of(transfer, "adapters")) == defaults.adapters);
  CHECK(std::stoi(fallback_of(transfer, "strategy")) == static_cast<int>(defaults.strategy) + 1);
}

// What docs/cli.md tells, and limits far beyond what a run has time for.

TEST_CASE("a run's options in the order of help, with their values and ranges") {
  CHECK(table_text(specs_of(simulation_options())) ==
        "network MODEL: analytic, exclusive, fair, packet or auto (default, fair; of few flits "
        "packet); default auto\n"
        "routing RULE: planned (default, or what the plan has), xy (default of messages), yx, "
        "o1turn or adaptive; default planned\n"
        "samples N: 1 to 1000000; default 1000\n"
        "training\n"
        "patience N: 1 to 1000000; default 10\n"
        "no-extrapolation\n"
        "top N: 1 to 100000; default 10\n");
  CHECK(table_text({hardware_option()}) == "hardware NAME|FILE: default wse1\n");
  CHECK(table_text({allow_infeasible_option(), no_dram_option()}) == "allow-infeasible\nno-dram\n");
  const auto queues = option(&MessageRunOptions::injection_queues, injection_queues_option());
  CHECK(table_text({queues.spec}) == "injection-queues N: 1 to 16; default 4\n");
}

TEST_CASE("options of exchanges in the order of help, with their values and ranges") {
  CHECK(table_text(specs_of(collective_options())) ==
        "algorithm A: ring (default), bidirectional, 2-d, tree, hierarchical or direct; default "
        "ring\n"
        "bytes N: 1 to 1000000000000000; default 1000000\n"
        "count N: 1 to 1000; default 1\n"
        "stepwise\n"
        "network MODEL: analytic, exclusive, fair (default) or packet; default fair\n"
        "routing RULE: xy (default), yx, o1turn or adaptive; default xy\n");
  CHECK(table_text(specs_of(transfer_options())) ==
        "strategy 1|2: 1 to 2; default 1\n"
        "adapters K: 1 to 1000000; default 1\n"
        "spread A: ring, bidirectional, 2-d, tree (default), hierarchical or direct; default "
        "tree\n");
}
