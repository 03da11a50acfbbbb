#pragma once

#include <cstdint>
#include <vector>

#include "model/mesh.h"
#include "sim/mesh/route.h"
#include "sim/time.h"

namespace waferloom::sim {

/// Finds the link that carries bytes longest. Unlike LinkBytes it has nothing of links that carry
/// none, so that a few routes on a large mesh cost no more than on a small one.
class LinkLoads {
 public:
  struct Busiest {
    LinkIndex link = 0;  ///< of several the first
    double time = 0;     ///< in picoseconds
  };

  explicit LinkLoads(const Mesh& mesh) : mesh_(mesh) {}
  /// O(legs).
  void count(const Route& route, std::int64_t bytes);
  /// O(legs · log legs), and the hops of the legs that may be the busiest.
  Busiest busiest();

 private:
  /// From a place on a line of links in one direction on, so many bytes more.
  struct Change {
    std::uint64_t line;
    std::uint32_t place;  ///< in the order in which they are passed
    std::int64_t bytes;
  };
  void add_leg(const Leg& leg, std::int64_t bytes);
  LinkIndex link_at(std::uint64_t line, std::uint32_t place) const;
  void look_at(const Change& from, std::uint32_t end, std::int64_t bytes, Busiest& best) const;

  const Mesh& mesh_;
  std::vector<Change> changes_;
};

}  // namespace waferloom::sim
