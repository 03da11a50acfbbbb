#include "tests/support/option_tables.h"

#include <doctest/doctest.h>

#include "optimize/bench.h"
#include "optimize/optimize.h"
#include "optimize/plan.h"
#include "placer/place_options.h"

using namespace waferloom;
using namespace waferloom::optimize;

TEST_CASE("plan's options have the defaults of PlanJob and Plan") {
  const std::vector<OptionSpec> table = plan_options();
  check_table(table);
  const PlanJob job;
  CHECK(fallback_of(table, "model") == kRankingModelNames[static_cast<std::size_t>(job.model)]);
  CHECK(fallback_of(table, "objective") ==
        planner::kObjectiveNames[static_cast<std::size_t>(job.objective)]);
  CHECK(std::stoull(fallback_of(table, "top")) == job.top);
  CHECK(fallback_of(table, "strategy") == job.strategy);
  CHECK(fallback_of(table, "optimizer") == optimizer_name(Plan{}.optimizer));
  CHECK(fallback_of(table, "data-type") == Plan{}.data_type);
}

TEST_CASE("each objective is a choice of plan") {
  const std::vector<OptionSpec> table = plan_options();
  for (const std::string_view name : planner::kObjectiveNames) {
    CHECK(value_fault(option_named(table, "objective"), std::string(name)).empty());
  }
}

TEST_CASE("optimize's options have the defaults of its searches") {
  const std::vector<OptionSpec> table = optimize_options();
  check_table(table);
  CHECK(help_text(option_named(table, "top")) ==
        "Candidates to simulate: of a case in each round (default 4), of a network (default 20).");
  CHECK(CaseSearchOptions{}.top == 4);
  CHECK(fallback_of(table, "strategy") == CaseSearchOptions{}.strategy);
  CHECK(fallback_of(table, "strategy") == PlanSearchOptions{}.strategy);
  CHECK(fallback_of(table, "batch") == fallback_of(plan_options(), "batch"));
}

TEST_CASE("bench runs each case with one seed and as place does") {
  const std::vector<OptionSpec> table = bench_options();
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
