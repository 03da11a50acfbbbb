#include "cluster/islands.h"

#include "cluster/islands/island_work.h"
#include "optimize/report_json.h"

namespace waferloom::cluster {
namespace {

RecordReader<optimize::PlacerOutcome> placer_reader(const Problem& problem) {
  return [&problem](const std::string& text, const std::string& source) {
    return optimize::read_island_record(text, source, problem);
  };
}

RecordReader<optimize::CaseEnd> case_reader(const Problem& problem) {
  return [&problem](const std::string& text, const std::string& source) {
    return optimize::read_case_island_record(text, source, problem);
  };
}

}  // namespace

optimize::PlacerOutcome place_by_islands(const optimize::PlacerRun& run,
                                         const optimize::SearchControl& control,
                                         const IslandSearch& search, const Note& note) {
  if (search.engine == "local") return optimize::run_islands_here(run, control, search.counts);
  return search_elsewhere<optimize::PlacerOutcome>(
      search, control, note, placer_reader(run.problem), [&](const optimize::EpochEngine& engine) {
        return run_islands(run, control, search.counts, engine);
      });
}

std::string place_island_task(const optimize::PlacerRun& run,
                              const optimize::SearchControl& control, const IslandSearch& search) {
  const optimize::IslandTurn& turn = *search.task;
  const auto find = [&](const optimize::EpochEngine& before) -> std::optional<std::string> {
    const auto found = run_island_task(run, control, search.counts, turn, before);
    if (!found) return std::nullopt;
    return island_record(turn, run.problem, *found);
  };
  return work_on_task<optimize::PlacerOutcome>(search, control, placer_reader(run.problem), find);
}

optimize::OptimizedCase optimize_by_islands(const optimize::CaseJob& job,
                                            const optimize::SearchControl& control,
                                            const IslandSearch& search, const Note& note) {
  if (search.engine == "local") {
    return optimize_case_islands(job, control, search.counts,
                                 case_engine_here(job, control, search.counts));
  }
  return search_elsewhere<optimize::CaseEnd>(search, control, note, case_reader(job.problem),
                                             [&](const optimize::CaseEpochEngine& engine) {
                                               return optimize_case_islands(job, control,
                                                                            search.counts, engine);
                                             });
}

std::string case_island_task(const optimize::CaseJob& job, const optimize::SearchControl& control,
                             const IslandSearch& search) {
  const optimize::IslandTurn& turn = *search.task;
  const auto find = [&](const optimize::CaseEpochEngine& before) -> std::optional<std::string> {
    const auto found = optimize::case_island_task(job, control, search.counts, turn, before);
    if (!found) return std::nullopt;
    return case_island_record(turn, job.problem, *found);
  };
  return work_on_task<optimize::CaseEnd>(search, control, case_reader(job.problem), find);
}

}  // namespace waferloom::cluster
