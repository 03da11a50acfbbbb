#pragma once

#include <cstdint>

#include "model/workload.h"

namespace waferloom {

/// Of an operator's work on so many samples what the fullest of `tiles` has that share it, in
/// (0, 1]. Tiles get whole samples, rows, channels, features, words or heads, so a dimension that
/// is cut in more ways than it has leaves the other tiles idle, and one that does not divide evenly
/// makes the fullest decide. An operator that is cut by samples alone (a pool) follows its
/// neighbours: its channels are shared by the tiles of a replica. A sum has elements to share. Of a
/// transformer attention goes by heads and the feed-forward network by its features, each with its
/// part of the products. 1 / tiles where all divides evenly.
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
