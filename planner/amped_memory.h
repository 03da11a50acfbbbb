#pragma once

#include <string>

#include "planner/amped/amped.h"

namespace waferloom::planner {

/// What the fullest chip holds, bytes. AMPeD itself knows no memory; this is Narayanan et al.'s
/// count (SC'21, section 2): parameters and gradients at their precision, 12 bytes of Adam for each
/// parameter, ZeRO's stages dividing what they divide; the activations of the micro-batches that a
/// stage has in flight (N_PP of them at most), or with recomputation the inputs of its layers and
/// one layer's activations. Of several stages the first has the embedding and the last the head:
/// the larger counts, beside as many layers as any stage has.
struct AmpedMemory {
  double parameters = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;
  double sum() const { return parameters + gradients + optimizer + activations; }
};
AmpedMemory amped_memory(const AmpedNetwork& network, const AmpedDegrees& degrees,
                         const AmpedTraining& training);

/// Why it does not fit: "needs 81,000,000,000 bytes of hbm, which has 80,000,000,000"; empty where
/// it does. The memory that weights lie in, by the system's levels; a level of 0 bytes is not known
/// and fits.
std::string memory_shortage(const AmpedMemory& memory, const System& system);

}  // namespace waferloom::planner
