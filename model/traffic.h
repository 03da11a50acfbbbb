#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/bottleneck.h"
#include "model/hardware.h"
#include "model/rectangle.h"

namespace waferloom {

/// Tiles that tensors leave and reach: those of a kernel or of a stage.
struct TrafficBlock {
  std::string name;
  Rectangle tiles;
  std::int64_t work_ps = 0;  ///< on a sample
  /// Of all its tiles, what its work and program leave for samples that wait; nothing: no limit.
  std::optional<std::int64_t> free_bytes{};
  bool operator==(const TrafficBlock&) const = default;
};

/// A port on the wafer's edge that tensors come in by or go out by.
struct TrafficPort {
  std::string name;
  TilePlace tile;
  Rate bytes_per_s;
  bool operator==(const TrafficPort&) const = default;
};

/// What a tensor is to its pipeline.
enum class TensorKind : std::uint8_t {
  edge,      ///< from block to block
  input,     ///< from a port to a block
  output,    ///< from a block to a port
  gradient,  ///< of an edge, from its consumer to its producer
};
std::string_view tensor_kind_name(TensorKind kind);

/// A tensor of every sample, on its way from block to block or between a block and ports.
struct TrafficTensor {
  static constexpr std::size_t kOutside = SIZE_MAX;
  std::string name;  ///< unique
  TensorKind kind = TensorKind::edge;
  std::size_t producer = kOutside;   ///< block; outside: the ports
  std::size_t consumer = kOutside;   ///< likewise
  std::int64_t bytes = 0;            ///< of a sample, at least 0
  std::vector<std::size_t> ports{};  ///< that it may use; of inputs and outputs
  std::int64_t adapters = 0;         ///< passes, one behind the other, before the lanes
  /// Of what goes to and from a memory behind ports: tensors with one number use the same ports in
  /// the same parts, since what was written through a port is read there.
  std::optional<std::size_t> store{};
  bool operator==(const TrafficTensor&) const = default;
};

/// What a pipeline moves over a mesh for a sample, whatever the paths. Blocks lie on live tiles of
/// the mesh and do not overlap; ports in a tensor's list are at live tiles.
struct Traffic {
  std::vector<TrafficBlock> blocks;
  std::vector<TrafficPort> ports;
  std::vector<TrafficTensor> tensors;
  /// What a sample needs of the slowest stage, port or adapter: links that need less bind nothing.
  std::int64_t period_ps = 0;
  /// Of a link inside a block, what its own work takes; nothing: as the hardware says.
  std::optional<std::int64_t> kernel_link_percent{};
  /// Of the tiles that no block covers together; nothing: no limit.
  std::optional<std::int64_t> free_bytes{};
  /// Of a sample, besides links between blocks: what takes period_ps, and others.
  std::vector<NamedBound> bounds{};
  std::int64_t samples_each = 1;  ///< of the workload, that such a sample has
  bool operator==(const Traffic&) const = default;
};

/// How long a sample takes through an adapter that feeds so many lanes: its set-up, and the bytes
/// at the lanes' rate, rounded up.
std::int64_t adapter_pass_ps(std::int64_t bytes, std::int64_t lanes, const Hardware& hardware);

}  // namespace waferloom
