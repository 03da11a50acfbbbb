#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "planner/tile_operators.h"
#include "planner/wafer/region_sites.h"
#include "planner/wafer/stream_sites.h"
#include "planner/wafer_pipeline.h"
#include "planner/wafer_serving.h"
#include "planner/wafer_streaming.h"

// Problem: place, route and draw take a case; plans of regions are none.
// Idea: every region is a kernel of one shape, bound to where the plan has it. What passes between
// regions, and between the ports and a region, are its tensors. Source: ours. Cost: O(regions).
namespace waferloom::planner {
namespace {

/// A case of regions alone. A region may lie over dead tiles, around which its lines step, so no
/// tile of a region is dead to it.
ProblemData regions_on(const Hardware& hardware, const std::string& name,
                       const std::vector<Rectangle>& regions) {
  ProblemData data;
  data.name = name;
  data.wafer = hardware.wafer;
  for (const Rectangle& region : regions) {
    data.wafer.dead = outside_of(region, data.wafer.dead);
  }
  data.memory_limit =
      std::max<std::int64_t>(1, hardware.sram_bytes_per_tile.value_or(0) / hardware.element_bytes);
  return data;
}

void add_region(ProblemData& data, const std::string& name, const Rectangle& tiles,
                std::int64_t cycles) {
  constexpr std::int64_t kMillion = 1'000'000;
  const std::int64_t most = kMaxOptionTime / kMillion;
  auto shapes = std::make_shared<std::vector<ShapeOption>>();
  shapes->push_back({tiles.width, tiles.height,
                     std::clamp<std::int64_t>(cycles, 1, most) * kMillion, 0, kNoSignature});
  const auto id = static_cast<std::int64_t>(data.kernels.size());
  data.constraints.fixed.push_back({data.kernels.size(), tiles.x, tiles.y, false, std::nullopt});
  data.kernels.push_back({id, name, make_kernel(ShapesFormal{std::move(shapes)}), true});
}

void add_terminal(ProblemData& data, Terminal::Kind kind, const std::string& name,
                  std::size_t kernel, std::int64_t elements) {
  const TensorShape shape = tensor_of(elements);
  const auto id = static_cast<std::int64_t>(data.kernels.size() + data.terminals.size());
  data.terminals.push_back({id, name, kind, shape});
  data.terminal_connections.push_back({data.terminals.size() - 1, kernel, shape});
}

std::int64_t elements_of(double bytes, const Hardware& hardware) {
  return std::max<std::int64_t>(1, std::llround(bytes / as_double(hardware.element_bytes)));
}

}  // namespace

Problem resident_case(const ResidentPlan& plan, const Workload& workload,
                      const Hardware& hardware) {
  const ResidentPass pass = resident_pass(plan, workload, hardware);
  const TileFabric fabric = tile_fabric(hardware, plan.data_type, workload.kept);
  ProblemData data = regions_on(hardware, workload.name, pass.regions);
  for (std::size_t i = 0; i < pass.regions.size(); ++i) {
    add_region(data, fmt::format("region{}", i + 1), pass.regions[i], pass.cycles[i]);
  }
  const std::int64_t passed =
      elements_of(as_double(pass.words) * as_double(fabric.word_bytes), hardware);
  for (std::size_t i = 1; i < pass.regions.size(); ++i) {
    data.connections.push_back({i - 1, i, tensor_of(passed), Decimal6{Decimal6::kOne}});
  }
  const std::int64_t tokens =
      std::max<std::int64_t>(1, plan.requests / std::max<std::int64_t>(1, pass.groups));
  add_terminal(data, Terminal::Kind::input, "in.tokens", 0, tokens);
  add_terminal(data, Terminal::Kind::output, "out.tokens", pass.regions.size() - 1, tokens);
  return Problem(std::move(data));
}

Problem streaming_case(const StreamingPlan& plan, const Workload& workload,
                       const Hardware& hardware) {
  if (workload.name != plan.workload) {
    throw RequestError("the plan is for " + plan.workload + ", not for " + workload.name);
  }
  // Of a micro-batch, as the cycles are: what all its layers take in and give.
  double weights = 0;
  double gradients = 0;
  double cycles = 0;
  for (const StreamingPlan::Part& part : plan.parts) {
    const double repeat = as_double(part.repeat);
    weights += repeat * part.weight_bytes;
    cycles += repeat * part.forward_cycles;
    if (!plan.trains) continue;
    weights += repeat * part.backward_weight_bytes;
    gradients += repeat * part.gradient_bytes;
    cycles += repeat * part.backward_cycles;
  }
  const Rectangle tiles = streaming_tiles(plan, hardware);
  ProblemData data = regions_on(hardware, workload.name, {tiles});
  add_region(data, "tiles", tiles, std::llround(cycles));
  add_terminal(data, Terminal::Kind::input, "in.weights", 0, elements_of(weights, hardware));
  if (gradients > 0) {
    add_terminal(data, Terminal::Kind::output, "out.gradients", 0,
                 elements_of(gradients, hardware));
  }
  return Problem(std::move(data));
}

}  // namespace waferloom::planner
