#include "planner/dfmodel/systems/science_workloads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "planner/design_space.h"
#include "planner/dfmodel/systems/network_times.h"

namespace waferloom::planner {
namespace {

double chips(const System& system) { return static_cast<double>(system.chips()); }

double compute_s(double flop, const System& system) {
  return flop / (chips(system) * system.chip.flop_per_s * system.chip.reached().at(1));
}

/// Seconds to move bytes of a chip from or to its first memory; none where it has no other than
/// SRAM.
double memory_s(double bytes, const System& system) {
  return system.memories.empty() ? 0 : bytes / system.memories.front().bytes_per_s;
}

/// Network time of LU where `columns` dimensions number the process grid's columns: chips of one of
/// its rows differ in them.
double hpl_network_s(const HplWorkload& workload, const std::vector<NetworkDimension>& rows,
                     const std::vector<NetworkDimension>& columns) {
  const auto size = [](const std::vector<NetworkDimension>& dimensions) {
    double product = 1;
    for (const NetworkDimension& dimension : dimensions)
      product *= static_cast<double>(dimension.size);
    return product;
  };
  const double matrix = workload.n * workload.n * workload.element_bytes;
  const CollectiveRate panels = collective_rate(CollectiveKind::broadcast, columns);
  const CollectiveRate updates = collective_rate(CollectiveKind::broadcast, rows);
  double step = 0;
  for (const NetworkDimension& row : rows) {
    if (row.size > 1) step = std::max(step, row.latency_s);
  }
  double total = workload.n / workload.block * (panels.latency_s + updates.latency_s) +
                 workload.n * doubling_rounds(size(rows)) * step;
  total += panels.seconds_per_byte * matrix / (2 * size(rows));
  total += updates.seconds_per_byte * 3 * matrix / (2 * size(columns));
  return total;
}

}  // namespace

double WorkTime::total_s() const { return std::max({compute_s, memory_s, network_s}); }

double WorkTime::utilisation(const System& system) const {
  return flop / (total_s() * chips(system) * system.chip.flop_per_s);
}

WorkTime dlrm_time(const DlrmWorkload& workload, const System& system) {
  const double e = workload.element_bytes;
  const double vectors = workload.batch * workload.tables * workload.dimension;
  const double layers = workload.layer_parameters() * e;
  WorkTime result;
  result.flop = 6 * workload.batch * workload.layers * workload.width * workload.width +
                2 * vectors * workload.pooling;
  result.compute_s = compute_s(result.flop, system);
  result.memory_s =
      memory_s(3 * vectors * workload.pooling * e / chips(system) + 6 * layers, system);
  const CollectiveRate exchange = collective_rate(CollectiveKind::all_to_all, system.dimensions);
  const CollectiveRate sum = collective_rate(CollectiveKind::all_reduce, system.dimensions);
  result.network_s = 2 * exchange.seconds(vectors * e / chips(system)) + sum.seconds(layers);
  result.chip_bytes = workload.table_parameters() * e / chips(system) + 2 * layers;
  return result;
}

WorkTime hpl_time(const HplWorkload& workload, const System& system) {
  const double matrix = workload.n * workload.n * workload.element_bytes / chips(system);
  WorkTime result;
  result.flop = 2 * workload.n * workload.n * workload.n / 3;
  result.compute_s = compute_s(result.flop, system);
  const double words = std::max(1.0, system.chip.sram_bytes / workload.element_bytes);
  const double moved = result.flop / chips(system) * workload.element_bytes / std::sqrt(words);
  result.memory_s = memory_s(moved + matrix, system);
  result.chip_bytes = matrix;
  result.network_s = std::numeric_limits<double>::infinity();
  const std::size_t splits = std::size_t{1} << system.dimensions.size();
  for (std::size_t split = 0; split < splits; ++split) {
    std::vector<NetworkDimension> rows;
    std::vector<NetworkDimension> columns;
    for (std::size_t i = 0; i < system.dimensions.size(); ++i) {
      ((split >> i & 1) != 0 ? columns : rows).push_back(system.dimensions[i]);
    }
    result.network_s = std::min(result.network_s, hpl_network_s(workload, rows, columns));
  }
  return result;
}

double FftWorkload::points() const { return std::exp2(static_cast<double>(log2_points)); }

WorkTime fft_time(const FftWorkload& workload, const System& system) {
  const auto levels = static_cast<double>(workload.log2_points);
  const double part = workload.points() * workload.point_bytes / chips(system);
  WorkTime result;
  result.flop = 5 * workload.points() * levels;
  result.compute_s = compute_s(result.flop, system);
  const double held = std::max(2.0, system.chip.sram_bytes / workload.point_bytes);
  result.memory_s = memory_s(2 * part * std::ceil(levels / std::log2(held)), system);
  result.network_s =
      3 * collective_rate(CollectiveKind::all_to_all, system.dimensions).seconds(part);
  result.chip_bytes = part;
  return result;
}

}  // namespace waferloom::planner
