#include "benchmarks_ispd2020/case_report.h"

#include <nlohmann/json.hpp>

#include "model/placement.h"

namespace waferloom::ispd2020 {
namespace {

Json case_json(const ListedCase& listed_case) {
  const Problem& problem = *listed_case.problem;
  const Weights& weights = problem.weights();
  Json json;
  json["case"] = listed_case.name;
  json["name"] = problem.name();
  json["kernels"] = problem.kernel_count();
  json["connections"] = problem.connections().size();
  json["wafer"] = {{"width", problem.wafer().width}, {"height", problem.wafer().height}};
  json["memory_limit_words"] = problem.memory_limit();
  json["weights"] = {{"time", json_number(to_string(weights.time))},
                     {"distance", json_number(to_string(weights.distance))},
                     {"adapter", json_number(to_string(weights.adapter))}};
  json["best_published"] =
      listed_case.half_best ? json_number(distance_text(*listed_case.half_best)) : Json(nullptr);
  return json;
}

}  // namespace

Json cases_json(const std::vector<ListedCase>& cases) {
  Json report = new_report("cases");
  report["cases"] = Json::array();
  for (const ListedCase& listed_case : cases) report["cases"].push_back(case_json(listed_case));
  return report;
}

}  // namespace waferloom::ispd2020
