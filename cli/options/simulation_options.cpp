#include "cli/options/simulation_options.h"

#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/options/preset_file.h"
#include "model/hardware_file.h"
#include "model/presets.h"
#include "model/text_scan.h"

namespace waferloom::cli {
namespace {

template <std::size_t count>
[[noreturn]] void fail(const std::string& option, const std::string& name,
                       const std::array<std::string_view, count>& names) {
  throw Failure(FailureKind::usage, "--" + option + ": expected " + alternatives(names) +
                                        ", found " + waferloom::quoted(name) +
                                        suggestion(name, {names.begin(), names.end()}));
}

constexpr std::uint64_t kMostSamples = 1'000'000;
constexpr std::uint64_t kMostListed = 100'000;  // links and flows

}  // namespace

sim::NetworkKind parse_network(const Arguments& arguments) {
  if (!arguments.has("network")) return sim::NetworkKind::fair;
  const std::string& name = arguments.text("network");
  if (const std::optional<sim::NetworkKind> kind = sim::network_named(name)) return *kind;
  fail("network", name, sim::kNetworkNames);
}

std::optional<Routing> parse_routing(const Arguments& arguments) {
  if (!arguments.has("routing")) return std::nullopt;
  const std::string& name = arguments.text("routing");
  if (const std::optional<Routing> rule = routing_named(name)) return rule;
  fail("routing", name, kRoutingNames);
}

bool is_cut(const CommonOptions& common) {
  const auto end = deadline(common, common.start);
  return interrupted() || (end && optimize::Clock::now() >= *end);
}

std::string hardware_name(const Arguments& arguments) {
  return arguments.has("hardware") ? arguments.text("hardware") : "wse1";
}

Hardware read_hardware_option(const Arguments& arguments) {
  const std::string name = hardware_name(arguments);
  std::string list;
  for (const std::string_view preset : hardware_preset_names()) list += std::string(preset) + ", ";
  const PresetKind kind{hardware_preset, hardware_preset_names,
                        "--hardware: expected " + list + "or a file"};
  const NamedText found = read_preset_or_file(name, kind, arguments.common());
  return read_hardware(found.text, found.source);
}

std::vector<std::string> hardware_files(const Arguments& arguments) {
  if (!arguments.has("hardware") || hardware_preset(arguments.text("hardware"))) return {};
  return {arguments.text("hardware")};
}

sim::SimulateOptions simulate_options(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  sim::SimulateOptions options;
  options.network = parse_network(arguments);
  options.routing = parse_routing(arguments).value_or(Routing::xy);
  if (arguments.has("samples")) {
    options.samples = static_cast<std::int64_t>(
        parse_whole(arguments.text("samples"), "--samples", {1, kMostSamples}));
  }
  if (arguments.has("top")) {
    options.top = parse_whole(arguments.text("top"), "--top", {1, kMostListed});
  }
  options.extrapolate = !arguments.has("no-extrapolation");
  options.stopped = [&common] { return is_cut(common); };
  return options;
}

}  // namespace waferloom::cli
