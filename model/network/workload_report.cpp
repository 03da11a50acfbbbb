#include <array>
#include <nlohmann/json.hpp>

#include "model/workload.h"

namespace waferloom {
namespace {

Json count_json(const OperatorCount& counted) {
  return {{"matrix_flop", counted.matrix_flop},
          {"element_flop", counted.element_flop},
          {"backward_flop", counted.backward_flop()},
          {"parameters", counted.parameters},
          {"active_parameters", counted.active_parameters()},
          {"cache_elements", counted.cache},
          {"input_elements", counted.input},
          {"output_elements", counted.output},
          {"saved_elements", counted.saved},
          {"saved_attention_elements", counted.saved_attention}};
}

Json format_json(const NumberFormat& format) {
  return {{"bits", format.bits}, {"group", format.group}};
}

Json all_reduce_json(const AllReduce& sum) {
  constexpr std::array<const char*, 3> kPhases{"forward", "backward", "update"};
  return {{"phase", kPhases.at(static_cast<std::size_t>(sum.phase))},
          {"elements", sum.elements},
          {"members", sum.members}};
}

Json operator_json(const Workload& workload, const Operator& op, const OperatorCut& cut) {
  Json json{{"name", op.name}, {"kind", kind_name(op.kind)}};
  json["after"] = Json::array();
  for (const std::size_t before : op.after) {
    json["after"].push_back(workload.operators[before].name);
  }
  json.update(count_json(count(op.kind)));
  json["all_reduces"] = Json::array();
  const Degrees degrees = degrees_of(op.kind, cut);
  for (const AllReduce& sum : all_reduces(op.kind, cut.samples, degrees)) {
    json["all_reduces"].push_back(all_reduce_json(sum));
  }
  return json;
}

}  // namespace

void add_kept(Json& report, const KeptNumbers& kept) {
  if (kept.weights) report["kept"]["weights"] = format_json(*kept.weights);
  if (kept.caches) report["kept"]["caches"] = format_json(*kept.caches);
}

Json operators_json(const Workload& workload, const OperatorCut& cut) {
  Json report = new_report("operators");
  report["name"] = workload.name;
  report["tokens"] = workload.tokens;
  report["samples"] = cut.samples;
  report["data"] = cut.data;
  report["tensor"] = cut.tensor;
  const OperatorCount all = count(workload);
  add_kept(report, workload.kept);
  if (workload.kept.weights) report["kept"]["weights"]["numbers"] = all.matrix_parameters;
  report["total"] = count_json(all);
  report["operators"] = Json::array();
  for (const Operator& op : workload.operators) {
    report["operators"].push_back(operator_json(workload, op, cut));
  }
  return report;
}

}  // namespace waferloom
