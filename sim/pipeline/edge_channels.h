#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/wafer.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// The ports on a wafer's edge, to the host or to DRAM, and ways between them and stages. Ports at
/// dead tiles keep their places in the list but are not used, and a stage uses none that what is
/// dead cuts off from it.
class EdgeChannels {
 public:
  /// Puts the ports into `spec`. Both have to live longer.
  EdgeChannels(const Hardware& hardware, PipelineSpec& spec, EdgeIo behind);

  /// Gives a channel that comes from outside (or, of an output, goes there) lanes between a stage's
  /// rectangle and ports: by the side of it that faces the nearest one, or at every tile where each
  /// has a host port of its own. `name` is of the input or
  /// output. Throws RequestError where the hardware has no port, and InfeasibleError where none
  /// that lives is joined to the stage, each with one sentence.
  void connect(ChannelSpec& channel, const std::string& name, const Rectangle& stage) const;

 private:
  bool have_own_ports(const Rectangle& stage, const std::vector<std::size_t>& usable) const;
  std::vector<TilePlace> tiles_of_lanes(const Rectangle& stage,
                                        const std::vector<std::size_t>& usable) const;
  /// Of all live ports where everything is joined, else of `usable`.
  std::size_t nearest_port(const Rectangle& tiles, const std::vector<std::size_t>& usable) const;
  std::size_t nearest_live_port(const Rectangle& tiles) const;
  std::size_t mapped_port(const std::string& name, std::size_t port,
                          const std::vector<std::size_t>& usable) const;
  std::size_t port_for(const std::string& name, const TilePlace& tile, std::size_t lane,
                       std::size_t lanes, const std::vector<std::size_t>& usable) const;
  std::vector<std::size_t> usable_ports(const std::string& name, const Rectangle& stage) const;

  const Hardware& hardware_;
  PipelineSpec& spec_;
  bool memory_;
  LiveParts parts_;
  bool is_all_on_edges_ = true;
  std::size_t first_;              // of the ports in `spec`
  std::vector<std::size_t> live_;  // ports, counted from there, ascending
  /// A port's place along its side of the wafer, and its number.
  using PortAt = std::pair<std::int64_t, std::size_t>;
  std::array<std::vector<PortAt>, 4> by_side_;  // of the same, in order
};

}  // namespace waferloom::sim
