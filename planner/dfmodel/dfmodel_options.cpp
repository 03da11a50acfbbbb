#include "planner/design_space.h"
#include "planner/dfmodel.h"
#include "planner/system_plan.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostChips = 1'000'000;
constexpr WholeRange kMicroBatch{1, 1'000'000};
constexpr std::uint64_t kMostSweptBatch = 1'000'000'000;

Option<DfmodelChoice> layer_flag(bool LayerRequest::*member, OptionSpec spec) {
  return option_inside(&DfmodelChoice::layer, option(member, std::move(spec)));
}

/// mapping, partitions, method.
Options<DfmodelChoice> mapping_options() {
  const auto name =
      option(&MappingRequest::name,
             {"mapping", '\0', "M",
              "{fallback} (default), kernel-by-kernel, vendor, or a JSON file of partitions."});
  Option<MappingSearchOptions> method =
      option(&MappingSearchOptions::method, {"method", '\0', "M", "{choices}."});
  method.spec.choices.back().note = "no proof";
  const Options<MappingSearchOptions> search{
      option(&MappingSearchOptions::partitions, {.name = "partitions",
                                                 .value = "K",
                                                 .help = "Of the best mapping: exactly so many.",
                                                 .range = WholeRange{1, kMostMappedKernels}}),
      method};
  return options_inside(
      &DfmodelChoice::mapping,
      joined_options<MappingRequest>({{name}, options_inside(&MappingRequest::search, search)}));
}

Option<DfmodelChoice> micro_batch_option() {
  return {{.name = "micro-batch",
           .value = "N|max",
           .help = "Samples at once {default}. With --cycles they share a load of weights, and max "
                   "is what DRAM has room for.",
           .range = kMicroBatch,
           .choices = {{"max"}},
           .fallback = fallback_text(LayerRequest{}.micro_batch)},
          [](DfmodelChoice& choice, const std::vector<std::string>& texts) {
            const auto samples = parse_whole_number(texts.front(), kMicroBatch);
            choice.mapping.fills_micro_batch = !samples;
            if (samples) choice.layer.micro_batch = static_cast<double>(*samples);
          }};
}

}  // namespace

Options<DfmodelChoice> dfmodel_options() {
  return joined_options<DfmodelChoice>(
      {options_inside(
           &DfmodelChoice::machine,
           machine_options({.name = "hardware",
                            .value = "NAME|FILE",
                            .help = "{fallback} (default), another preset, or a JSON file.",
                            .fallback = DfmodelChoice{}.machine.name.value()})),
       {option(&DfmodelChoice::tensor,
               {.name = "tensor",
                .value = "N",
                .help = "Chips that share a layer (default: the innermost dimension of the system; "
                        "1 for a graph of kernels).",
                .range = WholeRange{1, kMostChips}}),
        layer_flag(&LayerRequest::is_sharded,
                   {.name = "sharded", .help = "The kernels of a graph are one chip's already."})},
       mapping_options(),
       {micro_batch_option(),
        option(&DfmodelChoice::batch,
               {.name = "batch",
                .value = "N",
                .help = "Samples of the whole batch (default: the micro-batch).",
                .range = WholeRange{1, kMostDfmodelBatch}}),
        layer_flag(&LayerRequest::by_cycles,
                   {.name = "cycles", .help = "Count cycles of systolic arrays instead of FLOP."}),
        layer_flag(&LayerRequest::streams,
                   {.name = "stream",
                    .help = "Weights may come from DRAM while a partition works, where that "
                            "pays."}),
        layer_flag(
            &LayerRequest::limits_dram,
            {.name = "dram-limit",
             .help = "Weights and tensors between partitions must fit the first memory."})}});
}

Options<SystemsChoice> systems_options() {
  const SystemsJob defaults;
  return {option(&SystemsChoice::objective, {"objective", '\0', "O", "{choices}: picks plans."}),
          option(&SystemsChoice::quantity,
                 {.name = "show",
                  .value = "Q",
                  .help = "{choices}: of --heatmap.",
                  .fallback = std::string(
                      kSystemsQuantityNames[static_cast<std::size_t>(defaults.quantity)])}),
          option(&SystemsChoice::batch, {.name = "batch",
                                         .value = "N",
                                         .help = "Samples of a step of a network {default}.",
                                         .range = WholeRange{1, kMostSweptBatch},
                                         .fallback = fallback_text(kSystemsBatch)}),
          option(&SystemsChoice::forward,
                 {.name = "forward", .help = "Of a network: no training, forward alone."})};
}

OptionSpec execution_option() {
  return {.name = "execution",
          .value = "E",
          .help = "How a chip goes through a layer: {choices}.",
          .choices = {{"dataflow"}, {"kernel-by-kernel"}},
          .fallback = std::string(execution_name(SystemsJob().execution))};
}

}  // namespace waferloom::planner
