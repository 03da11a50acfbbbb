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

}  // namespace

OptionSpec network_option() {
  return {.name = "network",
          .value = "MODEL",
          .help = "{choices}.",
          .choices = choices_of(kNetworkNames),
          .fallback = std::string(network_name(SimulateOptions{}.network))};
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
          .help = hardware_help({{"wse1", "default"}}),
          .fallback = "wse1"};
}

std::string hardware_help(const std::map<std::string_view, std::string_view>& notes,
                          bool meshes_alone) {
  std::string text;
  for (const std::string_view name : meshes_alone ? mesh_preset_names() : hardware_preset_names()) {
    text += name;
    const auto note = notes.find(name);
    if (note != notes.end()) text += " (" + std::string(note->second) + ")";
    text += ", ";
  }
  return text + "or a JSON file.";
}

std::vector<OptionSpec> simulation_options() {
  OptionSpec routing = planned_routing_option();
  for (OptionChoice& choice : routing.choices) {
    if (choice.name == routing.fallback) choice.note = "or what the plan has";
    if (choice.name == routing_option().fallback) choice.note = "default of messages";
  }
  return {network_option(),
          routing,
          samples_option(),
          {.name = "training",
           .help = "Gradients flow back: backward takes twice as long as forward, 1F1B."},
          {.name = "patience",
           .value = "N",
           .help = "Of the fair network: how long rates may settle {default}. More is slower and "
                   "more exact, where a warning says that settles were cut.",
           .range = WholeRange{1, kMostPatience},
           .fallback = std::to_string(SimulateOptions{}.patience)},
          {.name = "no-extrapolation", .help = "Simulate every sample."},
          {.name = "top",
           .value = "N",
           .help = "Links and flows that the report lists {default}.",
           .range = WholeRange{1, kMostListed},
           .fallback = std::to_string(SimulateOptions{}.top)}};
}

std::vector<OptionSpec> plan_run_options() {
  return {{.name = "allow-infeasible",
           .help = "Simulate a plan that needs more memory than there is (otherwise exit 3)."},
          {.name = "no-dram",
           .help = "What does not stay in SRAM takes no time on its way from and to "
                   "memory."}};
}

std::vector<OptionSpec> message_options() {
  return {{.name = "injection-queues",
           .value = "N",
           .help = "Of a tile in the packet network, {range} {default}.",
           .range = WholeRange{1, kMostInjectionQueues},
           .fallback = std::to_string(MessageRunOptions{}.injection_queues)}};
}

std::vector<OptionSpec> collective_options() {
  return {{.name = "algorithm",
           .value = "A",
           .help = "{choices}.",
           .choices = choices_of(kAlgorithmNames),
           .fallback = std::string(algorithm_name(GroupTransfer{}.all_reduce))},
          {.name = "bytes",
           .value = "N",
           .help = "Of every member {default}.",
           .range = WholeRange{1, kMostBytes},
           .fallback = "1000000"},
          {.name = "count",
           .value = "N",
           .help = "As many of each kind at once {default}.",
           .range = WholeRange{1, kMostCount},
           .fallback = "1"},
          {.name = "stepwise", .help = "Also run every step on a network."},
          with_help(network_option(), "Of --stepwise: {choices}."),
          with_help(routing_option(), "Of --stepwise: {choices}.")};
}

std::vector<OptionSpec> transfer_options() {
  const GroupTransfer defaults;
  return {{.name = "strategy",
           .value = "1|2",
           .help = "Of transfer {default}.",
           .range = WholeRange{1, 2},
           .fallback = std::to_string(static_cast<int>(defaults.strategy) + 1)},
          {.name = "adapters",
           .value = "K",
           .help = "Of transfer {default}.",
           .range = WholeRange{1, kMostAdapters},
           .fallback = std::to_string(defaults.adapters)},
          {.name = "spread",
           .value = "A",
           .help = "Of transfer: how reductions and broadcasts go {default}.",
           .choices = choices_of(kAlgorithmNames),
           .fallback = std::string(algorithm_name(defaults.spread))}};
}

}  // namespace waferloom::sim
