#include "model/problem/problem_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "model/text/node_name.h"

// Problem: say which rule of a problem's data is broken, the same for every reader and for code.
// Idea: one function a part (kernels, edges, wafer, fixed kernels, regions) appends a fault with
// the part's index and a message "expected …, found …". Problem throws the first one; readers turn
// the index into a line and column.
// Cost: O(size of the data) up to sorting; ends at `most` faults.
namespace waferloom {
namespace {

constexpr std::int64_t kTimeLimit = std::int64_t{1} << 62;
constexpr Int128 kScoreLimit = Int128(1) << 62;
constexpr Int128 kTotalLimit = Int128(1) << 120;

bool in_range(std::int64_t value, std::int64_t most) { return value >= 1 && value <= most; }

std::string range_text(std::string_view what, std::int64_t most, std::int64_t found) {
  return fmt::format("expected {} from 1 to {}, found {}", what, most, found);
}

/// Collects up to a number of faults.
class FaultList {
 public:
  explicit FaultList(std::size_t most) : most_(most) {}
  void add(FaultPlace place, std::size_t index, std::string message) {
    if (!full()) faults_.push_back(ProblemFault{place, index, std::move(message)});
  }
  bool full() const { return faults_.size() >= most_; }
  bool empty() const { return faults_.empty(); }
  std::vector<ProblemFault> take() { return std::move(faults_); }

 private:
  std::size_t most_;
  std::vector<ProblemFault> faults_;
};

/// The formal parameters of a kernel that have to be in [1, kMaxParameter].
std::vector<std::int64_t> parameters(const KernelFormal& formal) {
  if (const auto* conv = std::get_if<ConvFormal>(&formal)) {
    return {conv->height,      conv->width,        conv->field_height, conv->field_width,
            conv->channels_in, conv->channels_out, conv->stride_y,     conv->stride_x};
  }
  if (const auto* dblock = std::get_if<DblockFormal>(&formal)) {
    return {dblock->height, dblock->width, dblock->features};
  }
  if (const auto* cblock = std::get_if<CblockFormal>(&formal)) {
    return {cblock->height, cblock->width, cblock->features};
  }
  return {};
}

bool is_shown_signature(const Signature& shown) {
  return in_range(shown.h, kMaxParameter) && in_range(shown.w, kMaxParameter) &&
         in_range(shown.c_in, kMaxParameter) && in_range(shown.c_out, kMaxParameter);
}

bool is_option(const ShapeOption& option) {
  return in_range(option.width, kMaxParameter) && in_range(option.height, kMaxParameter) &&
         in_range(option.time_millionths, kMaxOptionTime) && option.memory_words >= 0 &&
         option.memory_words <= kMaxOptionMemory &&
         (option.signature == kNoSignature || is_shown_signature(option.signature));
}

/// Faults of a list of shapes.
void check_options(const ShapesFormal& shapes, std::size_t index, FaultList& faults) {
  const std::vector<ShapeOption>& options = shapes.list();
  if (options.empty() || options.size() > kMaxShapeOptions) {
    faults.add(FaultPlace::kernel, index,
               fmt::format("expected 1 to {} shapes, found {}", kMaxShapeOptions, options.size()));
  }
  for (std::size_t i = 0; i < options.size() && !faults.full(); ++i) {
    if (is_option(options[i])) continue;
    faults.add(FaultPlace::kernel, index,
               fmt::format("expected sizes, time, memory and signature within their ranges, found "
                           "others in option {}",
                           i + 1));
  }
}

bool is_shape(const TensorShape& shape) {
  return in_range(shape.height, kMaxParameter) && in_range(shape.width, kMaxParameter) &&
         in_range(shape.channels, kMaxParameter);
}

void check_globals(const ProblemData& data, FaultList& faults) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~' && c != '\''; };
  if (!std::all_of(data.name.begin(), data.name.end(), printable) ||
      data.name.find("*)") != std::string::npos) {
    faults.add(FaultPlace::name, 0,
               "expected a problem name of printable ASCII without ' and *), found another");
  }
  for (const std::int64_t side : {data.wafer.width, data.wafer.height}) {
    if (!in_range(side, kMaxWaferSide)) {
      faults.add(FaultPlace::wafer, 0, range_text("a wafer side", kMaxWaferSide, side));
    }
  }
  if (!in_range(data.memory_limit, kMaxMemoryLimit)) {
    faults.add(FaultPlace::memory_limit, 0,
               range_text("a memory limit", kMaxMemoryLimit, data.memory_limit));
  }
  const auto kernels = static_cast<std::int64_t>(data.kernels.size());
  if (data.replicas < 1 ||
      data.replicas > std::min(kMaxReplicas, std::max<std::int64_t>(1, kernels))) {
    faults.add(FaultPlace::replicas, 0,
               fmt::format("expected from 1 replica to as many as kernels, {}, found {}", kernels,
                           data.replicas));
  }
  for (const Decimal6 weight : {data.weights.time, data.weights.distance, data.weights.adapter}) {
    if (weight.millionths < 0 || weight > kMaxWeight) {
      faults.add(FaultPlace::weights, 0,
                 "expected a weight from 0 to " + to_string(kMaxWeight) + ", found " +
                     to_string(Int128(weight.millionths)) + " millionths");
    }
  }
}

