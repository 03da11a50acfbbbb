#include "cli/islands/place_islands.h"

#include <nlohmann/json.hpp>

#include "cli/islands/island_work.h"
#include "optimize/island_record.h"

namespace waferloom::cli {
namespace {

RecordReader<optimize::PlacerOutcome> placer_reader(const Problem& problem) {
  return [&problem](const std::string& text, const std::string& source) {
    return optimize::read_island_record(text, source, problem);
  };
}

}  // namespace

optimize::PlacerOutcome place_by_islands(const optimize::PlacerRun& run,
                                         const optimize::SearchControl& control,
                                         const IslandRequest& request, const CommonOptions& common,
                                         Progress& progress) {
  if (request.engine == "local") return optimize::run_islands_here(run, control, request.counts);
  return search_elsewhere<optimize::PlacerOutcome>(
      request, common, control, progress, placer_reader(run.problem),
      [&](const optimize::EpochEngine& engine) {
        return run_islands(run, control, request.counts, engine);
      });
}

int place_island_task(const optimize::PlacerRun& run, const optimize::SearchControl& control,
                      const IslandRequest& request, const CommonOptions& common) {
  const optimize::IslandTurn& turn = *request.task;
  const auto find = [&](const optimize::EpochEngine& before) -> std::optional<Json> {
    const auto found = run_island_task(run, control, request.counts, turn, before);
    if (!found) return std::nullopt;
    return island_record(turn, run.problem, *found);
  };
  return work_on_task<optimize::PlacerOutcome>(island_folder(request, common), turn,
                                               placer_reader(run.problem), find);
}

}  // namespace waferloom::cli
