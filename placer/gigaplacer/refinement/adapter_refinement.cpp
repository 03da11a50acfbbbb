#include "placer/gigaplacer/refinement/adapter_refinement.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "model/problem.h"
#include "placer/gigaplacer/refinement/protocol_shape.h"
#include "placer/gigaplacer/rows/row_slides.h"

// Problem: lower the adapter cost of a placement in rows without making it slower.
// Idea: give a kernel the h, w and c of a neighbour, and find its other parameters again under the
// same cap and row height. Then try runs: hand the signature on to the next kernels of the row, and
// keep the best beginning of the run. Repeat until nothing helps.
// Source: match_protocols is GigaPlacer 3.4.1; the runs are ours.
// Cost: a pass O(kernels · run · links of a row).
namespace waferloom::placer {
namespace {

/// Values that a kernel's neighbours show, each once, in order of meeting.
class Choices {
 public:
  explicit Choices(std::int64_t own) : values_{own} {}
  void add(std::int64_t value) {
    if (std::find(values_.begin(), values_.end(), value) == values_.end()) values_.push_back(value);
  }
  const std::vector<std::int64_t>& values() const { return values_; }

 private:
  std::vector<std::int64_t> values_;
};

/// What has to be put back to undo one change.
struct Undo {
  KernelIndex kernel = 0;
  LaidKernel before;
  std::int64_t row_x = 0;
};

class AdapterRefiner {
 public:
  AdapterRefiner(const Problem& problem, const CostModel& costs, const KernelLimits& limits,
                 RowLayout& layout)
      : problem_(problem),
        costs_(costs),
        limits_(limits),
        layout_(layout),
        graph_(graph_neighbours(problem)),
        incident_(incident_connections(problem)),
        row_of_(layout.kernels.size()) {
    for (std::size_t r = 0; r < layout.rows.size(); ++r) {
      for (const KernelIndex kernel : layout.rows[r].kernels) row_of_[kernel] = r;
    }
  }

  bool pass() {
    bool improved = false;
    for (std::size_t r = 0; r < layout_.rows.size(); ++r) {
      const std::size_t count = layout_.rows[r].kernels.size();
      for (std::size_t i = 0; i < count; ++i) {
        improved = change_one(layout_.rows[r].kernels[i]) || improved;
      }
      for (std::size_t i = 0; i < count; ++i) {
        improved = hand_on(layout_.rows[r], i, true) || improved;
        improved = hand_on(layout_.rows[r], i, false) || improved;
      }
    }
    return improved;
  }

 private:
  Signature shown(KernelIndex kernel) const {
    return signature(problem_.kernel(kernel), layout_.kernels[kernel].execution);
  }

  std::int64_t mismatches(KernelIndex kernel, const Signature& own) const {
    std::int64_t sum = 0;
    for (const std::size_t c : incident_[kernel]) {
      const Connection& connection = problem_.connections()[c];
      sum += connection.producer == kernel ? adapter_mismatches(own, shown(connection.consumer))
                                           : adapter_mismatches(shown(connection.producer), own);
    }
    return sum;
  }

  /// Wire of all connections of the row's kernels, in quarter tiles (those inside count twice half
  /// as much).
  std::int64_t row_wire4(std::size_t r) const {
    std::int64_t wire4 = 0;
    for (const KernelIndex kernel : layout_.rows[r].kernels) {
      const LaidKernel& own = layout_.kernels[kernel];
      for (const KernelIndex other : graph_[kernel]) {
        const LaidKernel& there = layout_.kernels[other];
        const std::int64_t wire = std::abs(centre2_x(own) - centre2_x(there)) +
                                  std::abs(centre2_y(own) - centre2_y(there));
        wire4 += row_of_[other] == r ? wire : 2 * wire;
      }
    }
    return wire4;
  }

  /// Gives a kernel another shape in its row; nothing (and no change) if the row has no room.
  std::optional<Undo> apply(KernelIndex kernel, const FittedShape& fitted) {
    const LaidRow& row = layout_.rows[row_of_[kernel]];
    Extent size = fitted.shape.size;
    if (fitted.rotated) std::swap(size.width, size.height);
    std::int64_t total = 0;
    for (const KernelIndex each : row.kernels) total += layout_.kernels[each].tiles.width;
    LaidKernel& laid = layout_.kernels[kernel];
    total += size.width - laid.tiles.width;
    if (total > layout_.room.width) return std::nullopt;
    const std::int64_t row_x = layout_.kernels[row.kernels.front()].tiles.x;
    const Undo undo{kernel, laid, row_x};
    const std::int64_t y = (centre2_y(laid) - size.height) / 2;
    laid.execution = fitted.shape.execution;
    laid.rotated = fitted.rotated;
    laid.tiles.width = size.width;
    laid.tiles.height = size.height;
    laid.tiles.y = std::clamp(y, row.y, row.y + row.height - size.height);
    pack_row(layout_, row, std::min(row_x, layout_.room.width - total));
    return undo;
  }

