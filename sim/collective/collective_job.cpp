#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "kernels/kernel.h"
#include "kernels/mesh_collectives.h"
#include "sim/collective.h"
#include "sim/collective/collective.h"
#include "sim/collective/collective_run.h"
#include "sim/collective/group_transfer.h"

namespace waferloom::sim {
namespace {

Grouping grouping_of(const Hardware& hardware) {
  return {hardware.group_columns, hardware.group_rows};
}

Phases phases_of(const CollectiveJob& job, const std::string& kind) {
  if (const auto found = collective_named(kind)) {
    return collective_phases(*found, job.algorithm, job.groups, grouping_of(job.hardware));
  }
  std::vector<Phases> all;
  for (const TileGroup& group : job.groups) {
    all.push_back(memory_phases(job.hardware, group, kind == "write"));
  }
  return at_once(std::move(all));
}

/// Refuses kinds that have too many flows together, before any are made.
void check_flows(const CollectiveJob& job) {
  std::int64_t flows = 0;
  for (const std::string& kind : job.kinds) {
    if (const auto found = collective_named(kind)) {
      flows += flow_count(*found, job.algorithm, job.groups, grouping_of(job.hardware));
    } else {
      for (const TileGroup& group : job.groups) flows += static_cast<std::int64_t>(group.size());
    }
  }
  check_flow_count(flows);
}

CollectivePart timed(const CollectiveJob& job, const Mesh& mesh, const std::string& name,
                     const Phases& phases) {
  const auto time = [&](Contention contention) {
    return Collective(mesh, job.hardware, phases, contention, 1, job.run.control).time(job.bytes);
  };
  return {name, step_count(phases), time(Contention::ignored), time(Contention::simulated)};
}

/// The time of all that is done, and what most of it goes to.
void hold_together(CollectiveResult& result, const CollectiveJob& job, const Mesh& mesh,
                   const Collective& all) {
  result.macro = all.time(job.bytes);
  result.bottleneck = longest_part_of(all.parts(mesh, job.bytes), "a run");
}

CollectiveResult run_transfer(const CollectiveJob& job) {
  const Mesh mesh(job.hardware);
  const TransferPhases phases = transfer_phases(*job.transfer, grouping_of(job.hardware));
  CollectiveResult result;
  result.parts = {timed(job, mesh, "source", phases.source),
                  timed(job, mesh, "between", phases.between),
                  timed(job, mesh, "adapters", phases.adapters),
                  timed(job, mesh, "destination", phases.destination)};
  for (const CollectivePart& part : result.parts) {
    result.analytic = later(result.analytic, part.analytic);
  }
  // The terms follow one another: together they take what all their phases take.
  hold_together(
      result, job, mesh,
      Collective(mesh, job.hardware, whole(phases), Contention::simulated, 1, job.run.control));
  if (job.stepwise) {
    result.stepped = run_collectives(job.hardware, {{whole(phases), job.bytes}}, job.run);
  }
  return result;
}

/// Rows and columns of a group that is a rectangle; nothing of others.
std::optional<Extent> rectangle_of(const TileGroup& group) {
  TilePlace low = group.front();
  TilePlace high = group.front();
  for (const TilePlace& tile : group) {
    low = {std::min(low.x, tile.x), std::min(low.y, tile.y)};
    high = {std::max(high.x, tile.x), std::max(high.y, tile.y)};
  }
  const Extent size{high.x - low.x + 1, high.y - low.y + 1};
  if (size.width * size.height != static_cast<std::int64_t>(group.size())) return std::nullopt;
  return size;
}

std::vector<StreamedWay> streamed_ways(const CollectiveJob& job) {
  const auto& names = kMeshCollectiveNames;
  const auto kind = std::find(names.begin(), names.end(), job.kinds.front());
  if (!job.hardware.hop_cycles || job.kinds.size() != 1 || kind == names.end()) return {};
  TileFabric fabric;
  fabric.hop_cycles = static_cast<double>(*job.hardware.hop_cycles);
  fabric.ramp_cycles =
      static_cast<double>(job.hardware.ramp_cycles.value_or(std::llround(fabric.ramp_cycles)));
  const std::int64_t words = (job.bytes + fabric.word_bytes - 1) / fabric.word_bytes;
  std::map<std::string, double> cycles;  // of the slowest group
  for (const TileGroup& group : job.groups) {
    const std::optional<Extent> size = rectangle_of(group);
    if (!size) return {};
    for (const CollectiveWay& way : collective_ways(
             fabric, static_cast<MeshCollective>(kind - names.begin()),
             {.rows = size->height, .columns = size->width}, static_cast<double>(words))) {
      cycles[way.name] = std::max(cycles[way.name], way.cycles());
    }
  }
  const double cycle_ps =
      static_cast<double>(kPicosecondsPerSecond) / static_cast<double>(job.hardware.clock_hz);
  std::vector<StreamedWay> ways;
  for (const auto& [name, count] : cycles) {
    ways.push_back({name, static_cast<Picoseconds>(std::llround(count * cycle_ps))});
  }
  std::stable_sort(ways.begin(), ways.end(),
                   [](const StreamedWay& a, const StreamedWay& b) { return a.time < b.time; });
  return ways;
}

CollectiveResult run_at_once(const CollectiveJob& job) {
  check_flows(job);
  const Mesh mesh(job.hardware);
  CollectiveResult result;
  std::vector<CollectiveTask> tasks;
  for (const std::string& kind : job.kinds) {
    tasks.push_back({phases_of(job, kind), job.bytes, job.count});
    result.parts.push_back(timed(job, mesh, kind, tasks.back().phases));
    result.analytic = std::max(result.analytic, result.parts.back().analytic);
  }
  result.streamed = streamed_ways(job);
  if (job.stepwise) result.stepped = run_collectives(job.hardware, tasks, job.run);
  std::vector<Phases> all;
  for (CollectiveTask& task : tasks) all.push_back(std::move(task.phases));
  hold_together(result, job, mesh,
                Collective(mesh, job.hardware, at_once(std::move(all)), Contention::simulated,
                           job.count, job.run.control));
  return result;
}

}  // namespace

CollectiveResult run_collective_job(const CollectiveJob& job) {
  return job.transfer ? run_transfer(job) : run_at_once(job);
}

}  // namespace waferloom::sim
