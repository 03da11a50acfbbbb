#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/workload.h"

namespace waferloom::planner {

/// What some networks have, and not everything that takes a network knows.
enum class NetworkKey : std::uint8_t { experts, latent, attention_window, projection, patches };
inline constexpr std::size_t kNetworkKeys = 5;
/// As in files.
std::string_view key_name(NetworkKey key);

/// What takes a network.
enum class NetworkUser : std::uint8_t {
  cut,  ///< and simulation, placing, routing and drawing of its plans
  serve,
  streaming,
  pipeline,
  amped,
  centimani,
  dfmodel,  ///< and the design space of its systems
  serving,
};

/// A row of the table of docs/workloads.md.
struct KnownKeys {
  NetworkUser user;
  std::string_view command;
  std::string_view work;  ///< in messages: "serving does not know"
  bool knows[kNetworkKeys];
};
std::span<const KnownKeys> known_keys();

/// Throws RequestError by the name of the first operator that has a key which is not known; a
/// window that no token of `tokens` (0: an operator's own) looks beyond is no matter.
void demand_known(const Workload& workload, NetworkUser user, std::int64_t tokens = 0);

}  // namespace waferloom::planner
