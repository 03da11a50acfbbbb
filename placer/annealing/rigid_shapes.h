#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "placer/annealing/tree_rectangles.h"
#include "placer/search/random_stream.h"
#include "placer/shapes/kernel_cut.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// How a kernel is shaped in a search of rigid rectangles.
struct RigidKernel {
  KernelCut cut;
  bool rotated = false;
};

/// The shapes of all kernels in a search of rigid rectangles: every kernel's cut and rotation, and
/// the time cap, from which k follows. Proposes changes that see adapters: kernels adopt the
/// signatures of their neighbours, one by one or in connected groups. Transactional: undo() takes
/// back all since the last commit().
class RigidShapes {
 public:
  /// The shapes of a placement with executions within limits, at its own time. A pinned kernel
  /// keeps its execution for ever.
  RigidShapes(const ShapeLibrary& library, const Placement& start, std::vector<bool> pinned = {});

  std::int64_t time() const { return time_; }
  const PieceSize& size(KernelIndex kernel) const { return sizes_[kernel]; }
  const std::vector<PieceSize>& sizes() const { return sizes_; }
  const RigidKernel& kernel(KernelIndex kernel) const { return kernels_[kernel]; }
  /// Shapes to choose from: at the cap of the beginning, or of the last follow_time() that found
  /// it far away, those that none beats in both extents.
  const std::vector<Shape>& front(KernelIndex kernel) const {
    return fronts_[library_.type_of(kernel)];
  }
  const Neighbours& neighbours() const { return neighbours_; }
  /// Kernels that got another size since the last commit, some more than once.
  std::span<const KernelIndex> resized() const { return resized_; }
  bool changed() const { return !saved_.empty() || time_ != held_time_; }

  /// Draws one of kLots equally likely changes and tries it; false if it is not possible. What it
  /// did up to there is for undo() to take back.
  static constexpr std::uint32_t kLots = 50;
  bool propose(std::uint32_t lot, RandomStream& random);
  /// Moves the cap to what the kernel needs with one k more or less, or to what the slowest needs;
  /// all sizes follow.
  bool change_time(KernelIndex kernel, RandomStream& random);
  /// Sets the cap; kernels whose cut has no size there take the smallest shape of all. False if one
  /// has none.
  bool set_time(std::int64_t time);
  /// Gives a kernel another shape; false if it has no size at the time cap.
  bool reshape(KernelIndex kernel, const RigidKernel& shape);
  void commit();
  /// Renews what front() offers if the cap has moved far since.
  void follow_time();
  void undo();

  /// Mismatches at all edges. O(edges).
  std::int64_t adapters() const;

  /// Everything that changes.
  struct Snapshot {
    std::vector<RigidKernel> kernels;
    std::vector<PieceSize> sizes;
    std::int64_t time = 0;
  };
  Snapshot snapshot() const { return Snapshot{kernels_, sizes_, time_}; }
  /// Goes back to a snapshot and commits.
  void restore(const Snapshot& snapshot);

  /// The kernels as they stand, placed nowhere.
  Placement executions() const;

 private:
  struct Saved {
    KernelIndex kernel;
    RigidKernel shape;
    PieceSize size;
  };

  std::optional<PieceSize> size_of(KernelIndex kernel, const RigidKernel& shape,
                                   std::int64_t time) const;
  bool adopt_signature(KernelIndex kernel, RandomStream& random);
  bool pick_from_front(KernelIndex kernel, RandomStream& random);
  bool change_rows(KernelIndex kernel, RandomStream& random);
  bool change_group(KernelIndex kernel, RandomStream& random);
  std::int64_t slowest_at_cap() const;
  void resize(KernelIndex kernel, const RigidKernel& shape, const PieceSize& size);
  std::optional<Execution> execution(KernelIndex kernel) const;
  bool is_pinned(KernelIndex kernel) const { return !pinned_.empty() && pinned_[kernel]; }

  const ShapeLibrary& library_;
  const Problem& problem_;
  Neighbours neighbours_;
  std::int64_t time_;
  std::int64_t held_time_;
  std::int64_t least_time_ = 1;  ///< that the pinned kernels leave
  std::int64_t fronts_time_;
  std::vector<std::vector<Shape>> fronts_;  ///< at fronts_time_
  std::vector<RigidKernel> kernels_;
  std::vector<PieceSize> sizes_;
  std::vector<bool> pinned_;
  std::vector<Execution> pinned_executions_;  ///< empty if nothing is pinned
  std::vector<Saved> saved_;
  std::vector<KernelIndex> resized_;
  std::vector<KernelIndex> group_;  ///< scratch of change_group
};

}  // namespace waferloom::placer
