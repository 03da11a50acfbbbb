#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/int128.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "model/problem.h"
#include "model/routes.h"
#include "sim/report.h"
#include "sim/time.h"

namespace waferloom::sim {

/// One of the parallel ways of a tensor: from a tile of one rectangle to a tile of another.
struct Lane {
  TilePlace from;
  TilePlace to;
  std::vector<PathLeg> path{};           ///< empty: as the routing rule says
  std::int64_t bytes = 0;                ///< of a sample, on planned routes
  std::optional<std::uint8_t> colour{};  ///< likewise
  bool passes_by = false;                ///< Route::passes_by
  bool operator==(const Lane&) const = default;
};

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// What a stage sends among its own tiles over links that others use too: a flow, or, on a lane of
/// one link that passes by, what many flows put on it, whose bytes are counted apart.
struct OwnTransfer {
  Lane lane;                        ///< with its path
  std::int64_t forward_bytes = 0;   ///< of a sample, in forward_exchange
  std::int64_t backward_bytes = 0;  ///< likewise
  std::int64_t update_bytes = 0;    ///< of a batch, in StageUpdate::exchange
};

/// What exchanges of a stage move that do not go through the network: their time is known.
struct ApartExchange {
  std::vector<LinkLoad> links{};
  Int128 bytes = 0;  ///< of all flows
  Int128 moved = 0;  ///< likewise, times the links of each
};

/// What a stage does once a batch of training, behind its last backward: gradients are exchanged,
/// then parameters and states come in and go out by its memory channels.
struct StageUpdate {
  static constexpr std::size_t kNone = SIZE_MAX;
  Picoseconds exchange = 0;       ///< at least
  Picoseconds exchange_left = 0;  ///< of it, what is left behind the last backward
  Picoseconds wait = 0;           ///< for memories of the tiles' own
  std::size_t read = kNone;       ///< channel
  std::size_t written = kNone;    ///< likewise
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
};

/// A stage of a pipeline: one virtual tile, whatever its area. It works on one sample at a time.
struct StageSpec {
  std::string name;
  Picoseconds forward = 0;   ///< a sample's service
  Picoseconds backward = 0;  ///< of its gradient; not used without training
  /// Training: samples whose gradient it still waits for, at most (1F1B).
  std::int64_t most_in_flight = 0;
  /// Parts of forward and backward in which the stage's tiles exchange data and do not compute.
  Picoseconds forward_exchange = 0;
  Picoseconds backward_exchange = 0;
  /// Likewise: in which they wait for memories of their own.
  Picoseconds forward_wait = 0;
  Picoseconds backward_wait = 0;
  /// Those that meet others: exchanges take longer where links are short.
  std::vector<OwnTransfer> own{};
  /// The others: of a sample forward and backward, and of a batch's update.
  std::array<ApartExchange, 3> apart{};
  std::optional<StageUpdate> update{};
};

/// A port on the wafer's edge: a queue in either direction.
struct PortSpec {
  std::string name;
  TilePlace tile;
  double bytes_per_ps = kNoLimit;
  Picoseconds response = 0;
  bool is_memory = false;                                     ///< edge DRAM; otherwise the host
  std::optional<std::int64_t> capacity_bytes = std::nullopt;  ///< of the memory behind it
  /// No more passes: bytes_per_ps, or what its tile's link takes, of a port without a rate of its
  /// own, which is no queue: that link is. 0 at a dead tile.
  double most_bytes_per_ps = kNoLimit;
};

/// A tensor's way from stage to stage, or between a port and a stage. `lanes` lead from the
/// producer; each carries its part of `bytes`, and where it begins or ends at a port, through that.
struct ChannelSpec {
  static constexpr std::size_t kOutside = SIZE_MAX;
  std::string name;
  std::size_t producer = kOutside;  ///< stage; outside: an input
  std::size_t consumer = kOutside;  ///< stage; outside: an output
  std::int64_t bytes = 0;           ///< of a sample; 0: only says that it is done
  /// In training, of inputs and outputs: what also comes in before a sample's backward, or goes out
  /// behind it. What moves between stages takes as many bytes back.
  std::int64_t backward_bytes = 0;
  bool streams = false;  ///< what memory holds anyway, and samples do not add to
  std::vector<Lane> lanes;
  std::vector<Lane> gradient_lanes{};  ///< of gradients; none: the lanes, backwards
  std::vector<std::size_t> ports;      ///< by lane, of inputs and outputs
  bool has_fixed_port = false;         ///< the hardware names the one it uses

  bool is_input() const { return producer == kOutside; }
  bool is_output() const { return consumer == kOutside; }
  bool is_outside() const { return is_input() || is_output(); }

