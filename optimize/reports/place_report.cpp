#include <nlohmann/json.hpp>

#include "model/placement.h"
#include "optimize/report_json.h"
#include "optimize/search/run_report.h"

namespace waferloom::optimize {

Json place_json(const PlacedCase& placed, const PlacerOutcome& outcome,
                const SearchControl& control, const std::vector<std::string>& warnings) {
  const Problem& problem = placed.problem;
  const placer::PlaceResult& result = outcome.result;
  const std::optional<double> relative = gap(problem, result);
  Json report = new_report("place");
  report["case"] = problem.name();
  report["source"] = placed.source;
  report["wafer"] = {{"width", problem.wafer().width},
                     {"height", problem.wafer().height},
                     {"usable_tiles", usable_tiles(problem.wafer())}};
  report["legal"] = true;
  report["score"] = legal_score_json(problem, outcome.best->score);
  report["bound"] = {{"time", json_number(time_text(problem, result.bounds.time))},
                     {"total", json_number(total_text(CostModel(problem), result.bounds.total))}};
  report["gap"] = relative ? Json(*relative) : Json(nullptr);
  report["optimal"] = result.optimal;
  report["seed"] = control.seed;
  report["effort"] = effort_json(control);
  report["time_limit_s"] = time_limit_json(control);
  report["threads"] = control.threads;
  report["strategy"] = result.strategy;
  if (outcome.islands) report["islands"] = islands_json(*outcome.islands);
  report["stopped_by"] = placer::stop_reason_name(result.stopped_by);
  report["wall_s"] = wall_s(control);
  report["improvements"] = Json::array();
  for (const ImprovementNote& note : outcome.improvements) {
    report["improvements"].push_back({{"wall_s", rounded_to_ms(note.wall_s)},
                                      {"total", json_number(note.total)},
                                      {"strategy", note.strategy}});
  }
  report["warnings"] = warnings;
  return report;
}

}  // namespace waferloom::optimize