void check_nodes(const ProblemData& data, FaultList& faults) {
  std::unordered_set<std::string_view> names;
  std::unordered_set<std::int64_t> ids;
  const auto check = [&](FaultPlace place, std::size_t index, std::int64_t id,
                         const std::string& name) {
    if (!is_name(name)) {
      faults.add(place, index, "expected " + std::string(kNameRule) + ", found another");
    } else if (!names.insert(name).second) {
      faults.add(place, index, "expected a name of its own, found '" + name + "' a second time");
    }
    if (id < 0 || id > kMaxNodeId) {
      faults.add(place, index,
                 fmt::format("expected an id from 0 to {}, found {}", kMaxNodeId, id));
    } else if (!ids.insert(id).second) {
      faults.add(place, index,
                 fmt::format("expected an id of its own, found {} a second time", id));
    }
  };
  for (std::size_t i = 0; i < data.kernels.size() && !faults.full(); ++i) {
    const ProblemKernel& kernel = data.kernels[i];
    check(FaultPlace::kernel, i, kernel.id, kernel.name);
    for (const std::int64_t value : parameters(kernel.kernel.formal)) {
      if (in_range(value, kMaxParameter)) continue;
      faults.add(FaultPlace::kernel, i, range_text("a parameter", kMaxParameter, value));
    }
    if (const auto* shapes = std::get_if<ShapesFormal>(&kernel.kernel.formal)) {
      check_options(*shapes, i, faults);
    }
  }
  for (std::size_t i = 0; i < data.terminals.size() && !faults.full(); ++i) {
    const Terminal& terminal = data.terminals[i];
    check(FaultPlace::terminal, i, terminal.id, terminal.name);
    if (!is_shape(terminal.shape)) {
      faults.add(FaultPlace::terminal, i,
                 fmt::format("expected sizes from 1 to {}, found another", kMaxParameter));
    }
  }
}

void check_edges(const ProblemData& data, FaultList& faults) {
  const auto check_tensor = [&](FaultPlace place, std::size_t index, const TensorShape& tensor) {
    if (is_shape(tensor) || tensor == TensorShape{}) return;
    faults.add(place, index,
               fmt::format("expected tensor sizes from 1 to {}, found another", kMaxParameter));
  };
  for (std::size_t i = 0; i < data.connections.size() && !faults.full(); ++i) {
    const Connection& edge = data.connections[i];
    if (edge.producer >= data.kernels.size() || edge.consumer >= data.kernels.size()) {
      faults.add(FaultPlace::connection, i, "expected an edge between kernels, found none such");
    } else if (edge.producer == edge.consumer) {
      faults.add(FaultPlace::connection, i,
                 "expected an edge between two kernels, found one from '" +
                     data.kernels[edge.producer].name + "' to itself");
    }
    if (edge.weight.millionths < 0 || edge.weight > kMaxEdgeWeight) {
      faults.add(FaultPlace::connection, i,
                 "expected a weight from 0 to " + to_string(kMaxEdgeWeight) + ", found " +
                     to_string(Int128(edge.weight.millionths)) + " millionths");
    }
    check_tensor(FaultPlace::connection, i, edge.tensor);
  }
  for (std::size_t i = 0; i < data.terminal_connections.size() && !faults.full(); ++i) {
    const TerminalConnection& edge = data.terminal_connections[i];
    if (edge.terminal >= data.terminals.size() || edge.kernel >= data.kernels.size()) {
      faults.add(FaultPlace::terminal_connection, i,
                 "expected an edge between a terminal and a kernel, found none such");
    }
    check_tensor(FaultPlace::terminal_connection, i, edge.tensor);
  }
}

