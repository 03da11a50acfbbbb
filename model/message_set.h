#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/routing.h"

namespace waferloom {

/// A message between tiles of a mesh. It may begin in its release cycle, and not before all
/// messages in `after` (places in MessageSet::messages) are complete and `delay_cycles` have
/// passed. On a fabric it only waits until its source has its copy of a message to several.
struct Message {
  std::int64_t id = 0;
  TilePlace source;
  std::vector<TilePlace> destinations;  ///< one, or several that differ from it and each other
  /// 0 of a message to its own source: nothing is sent, the tile computes for delay_cycles.
  std::int64_t flits = 1;
  std::int64_t release_cycle = 0;
  std::vector<std::size_t> after{};
  std::int64_t delay_cycles = 0;
  /// Messages to its source, of as many flits, that are added to it flit by flit: flit i leaves
  /// once flit i of all of them is there, and delay_cycles, at least one, have passed. On a fabric
  /// alone.
  std::vector<std::size_t> adds{};
};

/// A wafer's fabric in place of the reference's routers (FabricNetwork); a flit is a word.
struct MessageFabric {
  std::int64_t hop_cycles = 1;
  std::int64_t ramp_cycles = 2;
  bool operator==(const MessageFabric&) const = default;
};

/// What of a mesh is dead.
struct DeadParts {
  std::vector<Rectangle> tiles{};
  std::vector<DeadLink> links{};
};

/// Messages on a mesh whose links move one flit a cycle.
struct MessageSet {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  Routing routing = Routing::xy;
  std::int64_t packet_flits = 16;
  std::optional<MessageFabric> fabric{};
  DeadParts dead{};
  std::vector<Message> messages;  ///< ids differ
};

inline constexpr std::int64_t kMaxMeshTiles = 16'000'000;  ///< of a simulation
inline constexpr std::int64_t kMaxPacketFlits = 1'024;
inline constexpr std::int64_t kMaxFabricCycles = 1'000;  ///< of a hop or a ramp
inline constexpr std::size_t kMaxMessages = 1'000'000;
inline constexpr std::int64_t kMaxMessageFlits = 1'000'000'000;
inline constexpr std::int64_t kMaxReleaseCycle = 1'000'000'000'000;

/// Reads a message file (JSON, format in docs/formats.md). Keys that it does not know are labels
/// and mean nothing. Throws InputError with source:line:column for the first thing wrong, which
/// dependencies in a circle are too. O(|text| + d log d) for d dependencies.
MessageSet read_message_set(std::string_view text, const std::string& source);

}  // namespace waferloom
