#include "planner/dfmodel/systems/network_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

/// Steps, and D/B that many times.
struct Terms {
  double steps = 0;
  double shares = 0;
};

DimensionTopology topology_of(const NetworkDimension& dimension) {
  const bool is_pair = dimension.size == 2 && dimension.topology == DimensionTopology::line;
  return is_pair ? DimensionTopology::ring : dimension.topology;
}

Terms scatter(DimensionTopology topology, std::int64_t size) {
  const auto chips = static_cast<double>(size);
  const double sent = (chips - 1) / chips;
  switch (topology) {
    case DimensionTopology::ring:
      return {chips - 1, sent};
    case DimensionTopology::line:
      return {chips - 1, 2 * sent};
    case DimensionTopology::fully_connected:
      return {1, 1 / chips};
    case DimensionTopology::switched:
      return {doubling_rounds(chips), sent};
  }
  return {};
}

/// Of the busiest link, where every chip sends 1 in all, a P-th to each: P/`parts`, less for odd P.
double link_load(std::int64_t size, double parts) {
  const auto chips = static_cast<double>(size);
  return (chips * chips - (size % 2 == 0 ? 0 : 1)) / (parts * chips);
}

Terms exchange(DimensionTopology topology, std::int64_t size) {
  const auto chips = static_cast<double>(size);
  const double sent = (chips - 1) / chips;
  switch (topology) {
    case DimensionTopology::ring:
      return {std::floor(chips / 2), std::max(sent, link_load(size, 8))};
    case DimensionTopology::line:
      return {chips - 1, std::max(sent, link_load(size, 4))};
    case DimensionTopology::fully_connected:
      return {1, 1 / chips};
    case DimensionTopology::switched:
      return {1, sent};
  }
  return {};
}

Terms spread(DimensionTopology topology, std::int64_t size) {
  const auto chips = static_cast<double>(size);
  if (topology == DimensionTopology::fully_connected) return {2, 2 / chips};
  return {chips - 1, 1};
}

Terms terms(CollectiveKind kind, DimensionTopology topology, std::int64_t size) {
  switch (kind) {
    case CollectiveKind::all_reduce: {
      const Terms half = scatter(topology, size);
      return {2 * half.steps, 2 * half.shares};
    }
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return scatter(topology, size);
    case CollectiveKind::all_to_all:
      return exchange(topology, size);
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return spread(topology, size);
  }
  return {};
}

void check(const NetworkDimension& dimension) {
  if (dimension.size < 1) {
    throw std::logic_error(
        fmt::format("expected a dimension of at least 1 chip, found {}", dimension.size));
  }
  if (dimension.size > 1 && !(dimension.link_bytes_per_s > 0)) {
    throw RequestError(fmt::format(
        "expected links of more than 0 bytes/s in a dimension of {} chips", dimension.size));
  }
}

bool shrinks(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
         kind == CollectiveKind::all_gather;
}

}  // namespace

double doubling_rounds(double chips) {
  double rounds = 0;
  for (double reached = 1; reached < chips; reached *= 2) ++rounds;
  return rounds;
}

CollectiveRate collective_rate(CollectiveKind kind, const NetworkDimension& dimension) {
  check(dimension);
  if (dimension.size == 1) return {};
  const Terms found = terms(kind, topology_of(dimension), dimension.size);
  return {found.steps * dimension.latency_s, found.shares / dimension.link_bytes_per_s};
}

CollectiveRate collective_rate(CollectiveKind kind,
                               const std::vector<NetworkDimension>& dimensions) {
  CollectiveRate result;
  double part = 1;
  for (const NetworkDimension& dimension : dimensions) {
    const CollectiveRate rate = collective_rate(kind, dimension);
    result.latency_s += rate.latency_s;
    result.seconds_per_byte += rate.seconds_per_byte * part;
    if (shrinks(kind)) part /= static_cast<double>(dimension.size);
  }
  return result;
}

CollectiveRate point_to_point_rate(const NetworkDimension& dimension) {
  check(dimension);
  if (dimension.size == 1) return {};
  return {dimension.latency_s, 1 / dimension.link_bytes_per_s};
}

NetworkDimension mesh_group(std::int64_t width, std::int64_t height, const MeshLink& link) {
  if (width < 1 || height < 1) {
    throw std::logic_error(
        fmt::format("expected a group of at least 1 x 1, found {} x {}", width, height));
  }
  NetworkDimension result;
  result.size = width * height;
  const bool has_cycle = (std::min(width, height) >= 2 && result.size % 2 == 0) || result.size <= 2;
  result.topology = has_cycle ? DimensionTopology::ring : DimensionTopology::line;
  result.link_bytes_per_s = link.bytes_per_s;
  result.latency_s = link.latency_s;
  return result;
}

}  // namespace waferloom::planner
