#include "placer/annealing/rigid_shapes.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "model/placement.h"

// Problem: let an annealer of rectangles change shapes so that adapters become cheap.
// Idea: a kernel keeps one cut and one rotation. A move takes over h, w or c from a neighbour,
// picks a shape of the kernel's front, or changes its number of rows. A group move carries one
// signature through connected kernels. A time move changes the cap, and k follows. All changes of a
// move are logged, and undo() takes them back.
// Source: signatures are those of the contest's adapter cost; the moves are ours (docs/placer.md).
// Cost: a move of one kernel O(convolutions); of a group or the time O(kernels).
namespace waferloom::placer {
namespace {

/// Bands of h·w tiles so that a kernel keeps about its height under other (h, w).
std::int64_t rows_like(const KernelCut& held, const Signature& ports) {
  const std::int64_t tall = held.ports.h * held.ports.w *
                            (std::max({held.ports.c_in, held.ports.c_out, held.c_rest}) + 1);
  return std::max<std::int64_t>(2, (tall + ports.h * ports.w / 2) / (ports.h * ports.w));
}

}  // namespace

RigidShapes::RigidShapes(const ShapeLibrary& library, const Placement& start,
                         std::vector<bool> pinned)
    : library_(library),
      problem_(library.problem()),
      neighbours_(graph_neighbours(problem_)),
      time_(score(problem_, start).time),
      held_time_(time_),
      fronts_time_(time_),
      fronts_(library.at(time_).fronts),
      pinned_(std::move(pinned)) {
  for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
    const PlacedKernel& placed = start.kernels[i];
    kernels_.push_back(RigidKernel{cut_of(problem_.kernel(i), placed.execution), placed.rotated});
    if (!pinned_.empty()) pinned_executions_.push_back(placed.execution);
    if (is_pinned(i)) {
      least_time_ = std::max(least_time_, compute_time(problem_.kernel(i), placed.execution,
                                                       problem_.time_denominator()));
    }
    sizes_.push_back(*size_of(i, kernels_.back(), time_));
  }
}

std::optional<PieceSize> RigidShapes::size_of(KernelIndex kernel, const RigidKernel& shape,
                                              std::int64_t time) const {
  const auto execution = is_pinned(kernel)
                             ? std::optional(pinned_executions_[kernel])
                             : execute(problem_.kernel(kernel), shape.cut,
                                       library_.limits(library_.type_of(kernel), time));
  if (!execution) return std::nullopt;
  const Extent tiles = extent(problem_.kernel(kernel), *execution);
  if (std::max(tiles.width, tiles.height) > library_.largest_side()) return std::nullopt;
  const auto width = static_cast<std::int32_t>(tiles.width);
  const auto height = static_cast<std::int32_t>(tiles.height);
  return shape.rotated ? PieceSize{height, width} : PieceSize{width, height};
}

bool RigidShapes::reshape(KernelIndex kernel, const RigidKernel& shape) {
  if (is_pinned(kernel) || !within_limits(problem_.kernel(kernel), shape.cut)) return false;
  const auto size = size_of(kernel, shape, time_);
  if (!size) return false;
  resize(kernel, shape, *size);
  return true;
}

void RigidShapes::resize(KernelIndex kernel, const RigidKernel& shape, const PieceSize& size) {
  saved_.push_back(Saved{kernel, kernels_[kernel], sizes_[kernel]});
  resized_.push_back(kernel);
  kernels_[kernel] = shape;
  sizes_[kernel] = size;
}

bool RigidShapes::set_time(std::int64_t time) {
  if (time < least_time_) return false;
  for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
    RigidKernel shape = kernels_[i];
    auto size = size_of(i, shape, time);
    const bool recut = !size;
    if (recut) {
      const std::vector<Shape> front = library_.front(library_.type_of(i), time);
      if (front.empty()) return false;
      shape.cut = cut_of(problem_.kernel(i), smallest_shape(front).execution);
      size = size_of(i, shape, time);
      if (!size) return false;
    }
    if (recut || *size != sizes_[i]) resize(i, shape, *size);
  }
  time_ = time;
  return true;
}

