#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/placement.h"
#include "model/run_control.h"
#include "placer/annealing/rigid_shapes.h"
#include "placer/free/overlap_depths.h"
#include "placer/search/random_stream.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/wire.h"

namespace waferloom::placer {

struct TilePoint {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

/// Rectangles that lie anywhere the constraints allow and may overlap, with moves that change few
/// of them: the state of searches that work around dead tiles, regions and fixed kernels.
/// Transactional: undo() takes back all since the last commit().
class FreeLayout {
 public:
  struct Moved {
    KernelIndex kernel;
    Rectangle before;
  };

  /// `start` has executions within limits; its kernels may overlap and lie anywhere. Fixed kernels
  /// are taken as they are fixed; with an execution they have to fit the wafer and its memory.
  FreeLayout(const ShapeLibrary& library, const ClearSpace& space, const Placement& start);

  /// Moves each misplaced kernel to the nearest legal place, changing its shape or raising the time
  /// cap if needed, and commits. Returns false if a kernel has no legal place, or if `stop` is
  /// raised first. Then the kernels that found a place lie there, and the others lie where they
  /// were.
  bool settle(RandomStream& random, const RunControl& stop = {});

  /// Tries a random change of anything; false if it is not possible, and undo() must follow.
  bool propose(RandomStream& random);
  /// Tries a random change of a kernel's place, and of its shape where the room asks for it.
  bool propose_place(KernelIndex kernel, RandomStream& random);
  /// Sets the time cap; all sizes follow, and where a kernel does not fit any more, its shape.
  bool set_time(std::int64_t time, RandomStream& random);
  void commit();
  void undo();

  const RigidShapes& shapes() const { return shapes_; }
  const OverlapDepths& tiles() const { return tiles_; }
  const std::vector<DoubledCentre>& centres() const { return centres_; }
  /// Where kernels were before the open transaction, in the order of its moves.
  std::span<const Moved> moved() const { return moved_; }
  bool changed() const { return !moved_.empty() || shapes_.changed(); }
  /// The sum of the depths of all overlaps, if it was `before` at the last commit.
  /// O(kernels · moved).
  std::int64_t overlap(std::int64_t before);

  /// Puts all moved kernels back to where they were, or again to where they are: calls come in
  /// pairs.
  void exchange_with_before();

  /// Everything that changes.
  struct Snapshot {
    OverlapDepths tiles;
    RigidShapes::Snapshot shapes;
  };
  Snapshot snapshot() const { return Snapshot{tiles_, shapes_.snapshot()}; }
  /// Goes back to a snapshot and commits.
  void restore(const Snapshot& snapshot);
  Placement placement() const;

 private:
  using Point = TilePoint;
  static constexpr std::uint32_t kAnchors = 5;

  void write(KernelIndex kernel, const Rectangle& tiles);
  bool move_to(KernelIndex kernel, const Rectangle& tiles);
  Rectangle sized_at(KernelIndex kernel, const Point& corner) const;
  KernelIndex random_kernel(RandomStream& random) const;
  KernelIndex random_neighbour(KernelIndex kernel, RandomStream& random) const;

  bool slide(KernelIndex kernel, RandomStream& random);
  bool touch(KernelIndex kernel, RandomStream& random);
  bool exchange(KernelIndex kernel, RandomStream& random);
  bool move_into(KernelIndex kernel, const Rectangle& room, RandomStream& random);
  bool into_gap(KernelIndex kernel, RandomStream& random);
  bool jump(KernelIndex kernel, RandomStream& random);
  bool reshape_here(KernelIndex kernel, RandomStream& random);
  bool take_shape(KernelIndex kernel, const Rectangle& room, RandomStream& random);
  bool place_resized(RandomStream& random);
  bool settle_at_cap(RandomStream& random, const RunControl& stop);
  void slow_down(std::int64_t time);
  bool settle_kernel(KernelIndex kernel, RandomStream& random);
  bool settle_fixed(KernelIndex kernel);

  static Point beside(const Rectangle& tiles, RandomStream& random);
  Point target(KernelIndex kernel, const Point& point, const Rectangle& room,
               RandomStream& random) const;
  static Rectangle anchored(const Rectangle& held, const PieceSize& size, std::uint32_t anchor);
  std::optional<Rectangle> room_around(KernelIndex kernel, const Point& point,
                                       RandomStream& random) const;
  std::optional<Rectangle> allowed_room(KernelIndex kernel, const Point& point,
                                        RandomStream& random) const;
  bool cut_to_allowed(Rectangle& room, KernelIndex kernel, const Point& point,
                      RandomStream& random) const;

  const Problem& problem_;
  const ClearSpace& space_;
  RigidShapes shapes_;
  OverlapDepths tiles_;
  std::vector<DoubledCentre> centres_;
  std::vector<Moved> moved_;
  std::vector<Rectangle> after_;  ///< scratch of overlap()
};

}  // namespace waferloom::placer
