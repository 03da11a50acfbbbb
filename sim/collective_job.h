#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/bottleneck.h"
#include "model/hardware.h"
#include "model/report.h"
#include "sim/collective_run.h"
#include "sim/group_transfer.h"
#include "sim/time.h"

namespace waferloom::sim {

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

/// A report of schema waferloom/collective/1.
Json collective_json(const CollectiveJob& job, const CollectiveResult& found);

}  // namespace waferloom::sim
