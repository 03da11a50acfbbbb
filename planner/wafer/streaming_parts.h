#pragma once

#include <vector>

#include "planner/wafer/streaming_work.h"

namespace waferloom::planner {

/// What tiles compute of a layer for a micro-batch, in cycles. What is of backward is 0 in
/// inference.
struct ModelCycles {
  double products = 0;                 ///< forward
  double products_behind = 0;          ///< backward
  std::vector<SequenceTurns> turns{};  ///< of attention, forward
  double small = 0;                    ///< normalisations, sums, activations, steps of the program
  double fixed = 0;  ///< that forward of a layer or of a piece of the head takes whatever its size
};

/// By what training programs of the machine take where that is known, else by the tiles' operators.
ModelCycles cycles_of(const StreamingGround& ground, BatchWork& work);

/// Embedding, layers and head of a micro-batch, with their times: of the choice what is computed
/// again and the pieces of the head count. O(1).
std::vector<StreamedPart> parts_of_model(const StreamingGround& ground, BatchWork& work,
                                         const ModelCycles& cycles, const SequenceTurns& turns,
                                         const StreamingChoice& choice);

/// Wanted multiply-adds of a token: forward and backward in training; else forward, and the head's
/// for the last token of a sequence alone.
double multiply_adds(const StreamingGround& ground);

/// Multiply-adds of a tile in a cycle that no batch exceeds.
double most_multiply_adds_per_cycle(const StreamingGround& ground);

}  // namespace waferloom::planner