  /// The lanes of tensors or gradients between stages, and whether they are gone backwards.
  const std::vector<Lane>& lanes_of(bool gradient) const {
    return gradient && !gradient_lanes.empty() ? gradient_lanes : lanes;
  }
  bool goes_back(bool gradient) const { return gradient && gradient_lanes.empty(); }
  /// What a lane of a way carries of so many bytes: in proportion to what was planned, if it was,
  /// else an even part. O(1), of the first lane O(lanes) where there are not as many as planned.
  std::int64_t part(const std::vector<Lane>& of, std::size_t lane, std::int64_t all) const;

  /// Of a sample over all lanes, by planned routes; 0: as many as it has.
  std::int64_t planned_bytes = 0;
  int adapters = 0;                 ///< passes, one behind the other, before the lanes
  Picoseconds adapter_pass = 0;     ///< of a sample through one
  std::int64_t buffer_samples = 2;  ///< taken when the producer begins, until the consumer is done
};

/// A stage's turn on tiles that it shares.
struct StageTurn {
  std::uint32_t stage = 0;
  bool backward = false;
  bool operator==(const StageTurn&) const = default;
};

/// Tiles that work for several stages in turn, each of these once a sample and way.
struct WorkerSpec {
  std::string name;
  std::vector<StageTurn> turns;
};

/// A pipeline of stages on a mesh. Stages and channels have no cycle.
struct PipelineSpec {
  std::vector<StageSpec> stages;
  std::vector<PortSpec> ports;
  double host_bytes_per_ps = kNoLimit;  ///< of all host ports together, in either direction
  std::vector<ChannelSpec> channels;
  bool training = false;
  LinkReserve reserve{};  ///< what kernels keep of the links inside them
  /// Training: gradients of a stage are exchanged as soon as they are there, from its last backward
  /// on, not when all stages of its tiles are through.
  bool overlaps_updates = false;
  bool backward_last = false;  ///< training: gradients wait until all samples went forward (GPipe)
  /// By stage, and every stage has one; empty: all stages have tiles of their own, which do what
  /// they can, gradients first.
  std::vector<std::size_t> worker_of;
  std::vector<WorkerSpec> workers;

  std::size_t worker(std::size_t stage) const {
    return worker_of.empty() ? stage : worker_of[stage];
  }
  std::size_t worker_count() const { return worker_of.empty() ? stages.size() : workers.size(); }
};

/// What a sample needs of a pipeline at least.
struct LeastPeriod {
  Utilisation most;   ///< of whatever it needs longest
  Utilisation moves;  ///< the busiest resource that is not a stage's computing
};

/// A lower bound on the time from sample to sample, by what is busiest: the stage, link, tile, port
/// or adapter, or the room of an edge. No network but `analytic` and no order of work makes this
/// period shorter.
///
/// A slot of an edge is taken from the begin of the producer's work to the end of the consumer's.
/// So an edge with room for B samples passes at most B samples in the time of producer, transfer
/// and consumer together. Left out are the rooms of training, and links under routings that choose
/// by load. Throws RequestError where a lane has no way between its tiles. O(lanes + links).
LeastPeriod least_period(const PipelineSpec& spec, const Hardware& hardware, Routing routing);
/// The same before routing, for any routes. Leaves out links and the rooms of edges. Assumes that
/// memory traffic is spread evenly over all memory ports. O(channels).
LeastPeriod least_period_on_any_routes(const PipelineSpec& spec);
/// Lets all that comes in or goes out anywhere pass all live ports of its kind, as much as each may
/// pass, which is what routes at their best do. For runs before routing on links that are never
/// short: there only ports bind. What has planned routes or a port of its own stays.
/// O(channels · ports).
void spread_over_ports(PipelineSpec& spec);
/// least_period on the hardware's mesh.
LeastPeriod least_period(const PipelineSpec& spec, const Hardware& hardware, const Mesh& mesh,
                         Routing routing);

/// Bytes of a sample on every link, by LinkIndex, on the routes that all samples take; in training
/// with its gradients. Throws RequestError for a routing that chooses by load, or where
/// some lane has no way between its tiles. O(legs + links).
std::vector<std::int64_t> sample_link_bytes(const PipelineSpec& spec, const Mesh& mesh,
                                            Routing routing);

/// What every connection of a problem puts on busy links, by connection: the sum over its lanes of
/// their bytes of a sample times the mean, over the links of the lane, of what the link carried
/// against the busiest one. `spec` is the pipeline of a placement (contest_pipeline), `link_bytes`
/// by LinkIndex as a run of it measured them. Lanes without a path of their own go by the routing,
/// under routings that choose by load x first.
std::vector<double> edge_traffic(const Problem& problem, const PipelineSpec& spec,
                                 const Hardware& hardware, Routing routing,
                                 const std::vector<std::int64_t>& link_bytes);

}  // namespace waferloom::sim
