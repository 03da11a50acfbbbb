#include "placer/shapes/shape_library.h"

#include <algorithm>

namespace waferloom::placer {

ShapeLibrary::ShapeLibrary(const Problem& problem, const RunControl& stop)
    : problem_(&problem), largest_side_(std::max(problem.wafer().width, problem.wafer().height)) {
  for (KernelIndex kernel = 0; kernel < problem.kernel_count(); ++kernel) {
    const auto same = [&](KernelIndex other) {
      return problem.kernel(other).formal == problem.kernel(kernel).formal &&
             problem.buffer_room(other) == problem.buffer_room(kernel);
    };
    const auto found = std::find_if(representatives_.begin(), representatives_.end(), same);
    types_.push_back(static_cast<std::size_t>(found - representatives_.begin()));
    if (found == representatives_.end()) {
      representatives_.push_back(kernel);
      members_.push_back(0);
      const ShapeSpace::Limits limits{.memory = problem.memory_limit(),
                                      .largest_side = largest_side_,
                                      .time_denominator = problem.time_denominator(),
                                      .buffers = problem.buffer_room(kernel)};
      spaces_.emplace_back(problem.kernel(kernel), limits, [&] { return stop.is_cut(); });
      complete_ = spaces_.back().complete();
      if (!complete_) return;
    }
    ++members_[types_.back()];
  }
}

KernelLimits own_limits(const Problem& problem, KernelIndex kernel, const KernelLimits& common) {
  KernelLimits own = common;
  own.buffers = problem.buffer_room(kernel);
  return own;
}

KernelLimits ShapeLibrary::common_limits(std::int64_t time) const {
  return KernelLimits{time, problem_->time_denominator(), problem_->memory_limit()};
}

KernelLimits ShapeLibrary::limits(std::size_t type, std::int64_t time) const {
  return own_limits(*problem_, representatives_[type], common_limits(time));
}

std::vector<Shape> ShapeLibrary::front(std::size_t type, std::int64_t time) const {
  return on_wafer(spaces_[type].front(time));
}

std::vector<Shape> ShapeLibrary::on_wafer(std::vector<Shape> shapes) const {
  const std::int64_t smallest_side = std::min(problem_->wafer().width, problem_->wafer().height);
  std::erase_if(shapes, [&](const Shape& shape) {
    return std::min(shape.size.width, shape.size.height) > smallest_side;
  });
  return shapes;
}

std::optional<std::int64_t> ShapeLibrary::least_area(std::int64_t time) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < type_count(); ++i) {
    std::int64_t least = 0;
    for (const Shape& shape : front(i, time)) {
      const std::int64_t area = shape.size.width * shape.size.height;
      least = least == 0 ? area : std::min(least, area);
    }
    if (least == 0) return std::nullopt;
    sum += least * members_[i];
  }
  return sum;
}

ShapesAtTime ShapeLibrary::at(std::int64_t time) const {
  ShapesAtTime shapes;
  shapes.time = time;
  shapes.all_exist = true;
  for (std::size_t i = 0; i < type_count(); ++i) {
    shapes.fronts.push_back(front(i, time));
    shapes.curves.emplace_back(shapes.fronts.back(), largest_side_);
    shapes.all_exist = shapes.all_exist && !shapes.curves.back().empty();
    shapes.least_area += shapes.curves.back().least_area() * members_[i];
  }
  return shapes;
}

}  // namespace waferloom::placer
