#include "cli/summaries/dfmodel_report.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/summaries/figures.h"

namespace waferloom::cli {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr double kMega = 1e6;
constexpr std::size_t kLineWidth = 78;  ///< of lists of kernels
constexpr std::size_t kMostLines = 4;   ///< of one partition's list

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

/// "  1  Add_Prev, LN1, …": each partition's kernels, in lines that are not too long.
std::string kernels_list(const DataflowGraph& graph, const planner::Partitions& partitions) {
  std::string text;
  const std::size_t digits = std::to_string(partitions.size()).size();
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    const std::string number = std::to_string(p + 1);
    std::string line = "  " + std::string(digits - number.size(), ' ') + number + "  ";
    const std::string indent(line.size(), ' ');
    std::size_t lines = 1;
    for (std::size_t i = 0; i < partitions[p].size(); ++i) {
      const bool is_last = i + 1 == partitions[p].size();
      const std::string name = graph.kernels[partitions[p][i]].name + (is_last ? "" : ", ");
      if (line.size() + name.size() > kLineWidth && line.size() > indent.size()) {
        if (lines == kMostLines) {
          line += "… (" + std::to_string(partitions[p].size()) + " kernels)";
          break;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
        line = indent;
        ++lines;
      }
      line += name;
    }
    text += line + "\n";
  }
  return text;
}

std::string fixed(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

Json partition_json(const DfmodelJob& job, const NamedMapping& mapping, std::size_t p) {
  const planner::PartitionCost& cost = mapping.cost.partitions[p];
  Json json{{"kernels", names(job.problem.graph, mapping.partitions[p])},
            {"compute_s", cost.compute_s},
            {"memory_s", cost.memory_s},
            {"network_s", cost.network_s},
            {"weight_load_s", cost.weight_load_s},
            {"total_s", cost.total_s()},
            {"bound", planner::partition_bound_name(cost.bound())},
            {"sram_bytes", cost.sram_bytes},
            {"live_dram_bytes", cost.live_dram_bytes},
            {"flop", cost.flop},
            {"dram_bytes", cost.dram_bytes},
            {"reduced_bytes", cost.reduced_bytes}};
  json["cores"] = nullptr;
  if (job.cycles) {
    const planner::CoreAllocation cores =
        planner::allocate_cores(job.problem.graph, mapping.partitions[p], *job.cycles);
    json["cores"] = Json::array();
    for (const planner::CoreGrid& grid : cores.grids) {
      json["cores"].push_back({{"lane", grid.lane}, {"stage", grid.stage}});
    }
  }
  return json;
}

Json comparison_json(const DfmodelJob& job, const DfmodelResult& result,
                     const NamedMapping& mapping) {
  const planner::RoofPoint point = planner::roof_point(job.problem, mapping.cost, job.roofs);
  return {{"name", mapping.name},
          {"partitions", mapping.partitions.size()},
          {"fits", mapping.cost.fits},
          {"total_s", finite(mapping.cost.total_s)},
          {"speedup", finite(result.compared.front().cost.total_s / mapping.cost.total_s)},
          {"utilisation", job.utilisation(mapping.cost.total_s)},
          {"flop_per_s", finite(point.flop_per_s)},
          {"memory_intensity", finite(point.memory_intensity)},
          {"network_intensity", finite(point.network_intensity)},
          {"bound", planner::partition_bound_name(point.bound(job.roofs))}};
}

Json search_json(const DfmodelResult& result) {
  if (!result.search) return nullptr;
  const planner::FoundMapping& search = *result.search;
  return {{"method", planner::mapping_method_name(search.method)},
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
    kernels[job.problem.graph.kernels[i].name] = planner::sharding_name(job.sharding[i]);
  }
  return {{"kernels", kernels}, {"shared_bytes", job.shared_bytes}};
}

std::string search_text(const planner::FoundMapping& search) {
  if (search.is_optimal) {
    if (search.ideals > 0) {
      return "proved, over " + std::to_string(search.ideals) + " order ideals";
    }
    return search.nodes > 0 || search.method == planner::MappingMethod::cbc
               ? "proved by CBC, " + std::to_string(search.nodes) + " nodes"
               : "proved: equal to a bound";
  }
  return "not proved; the best takes at most " + fixed(100 * search.gap(), 2) + " % less";
}

TextTable comparison_table(const DfmodelJob& job, const DfmodelResult& result) {
  TextTable table({"mapping", "parts", "ns/layer", "speedup", "of peak", "DRAM", "link", "below"});
  for (const NamedMapping& one : result.compared) {
    const planner::RoofPoint point = planner::roof_point(job.problem, one.cost, job.roofs);
    table.add({one.name + (one.cost.fits ? "" : " (too big)"),
               std::to_string(one.partitions.size()), fixed(one.cost.total_s * kNanoseconds, 2),
               fixed(result.compared.front().cost.total_s / one.cost.total_s, 4),
               fixed(job.utilisation(one.cost.total_s), 4), four_digits(point.memory_intensity),
               four_digits(point.network_intensity),
               planner::partition_bound_name(point.bound(job.roofs))});
  }
  return table;
}

/// The parts of a partition's time, and its SRAM where weights are not loaded first.
TextTable times_table(const DfmodelJob& job, const NamedMapping& mapping) {
  std::vector<std::string> heading{"part", "compute ns", "memory ns", "network ns"};
  if (job.cycles) heading.emplace_back("weights ns");
  for (const char* name : {"total ns", "bound"}) heading.emplace_back(name);
  if (!job.cycles) heading.emplace_back("SRAM MB");
  TextTable table(heading);
  for (std::size_t p = 0; p < mapping.partitions.size(); ++p) {
    const planner::PartitionCost& cost = mapping.cost.partitions[p];
    const auto ns = [](double seconds) { return fixed(seconds * kNanoseconds, 2); };
    std::vector<std::string> row{std::to_string(p + 1), ns(cost.compute_s), ns(cost.memory_s),
                                 ns(cost.network_s)};
    if (job.cycles) row.push_back(ns(cost.weight_load_s));
    row.push_back(ns(cost.total_s()));
    row.emplace_back(planner::partition_bound_name(cost.bound()));
    if (!job.cycles) row.push_back(fixed(cost.sram_bytes / kMega, 2));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

Json mapping_json(const DfmodelJob& job, const planner::Partitions& partitions) {
  Json json{{"schema", "waferloom/mapping/1"}, {"network", job.network}};
  json["partitions"] = Json::array();
  for (const auto& one : partitions) json["partitions"].push_back(names(job.problem.graph, one));
  return json;
}

Json dfmodel_report(const DfmodelJob& job, const DfmodelResult& result) {
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
  report["streamed"] = job.streamed;
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
  for (const NamedMapping& one : result.compared) {
    report["comparison"].push_back(comparison_json(job, result, one));
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
    const planner::PartitionCost& cost = mapping.cost.partitions[p];
    const auto ns = [](double seconds) { return fixed(seconds * kNanoseconds, 4); };
    table.add({std::to_string(p + 1), ns(cost.compute_s), ns(cost.memory_s), ns(cost.network_s),
               ns(cost.weight_load_s), ns(cost.total_s()),
               planner::partition_bound_name(cost.bound()), fixed(cost.sram_bytes, 0),
               names_text(job.problem.graph, mapping.partitions[p])});
  }
  return table;
}

std::string dfmodel_summary(const DfmodelJob& job, const DfmodelResult& result) {
  const NamedMapping& chosen = result.chosen;
  std::string text = job.network + " on " + job.system.name + ", " + std::to_string(job.tensor) +
                     (job.tensor == 1 ? " chip" : " chips share a layer") + ", mapping " +
                     chosen.name + "\n\n" + times_table(job, chosen).text() + "\n";
  text += kernels_list(job.problem.graph, chosen.partitions) + "\n";
  text += comparison_table(job, result).text() + "\nDRAM, link: FLOP for each byte.\n\n";
  text += summary_line("layer", fixed(chosen.cost.total_s * kNanoseconds, 2) + " ns");
  const auto counted = [](double count, const std::string& thing) {
    return four_digits(count) + " " + thing + (count == 1 ? "" : "s");
  };
  text +=
      summary_line("batch", seconds_text(chosen.cost.total_s * job.passes()) + ", " +
                                counted(job.layers, "layer") + ", " + counted(job.batch, "sample") +
                                ", " + four_digits(job.micro_batch) + " at once");
  text += summary_line("SRAM", bytes_text(job.problem.rates.sram_bytes) + " a chip");
  if (result.search && chosen.name == "optimal") {
    text += summary_line("optimum", search_text(*result.search));
  } else if (result.search) {
    text += summary_line("optimum",
                         fixed(100 * (1 - result.search->cost.total_s / chosen.cost.total_s), 2) +
                             " % less time, " + search_text(*result.search));
  }
  if (!job.sharding.empty()) {
    text += summary_line("shared", bytes_text(job.shared_bytes) + " a layer");
  }
  if (!job.streamed.empty()) {
    std::string list;
    for (const std::string& name : job.streamed) list += (list.empty() ? "" : ", ") + name;
    text += summary_line("streamed", list + ": their weights come from DRAM");
  }
  return text;
}

viz::RooflinePlot roofline_plot(const DfmodelJob& job, const DfmodelResult& result) {
  viz::RooflinePlot plot;
  plot.title = job.network + " on " + job.system.name;
  plot.facts = "a chip of " + std::to_string(job.tensor) + "; mappings of a layer";
  plot.flop_per_s = job.roofs.flop_per_s;
  const std::string memory =
      job.system.memories.empty() ? std::string("DRAM") : job.system.memories.front().name;
  plot.roofs = {{memory, job.roofs.dram_bytes_per_s}, {"network", job.roofs.network_bytes_per_s}};
  int left_out = 0;
  for (const NamedMapping& one : result.compared) {
    const planner::RoofPoint point = planner::roof_point(job.problem, one.cost, job.roofs);
    if (!(point.flop_per_s > 0) || !std::isfinite(point.flop_per_s)) {
      plot.facts += left_out++ == 0 ? "; without FLOP: " : ", ";
      plot.facts += one.name;
      continue;
    }
    plot.points.push_back(
        {one.name, point.flop_per_s, {point.memory_intensity, point.network_intensity}});
  }
  return plot;
}

}  // namespace waferloom::cli
