#include "cli/summaries/dfmodel_summary.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr double kMega = 1e6;
constexpr std::size_t kLineWidth = 78;  ///< of lists of kernels
constexpr std::size_t kMostLines = 4;   ///< of one partition's list

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
          line += fmt::format("… ({} kernels)", partitions[p].size());
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

std::string search_text(const planner::FoundMapping& search) {
  if (search.is_optimal) {
    if (search.ideals > 0) {
      return fmt::format("proved, over {} order ideals", search.ideals);
    }
    return search.nodes > 0 || search.method == planner::MappingMethod::cbc
               ? fmt::format("proved by CBC, {} nodes", search.nodes)
               : "proved: equal to a bound";
  }
  return "not proved; the best takes at most " + fixed_text(100 * search.gap(), 2) + " % less";
}

/// A ratio; "-" where nothing is to compare (FLOP without bytes, 0 of 0).
std::string ratio_text(double ratio, const std::string& text) {
  return std::isfinite(ratio) ? text : "-";
}

TextTable comparison_table(const planner::DfmodelJob& job, const planner::DfmodelResult& result) {
  TextTable table({"mapping", "parts", "ns/layer", "speedup", "of peak", "DRAM", "link", "below"});
  for (const planner::NamedMapping& mapping : result.compared) {
    const planner::RoofPoint point = planner::roof_point(job.problem, mapping.cost, job.roofs);
    const double speedup = result.compared.front().cost.total_s / mapping.cost.total_s;
    table.add({mapping.name + (mapping.cost.fits ? "" : " (too big)"),
               std::to_string(mapping.partitions.size()),
               fixed_text(mapping.cost.total_s * kNanoseconds, 2),
               ratio_text(speedup, fixed_text(speedup, 4)),
               fixed_text(job.utilisation(mapping.cost.total_s), 4),
               ratio_text(point.memory_intensity, significant_text(point.memory_intensity)),
               ratio_text(point.network_intensity, significant_text(point.network_intensity)),
               planner::partition_bound_name(point.bound(job.roofs))});
  }
  return table;
}

/// The parts of a partition's time, and its SRAM where weights are not loaded first.
TextTable times_table(const planner::DfmodelJob& job, const planner::NamedMapping& mapping) {
  std::vector<std::string> heading{"part", "compute ns", "memory ns", "network ns"};
  if (job.cycles) heading.emplace_back("weights ns");
  for (const char* name : {"total ns", "bound"}) heading.emplace_back(name);
  if (!job.cycles) heading.emplace_back("SRAM MB");
  TextTable table(heading);
  for (std::size_t p = 0; p < mapping.partitions.size(); ++p) {
    const planner::PartitionCost& cost = mapping.cost.partitions[p];
    const auto ns = [](double seconds) { return fixed_text(seconds * kNanoseconds, 2); };
    std::vector<std::string> row{std::to_string(p + 1), ns(cost.compute_s), ns(cost.memory_s),
                                 ns(cost.network_s)};
    if (job.cycles) row.push_back(ns(cost.weight_load_s));
    row.push_back(ns(cost.total_s()));
    row.emplace_back(planner::partition_bound_name(cost.bound()));
    if (!job.cycles) row.push_back(fixed_text(cost.sram_bytes / kMega, 2));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

std::string dfmodel_summary(const planner::DfmodelJob& job, const planner::DfmodelResult& result) {
  const planner::NamedMapping& chosen = result.chosen;
  std::string text = fmt::format("{} on {}, {}{}, mapping {}\n\n{}\n", job.network, job.system.name,
                                 job.tensor, job.tensor == 1 ? " chip" : " chips share a layer",
                                 chosen.name, times_table(job, chosen).text());
  text += kernels_list(job.problem.graph, chosen.partitions) + "\n";
  text += comparison_table(job, result).text() +
          "\nDRAM, link: FLOP for each byte; - where there are none.\n\n";
  text += summary_line("layer", fixed_text(chosen.cost.total_s * kNanoseconds, 2) + " ns");
  const auto counted = [](double count, const std::string& thing) {
    return significant_text(count) + " " + thing + (count == 1 ? "" : "s");
  };
  text +=
      summary_line("batch", seconds_text(chosen.cost.total_s * job.passes()) + ", " +
                                counted(job.layers, "layer") + ", " + counted(job.batch, "sample") +
                                ", " + significant_text(job.micro_batch) + " at once");
  text += summary_line("SRAM", bytes_text(job.problem.rates.sram_bytes) + " a chip");
  if (result.search && chosen.name == "optimal") {
    text += summary_line("optimum", search_text(*result.search));
  } else if (result.search) {
    text += summary_line(
        "optimum", fixed_text(100 * (1 - result.search->cost.total_s / chosen.cost.total_s), 2) +
                       " % less time, " + search_text(*result.search));
  }
  if (!job.sharding.empty()) {
    text += summary_line("shared", bytes_text(job.shared_bytes) + " a layer");
  }
  const std::vector<std::string> streamed = planner::streamed_names(job, chosen);
  if (!streamed.empty()) {
    std::string list;
    for (const std::string& name : streamed) list += (list.empty() ? "" : ", ") + name;
    double bytes = 0;
    for (const planner::PartitionCost& cost : chosen.cost.partitions) bytes += cost.streamed_bytes;
    text += summary_line("streamed", bytes_text(bytes) + " of weights a pass, of " + list);
  }
  return text;
}

viz::RooflinePlot roofline_plot(const planner::DfmodelJob& job,
                                const planner::DfmodelResult& result) {
  viz::RooflinePlot plot;
  plot.title = job.network + " on " + job.system.name;
  plot.facts = fmt::format("a chip of {}; mappings of a layer", job.tensor);
  plot.flop_per_s = job.roofs.flop_per_s;
  const std::string memory =
      job.system.memories.empty() ? std::string("DRAM") : job.system.memories.front().name;
  plot.roofs = {{memory, job.roofs.dram_bytes_per_s}, {"network", job.roofs.network_bytes_per_s}};
  int left_out = 0;
  for (const planner::NamedMapping& mapping : result.compared) {
    const planner::RoofPoint point = planner::roof_point(job.problem, mapping.cost, job.roofs);
    if (!(point.flop_per_s > 0) || !std::isfinite(point.flop_per_s)) {
      plot.facts += left_out++ == 0 ? "; without FLOP: " : ", ";
      plot.facts += mapping.name;
      continue;
    }
    plot.points.push_back(
        {mapping.name, point.flop_per_s, {point.memory_intensity, point.network_intensity}});
  }
  return plot;
}

}  // namespace waferloom::cli
