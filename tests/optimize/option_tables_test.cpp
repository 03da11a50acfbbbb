#include "tests/support/option_tables.h"

#include <doctest/doctest.h>

#include "optimize/bench.h"
#include "optimize/optimize.h"
#include "optimize/plan.h"
#include "placer/place_options.h"

using namespace waferloom;
using namespace waferloom::optimize;

TEST_CASE("plan's options in the order of help, with their values and ranges") {
  std::vector<OptionSpec> table = specs_of(plan_options());
  check_table(table);
  std::erase_if(table, [](const OptionSpec& option) { return option.name == "strategy"; });
  CHECK(table_text(table) ==
        "batch N: 1 to 1000000; default 64\n"
        "model NAME: palm (default), dfmodel or amped; default palm\n"
        "objective NAME: throughput (default), time (of a batch; of inference of a sample), cost "
        "or energy (of a sample); default throughput\n"
        "top N: 1 to 1000; default 16\n"
        "inference\n"
        "optimizer NAME: adam (default) or sgd; default adam\n"
        "data-type NAME: default fp16\n"
        "reuse NAME: whole (rows or columns of one side (PALM, Algorithm 1)) or blocks (default, "
        "where these move less); default blocks\n"
        "network MODEL: analytic, exclusive, fair (default) or packet; default fair\n"
        "routing RULE: planned (default), xy, yx, o1turn or adaptive; default planned\n"
        "no-dram\n");
}

TEST_CASE("each objective is a choice of plan") {
  const std::vector<OptionSpec> table = specs_of(plan_options());
  for (const std::string_view name : planner::kObjectiveNames) {
    CHECK(value_fault(option_named(table, "objective"), std::string(name)).empty());
  }
}

TEST_CASE("optimize's options have the defaults of its searches") {
  const std::vector<OptionSpec> table = specs_of(optimize_options());
  check_table(table);
  CHECK(help_text(option_named(table, "top")) ==
        "Candidates to simulate: of a case in each round (default 4), of a network (default 16).");
  CHECK(CaseSearchOptions{}.top == 4);
  CHECK(fallback_of(table, "strategy") == CaseSearchOptions{}.strategy);
  CHECK(fallback_of(table, "strategy") == PlanSearchOptions{}.strategy);
  CHECK(fallback_of(table, "batch") == fallback_of(specs_of(plan_options()), "batch"));
}

TEST_CASE("bench runs each case with one seed and as place does") {
  const std::vector<OptionSpec> table = specs_of(bench_options());
  check_table(table);
  CHECK(fallback_of(table, "seeds") == "1");
  CHECK(value_fault(option_named(table, "seeds"), "1000").empty());
  CHECK(value_fault(option_named(table, "seeds"), "1001") ==
        "expected a whole number from 1 to 1000, found '1001'");
  CHECK(fallback_of(table, "strategy") == placer::strategy_option().fallback);
}

TEST_CASE("a run's control has the defaults of the placer's options") {
  CHECK(std::stoull(fallback_of(placer::search_options(), "seed")) == SearchControl{}.seed);
  CHECK(std::stoi(fallback_of(placer::search_options(), "effort")) == SearchControl{}.effort);
}
