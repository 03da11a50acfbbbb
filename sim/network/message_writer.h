#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/mesh_operators.h"
#include "model/mesh.h"

namespace waferloom::sim {

/// Writes the messages of a program of tiles, one behind the other. Their ids are their places.
class MessageWriter {
 public:
  using Step = std::size_t;  ///< a message, or a delay of a tile: its place in the set
  using Steps = std::vector<Step>;

  MessageWriter(const TileGrid& mesh, const MessageFabric& fabric, DeadParts dead = {}) {
    set_.columns = mesh.columns;
    set_.rows = mesh.rows;
    set_.fabric = fabric;
    set_.dead = std::move(dead);
  }

  /// Flits from a tile to others, once steps at that tile are complete; with `adds`, the flits of
  /// those steps are added to them (Message::adds).
  Step send(const TilePlace& from, std::vector<TilePlace> to, std::int64_t flits, Steps after,
            Steps adds = {}) {
    Message message;
    message.id = static_cast<std::int64_t>(set_.messages.size());
    message.source = from;
    message.destinations = std::move(to);
    message.flits = flits;
    message.after = std::move(after);
    message.adds = std::move(adds);
    set_.messages.push_back(std::move(message));
    return set_.messages.size() - 1;
  }

  /// The tile computes; cycles are rounded up.
  Step compute(const TilePlace& at, double cycles, Steps after) {
    const Step step = send(at, {at}, 0, std::move(after));
    set_.messages[step].delay_cycles = std::llround(std::ceil(cycles));
    return step;
  }

  const MessageSet& set() const { return set_; }
  MessageSet take() { return std::move(set_); }

 private:
  MessageSet set_;
};

}  // namespace waferloom::sim
