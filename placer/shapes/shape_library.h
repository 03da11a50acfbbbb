#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/shape_curve.h"
#include "kernels/shape_space.h"
#include "model/problem.h"
#include "model/run_control.h"

namespace waferloom::placer {

/// The shapes of every kernel type of a problem under one time cap.
struct ShapesAtTime {
  std::int64_t time = 0;
  std::vector<std::vector<Shape>> fronts;  ///< by type
  std::vector<ShapeCurve> curves;          ///< by type, over 0 … largest side of the wafer
  bool all_exist = false;                  ///< every kernel has a shape that fits the wafer
  std::int64_t least_area = 0;             ///< Σ over kernels of the least area, if all_exist
};

/// Kernels of equal formal parameters, and of equal buffers, are of one type and share their
/// shapes. Immutable; made once for a run, because on wide wafers that takes a while, and seen by
/// all of its threads.
class ShapeLibrary {
 public:
  explicit ShapeLibrary(const Problem& problem, const RunControl& stop = {});

  /// False if `stop` was raised meanwhile; then nothing else may be asked.
  bool complete() const { return complete_; }
  std::size_t type_count() const { return representatives_.size(); }
  std::size_t type_of(KernelIndex kernel) const { return types_[kernel]; }
  const Kernel& type(std::size_t type) const { return problem_->kernel(representatives_[type]); }
  /// The first kernel of a type; types are numbered in the order of their first kernels.
  KernelIndex first_of(std::size_t type) const { return representatives_[type]; }
  std::int64_t largest_side() const { return largest_side_; }
  const Problem& problem() const { return *problem_; }

  /// Under compute_time ≤ time, the problem's memory limit, and within its wafer.
  ShapesAtTime at(std::int64_t time) const;
  /// Its least_area alone, without the curves; nothing if some kernel has no shape.
  std::optional<std::int64_t> least_area(std::int64_t time) const;
  /// The shapes of one type.
  std::vector<Shape> front(std::size_t type, std::int64_t time) const;
  /// Those of some shapes that fit the wafer, turned or not.
  std::vector<Shape> on_wafer(std::vector<Shape> shapes) const;
  /// What all shapes have to respect, besides the room for buffers of their own kernels.
  KernelLimits common_limits(std::int64_t time) const;
  /// What the shapes of one type have to respect.
  KernelLimits limits(std::size_t type, std::int64_t time) const;

 private:
  const Problem* problem_;
  std::int64_t largest_side_ = 0;
  std::vector<std::size_t> types_;            ///< by kernel
  std::vector<KernelIndex> representatives_;  ///< by type
  std::vector<std::int64_t> members_;         ///< kernels of the type
  std::vector<ShapeSpace> spaces_;            ///< by type
  bool complete_ = true;
};

/// `common` with the room for the kernel's buffers.
KernelLimits own_limits(const Problem& problem, KernelIndex kernel, const KernelLimits& common);

/// Smallest time in [low, high] for which `holds` is true; holds is monotone and true at high.
template <typename Predicate>
std::int64_t least_time(std::int64_t low, std::int64_t high, const Predicate& holds) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

}  // namespace waferloom::placer
