#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "model/hardware.h"
#include "sim/collective_run.h"
#include "sim/group_transfer.h"
#include "sim/time.h"

namespace waferloom::cli {

/// What `waferloom collective` is asked for.
struct CollectiveJob {
  Hardware hardware;
  std::vector<std::string> kinds;
  std::vector<sim::TileGroup> groups;
  std::optional<sim::GroupTransfer> transfer;  ///< of the kind transfer
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::ring;
  std::int64_t bytes = 1;
  std::int64_t count = 1;
  bool stepwise = false;
  sim::CollectiveRunOptions run;
};

/// A part of it and how long it takes.
struct CollectivePart {
  std::string name;
  std::int64_t steps = 0;
  sim::Picoseconds analytic = 0;  ///< alone, without contention
  sim::Picoseconds macro = 0;     ///< alone, its flows sharing links
};

struct CollectiveResult {
  std::vector<CollectivePart> parts;  ///< tasks by kind, or terms of a transfer
  sim::Picoseconds analytic = 0;      ///< the slowest task, or the sum of the terms
  sim::Picoseconds macro = 0;         ///< all tasks at once, step by step side by side
  std::optional<sim::CollectiveTimes> stepped;
};

/// Throws Failure for what cannot be.
CollectiveJob collective_job(const Arguments& arguments);
/// Throws std::invalid_argument, with one sentence, for what the hardware or an algorithm refuses.
CollectiveResult run_collective_job(const CollectiveJob& job);

}  // namespace waferloom::cli
