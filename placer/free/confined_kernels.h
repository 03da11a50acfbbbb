#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Tiles that kernels have to stay within, and regions that they all avoid there.
struct Room {
  Rectangle area;                  ///< on the wafer
  std::vector<Rectangle> avoided;  ///< sorted, each touches `area`
  /// The largest rectangles in it without dead tiles, regions to avoid and what fixed kernels
  /// always cover; `area` alone where these are too many to list all.
  std::vector<Rectangle> windows;
};

/// How far a kernel gets: its right edge never lies left of `least_right`, its left edge never
/// right of `most_left`, its upper edge never below `least_top`, its lower edge never above
/// `most_bottom`.
struct Reach {
  std::int64_t least_right = 0;
  std::int64_t most_left = 0;
  std::int64_t least_top = 0;
  std::int64_t most_bottom = 0;
  Extent least;  ///< its least width and, maybe of another shape, its least height
};

/// Whether of two kernels that share no tiles one can lie beside or above the other.
bool can_part(const Reach& a, const Reach& b);

/// Kernels that cannot be told apart: of one type and confined alike.
struct KernelClass {
  std::vector<KernelIndex> members;
  std::size_t type = 0;
  std::size_t room = 0;                ///< that they are free to lie in; nothing if fixed
  const FixedKernel* fixed = nullptr;  ///< then there is one member
  Rectangle domain;                    ///< they lie within; of a fixed one what its shapes reach
  std::vector<Rectangle> avoided;
  std::int64_t least_area = 0;
  std::optional<Reach> reach;  ///< nothing: no shape fits any window of the room

  std::int64_t count() const { return static_cast<std::int64_t>(members.size()); }
  /// What a fixed kernel always covers.
  Rectangle core() const;
  /// Whether they have to lie in the room's area and avoid what it leaves out.
  bool is_in(const Room& room) const;
};

/// Some kernels of a class.
struct SomeKernels {
  const KernelClass* kernels;
  std::int64_t count;
};

/// All kernels of a problem, each of which has a place where it may lie if no other kernel is there
/// (infeasible_kernel), by class, and the rooms that bind them: first the wafer, then the regions
/// to be inside of, then all others. Immutable.
class ConfinedKernels {
 public:
  ConfinedKernels(const ShapeLibrary& library, const ClearSpace& space);

  const std::vector<KernelClass>& classes() const { return classes_; }
  const std::vector<Room>& rooms() const { return rooms_; }
  /// The shapes of a type, and the same turned.
  const std::vector<Extent>& shapes(std::size_t type) const { return shapes_[type]; }
  const std::string& name(const KernelClass& kernels, std::size_t member = 0) const;
  /// "k1, k2, k3 and 4 more".
  std::string names(const std::vector<SomeKernels>& some) const;

 private:
  void add_fixed(KernelIndex kernel, const ClearSpace& space, const std::vector<Shape>& front);
  void add_free(const ClearSpace& space);
  std::size_t room_of(const Rectangle& area, std::vector<Rectangle> avoided);
  std::vector<Rectangle> obstacles(const Room& room) const;
  void find_windows();
  void find_reach(KernelClass& kernels, const ShapeCurve& curve) const;

  const Problem& problem_;
  const ShapeLibrary& library_;
  std::vector<std::vector<Extent>> shapes_;
  std::vector<KernelClass> classes_;  // fixed ones first
  std::vector<Room> rooms_;
  std::map<std::vector<std::int64_t>, std::size_t> room_at_;  // by all its numbers
};

}  // namespace waferloom::placer