void check_dead(const Wafer& wafer, FaultList& faults) {
  if (wafer.dead.size() > kMaxDeadRectangles) {
    faults.add(FaultPlace::wafer, 0,
               fmt::format("expected at most {} dead rectangles, found {}", kMaxDeadRectangles,
                           wafer.dead.size()));
  }
  for (std::size_t i = 0; i < wafer.dead.size() && !faults.full(); ++i) {
    const Rectangle& dead = wafer.dead[i];
    const bool within = dead.x >= 0 && dead.y >= 0 && in_range(dead.width, kMaxWaferSide) &&
                        in_range(dead.height, kMaxWaferSide) && dead.x < wafer.width &&
                        dead.y < wafer.height && dead.width <= wafer.width - dead.x &&
                        dead.height <= wafer.height - dead.y;
    if (!within) {
      faults.add(FaultPlace::dead, i, "expected a dead rectangle on the wafer, found another");
    }
  }
}

void check_fixed(const ProblemData& data, FaultList& faults) {
  std::vector<bool> seen(data.kernels.size(), false);
  for (std::size_t i = 0; i < data.constraints.fixed.size() && !faults.full(); ++i) {
    const FixedKernel& fixed = data.constraints.fixed[i];
    if (fixed.kernel >= data.kernels.size()) {
      faults.add(FaultPlace::fixed, i, "expected a kernel of the case, found another");
      continue;
    }
    const ProblemKernel& kernel = data.kernels[fixed.kernel];
    if (seen[fixed.kernel]) {
      faults.add(FaultPlace::fixed, i,
                 "expected a kernel that is fixed once, found '" + kernel.name + "' again");
    }
    seen[fixed.kernel] = true;
    if (fixed.x < 0 || fixed.y < 0 || fixed.x >= data.wafer.width || fixed.y >= data.wafer.height) {
      faults.add(FaultPlace::fixed, i,
                 fmt::format("expected a place on the wafer for '{}', found ({}, {})", kernel.name,
                             fixed.x, fixed.y));
    }
    if (fixed.execution && !within_limits(make_kernel(kernel.kernel.formal), *fixed.execution)) {
      faults.add(
          FaultPlace::fixed, i,
          "expected execution parameters within the limits of '" + kernel.name + "', found others");
    }
  }
}

bool is_region_area(const Rectangle& area) {
  const auto near = [](std::int64_t at) { return at >= -kMaxWaferSide && at <= kMaxWaferSide; };
  return near(area.x) && near(area.y) && in_range(area.width, 2 * kMaxWaferSide) &&
         in_range(area.height, 2 * kMaxWaferSide);
}

/// Whether the indices ascend and are below `count`.
bool are_kernels(const std::vector<std::size_t>& indices, std::size_t count) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= count || (i > 0 && indices[i - 1] >= indices[i])) return false;
  }
  return true;
}

void check_regions(const ProblemData& data, FaultList& faults) {
  std::size_t kernels = 0;
  for (const Region& region : data.constraints.regions) kernels += region.kernels.size();
  if (data.constraints.regions.size() > kMaxRegions || kernels > kMaxRegionKernels) {
    faults.add(FaultPlace::region, 0,
               fmt::format("expected at most {} regions of together {} kernels, found more",
                           kMaxRegions, kMaxRegionKernels));
    return;
  }
  for (std::size_t i = 0; i < data.constraints.regions.size() && !faults.full(); ++i) {
    const Region& region = data.constraints.regions[i];
    if (!are_kernels(region.kernels, data.kernels.size())) {
      faults.add(FaultPlace::region, i, "expected kernels of the case, each once, found others");
    }
    if (!is_region_area(region.area)) {
      faults.add(FaultPlace::region, i,
                 fmt::format("expected a rectangle that begins within {} tiles of the origin and "
                             "has sides from 1 to {}, found another",
                             kMaxWaferSide, 2 * kMaxWaferSide));
    }
    if (region.weight.millionths < 0 || region.weight > kMaxPreference) {
      faults.add(FaultPlace::region, i,
                 "expected a weight from 0 to " + to_string(kMaxPreference) + ", found " +
                     to_string(Int128(region.weight.millionths)) + " millionths");
    }
  }
}

/// Largest values of Score on the wafer: the slowest kernel on one tile, every edge across the
/// whole wafer, three mismatches an edge, every preferred region at the other end.
struct LargestScore {
  Int128 time = 0;
  Int128 half_distance = 0;
  Int128 adapter = 0;
  Int128 preference = 0;
};

