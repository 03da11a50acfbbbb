#include "placer/place_options.h"

#include <doctest/doctest.h>

#include "placer/place.h"
#include "tests/support/option_tables.h"

using namespace waferloom;
using namespace waferloom::placer;

TEST_CASE("a search's options have the defaults of PlaceOptions") {
  const std::vector<OptionSpec> table = search_options();
  check_table(table);
  const PlaceOptions defaults;
  CHECK(std::stoull(fallback_of(table, "seed")) == defaults.seed);
  CHECK(std::stoi(fallback_of(table, "effort")) == defaults.effort);
}

TEST_CASE("each strategy is a choice") {
  const OptionSpec option = strategy_option();
  CHECK(option.fallback == PlaceOptions{}.strategy);
  for (const StrategyInfo& info : strategies()) CHECK(value_fault(option, info.name).empty());
  CHECK(value_fault(option, "aut").starts_with("unknown strategy 'aut', did you mean 'auto'?"));
}
