#pragma once

#include <cstdint>
#include <vector>

#include "placer/starts/rows/row_band.h"
#include "placer/starts/rows/row_signatures.h"
#include "placer/starts/starts.h"

namespace waferloom::placer {

/// A problem's edges by position in the order in which kernels stand in rows.
class OrderedEdges {
 public:
  struct Edge {
    std::size_t earlier = 0;  ///< position of the end that comes first
    bool forward = true;      ///< whether the earlier end is the producer
  };
  struct Crossing {
    double units = 0;  ///< Σ weights
    int count = 0;
  };

  explicit OrderedEdges(const SearchContext& context);

  const std::vector<Edge>& to_earlier(std::size_t position) const { return to_earlier_[position]; }
  /// Edges between what is before a position and what is not.
  const Crossing& crossing(std::size_t position) const { return crossing_[position]; }
  /// Half tiles of weighted wire that a tile of the width of the kernel here makes in a row: half
  /// of one for every edge at it, a whole one for every edge that passes over it.
  double per_tile(std::size_t position) const {
    return crossing_[position].units + crossing_[position + 1].units;
  }

 private:
  std::vector<std::vector<Edge>> to_earlier_;
  std::vector<Crossing> crossing_;
};

/// Consecutive kernels of a row.
struct RowRun {
  std::size_t first = 0;  ///< position of the first one in the order
  std::vector<TypeUnder> kernels;
  std::vector<std::int64_t> starts;  ///< tiles from the row's beginning to each

  /// From the beginning to the end of the last kernel.
  std::int64_t length() const;
  /// Of the highest.
  std::int64_t height() const;
  /// Puts the kernels from `left` on, in their order or `leftwards` in the reverse, each centred
  /// between y and y + height.
  struct Span {
    std::int64_t y = 0;
    std::int64_t height = 0;
  };
  void lay(const std::vector<KernelIndex>& order, std::int64_t left, bool leftwards,
           const Span& rows, Placement& placement) const;
};

/// What rows can be made of at one time cap: all kernels under many signatures, and bands of
/// signatures for row heights at which they fill well. Stays where it is made; the context and the
/// edges outlive it. Once the context's signal to stop is raised only of the signatures seen by
/// then. O(signatures · (types + kernels)).
class RowOptions {
 public:
  RowOptions(const SearchContext& context, const OrderedEdges& edges,
             const std::vector<ImageSplit>& signatures, std::int64_t time);
  RowOptions(const RowOptions&) = delete;
  RowOptions& operator=(const RowOptions&) = delete;

  std::size_t kernel_count() const { return kernels_.size(); }
  const Wafer& wafer() const { return context_->problem.wafer(); }
  const std::vector<RowBand>& bands() const { return bands_; }
  std::size_t signature_count() const { return cuts_.size(); }
  /// Cost of a half tile of one edge of unit weight, and of a mismatch.
  double per_half_tile() const { return per_half_tile_; }
  double per_mismatch() const { return per_mismatch_; }
  const OrderedEdges& edges() const { return *edges_; }

  /// What the kernels from a position on cost in wire at least, in rows of any bands.
  double least_cost_from(std::size_t position) const { return least_from_[position]; }
  /// What changing from one signature to another costs in front of a position.
  double change_cost(std::uint32_t from, std::uint32_t to, std::size_t position) const;
  /// The kernels at positions first … end − 1 as the cheapest row of a band has them; there is one.
  RowRun row(std::uint32_t band, std::size_t first, std::size_t end,
             const RowTrack* track = nullptr) const;

 private:
  static constexpr std::size_t kBuckets = 16;  // of row heights
  std::int64_t width(std::uint32_t cut, std::size_t position) const;
  std::size_t bucket(std::int64_t height) const;
  std::vector<std::uint32_t> count_narrow() const;
  void make_bands();
  double mismatch_cost(std::size_t position, std::uint32_t cut) const;
  void sum_least_costs(const std::vector<std::uint32_t>& used);

  const SearchContext* context_;
  const OrderedEdges* edges_;
  double per_half_tile_;
  double per_mismatch_;
  std::vector<TypesUnder> cuts_;  ///< by signature
  std::vector<RowKernel> kernels_;
  std::vector<RowBand> bands_;  ///< ascending height
  std::vector<double> least_from_;
};

}  // namespace waferloom::placer