void RigidShapes::commit() {
  saved_.clear();
  resized_.clear();
  held_time_ = time_;
}

void RigidShapes::follow_time() {
  constexpr std::int64_t kFar = 128;  // one part in so many
  if (std::abs(time_ - fronts_time_) * kFar <= fronts_time_) return;
  fronts_time_ = time_;
  for (std::size_t type = 0; type < fronts_.size(); ++type) {
    fronts_[type] = library_.front(type, time_);
  }
}

void RigidShapes::undo() {
  for (std::size_t i = saved_.size(); i-- > 0;) {
    kernels_[saved_[i].kernel] = saved_[i].shape;
    sizes_[saved_[i].kernel] = saved_[i].size;
  }
  saved_.clear();
  resized_.clear();
  time_ = held_time_;
}

void RigidShapes::restore(const Snapshot& snapshot) {
  kernels_ = snapshot.kernels;
  sizes_ = snapshot.sizes;
  time_ = snapshot.time;
  commit();
}

bool RigidShapes::propose(std::uint32_t lot, RandomStream& random) {
  const KernelIndex kernel = random.below(problem_.kernel_count());
  if (lot < 8) {
    RigidKernel shape = kernels_[kernel];
    shape.rotated = !shape.rotated;
    return reshape(kernel, shape);
  }
  // A list of shapes has nothing to cut.
  if (lot < 44 && is_shape_list(problem_.kernel(kernel))) return pick_from_front(kernel, random);
  if (lot < 20) return adopt_signature(kernel, random);
  if (lot < 32) return pick_from_front(kernel, random);
  if (lot < 44) return change_rows(kernel, random);
  if (lot < 47) return change_group(kernel, random);
  return change_time(kernel, random);
}

/// Takes over h, w or both, and the c between the two, from a neighbour; or only the c.
bool RigidShapes::adopt_signature(KernelIndex kernel, RandomStream& random) {
  if (problem_.connections().empty()) return false;
  const auto& connected = neighbours_[kernel];
  if (connected.empty()) return false;
  const KernelIndex other = connected[random.below(connected.size())];
  const Signature& theirs = kernels_[other].cut.ports;
  if (theirs == kNoSignature) return false;
  RigidKernel shape = kernels_[kernel];
  Signature ports = theirs;
  const std::uint32_t part = random.below(6);
  const bool keeps_h = part <= 2;
  const bool keeps_w = part <= 1 || part == 3;
  if (keeps_h) ports.h = shape.cut.ports.h;
  if (keeps_w) ports.w = shape.cut.ports.w;
  const std::int64_t c = random.coin() ? theirs.c_out : theirs.c_in;
  const std::int64_t rows = random.coin() ? c + 1 : rows_like(shape.cut, ports);
  KernelCut cut = widest_cut(problem_.kernel(kernel), ImageSplit{ports.h, ports.w, rows - 1});
  const bool lone = problem_.kernel(kernel).convolution_count == 1;
  switch (random.below(lone ? 2 : 4)) {
    case 0:
      cut.ports.c_in = cut.ports.c_out = c;
      break;
    case 1:
      break;
    case 2:
      cut.ports.c_in = c;
      break;
    default:
      cut.ports.c_out = c;
  }
  shape.cut = cut;
  return reshape(kernel, shape);
}

bool RigidShapes::pick_from_front(KernelIndex kernel, RandomStream& random) {
  const auto& front = fronts_[library_.type_of(kernel)];
  if (front.empty()) return false;
  const Shape& picked = front[random.below(front.size())];
  return reshape(kernel,
                 RigidKernel{cut_of(problem_.kernel(kernel), picked.execution), random.coin()});
}

