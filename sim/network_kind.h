#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "model/hardware.h"
#include "model/routing.h"
#include "sim/network/fair_shares.h"
#include "sim/network/network.h"

namespace waferloom::sim {

/// The network models, from the coarsest to the finest.
enum class NetworkKind : std::uint8_t { analytic, exclusive, fair, packet };
inline constexpr std::array<std::string_view, 4> kNetworkNames{"analytic", "exclusive", "fair",
                                                               "packet"};
std::string_view network_name(NetworkKind kind);

struct NetworkOptions {
  FairShares::Options shares = {};  ///< of the fair network
  Routing routing = Routing::xy;    ///< by which routes are planned; of the packet network
  /// Of the packet network: colours that transfers have, from 0; as many virtual channels take the
  /// place of the hardware's. 0: transfers have none.
  std::int64_t colours = 0;
};

/// A network on a mesh, which has to live longer. Throws RequestError, with one sentence,
/// where the packet network cannot represent the hardware: too many tiles, links without limit, or
/// of several latencies.
std::unique_ptr<Network> make_network(NetworkKind kind, const Mesh& mesh, const Hardware& hardware,
                                      const NetworkOptions& options = {});

}  // namespace waferloom::sim
