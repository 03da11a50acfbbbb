#include "model/hardware.h"
#include "model/mesh.h"
#include "sim/collective.h"
#include "sim/collective/group_transfer.h"
#include "sim/message_run.h"
#include "sim/simulate.h"

namespace waferloom::sim {
namespace {

constexpr std::uint64_t kMostSamples = 1'000'000;
constexpr std::uint64_t kMostListed = 100'000;  // links and flows
constexpr std::uint64_t kMostInjectionQueues = 16;
constexpr std::uint64_t kMostPatience = 1'000'000;
constexpr std::uint64_t kMostBytes = 1'000'000'000'000'000;
constexpr std::uint64_t kMostCount = 1'000;
constexpr std::uint64_t kMostAdapters = 1'000'000;
constexpr WholeRange kStrategies{1, 2};

std::optional<Routing> rule_named(const std::string& text, const std::string& /*option*/) {
  return routing_named(text);
}

TransferStrategy strategy_numbered(const std::string& text, const std::string& /*option*/) {
  return static_cast<TransferStrategy>(*parse_whole_number(text, kStrategies) - 1);
}

}  // namespace

OptionSpec network_option() {
  return {.name = "network",
          .value = "MODEL",
          .help = "{choices}.",
          .choices = choices_of(kNetworkNames),
          .fallback = std::string(network_name(SimulateOptions{}.network))};
}

OptionSpec network_choice_option() {
  OptionSpec option = network_option();
  option.choices.push_back({"auto", "fair; of few flits packet"});
  option.fallback = kNetworkChoices.back();
  return option;
}

OptionSpec routing_option() {
  return {.name = "routing",
          .value = "RULE",
          .help = "{choices}.",
          .choices = choices_of(kRoutingNames),
          .fallback = std::string(routing_name(SimulateOptions{}.routing))};
}

OptionSpec planned_routing_option() {
  OptionSpec option = routing_option();
  option.fallback = std::string(routing_name(Routing::planned));
  option.choices.insert(option.choices.begin(), {option.fallback, ""});
  return option;
}

OptionSpec samples_option() {
  return {.name = "samples",
          .value = "N",
          .help = "Samples to run {default}.",
          .range = WholeRange{1, kMostSamples},
          .fallback = std::to_string(SimulateOptions{}.samples)};
}

OptionSpec hardware_option() {
  return {.name = "hardware",
          .value = "NAME|FILE",
          .help = hardware_help({{kCaseHardware, "default"}}),
          .fallback = std::string(kCaseHardware)};
}

std::string hardware_help(const std::map<std::string_view, std::string_view>& notes,
                          bool meshes_alone) {
  std::string text;
  for (const std::string_view name : meshes_alone ? mesh_preset_names() : machine_preset_names()) {
    const auto note = notes.find(name);
    if (note == notes.end() && !meshes_alone) continue;
    text += name;
    if (note != notes.end()) text += " (" + std::string(note->second) + ")";
    text += ", ";
  }
  if (!meshes_alone) text += "another preset (`waferloom hardware` lists them), ";
  return text + "or a JSON file.";
}

SimulateOptions RunRequest::options() const {
  SimulateOptions options;
  options.network = pipeline_network();
  options.routing = routing.value_or(options.routing);
  options.samples = samples;
  options.patience = patience;
  options.extrapolate = extrapolate;
  options.top = top;
  return options;
}

Option<RunRequest> routing_row(OptionSpec spec) {
  return option(&RunRequest::routing, std::move(spec),
                [](const std::string& text, const std::string& /*name*/) {
                  return text == routing_name(Routing::planned) ? Routing::planned
                                                                : routing_named(text);
                });
}

Options<RunRequest> simulation_options() {
  OptionSpec routing = planned_routing_option();
  for (OptionChoice& choice : routing.choices) {
    if (choice.name == routing.fallback) choice.note = "or what the plan has";
    if (choice.name == routing_option().fallback) choice.note = "default of messages";
  }
  return {option(&RunRequest::network, network_choice_option()),
          routing_row(routing),
          option(&RunRequest::samples, samples_option()),
          option(&RunRequest::training,
                 {.name = "training",
                  .help = "Gradients flow back: backward takes twice as long as forward, 1F1B."}),
          option(&RunRequest::patience,
                 {.name = "patience",
                  .value = "N",
                  .help = "Of the fair network: how long rates may settle {default}. More is "
                          "slower and more exact, where a warning says that settles were cut.",
                  .range = WholeRange{1, kMostPatience}}),
          flag(&RunRequest::extrapolate,
               {.name = "no-extrapolation", .help = "Simulate every sample."}, false),
          option(&RunRequest::top, {.name = "top",
                                    .value = "N",
                                    .help = "Links and flows that the report lists {default}.",
                                    .range = WholeRange{1, kMostListed}})};
}

OptionSpec allow_infeasible_option() {
  return {.name = "allow-infeasible",
          .help = "Simulate a plan that needs more memory than there is (otherwise exit 3)."};
}

OptionSpec no_dram_option() {
  return {.name = "no-dram",
          .help = "What does not stay in SRAM takes no time on its way from and to memory."};
}

OptionSpec injection_queues_option() {
  return {.name = "injection-queues",
          .value = "N",
          .help = "Of a tile in the networks fair and packet, {range} {default}.",
          .range = WholeRange{1, kMostInjectionQueues}};
}

Options<CollectiveChoice> collective_options() {
  return {
      option(&CollectiveChoice::algorithm,
             {.name = "algorithm", .value = "A", .help = "{choices}."}),
      option(&CollectiveChoice::bytes, {.name = "bytes",
                                        .value = "N",
                                        .help = "Of every member {default}.",
                                        .range = WholeRange{1, kMostBytes}}),
      option(&CollectiveChoice::count, {.name = "count",
                                        .value = "N",
                                        .help = "As many of each kind at once {default}.",
                                        .range = WholeRange{1, kMostCount}}),
      option(&CollectiveChoice::stepwise,
             {.name = "stepwise", .help = "Also run every step on a network."}),
      option(&CollectiveChoice::network, with_help(network_option(), "Of --stepwise: {choices}.")),
      option(&CollectiveChoice::routing, with_help(routing_option(), "Of --stepwise: {choices}."),
             rule_named)};
}

Options<TransferChoice> transfer_options() {
  const GroupTransfer defaults;
  return {option(&TransferChoice::strategy,
                 {.name = "strategy",
                  .value = "1|2",
                  .help = "Of transfer {default}.",
                  .range = kStrategies,
                  .fallback = std::to_string(static_cast<int>(defaults.strategy) + 1)},
                 strategy_numbered),
          option(&TransferChoice::adapters, {.name = "adapters",
                                             .value = "K",
                                             .help = "Of transfer {default}.",
                                             .range = WholeRange{1, kMostAdapters},
                                             .fallback = std::to_string(defaults.adapters)}),
          option(&TransferChoice::spread,
                 {.name = "spread",
                  .value = "A",
                  .help = "Of transfer: how reductions and broadcasts go {default}.",
                  .fallback = std::string(algorithm_name(defaults.spread))})};
}

}  // namespace waferloom::sim
