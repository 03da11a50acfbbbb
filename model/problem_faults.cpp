#include "model/problem_faults.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace waferloom {
namespace {

constexpr std::int64_t kTimeLimit = std::int64_t{1} << 62;
constexpr Int128 kTotalLimit = Int128(1) << 120;

bool in_range(std::int64_t value, std::int64_t most) { return value >= 1 && value <= most; }

std::string range_text(std::string_view what, std::int64_t most, std::int64_t found) {
  return "expected " + std::string(what) + " from 1 to " + std::to_string(most) + ", found " +
         std::to_string(found);
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
  const auto& cblock = std::get<CblockFormal>(formal);
  return {cblock.height, cblock.width, cblock.features};
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
                 "expected an id from 0 to " + std::to_string(kMaxNodeId) + ", found " +
                     std::to_string(id));
    } else if (!ids.insert(id).second) {
      faults.add(place, index,
                 "expected an id of its own, found " + std::to_string(id) + " a second time");
    }
  };
  for (std::size_t i = 0; i < data.kernels.size() && !faults.full(); ++i) {
    const ProblemKernel& kernel = data.kernels[i];
    check(FaultPlace::kernel, i, kernel.id, kernel.name);
    for (const std::int64_t value : parameters(kernel.kernel.formal)) {
      if (in_range(value, kMaxParameter)) continue;
      faults.add(FaultPlace::kernel, i, range_text("a parameter", kMaxParameter, value));
    }
  }
  for (std::size_t i = 0; i < data.terminals.size() && !faults.full(); ++i) {
    const Terminal& terminal = data.terminals[i];
    check(FaultPlace::terminal, i, terminal.id, terminal.name);
    if (!is_shape(terminal.shape)) {
      faults.add(FaultPlace::terminal, i,
                 "expected sizes from 1 to " + std::to_string(kMaxParameter) + ", found another");
    }
  }
}

void check_edges(const ProblemData& data, FaultList& faults) {
  const auto check_tensor = [&](FaultPlace place, std::size_t index, const TensorShape& tensor) {
    if (is_shape(tensor) || tensor == TensorShape{}) return;
    faults.add(
        place, index,
        "expected tensor sizes from 1 to " + std::to_string(kMaxParameter) + ", found another");
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

/// Largest possible total in units of CostModel: the slowest kernel on one tile, every edge across
/// the whole wafer, three mismatches an edge.
bool total_fits(const ProblemData& data, Int128 largest_time, std::int64_t denominator) {
  const Int128 steps = denominator % 2 == 0 ? denominator : Int128(2) * denominator;
  const Int128 edges = static_cast<std::int64_t>(data.connections.size());
  const Int128 half_tiles = edges * 2 * (data.wafer.width + data.wafer.height);
  const auto term = [](Int128 count, Int128 units, Decimal6 weight) {
    const Int128 each = units * weight.millionths;  // below 2^63 · 2^53
    return count == 0 || each <= kTotalLimit / count ? count * each : kTotalLimit;
  };
  const Int128 total = term(largest_time, steps / denominator, data.weights.time) +
                       term(half_tiles, steps / 2, data.weights.distance) +
                       term(3 * edges, steps, data.weights.adapter);
  return total < kTotalLimit;
}

/// Demands that everything else is in order.
void check_magnitudes(const ProblemData& data, FaultList& faults) {
  const std::int64_t denominator = common_time_denominator(data.kernels);
  if (denominator == 0) {
    faults.add(FaultPlace::kernels, 0,
               "expected strides whose products T·U have a common multiple below 2^62, found more");
    return;
  }
  Int128 largest = 0;
  for (std::size_t i = 0; i < data.kernels.size() && !faults.full(); ++i) {
    const Int128 time = sequential_time(make_kernel(data.kernels[i].kernel.formal), denominator);
    largest = std::max(largest, time);
    if (time < kTimeLimit) continue;
    faults.add(FaultPlace::kernel, i,
               "expected a kernel of less than 2^62 steps, found '" + data.kernels[i].name +
                   "' with more");
  }
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

bool is_name(std::string_view name) {
  constexpr std::string_view kMarks = "_.-+/#@[]";
  const auto allowed = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kMaxNameLength &&
         name.find("//") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), allowed);
}

std::vector<ProblemFault> find_faults(const ProblemData& data, std::size_t most) {
  FaultList faults(most);
  check_globals(data, faults);
  if (data.kernels.empty()) {
    faults.add(FaultPlace::kernels, 0,
               "expected at least one kernel (conv, dblock or cblock), found none");
  }
  check_nodes(data, faults);
  check_edges(data, faults);
  if (faults.empty()) check_magnitudes(data, faults);
  return faults.take();
}

}  // namespace waferloom
