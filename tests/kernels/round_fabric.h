#pragma once

#include "kernels/tile_cycles.h"

namespace waferloom::test {

/// Round figures, so that totals can be worked out by hand.
inline TileFabric round_fabric() {
  TileFabric result;
  result.cycles = {.start = 50,
                   .phase = 7,
                   .exchange = 10,
                   .relay = 20,
                   .relay_word = 2,
                   .chain_stage = 3,
                   .update = 5,
                   .vector = 2,
                   .issue = 1};
  result.lanes = 4;
  result.program_bytes = 1000;
  return result;
}

}  // namespace waferloom::test
