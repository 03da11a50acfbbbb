#include "cli/simulation_options.h"

#include "cli/failure.h"
#include "cli/interrupt.h"
#include "model/text_scan.h"

namespace waferloom {
namespace {

/// "a, b or c".
template <std::size_t count>
std::string list_of(const std::array<std::string_view, count>& names) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + std::string(names[i]);
  }
  return text;
}

template <std::size_t count>
[[noreturn]] void fail(const std::string& option, const std::string& name,
                       const std::array<std::string_view, count>& names) {
  throw Failure(FailureKind::usage, "--" + option + ": expected " + list_of(names) + ", found " +
                                        quoted(name) +
                                        suggestion(name, {names.begin(), names.end()}));
}

}  // namespace

NetworkKind parse_network(const Arguments& arguments) {
  if (!arguments.has("network")) return NetworkKind::fair;
  const std::string& name = arguments.text("network");
  if (const std::optional<NetworkKind> kind = network_named(name)) return *kind;
  fail("network", name, kNetworkNames);
}

std::optional<Routing> parse_routing(const Arguments& arguments) {
  if (!arguments.has("routing")) return std::nullopt;
  const std::string& name = arguments.text("routing");
  if (const std::optional<Routing> rule = routing_named(name)) return rule;
  fail("routing", name, kRoutingNames);
}

bool is_cut(const CommonOptions& common) {
  const auto end = deadline(common, common.start);
  return interrupted() || (end && Clock::now() >= *end);
}

}  // namespace waferloom