  void revert(const Undo& undo) {
    layout_.kernels[undo.kernel] = undo.before;
    pack_row(layout_, layout_.rows[row_of_[undo.kernel]], undo.row_x);
  }

  /// Twice the cost that a change of this kernel can change, in units of CostModel.
  Int128 local_cost2(KernelIndex kernel) const {
    return row_wire4(row_of_[kernel]) * costs_.per_half_distance() +
           2 * mismatches(kernel, shown(kernel)) * costs_.per_adapter();
  }

  struct Best {
    FittedShape shape;
    Int128 cost2 = 0;  ///< local_cost2 with it
  };
  /// Of all protocols made of the given h and w and the channel splits around the kernel, the shape
  /// of least cost; nothing if none fits its row. The layout stays as it is.
  std::optional<Best> best_shape(KernelIndex kernel, const Choices& hs, const Choices& ws) {
    Choices c_ins(0);
    Choices c_outs(0);
    for (const std::size_t c : incident_[kernel]) {
      const Connection& connection = problem_.connections()[c];
      if (connection.producer == kernel) {
        c_outs.add(shown(connection.consumer).c_in);
      } else {
        c_ins.add(shown(connection.producer).c_out);
      }
    }
    std::optional<Best> best;
    for (const std::int64_t h : hs.values()) {
      for (const std::int64_t w : ws.values()) {
        for (const std::int64_t c_in : c_ins.values()) {
          for (const std::int64_t c_out : c_outs.values()) {
            consider(kernel, ProtocolWish{h, w, c_in, c_out}, best);
          }
        }
      }
    }
    return best;
  }

  void consider(KernelIndex kernel, const ProtocolWish& wish, std::optional<Best>& best) {
    const std::int64_t height = layout_.rows[row_of_[kernel]].height;
    for (const bool rotated : {false, true}) {
      const auto shape =
          narrowest_with_protocol(problem_.kernel(kernel), own_limits(problem_, kernel, limits_),
                                  wish, RowSlot{height, rotated});
      if (!shape) continue;
      const FittedShape fitted{*shape, rotated};
      const auto undo = apply(kernel, fitted);
      if (!undo) continue;
      const Int128 cost2 = local_cost2(kernel);
      if (!best || cost2 < best->cost2) best = Best{fitted, cost2};
      revert(*undo);
    }
  }

  bool change_one(KernelIndex kernel) {
    const Signature own = shown(kernel);
    Choices hs(own.h);
    Choices ws(own.w);
    for (const KernelIndex other : graph_[kernel]) {
      hs.add(shown(other).h);
      ws.add(shown(other).w);
    }
    const Int128 before2 = local_cost2(kernel);
    const auto best = best_shape(kernel, hs, ws);
    if (!best || best->cost2 >= before2) return false;
    apply(kernel, best->shape);
    return true;
  }

  /// Kernel i of a row hands its h and w on along the row; keeps the best beginning of the run.
  bool hand_on(const LaidRow& row, std::size_t i, bool rightward) {
    const Signature source = shown(row.kernels[i]);
    const Int128 hopeless = 2 * kMostDebt * costs_.per_adapter();
    std::vector<Undo> done;
    std::size_t best_length = 0;
    Int128 change2 = 0;
    Int128 best_change2 = 0;
    while (true) {
      const std::size_t step = done.size() + 1;
      if (rightward ? i + step >= row.kernels.size() : step > i) break;
      const KernelIndex kernel = row.kernels[rightward ? i + step : i - step];
      const Signature own = shown(kernel);
      if (own.h == source.h && own.w == source.w) break;
      const Int128 before2 = local_cost2(kernel);
      const auto best = best_shape(kernel, Choices(source.h), Choices(source.w));
      if (!best) break;
      done.push_back(*apply(kernel, best->shape));
      change2 += best->cost2 - before2;
      if (change2 < best_change2) {
        best_change2 = change2;
        best_length = done.size();
      }
      if (change2 > hopeless) break;
    }
    while (done.size() > best_length) {
      revert(done.back());
      done.pop_back();
    }
    return best_length > 0;
  }

  static constexpr std::int64_t kMostDebt = 6;  ///< mismatches that a run may cost on its way

  const Problem& problem_;
  const CostModel& costs_;
  const KernelLimits& limits_;
  RowLayout& layout_;
  Neighbours graph_;
  std::vector<std::vector<std::size_t>> incident_;
  std::vector<std::size_t> row_of_;
};

}  // namespace

bool refine_adapters(const Problem& problem, const CostModel& costs, const KernelLimits& limits,
                     RowLayout& layout) {
  if (costs.per_adapter() == 0) return false;
  AdapterRefiner refiner(problem, costs, limits, layout);
  bool ever = false;
  while (refiner.pass()) ever = true;
  return ever;
}

}  // namespace waferloom::placer
