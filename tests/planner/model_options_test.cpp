#include "planner/model_options.h"

#include <doctest/doctest.h>

#include "planner/amped/amped.h"
#include "planner/centimani.h"
#include "planner/layer_execution.h"
#include "planner/mapping_search.h"
#include "planner/serving.h"
#include "planner/speculative.h"
#include "planner/system_plan.h"
#include "tests/support/option_tables.h"

using namespace waferloom;
using namespace waferloom::planner;

namespace {

template <typename Named, std::size_t count>
std::string name_of(Named value, const std::array<std::string_view, count>& names) {
  return std::string(names.at(static_cast<std::size_t>(value)));
}

}  // namespace

TEST_CASE("AMPeD's options have the defaults of AmpedTraining and AmpedExperts") {
  const std::vector<OptionSpec> table = amped_options();
  check_table(table);
  const AmpedTraining training;
  CHECK(fallback_of(table, "bubble-ratio") == fallback_text(training.bubble_ratio));
  CHECK(fallback_of(table, "zero-overhead") == fallback_text(training.zero_overhead));
  CHECK(std::stoll(fallback_of(table, "zero")) == training.zero);
  CHECK(fallback_of(table, "bubble") == name_of(training.bubble, kBubbleFormNames));
  CHECK(fallback_of(table, "all-reduce") == name_of(training.all_reduce, kHierarchyFormNames));
  CHECK(fallback_of(table, "transfers") == name_of(training.transfers, kTransferFormNames));
  CHECK(std::stoll(fallback_of(table, "experts-active")) == AmpedExperts{}.active);
  CHECK(std::stoll(fallback_of(table, "experts-every")) == AmpedExperts{}.every);
}

TEST_CASE("Centimani's options have the defaults of CentimaniOptions") {
  const std::vector<OptionSpec> table = centimani_options();
  check_table(table);
  const CentimaniOptions defaults;
  CHECK(std::stoll(fallback_of(table, "chips")) == defaults.chips);
  CHECK(std::stoll(fallback_of(table, "stages")) == defaults.stages);
  CHECK(fallback_of(table, "learning") == name_of(defaults.learning, kLearningNames));
  CHECK(fallback_of(table, "optimizer") == optimizer_name(defaults.optimizer));
}

TEST_CASE("DFModel's options have the defaults of its searches") {
  check_table(dfmodel_options());
  check_table(sweep_options());
  CHECK(fallback_of(dfmodel_options(), "method") ==
        mapping_method_name(MappingSearchOptions{}.method));
  CHECK(fallback_of(sweep_options(), "execution") == execution_name(SystemPlanOptions{}.execution));
}

TEST_CASE("serving's options have the defaults of ServingOptions and Speculation") {
  const std::vector<OptionSpec> table = serving_options();
  check_table(table);
  const ServingOptions defaults;
  CHECK(std::stoll(fallback_of(table, "prompt")) == defaults.prompt);
  CHECK(std::stoll(fallback_of(table, "context")) == defaults.context);
  CHECK(std::stoll(fallback_of(table, "samples")) == defaults.samples);
  const Speculation speculation;
  CHECK(fallback_of(table, "acceptance") == fallback_text(speculation.acceptance));
  CHECK(std::stoll(fallback_of(table, "window")) == speculation.window);
  CHECK(fallback_of(table, "scheme") == name_of(speculation.scheme, kSchemeNames));
}
