#include "router/relaxation/relaxation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/errors.h"
#include "model/routes.h"
#include "router/flow/cut_bound.h"
#include "router/flow/lane_bound.h"
#include "router/flow/link_limits.h"
#include "router/ports/port_parts.h"

namespace waferloom::router {
namespace {

/// Cells of a mesh's side at most, besides those that kernels' borders cut off.
constexpr std::int64_t kMostCells = 128;
/// Of a sample's time at the slowest stage, what a lane may need: little between blocks, so that
/// tensors arrive soon, and memory's streams, too; more through ports behind which the host is
/// slow.
constexpr double kLaneShare = 1.0 / 16;
constexpr double kPortLaneShare = 1.0 / 4;

/// The bytes of a tile, of `count` among which they are divided evenly.
std::int64_t share_of(std::int64_t bytes, std::int64_t at, std::int64_t count) {
  return bytes / count + (at < bytes % count ? 1 : 0);
}

}  // namespace

void demand_on_mesh(const Traffic& traffic, const Hardware& hardware) {
  demand_mesh(hardware, "the router");
  const Rectangle mesh{0, 0, hardware.wafer.width, hardware.wafer.height};
  for (const TrafficBlock& block : traffic.blocks) {
    if (!contains(mesh, block.tiles)) {
      throw RequestError(block.name + " is not within the hardware's mesh");
    }
  }
}

Relaxation::Relaxation(const Traffic& traffic, const Hardware& hardware, std::int64_t cell)
    : traffic_(traffic),
      hardware_(hardware),
      mesh_(hardware, link_reserve(traffic, hardware)),
      limited_(with_limits(hardware), link_reserve(traffic, hardware)),
      parts_(mesh_),
      grid_(
          limited_, traffic,
          std::max(cell, (std::max(hardware.wafer.width, hardware.wafer.height) + kMostCells - 1) /
                             kMostCells)) {
  bound_.tolls.assign(traffic.tensors.size(), 0);
}

double Relaxation::lane_ps(const TrafficTensor& tensor) const {
  const bool is_slow = !tensor.ports.empty() && !tensor.store;
  return (is_slow ? kPortLaneShare : kLaneShare) * static_cast<double>(traffic_.period_ps);
}

std::optional<std::size_t> Relaxation::find_ends(Lanes lanes) {
  const std::vector<TrafficTensor>& tensors = traffic_.tensors;
  WayLoads loads;
  if (lanes == Lanes::enough) {
    loads.easy_bytes = kEasy * static_cast<double>(traffic_.period_ps) * mesh_.tile_bytes_per_ps();
  }
  // Tensors between blocks, which have little choice, come first; then those with most bytes.
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool by_port = !tensors[a].ports.empty();
    if (by_port != !tensors[b].ports.empty()) return !by_port;
    return tensors[a].bytes > tensors[b].bytes;
  });
  ends_.resize(tensors.size());
  const auto is_cut_off = [](const TensorEnds& ends) {
    return ends.from.empty() || ends.to.empty();
  };
  for (const std::size_t i : order) {
    const double most_ps = lanes == Lanes::most ? 0 : lane_ps(tensors[i]);
    ends_[i] = tensor_ends(tensors[i], traffic_, hardware_, mesh_, parts_, most_ps, loads);
    if (!is_cut_off(ends_[i])) loads.add(ends_[i], tensors[i].bytes, mesh_);
  }
  const auto none = std::find_if(ends_.begin(), ends_.end(), is_cut_off);
  if (none == ends_.end()) return std::nullopt;
  return static_cast<std::size_t>(none - ends_.begin());
}

std::optional<std::size_t> Relaxation::find_possible_ends() {
  for (std::size_t i = 0; i < traffic_.tensors.size(); ++i) {
    const TrafficTensor& tensor = traffic_.tensors[i];
    ends_.push_back(possible_ends(tensor, traffic_, hardware_, mesh_, parts_, lane_ps(tensor)));
    TensorEnds& ends = ends_.back();
    if (ends.from.empty() || ends.to.empty()) return i;
    // A tensor that is divided among ports may have all its lanes from or to each of them.
    if (is_parted(tensor, traffic_)) {
      ends.lanes_most =
          std::min(ends.lanes_most * static_cast<std::int64_t>(tensor.ports.size()), tensor.bytes);
    }
  }
  return std::nullopt;
}

