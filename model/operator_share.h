#pragma once

#include <cstdint>

#include "model/workload.h"

namespace waferloom {

/// The largest share, in (0, 1], of an operator's work on `samples` samples that one of `tiles`
/// has. It is 1 / tiles where all divides evenly. Tiles get whole samples, rows, channels,
/// features, words or heads. So if a dimension is cut in more ways than its extent, some tiles are
/// idle, and if it does not divide evenly, the fullest tile decides.
///
/// A pool is cut by samples alone; the tiles of a replica share its channels, as of all operators
/// outside transformers that are cut by samples alone. A sum shares its elements. In a transformer,
/// attention is shared by heads and the feed-forward network by its features, each with its part of
/// the products.
double largest_share(const OperatorKind& kind, std::int64_t samples, const Degrees& cut,
                     std::int64_t tiles);

/// How many times longer an operator takes than if all of `tiles` had as much to do, at least 1.
double stretch(const OperatorKind& kind, std::int64_t samples, const Degrees& cut,
               std::int64_t tiles);

/// Whether parts of an operator's output, so many, need the same input: not those of a convolution
/// whose groups each of them has for itself.
bool shares_input(const OperatorKind& kind, std::int64_t parts);

/// Elements of input that a tile holds after the all-gather before the operator. Tiles that differ
/// only in their part of the output gather the channels or features of the input that are not cut.
/// 0 but for convolutions, products and linear operators whose output is cut; of a product it is
/// what stands on the left.
std::int64_t gathered_elements(const OperatorKind& kind, std::int64_t samples, const Degrees& cut);

}  // namespace waferloom
