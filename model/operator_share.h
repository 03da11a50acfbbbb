#pragma once

#include <cstdint>

#include "model/workload.h"

namespace waferloom {

/// The share, in (0, 1], of an operator's work on so many samples that the fullest of `tiles` has.
/// It is 1 / tiles where all divides evenly. Tiles get whole samples, rows, channels, features,
/// words or heads. So if a dimension is cut in more ways than its extent, some tiles are idle, and
/// if it does not divide evenly, the fullest tile decides.
///
/// A pool is cut by samples alone; it follows its neighbours, and the tiles of a replica share its
/// channels. A sum shares its elements. In a transformer, attention is shared by heads and the
/// feed-forward network by its features, each with its part of the products.
double largest_share(const OperatorKind& kind, std::int64_t samples, const Degrees& cut,
                     std::int64_t tiles);

/// How many times longer an operator takes than if all of `tiles` had as much to do, at least 1.
double stretch(const OperatorKind& kind, std::int64_t samples, const Degrees& cut,
               std::int64_t tiles);

/// Elements of an operator's input that tiles which differ in the output's part alone gather
/// before it (an all-gather, the whole on each): of convolutions and linear ones all channels or
/// features that are not cut, since each tile has but the part that it made or was sent; 0 of
/// others, and where the output is not cut.
std::int64_t gathered_elements(const OperatorKind& kind, std::int64_t samples, const Degrees& cut);

}  // namespace waferloom