std::string Relaxation::cut_off_text(std::size_t tensor) const {
  const TrafficTensor& which = traffic_.tensors[tensor];
  const auto name = [&](std::size_t block) {
    return block == TrafficTensor::kOutside ? std::string("its ports")
                                            : traffic_.blocks[block].name;
  };
  return "no way from " + name(which.producer) + " to " + name(which.consumer) + " for tensor " +
         which.name + " around what is dead";
}

void Relaxation::find_bound() {
  const Cut cut = worst_cut(traffic_, ends_, hardware_, limited_);
  const auto kind = cut.leaving ? BoundProof::Kind::links_out : BoundProof::Kind::links_in;
  raise_limited(cut.time_ps, {kind, cut.tiles});
  const LaneBound lanes = lane_bound(traffic_, ends_, mesh_, bound_.time_ps);
  if (!lanes.tensor) return;
  raise(lanes.time_ps, {BoundProof::Kind::lanes, {}, traffic_.tensors[*lanes.tensor].name});
}

void Relaxation::bound_more_lanes(std::int64_t lanes_max) {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    ends_[i].lanes_most =
        std::min({ends_[i].tiles, lanes_max, std::max<std::int64_t>(1, traffic_.tensors[i].bytes)});
  }
  bound_ = {};
  bound_.tolls.assign(ends_.size(), 0);
  find_bound();
}

void Relaxation::raise(const FlowResult& flow) {
  if (flow.bound_ps <= unlimited_ps(traffic_, hardware_)) return;
  bound_.priced_ps = flow.bound_ps;
  bound_.tolls = flow.tolls;
  raise(flow.bound_ps, {BoundProof::Kind::prices});
}

void Relaxation::raise_limited(double bound_ps, const BoundProof& proof) {
  if (bound_ps > unlimited_ps(traffic_, hardware_)) raise(bound_ps, proof);
}

void Relaxation::raise(double bound_ps, const BoundProof& proof) {
  if (bound_ps <= bound_.time_ps) return;
  bound_.time_ps = bound_ps;
  bound_.proof = proof;
}

std::vector<CellIndex> Relaxation::cells_of(const TensorEnd& end) const {
  std::vector<CellIndex> cells;
  for (const EndTile& tile : end) {
    const CellIndex cell = grid_.cell_at(tile.tile);
    if (cells.empty() || cells.back() != cell) cells.push_back(cell);
  }
  return cells;
}

std::vector<Commodity> Relaxation::whole_tensors() const {
  std::vector<Commodity> tensors;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    tensors.push_back({cells_of(ends_[i].from), cells_of(ends_[i].to), traffic_.tensors[i].bytes});
  }
  return tensors;
}

std::vector<Commodity> Relaxation::parts_of_tensors() const {
  std::vector<Commodity> parts;
  const std::vector<Commodity> tensors = whole_tensors();
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const bool at_from = ends_[i].from.size() <= ends_[i].to.size();
    const TensorEnd& end = at_from ? ends_[i].from : ends_[i].to;
    const auto count = static_cast<std::int64_t>(end.size());
    CellIndex last = 0;
    for (std::int64_t at = 0; at < count; ++at) {
      const CellIndex cell = grid_.cell_at(end[static_cast<std::size_t>(at)].tile);
      if (at == 0 || cell != last) {
        parts.push_back(tensors[i]);
        (at_from ? parts.back().from : parts.back().to) = {cell};
        parts.back().bytes = 0;
      }
      last = cell;
      parts.back().bytes += share_of(tensors[i].bytes, at, count);
    }
  }
  return parts;
}

}  // namespace waferloom::router