/// Sums in units of Score; index of the edge or region that reaches 2^62, if one does.
void check_sums(const ProblemData& data, LargestScore& largest, FaultList& faults) {
  const Int128 across = 2 * (data.wafer.width + data.wafer.height);
  const std::int64_t unit = Decimal6::kOne / common_distance_denominator(data.connections);
  for (std::size_t i = 0; i < data.connections.size(); ++i) {
    largest.half_distance += across * (data.connections[i].weight.millionths / unit);
    if (largest.half_distance < kScoreLimit) continue;
    faults.add(FaultPlace::connection, i,
               "expected weights of edges under which the largest distance stays below 2^62 units, "
               "found larger ones");
    return;
  }
  largest.adapter = 3 * Int128(static_cast<std::int64_t>(data.connections.size()));
  for (std::size_t i = 0; i < data.constraints.regions.size(); ++i) {
    const Region& region = data.constraints.regions[i];
    if (region.rule != RegionRule::prefer) continue;
    const Int128 apart = across + 2 * (Int128(std::abs(region.area.x)) + std::abs(region.area.y) +
                                       region.area.width + region.area.height);
    largest.preference +=
        apart * region.weight.millionths * static_cast<std::int64_t>(region.kernels.size());
    if (largest.preference < kScoreLimit) continue;
    faults.add(FaultPlace::region, i,
               "expected weights of regions under which the largest preference stays below 2^62 "
               "units, found larger ones");
    return;
  }
}

/// Whether the largest total stays below 2^120 in units of CostModel.
bool total_fits(const ProblemData& data, const LargestScore& largest, std::int64_t denominator) {
  const Int128 edges = common_distance_denominator(data.connections);
  const Int128 steps = denominator % 2 == 0 ? denominator : Int128(2) * denominator;
  const auto term = [](Int128 count, Decimal6 weight, Int128 units) {
    const Int128 each = units * weight.millionths;  // below 2^63 · 2^53
    return count == 0 || each <= kTotalLimit / count ? count * each : kTotalLimit;
  };
  const auto times = [](Int128 value, Int128 factor) {
    return value <= kTotalLimit / factor ? value * factor : kTotalLimit;
  };
  const Int128 total = times(term(largest.time, data.weights.time, steps / denominator), edges) +
                       term(largest.half_distance, data.weights.distance, steps / 2) +
                       times(term(largest.adapter, data.weights.adapter, steps), edges) +
                       times(term(largest.preference, Decimal6{1}, steps / 2), edges);
  return total < kTotalLimit;
}

/// Demands that everything else is in order.
void check_magnitudes(const ProblemData& data, FaultList& faults) {
  const std::int64_t denominator = common_time_denominator(data.kernels);
  if (denominator == 0) {
    faults.add(FaultPlace::kernels, 0,
               "expected strides and times whose denominators have a common multiple below 2^62, "
               "found more");
    return;
  }
  LargestScore largest;
  for (std::size_t i = 0; i < data.kernels.size() && !faults.full(); ++i) {
    const Int128 time = sequential_time(make_kernel(data.kernels[i].kernel.formal), denominator);
    largest.time = std::max(largest.time, time);
    if (time < kTimeLimit) continue;
    faults.add(FaultPlace::kernel, i,
               "expected a kernel of less than 2^62 steps, found '" + data.kernels[i].name +
                   "' with more");
  }
  check_sums(data, largest, faults);
  if (faults.empty() && !total_fits(data, largest, denominator)) {
    faults.add(FaultPlace::weights, 0,
               "expected weights under which the largest cost stays below 2^120 units, found "
               "larger ones");
  }
}

}  // namespace

std::int64_t common_time_denominator(const std::vector<ProblemKernel>& kernels) {
  std::int64_t common = 1;
  for (const ProblemKernel& kernel : kernels) {
    const std::int64_t own = time_denominator(make_kernel(kernel.kernel.formal));
    const Int128 multiple = Int128(common) * (own / std::gcd(common, own));
    if (multiple >= kTimeLimit) return 0;
    common = static_cast<std::int64_t>(multiple);
  }
  return common;
}

std::int64_t common_distance_denominator(const std::vector<Connection>& connections) {
  std::int64_t common = Decimal6::kOne;
  for (const Connection& edge : connections) common = std::gcd(common, edge.weight.millionths);
  return Decimal6::kOne / common;
}

std::vector<ProblemFault> find_faults(const ProblemData& data, std::size_t most) {
  FaultList faults(most);
  check_globals(data, faults);
  if (data.kernels.empty()) {
    faults.add(FaultPlace::kernels, 0,
               "expected at least one kernel (conv, dblock, cblock or shapes), found none");
  }
  check_nodes(data, faults);
  check_edges(data, faults);
  if (faults.empty()) check_dead(data.wafer, faults);
  if (faults.empty()) check_fixed(data, faults);
  if (faults.empty()) check_regions(data, faults);
  if (faults.empty()) check_magnitudes(data, faults);
  return faults.take();
}

}  // namespace waferloom
