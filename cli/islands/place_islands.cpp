#include "cli/islands/place_islands.h"

#include <nlohmann/json.hpp>

#include "cli/console/interrupt.h"
#include "cli/files/output_file.h"
#include "cli/islands/island_cluster.h"
#include "optimize/island_record.h"

namespace waferloom::cli {
namespace {

using Texts = std::vector<std::optional<std::string>>;

optimize::EpochOutcomes read_outcomes(const IslandFolder& folder, std::size_t epoch,
                                      const Texts& texts, const Problem& problem) {
  optimize::EpochOutcomes outcomes(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i]) continue;
    const std::string source = folder.record_file({epoch, i});
    outcomes[i] = optimize::read_island_record(*texts[i], source, problem);
  }
  return outcomes;
}

}  // namespace

optimize::PlacerOutcome place_by_islands(const optimize::PlacerRun& run,
                                         const optimize::RunControl& control,
                                         const IslandRequest& request, const CommonOptions& common,
                                         Progress& progress) {
  if (request.engine == "local") return optimize::run_islands_here(run, control, request.counts);
  const IslandFolder folder = island_folder(request, common);
  IslandCluster cluster(request, folder, progress);
  const auto engine = [&](const std::vector<optimize::IslandTask>& tasks) {
    const std::size_t epoch = tasks.front().epoch;
    return read_outcomes(folder, epoch, cluster.run(epoch), run.problem);
  };
  optimize::PlacerOutcome outcome = run_islands(run, control, request.counts, engine);
  cluster.finish();
  return outcome;
}

int place_island_task(const optimize::PlacerRun& run, const optimize::RunControl& control,
                      const IslandRequest& request, const CommonOptions& common) {
  const IslandFolder folder = island_folder(request, common);
  const optimize::IslandTurn& turn = *request.task;
  const std::string name = folder.record_file(turn);
  if (folder.has(turn) || folder.is_closed(turn.epoch)) {
    write_stdout(name + (folder.has(turn) ? " is there\n" : ": the epoch is closed\n"));
    return 0;
  }
  const auto before = [&](const std::vector<optimize::IslandTask>& tasks) {
    const std::size_t epoch = tasks.front().epoch;
    return read_outcomes(folder, epoch, folder.closed(epoch, tasks.size()), run.problem);
  };
  const auto found = run_island_task(run, control, request.counts, turn, before);
  throw_if_interrupted();
  if (!found) {
    write_stdout(name + ": the run ends before\n");
    return 0;
  }
  folder.write(turn, island_record(turn, run.problem, *found));
  write_stdout(name + " is written\n");
  return 0;
}

}  // namespace waferloom::cli
