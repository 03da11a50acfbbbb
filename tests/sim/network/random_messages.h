#pragma once

#include <cstdint>
#include <random>

#include "model/mesh.h"

namespace waferloom::test {

inline Message message(std::int64_t id, TilePlace from, TilePlace to, std::int64_t flits,
                       std::int64_t release = 0) {
  return Message{id, from, {to}, flits, release, {}};
}

/// Up to `most` messages on a mesh of up to 6 × 6 tiles, some of which wait for others or go to
/// several tiles.
inline MessageSet random_messages(std::uint64_t seed, std::size_t most) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  MessageSet set;
  set.columns = 2 + below(5);
  set.rows = 2 + below(5);
  set.routing = static_cast<Routing>(below(4));
  const std::size_t count = 1 + static_cast<std::size_t>(below(static_cast<std::int64_t>(most)));
  for (std::size_t i = 0; i < count; ++i) {
    Message drawn =
        message(static_cast<std::int64_t>(3 * i + 1), {below(set.columns), below(set.rows)},
                {below(set.columns), below(set.rows)}, 1 + below(80), below(200));
    for (int tries = below(8) == 0 ? 3 : 0; tries > 0; --tries) {
      const TilePlace tile{below(set.columns), below(set.rows)};
      bool again = tile == drawn.source || drawn.destinations.front() == drawn.source;
      for (const TilePlace& other : drawn.destinations) again = again || other == tile;
      if (!again) drawn.destinations.push_back(tile);
    }
    if (i > 0 && below(4) == 0) {
      drawn.after.push_back(static_cast<std::size_t>(below(static_cast<std::int64_t>(i))));
    }
    set.messages.push_back(drawn);
  }
  return set;
}

}  // namespace waferloom::test
