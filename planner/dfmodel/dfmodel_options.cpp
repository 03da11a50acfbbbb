#include "planner/design_space.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "planner/dfmodel/systems/layer_execution.h"
#include "planner/system_plan.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostChips = 1'000'000;
constexpr std::uint64_t kMostSamples = 1'000'000;
constexpr std::uint64_t kMostBatch = 1'000'000'000'000;
constexpr std::uint64_t kMostSweptBatch = 1'000'000'000;
constexpr std::uint64_t kMostPlans = 1'000'000;

OptionSpec method_option() {
  OptionSpec option{.name = "method",
                    .value = "M",
                    .help = "{choices}.",
                    .choices = choices_of(kMappingMethodNames),
                    .fallback = std::string(mapping_method_name(MappingSearchOptions{}.method))};
  option.choices.back().note = "no proof";
  return option;
}

}  // namespace

std::vector<OptionSpec> dfmodel_options() {
  return {{.name = "system",
           .value = "NAME|FILE",
           .help = "{fallback} (default), another preset, or a JSON file.",
           .fallback = "sn10_8x1"},
          {.name = "tensor",
           .value = "N",
           .help = "Chips that share a layer (default: the innermost dimension of the system; 1 "
                   "for a graph of kernels).",
           .range = WholeRange{1, kMostChips}},
          {.name = "sharded", .help = "The kernels of a graph are one chip's already."},
          {.name = "mapping",
           .value = "M",
           .help = "{fallback} (default), kernel-by-kernel, vendor, or a JSON file of partitions.",
           .fallback = "optimal"},
          {.name = "partitions",
           .value = "K",
           .help = "Of the best mapping: exactly so many.",
           .range = WholeRange{1, kMostMappedKernels}},
          method_option(),
          {.name = "micro-batch",
           .value = "N|max",
           .help = "Samples at once {default}. With --cycles they share a load of weights, and max "
                   "is what DRAM has room for.",
           .range = WholeRange{1, kMostSamples},
           .choices = {{"max"}},
           .fallback = "1"},
          {.name = "batch",
           .value = "N",
           .help = "Samples of the whole batch (default: the micro-batch).",
           .range = WholeRange{1, kMostBatch}},
          {.name = "cycles", .help = "Count cycles of systolic arrays instead of FLOP."},
          {.name = "stream",
           .help = "Weights may come from DRAM while a partition works, where that pays."},
          {.name = "dram-limit",
           .help = "Weights and tensors between partitions must fit the first memory."}};
}

std::vector<OptionSpec> systems_options() {
  return {{.name = "objective",
           .value = "O",
           .help = "{choices}: picks plans.",
           .choices = choices_of(kObjectiveNames),
           .fallback = std::string(kObjectiveNames.front())},
          {.name = "show",
           .value = "Q",
           .help = "{choices}: of --heatmap.",
           .choices = choices_of(kSystemsQuantityNames),
           .fallback = std::string(kSystemsQuantityNames.front())},
          {.name = "system", .value = "NAME|FILE", .help = "One system in place of the 80."},
          {.name = "execution",
           .value = "E",
           .help = "Of --system: {choices}.",
           .choices = {{"dataflow"}, {"kernel-by-kernel"}},
           .fallback = std::string(execution_name(SystemPlanOptions{}.execution))},
          {.name = "top",
           .value = "N",
           .help = "Plans of --system that are told {default}.",
           .range = WholeRange{1, kMostPlans},
           .fallback = "10"},
          {.name = "batch",
           .value = "N",
           .help = "Samples of a step of a network {default}.",
           .range = WholeRange{1, kMostSweptBatch},
           .fallback = "1024"},
          {.name = "forward", .help = "Of a network: no training, forward alone."}};
}

}  // namespace waferloom::planner
