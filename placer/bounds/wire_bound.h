#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "placer/bounds/graph_blocks.h"
#include "placer/ports/port_matching.h"
#include "placer/ports/port_options.h"

namespace waferloom::placer {

/// What a lower bound charges, in one common unit; all non-negative.
struct WirePrices {
  Price half_tile = 0;  ///< a unit of Score::half_distance
  Price mismatch = 0;   ///< an adapter mismatch
  Price area = 0;       ///< multiplier: a tile of area
};

/// The unchanging part of the wire bound: the graph as a forest of blocks, and how much of every
/// edge's weight the inequalities of neighbourhoods (stars) may use.
class WireGraph {
 public:
  explicit WireGraph(const Problem& problem);

  /// A kernel of at least three neighbours and how much of its edges' weight its star may claim.
  struct Star {
    std::vector<KernelIndex> neighbours;
    std::int64_t units = 0;
  };

  const BlockForest& forest() const { return forest_; }
  /// Whether no cycle is left once parallel edges are merged.
  bool is_forest() const;
  /// Σ units of all edges at a kernel.
  std::int64_t units(KernelIndex kernel) const { return units_[kernel]; }
  /// Number of all connections at a kernel.
  std::int64_t edges(KernelIndex kernel) const { return edges_[kernel]; }
  /// Those where it is the consumer.
  std::int64_t edges_in(KernelIndex kernel) const { return edges_in_[kernel]; }
  /// Σ units that inequalities of cycles through the kernel may charge.
  std::int64_t claimed(KernelIndex kernel) const { return claimed_[kernel]; }
  /// Nothing if the kernel has no star.
  const Star* star(KernelIndex kernel) const {
    return stars_[kernel].units > 0 ? &stars_[kernel] : nullptr;
  }
  bool feeds(KernelIndex kernel) const { return feeds_[kernel]; }
  bool fed(KernelIndex kernel) const { return fed_[kernel]; }

 private:
  BlockForest forest_;
  std::vector<std::int64_t> units_;
  std::vector<std::int64_t> edges_;
  std::vector<std::int64_t> edges_in_;
  std::vector<std::int64_t> claimed_;
  std::vector<Star> stars_;
  std::vector<bool> feeds_, fed_;
};

/// Lower bound on what distance, adapters and area multiplier cost together in any placement whose
/// kernels all take at most `time`: the exact minimum, over all choices of outlines, of a sum that
/// the geometry of disjoint rectangles proves (docs/placer.md, bounds). By dynamic programming
/// over the forest of blocks; made once for a cap and asked at many multipliers.
class WireBound {
 public:
  /// Blocks of more than `most_options` outlines, or four times as many in all, are listed with
  /// fewer classes of c, which makes the bound weaker. Once `stop` is raised the bound stays
  /// incomplete, or at() knows nothing.
  WireBound(const ShapeLibrary& library, const PortClasses& classes, const WireGraph& graph,
            std::int64_t time, const WirePrices& prices, const RunControl& stop = {},
            std::size_t most_options = kUsualOptions);
  static constexpr std::size_t kUsualOptions = 40'000;

  /// Whether all classes of c are told apart, so that more options would not help.
  bool finest() const { return library_channels_ == ChannelRule::always; }

  /// If not, only listing_work() may be asked.
  bool complete() const { return complete_; }

  /// Nothing if some kernel has no outline, or if stopped. O(Σ outlines).
  std::optional<Price> at(Price area_price);

  /// Options of all kernels together, a measure of the work.
  std::size_t work() const;
  /// Options looked at to list them.
  std::size_t listing_work() const { return listing_work_; }

 private:
  using Vector = std::vector<Price>;
  /// What a kernel pays beyond its edges, in half tiles of units: per tile of thin side and per
  /// tile that the long side exceeds it.
  struct Charge {
    std::int64_t thin = 0;
    std::int64_t excess = 0;
  };
  struct Half {  ///< a charge of one kernel of a block
    std::size_t position;
    Charge charge;
  };
  /// One way in which the kernels of a block may lie, and what that adds.
  using Alternative = std::vector<Half>;

  /// An option of a kernel that is still of interest under the current multiplier.
  struct Candidate {
    std::uint32_t port = 0;
    std::uint32_t slot = 0;  ///< position of its port in slots_
    std::int64_t thin = 0;
    std::int64_t excess = 0;  ///< of the long side over the thin one, 0 for blocks
  };

  const PortOptions& list(KernelIndex kernel) const { return *lists_[kernel]; }
  /// Chooses the candidates: drops options that another one beats whatever the neighbours do.
  /// Returns their costs.
  Vector choose_candidates(KernelIndex kernel, Price area_price);
  const PortMatching& matching(const KernelEdge& edge, KernelIndex from);
  Vector own_cost(KernelIndex kernel, Price area_price) const;
  /// Costs of `from`'s options, with a charge, carried over an edge to options of its other end.
  Vector carry(const KernelEdge& edge, KernelIndex from, const Vector& costs);
  void add_charge(KernelIndex kernel, const Charge& charge, Vector& costs) const;
  Vector message(const GraphBlock& block, const std::vector<Vector>& costs);
  Vector tree_message(const GraphBlock& block, const std::vector<std::size_t>& tree,
                      const std::vector<Vector>& costs, const Alternative& alternative);
  std::vector<Alternative> alternatives(const GraphBlock& block) const;
  std::vector<std::vector<std::size_t>> trees(const GraphBlock& block) const;
  std::vector<KernelIndex> cycle_order(const GraphBlock& block) const;

  std::size_t listing_work_ = 0;
  bool complete_ = true;
  const ShapeLibrary& library_;
  const WireGraph& graph_;
  WirePrices prices_;
  RunControl stop_;
  ChannelRule library_channels_ = ChannelRule::always;
  std::map<std::pair<std::size_t, int>, PortOptions> listed_;  ///< by type and what is seen
  std::vector<const PortOptions*> lists_;                      ///< by kernel
  /// Blocks are listed without options that lose by so much thin side that no port makes up for
  /// it; those may be long, so that blocks are never charged for their long sides.
  std::int64_t thin_slack(KernelIndex kernel) const;
  bool is_block(KernelIndex kernel) const;
  std::vector<std::int64_t> least_thin_;  ///< by kernel
  /// Groups of ports that agree in a set of h (1), w (2), c_in (4) and c_out (8).
  static constexpr std::array<unsigned, 7> kAgreements{0, 1, 2, 3, 7, 11, 15};
  struct PortGroups {
    std::vector<std::uint32_t> of;  ///< by port
    std::uint32_t count = 0;
  };
  const std::array<PortGroups, kAgreements.size()>& groups(const PortOptions& of);

  std::map<const PortOptions*, std::array<PortGroups, kAgreements.size()>> groups_;
  std::vector<std::vector<Candidate>> candidates_;  ///< by kernel
  std::vector<std::vector<std::uint32_t>> slots_;   ///< by kernel: ports of candidates
  std::map<std::tuple<const PortOptions*, const PortOptions*, bool>, PortMatching> matchings_;
};

}  // namespace waferloom::placer
