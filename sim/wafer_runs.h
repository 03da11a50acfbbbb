#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "kernels/tile_job.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "model/report.h"
#include "model/run_control.h"
#include "sim/network_kind.h"

namespace waferloom::sim {

/// Tiles of a rectangle whose words are moved one by one.
inline constexpr std::int64_t kMostInsideTiles = 1'024;
inline constexpr std::size_t kMostInsideMessages = 1'000'000;

/// The very words of an operator on its rectangle, by one of its algorithms (TileChoice), as
/// messages on the fabric: who sends what to whom, after what. Products of tiles are delays. What
/// programs take for their steps is left out, so the makespan stands beside the cost on
/// `fabric.without_program()`. An operator without words of its own is one delay a tile. Throws
/// RequestError for a rectangle of more than kMostInsideTiles tiles or more than
/// kMostInsideMessages messages, and for a shift beyond the rectangle.
MessageSet operator_messages(const TileJob& job, const std::string& algorithm,
                             const TileFabric& fabric);

/// Cycles until the last message has arrived, on the network `packet`. Nothing if the run was cut.
/// Throws as operator_messages.
std::optional<std::int64_t> inside_cycles(const TileJob& job, const std::string& algorithm,
                                          const TileFabric& fabric, const RunControl& control = {});

/// What came of passes through regions.
struct ResidentTimes {
  std::int64_t first_cycles = 0;  ///< until the first group's first token is out
  std::int64_t pass_cycles = 0;   ///< from one token of a request to its next, settled
  std::int64_t move_cycles = 0;   ///< of these, vectors on their way between regions, first group
  std::int64_t busiest_link_words = 0;
  std::uint64_t events = 0;
  bool stopped = false;
};

/// What bounds the time from a request's token to its next at a clock: all regions and the ends one
/// behind the other, the slowest region for all groups, or vectors between regions.
std::optional<Bottleneck> resident_bottleneck(const ResidentPass& pass, const ResidentTimes& times,
                                              double clock_hz);

/// Runs passes of all groups one behind the other on a network. A region works for one group at a
/// time, and between two groups for an embedding and a head, which use all tiles. Its vectors leave
/// by a lane a row, each to the far end of the next region's row. Three passes are run; the period
/// is that of the last. Throws RequestError as run_messages.
ResidentTimes run_resident_pass(const ResidentPass& pass, NetworkKind network,
                                const RunControl& control = {});

/// What came of a training step.
struct StreamingTimes {
  double step_cycles = 0;            ///< all layers and micro-batches, forward and backward
  std::int64_t shown_cycles = 0;     ///< of these, simulated; the rest repeats
  double forward_layer_cycles = 0;   ///< of the part that repeats most, settled
  double backward_layer_cycles = 0;  ///< likewise
  std::int64_t block_side = 1;       ///< tiles of a block's side
  std::size_t messages = 0;
  std::uint64_t events = 0;
  bool stopped = false;
};

/// Runs a step on a network. Tiles are taken in square blocks, whose links have a word a cycle for
/// each row of tiles; at most 12 blocks of rows and 8 of columns. Of layers that are alike four
/// are run, forward and then backward, each in two pieces; the others repeat the last one's time.
/// A port brings its part of a piece at its rate and sends it on to every column of blocks; tiles
/// compute a piece when all of it is there. A piece comes in once the piece a layer before it has
/// been computed, or the piece before it where weights wait. A batch takes one micro-batch after
/// another, each as long as the one that is run. Gradients go from every block along its row to the
/// nearer edge, and out at the ports' rate. Throws RequestError as run_messages.
StreamingTimes run_streaming_step(const StreamingStep& step, NetworkKind network,
                                  const RunControl& control = {});

}  // namespace waferloom::sim
