#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace waferloom {

/// What tiles of a group do together. The bytes of a collective are those that each member holds
/// in the end or in the beginning, whichever is more.
enum class CollectiveKind : std::uint8_t {
  all_reduce,      ///< every member has the sum of what all held
  reduce_scatter,  ///< every member has its part of that sum
  all_gather,      ///< every member has the parts of all
  all_to_all,      ///< every member has a part of its own from every other
  broadcast,       ///< every member has what the first held
  reduce,          ///< the first has the sum of what all held
};
inline constexpr std::array<std::string_view, 6> kCollectiveNames{
    "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "reduce"};
std::string_view collective_name(CollectiveKind kind);
std::optional<CollectiveKind> collective_named(std::string_view name);

/// By which ways. docs/collectives.md has the steps of each.
enum class CollectiveAlgorithm : std::uint8_t {
  ring,           ///< parts go around the group
  bidirectional,  ///< half of each part goes around either way
  two_d,          ///< rings along the rows of a rectangle, then along its columns
  tree,           ///< binomial: in every step twice as many members take part
  hierarchical,   ///< rings within the hardware's groups of tiles, then across them
  direct,         ///< everyone sends to whom it concerns, all at once
};
inline constexpr std::array<std::string_view, 6> kAlgorithmNames{"ring", "bidirectional", "2-d",
                                                                 "tree", "hierarchical",  "direct"};
std::string_view algorithm_name(CollectiveAlgorithm algorithm);

/// Which tiles of a stage are a group (PALM, Fig. 8).
enum class GroupOrder : std::uint8_t {
  contiguous,  ///< those of a tensor group are neighbours (comm1)
  strided,     ///< those of a data group are (comm2)
};
inline constexpr std::array<std::string_view, 2> kGroupOrderNames{"contiguous", "strided"};
std::string_view group_order_name(GroupOrder order);

}  // namespace waferloom
