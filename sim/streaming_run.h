#pragma once

#include <cstdint>

#include "model/plan.h"
#include "model/run_control.h"
#include "sim/network_kind.h"

namespace waferloom::sim {

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
