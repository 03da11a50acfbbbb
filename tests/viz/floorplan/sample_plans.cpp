#include "tests/viz/floorplan/sample_plans.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "kernels/shape_curve.h"

namespace waferloom::test {
namespace {

/// Bounds the search for shapes.
constexpr std::int64_t kLongestSide = 170;

/// formal_of repeats after so many kernels.
constexpr std::size_t kFormals = 16;

KernelFormal formal_of(std::size_t index) {
  constexpr std::int64_t kImages[] = {56, 28, 14, 7};
  const std::size_t stage = index % kFormals / 4;
  const std::int64_t image = kImages[stage];
  const std::int64_t features = 256 << stage;
  if (index % 4 == 0) return CblockFormal{2 * image, 2 * image, features};
  if (index % 8 == 3) return ConvFormal{image, image, 3, 3, features / 4, features / 4, 1, 1};
  return DblockFormal{image, image, features};
}

ProblemData sample_data(std::size_t kernels, const Wafer& wafer) {
  ProblemData data;
  data.name = "sample-" + std::to_string(kernels);
  data.wafer = wafer;
  data.weights.adapter = decimal6(10);
  for (std::size_t i = 0; i < kernels; ++i) {
    const auto id = static_cast<std::int64_t>(i + 1);
    data.kernels.push_back({id, "k" + std::to_string(id), make_kernel(formal_of(i))});
    const std::int64_t image = data.kernels.back().kernel.height;
    const TensorShape tensor{image, image, 64 * (1 + static_cast<std::int64_t>(i % 5))};
    if (i > 0) data.connections.push_back({i - 1, i, tensor});
    if (i > 3 && i % 7 == 0) data.connections.push_back({i - 3, i, tensor});
  }
  const auto last = static_cast<std::int64_t>(kernels);
  data.terminals = {{0, "image", Terminal::Kind::input, {224, 224, 3}},
                    {last + 1, "classes", Terminal::Kind::output, {7, 7, 2048}}};
  data.terminal_connections = {{0, 0, {224, 224, 3}}, {1, kernels - 1, {7, 7, 2048}}};
  return data;
}

/// The shape nearest to a square, lying.
std::optional<FittedShape> squarest(const Problem& problem, KernelIndex index, std::int64_t time) {
  const auto front =
      shape_front(problem.kernel(index), {time, problem.time_denominator(), problem.memory_limit()},
                  std::min({kLongestSide, problem.wafer().width, problem.wafer().height}));
  const auto longer = [](const Shape& shape) {
    return std::max(shape.size.width, shape.size.height);
  };
  const auto best =
      std::min_element(front.begin(), front.end(),
                       [&](const Shape& a, const Shape& b) { return longer(a) < longer(b); });
  if (best == front.end()) return std::nullopt;
  return FittedShape{*best, best->size.height > best->size.width};
}

/// Shelves from the bottom up, kernels in order.
std::optional<Placement> shelve(const Problem& problem, std::int64_t time) {
  Placement placement;
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t shelf = 0;
  std::map<std::size_t, std::optional<FittedShape>> known;  // formal parameters repeat
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    if (!known.contains(i % kFormals)) known[i % kFormals] = squarest(problem, i, time);
    const auto& shape = known[i % kFormals];
    if (!shape) return std::nullopt;
    PlacedKernel placed{shape->shape.execution, 0, 0, shape->rotated};
    const Rectangle size = rectangle(problem.kernel(i), placed);
    if (x + size.width > problem.wafer().width) {
      y += shelf;
      x = shelf = 0;
    }
    shelf = std::max(shelf, size.height);
    if (y + shelf > problem.wafer().height) return std::nullopt;
    placed.x = x;
    placed.y = y;
    x += size.width;
    placement.kernels.push_back(placed);
  }
  return placement;
}

}  // namespace

SamplePlan sample_plan(std::size_t kernels, const Wafer& wafer) {
  Problem problem(sample_data(kernels, wafer));
  std::int64_t fails = 0;
  std::int64_t works = 1;
  std::optional<Placement> placement;
  while (!(placement = shelve(problem, works))) {
    fails = std::exchange(works, 2 * works);
  }
  for (int round = 0; round < 4; ++round) {
    const std::int64_t middle = std::midpoint(fails, works);
    if (auto faster = shelve(problem, middle)) {
      placement = std::move(faster);
      works = middle;
    } else {
      fails = middle;
    }
  }
  return {std::move(problem), *std::move(placement)};
}

SamplePlan two_small_kernels(const Wafer& wafer, const TwoNames& names) {
  ProblemData data;
  data.name = "two";
  data.wafer = wafer;
  const Kernel kernel = make_kernel(ConvFormal{4, 4, 1, 1, 4, 4, 1, 1});
  data.kernels = {{1, names.first, kernel}, {2, names.second, kernel}};
  data.connections = {{0, 1, {4, 4, 4}}};
  Execution execution;
  execution.c[0] = execution.k[0] = 1;
  return {Problem(std::move(data)), {{{execution, 0, 0, false}, {execution, 3, 0, false}}}};
}

SamplePlan grid_plan(std::size_t kernels, const Wafer& wafer) {
  ProblemData data;
  data.name = "grid-" + std::to_string(kernels);
  data.wafer = wafer;
  const Kernel kernel = make_kernel(ConvFormal{4, 4, 1, 1, 16, 16, 1, 1});
  Execution execution;
  execution.h = execution.w = 4;
  execution.c[0] = 3;
  execution.k[0] = 16;
  Placement placement;
  constexpr std::int64_t kWidth = 48;
  constexpr std::int64_t kHeight = 64;
  const std::int64_t columns = wafer.width / kWidth;
  for (std::size_t i = 0; i < kernels; ++i) {
    const auto index = static_cast<std::int64_t>(i);
    data.kernels.push_back({index, "k" + std::to_string(index), kernel});
    if (i > 0) data.connections.push_back({i - 1, i, {4, 4, 16}});
    placement.kernels.push_back(
        {execution, index % columns * kWidth, index / columns * kHeight, false});
  }
  return {Problem(std::move(data)), std::move(placement)};
}

}  // namespace waferloom::test
