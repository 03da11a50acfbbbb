#include "cli/islands/case_islands.h"

#include <nlohmann/json.hpp>

#include "cli/islands/island_work.h"

namespace waferloom::cli {
namespace {

RecordReader<optimize::CaseEnd> case_reader(const Problem& problem) {
  return [&problem](const std::string& text, const std::string& source) {
    return optimize::read_case_island_record(text, source, problem);
  };
}

}  // namespace

optimize::OptimizedCase optimize_by_islands(const optimize::CaseJob& job,
                                            const optimize::SearchControl& control,
                                            const IslandRequest& request,
                                            const CommonOptions& common, Progress& progress) {
  if (request.engine == "local") {
    return optimize_case_islands(job, control, request.counts,
                                 case_engine_here(job, control, request.counts));
  }
  return search_elsewhere<optimize::CaseEnd>(
      request, common, control, progress, case_reader(job.problem),
      [&](const optimize::CaseEpochEngine& engine) {
        return optimize_case_islands(job, control, request.counts, engine);
      });
}

int case_island_task(const optimize::CaseJob& job, const optimize::SearchControl& control,
                     const IslandRequest& request, const CommonOptions& common) {
  const optimize::IslandTurn& turn = *request.task;
  const auto find = [&](const optimize::CaseEpochEngine& before) -> std::optional<Json> {
    const auto found = optimize::case_island_task(job, control, request.counts, turn, before);
    if (!found) return std::nullopt;
    return case_island_record(turn, job.problem, *found);
  };
  return work_on_task<optimize::CaseEnd>(island_folder(request, common), turn,
                                         case_reader(job.problem), find);
}

}  // namespace waferloom::cli
