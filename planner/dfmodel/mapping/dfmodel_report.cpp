#include <cmath>
#include <nlohmann/json.hpp>

#include "model/text.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/cycle_model.h"

namespace waferloom::planner {
namespace {

constexpr double kNanoseconds = 1e9;

/// JSON has no infinity.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json names(const DataflowGraph& graph, const std::vector<std::size_t>& kernels) {
  Json list = Json::array();
  for (const std::size_t kernel : kernels) list.push_back(graph.kernels[kernel].name);
  return list;
}

std::string names_text(const DataflowGraph& graph, const std::vector<std::size_t>& kernels) {
  std::string text;
  for (const std::size_t kernel : kernels) {
    if (!text.empty()) text += ' ';
    text += graph.kernels[kernel].name;
  }
  return text;
}

Json partition_json(const DfmodelJob& job, const NamedMapping& mapping, std::size_t p) {
  const PartitionCost& cost = mapping.cost.partitions[p];
  Json json{{"kernels", names(job.problem.graph, mapping.partitions[p])},
            {"compute_s", cost.compute_s},
            {"memory_s", cost.memory_s},
            {"network_s", cost.network_s},
            {"weight_load_s", cost.weight_load_s},
            {"total_s", cost.total_s()},
            {"bound", partition_bound_name(cost.bound())},
            {"sram_bytes", cost.sram_bytes},
            {"streamed_bytes", cost.streamed_bytes},
            {"live_dram_bytes", cost.live_dram_bytes},
            {"flop", cost.flop},
            {"dram_bytes", cost.dram_bytes},
            {"reduced_bytes", cost.reduced_bytes}};
  json["cores"] = nullptr;
  if (job.cycles) {
    const CoreAllocation cores =
        allocate_cores(job.problem.graph, mapping.partitions[p], *job.cycles);
    json["cores"] = Json::array();
    for (const CoreGrid& grid : cores.grids) {
      json["cores"].push_back({{"lane", grid.lane}, {"stage", grid.stage}});
    }
  }
  return json;
}

Json comparison_json(const DfmodelJob& job, const DfmodelResult& result,
                     const NamedMapping& mapping) {
  const RoofPoint point = roof_point(job.problem, mapping.cost, job.roofs);
  return {{"name", mapping.name},
          {"partitions", mapping.partitions.size()},
          {"fits", mapping.cost.fits},
          {"total_s", finite(mapping.cost.total_s)},
          {"speedup", finite(result.compared.front().cost.total_s / mapping.cost.total_s)},
          {"utilisation", job.utilisation(mapping.cost.total_s)},
          {"flop_per_s", finite(point.flop_per_s)},
          {"memory_intensity", finite(point.memory_intensity)},
          {"network_intensity", finite(point.network_intensity)},
          {"bound", partition_bound_name(point.bound(job.roofs))}};
}

Json search_json(const DfmodelResult& result) {
  if (!result.search) return nullptr;
  const FoundMapping& search = *result.search;
  return {{"method", mapping_method_name(search.method)},
          {"optimal", search.is_optimal},
          {"total_s", search.cost.total_s},
          {"bound_s", search.bound_s},
          {"gap", search.gap()},
          {"ideals", search.ideals},
          {"transitions", search.transitions},
          {"nodes", search.nodes}};
}

Json sharding_json(const DfmodelJob& job) {
  if (job.sharding.empty()) return nullptr;
  Json kernels = Json::object();
  for (std::size_t i = 0; i < job.sharding.size(); ++i) {
    kernels[job.problem.graph.kernels[i].name] = sharding_name(job.sharding[i]);
  }
  return {{"kernels", kernels}, {"shared_bytes", job.shared_bytes}};
}

}  // namespace

Json mapping_json(const DfmodelJob& job, const Partitions& partitions) {
  Json json{{"schema", "waferloom/mapping/1"}, {"network", job.network}};
  json["partitions"] = Json::array();
  for (const auto& partition : partitions)
    json["partitions"].push_back(names(job.problem.graph, partition));
  return json;
}

std::vector<std::string> streamed_names(const DfmodelJob& job, const NamedMapping& mapping) {
  std::vector<std::string> names;
  const DataflowGraph& graph = job.problem.graph;
  for (std::size_t p = 0; p < mapping.partitions.size(); ++p) {
    const double streamed = mapping.cost.partitions[p].streamed_bytes;
    for (const std::size_t kernel : streamed_kernels(graph, mapping.partitions[p], streamed)) {
      names.push_back(graph.kernels[kernel].name);
    }
  }
  return names;
}

Json dfmodel_json(const DfmodelJob& job, const DfmodelResult& result) {
  const NamedMapping& chosen = result.chosen;
  Json report = new_report("dfmodel");
  report["network"] = job.network;
  report["system"] = job.system.name;
  report["tensor"] = job.tensor;
  report["layers"] = job.layers;
  report["micro_batch"] = job.micro_batch;
  report["batch"] = job.batch;
  report["compute"] = job.cycles ? "cycles" : "flop";
  report["sharding"] = sharding_json(job);
  report["streamed"] = streamed_names(job, chosen);
  report["sram_bytes"] = finite(job.problem.rates.sram_bytes);
  report["mapping"] = chosen.name;
  report["partitions"] = Json::array();
  for (std::size_t p = 0; p < chosen.partitions.size(); ++p) {
    report["partitions"].push_back(partition_json(job, chosen, p));
  }
  report["layer_s"] = chosen.cost.total_s;
  report["batch_s"] = chosen.cost.total_s * job.passes();
  report["utilisation"] = job.utilisation(chosen.cost.total_s);
  report["search"] = search_json(result);
  report["comparison"] = Json::array();
  for (const NamedMapping& mapping : result.compared) {
    report["comparison"].push_back(comparison_json(job, result, mapping));
  }
  report["roofs"] = {{"flop_per_s", job.roofs.flop_per_s},
                     {"dram_bytes_per_s", finite(job.roofs.dram_bytes_per_s)},
                     {"network_bytes_per_s", finite(job.roofs.network_bytes_per_s)}};
  return report;
}

TextTable partitions_table(const DfmodelJob& job, const NamedMapping& mapping) {
  TextTable table({"partition", "compute_ns", "memory_ns", "network_ns", "weights_ns", "total_ns",
                   "bound", "sram_bytes", "kernels"});
  for (std::size_t p = 0; p < mapping.partitions.size(); ++p) {
    const PartitionCost& cost = mapping.cost.partitions[p];
    const auto ns = [](double seconds) { return fixed_text(seconds * kNanoseconds, 4); };
    table.add({std::to_string(p + 1), ns(cost.compute_s), ns(cost.memory_s), ns(cost.network_s),
               ns(cost.weight_load_s), ns(cost.total_s()), partition_bound_name(cost.bound()),
               fixed_text(cost.sram_bytes, 0),
               names_text(job.problem.graph, mapping.partitions[p])});
  }
  return table;
}

}  // namespace waferloom::planner