bool RigidShapes::change_rows(KernelIndex kernel, RandomStream& random) {
  RigidKernel shape = kernels_[kernel];
  const bool lone = problem_.kernel(kernel).convolution_count == 1;
  const std::int64_t reach = 1 + static_cast<std::int64_t>(random.below(4));
  const std::int64_t by = random.coin() ? reach : -reach;
  switch (random.below(lone ? 2 : 5)) {
    case 0:
    case 1: {  // all c together
      const std::int64_t c =
          std::max({shape.cut.ports.c_in, shape.cut.ports.c_out, shape.cut.c_rest}) + by;
      if (c < 1) return false;
      shape.cut =
          widest_cut(problem_.kernel(kernel), ImageSplit{shape.cut.ports.h, shape.cut.ports.w, c});
      break;
    }
    case 2:
      shape.cut.ports.c_in += by;
      break;
    case 3:
      shape.cut.ports.c_out += by;
      break;
    default:
      shape.cut.c_rest += by;
  }
  return reshape(kernel, shape);
}

/// Carries the kernel's signature, or one from its front, through a connected group.
bool RigidShapes::change_group(KernelIndex kernel, RandomStream& random) {
  KernelCut cut = kernels_[kernel].cut;
  const auto& front = fronts_[library_.type_of(kernel)];
  if (!front.empty() && random.coin()) {
    cut = cut_of(problem_.kernel(kernel), front[random.below(front.size())].execution);
  }
  const std::int64_t c = random.coin() ? cut.ports.c_out : cut.ports.c_in;
  const std::size_t size = 2 + random.below(problem_.kernel_count());
  group_.assign(1, kernel);
  for (std::size_t i = 0; i < group_.size() && group_.size() < size; ++i) {
    for (const KernelIndex next : neighbours_[group_[i]]) {
      if (std::find(group_.begin(), group_.end(), next) == group_.end()) group_.push_back(next);
      if (group_.size() >= size) break;
    }
  }
  bool any = false;
  for (const KernelIndex member : group_) {
    RigidKernel shape = kernels_[member];
    shape.cut = widest_cut(problem_.kernel(member), ImageSplit{cut.ports.h, cut.ports.w, c});
    any = reshape(member, shape) || any;
  }
  return any;
}

std::optional<Execution> RigidShapes::execution(KernelIndex kernel) const {
  if (is_pinned(kernel)) return pinned_executions_[kernel];
  return execute(problem_.kernel(kernel), kernels_[kernel].cut,
                 library_.limits(library_.type_of(kernel), time_));
}

bool RigidShapes::change_time(KernelIndex kernel, RandomStream& random) {
  const Kernel& formal = problem_.kernel(kernel);
  std::optional<Execution> execution = this->execution(kernel);
  if (!execution) return false;
  const std::int64_t by = random.below(3) == 0 ? 1 : -1;
  for (std::size_t i = 0; i < convolution_total(formal); ++i) {
    execution->k[i] += by;
  }
  if (!waferloom::within_limits(formal, *execution)) return false;
  std::int64_t time = compute_time(formal, *execution, problem_.time_denominator());
  if (random.coin()) time = slowest_at_cap();
  if (time == time_ || time < least_time_) return false;
  for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
    const auto size = size_of(i, kernels_[i], time);
    if (!size) return false;
    if (*size == sizes_[i]) continue;
    resize(i, kernels_[i], *size);
  }
  time_ = time;
  return true;
}

std::int64_t RigidShapes::slowest_at_cap() const {
  std::int64_t slowest = 0;
  for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
    slowest = std::max(
        slowest, compute_time(problem_.kernel(i), *execution(i), problem_.time_denominator()));
  }
  return slowest;
}

std::int64_t RigidShapes::adapters() const {
  std::int64_t adapters = 0;
  for (const Connection& edge : problem_.connections()) {
    adapters +=
        adapter_mismatches(kernels_[edge.producer].cut.ports, kernels_[edge.consumer].cut.ports);
  }
  return adapters;
}

Placement RigidShapes::executions() const {
  Placement placement;
  for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
    placement.kernels.push_back(PlacedKernel{*execution(i), 0, 0, kernels_[i].rotated});
  }
  return placement;
}

}  // namespace waferloom::placer
