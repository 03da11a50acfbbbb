#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/option_spec.h"
#include "model/report.h"
#include "model/run_control.h"
#include "sim/network_kind.h"
#include "sim/tile_groups.h"
#include "sim/time.h"

namespace waferloom::sim {

/// Whether flows of a step share the rates of links, and of the ways of tiles into the mesh and out
/// of it.
enum class Contention : std::uint8_t { ignored, simulated };

/// How a sum that one group of tiles makes comes to another (PALM, Fig. 11). Of both groups, rings,
/// k tiles are adapters: each group is cut into k runs of its ring, as even as can be, of each of
/// which the tile nearest to the other group is one; they are paired in their order across the
/// direction from group to group.
enum class TransferStrategy : std::uint8_t {
  /// All-reduce in the source group, a k-th of the sum from adapter to adapter, and each part from
  /// its adapter to all of the destination (Eq. 7).
  sum_first,
  /// Every run of the source group reduced to its adapter, all bytes from adapter to adapter,
  /// all-reduce among the destination's adapters, and the sum from each to its run (Eq. 8).
  sum_behind,
};

/// The groups, the strategy, and by what its parts go.
struct GroupTransfer {
  TileGroup source;
  TileGroup destination;
  TransferStrategy strategy = TransferStrategy::sum_first;
  std::int64_t adapters = 1;
  CollectiveAlgorithm all_reduce = CollectiveAlgorithm::ring;
  CollectiveAlgorithm spread = CollectiveAlgorithm::tree;  ///< reductions and broadcasts
};

/// How collectives are run step by step.
struct CollectiveRunOptions {
  NetworkKind network = NetworkKind::fair;
  NetworkOptions network_options = {};
  RunControl control = {};  ///< ends the run early; asked now and then
};

/// The results of a run.
struct CollectiveTimes {
  std::vector<Picoseconds>
      done;  ///< by task, `count` entries each: when the last transfer arrived or was written
  Picoseconds makespan = 0;  ///< the latest of `done`
  std::int64_t transfers = 0;
  std::vector<std::int64_t> link_bytes;  ///< by LinkIndex
  std::uint64_t events = 0;
  std::optional<RateError> rate_error;  ///< of the fair network
  bool stopped = false;
};

/// Collectives of groups of tiles, all at once, or a transfer from group to group.
struct CollectiveJob {
  Hardware hardware;
  std::vector<std::string> kinds;  ///< names of kCollectiveNames, read, write; or transfer alone
  std::vector<TileGroup> groups;
  std::optional<GroupTransfer> transfer;  ///< of the kind transfer
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::ring;
  std::int64_t bytes = 1;
  std::int64_t count = 1;
  bool stepwise = false;
  CollectiveRunOptions run;
};

/// What options say of collectives; a network and a rule of routing are of stepwise runs.
struct CollectiveChoice {
  CollectiveAlgorithm algorithm = GroupTransfer{}.all_reduce;
  std::int64_t bytes = 1'000'000;
  std::int64_t count = 1;
  bool stepwise = false;
  std::optional<NetworkKind> network;
  std::optional<Routing> routing;
};
/// algorithm, bytes, count, stepwise, network, routing.
Options<CollectiveChoice> collective_options();

/// What options say of a transfer from group to group.
struct TransferChoice {
  std::optional<TransferStrategy> strategy;
  std::optional<std::int64_t> adapters;
  std::optional<CollectiveAlgorithm> spread;
};
/// strategy, adapters, spread. Defaults are those of GroupTransfer.
Options<TransferChoice> transfer_options();

/// A part of it and how long it takes.
struct CollectivePart {
  std::string name;
  std::int64_t steps = 0;
  Picoseconds analytic = 0;  ///< alone, without contention
  Picoseconds macro = 0;     ///< alone, its flows sharing links
};

/// A way to do it with words that stream over a wafer's fabric (kernels/mesh_collectives.h).
struct StreamedWay {
  std::string name;
  Picoseconds time = 0;
};

struct CollectiveResult {
  std::vector<CollectivePart> parts;     ///< tasks by kind, or terms of a transfer
  Picoseconds analytic = 0;              ///< the slowest task, or the sum of the terms
  Picoseconds macro = 0;                 ///< all tasks at once, step by step side by side
  std::optional<Bottleneck> bottleneck;  ///< the longest part of `macro`
  std::optional<CollectiveTimes> stepped;
  /// Of a single reduce, all-reduce or broadcast on rectangles, where the hardware has hop_cycles:
  /// all ways, the fastest first. Groups at once do not meet.
  std::vector<StreamedWay> streamed{};
};

/// Throws RequestError, with one sentence, for what the hardware or an algorithm refuses; RunCut.
CollectiveResult run_collective_job(const CollectiveJob& job);

}  // namespace waferloom::sim
