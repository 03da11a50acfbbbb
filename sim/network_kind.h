#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/mesh.h"

namespace waferloom::sim {

/// How flows share a link.
enum class Sharing : std::uint8_t {
  by_port,  ///< round robin by input port; inside a port as at the link before
  by_flow,  ///< max-min fairness of single transfers
};

/// How the fair network finds the rates of transfers (sim/network/fair_shares.h).
struct FairSharesOptions {
  Sharing sharing = Sharing::by_port;
  double tolerance = 1e-6;  ///< a smaller relative change of an offer is not passed on
  /// A search for rates looks at no more than `patience` times the number of changed junctions.
  std::uint32_t patience = 10;
};

/// How near the rates of a network are to those of its own rules. Wherever they came to rest they
/// are within `tolerance` at each junction; where the search for them was cut they may be off by
/// more: `largest_pending` tells what was on its way then, which is a sign of how much, no bound.
struct RateError {
  double tolerance = 0;        ///< relative
  std::uint64_t settles = 0;   ///< times that rates were found anew
  std::uint64_t cut = 0;       ///< of those: before all had come to rest
  double largest_pending = 0;  ///< change of a share not passed on, by the larger value, in [0, 1]

  /// Whether throughput may be off by more than 2 %: on the contest's cases it moved by up to 3 %
  /// with twenty times the patience where more than a tenth of the settles were cut, by less than
  /// 1 % elsewhere (docs/simulator.md).
  bool is_restless() const { return cut * 10 > settles; }
};

/// The network models, from the coarsest to the finest.
enum class NetworkKind : std::uint8_t { analytic, exclusive, fair, packet };
inline constexpr std::array<std::string_view, 4> kNetworkNames{"analytic", "exclusive", "fair",
                                                               "packet"};
constexpr std::span<const std::string_view> words_of(NetworkKind /*of*/) { return kNetworkNames; }
std::string_view network_name(NetworkKind kind);

/// A network model that is asked for, or the choice left to us.
enum class NetworkChoice : std::uint8_t { analytic, exclusive, fair, packet, automatic };
inline constexpr std::array<std::string_view, 5> kNetworkChoices{
    kNetworkNames[0], kNetworkNames[1], kNetworkNames[2], kNetworkNames[3], "auto"};
constexpr std::span<const std::string_view> words_of(NetworkChoice /*of*/) {
  return kNetworkChoices;
}
/// Nothing where the choice is ours.
constexpr std::optional<NetworkKind> network_of(NetworkChoice choice) {
  if (choice == NetworkChoice::automatic) return std::nullopt;
  return static_cast<NetworkKind>(choice);
}

/// How the fair network is computed. Its rule is one: a link takes turns among the ports that bytes
/// come from.
enum class FairMethod : std::uint8_t {
  rates,   ///< as rates of flows: few long transfers on ways of any length (FairNetwork)
  bursts,  ///< packet by packet: thousands that meet (CutThroughNetwork)
};

struct NetworkOptions {
  FairSharesOptions shares = {};  ///< of the fair network by rates
  Routing routing = Routing::xy;  ///< by which routes are planned; of the packet network
  /// Of the packet network: colours that transfers have, from 0; as many virtual channels take the
  /// place of the hardware's. 0: transfers have none.
  std::int64_t colours = 0;
  FairMethod fair = FairMethod::rates;
};

}  // namespace waferloom::sim
