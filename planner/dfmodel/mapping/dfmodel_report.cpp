#include "model/text.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"

namespace waferloom::planner {
namespace {

constexpr double kNanoseconds = 1e9;

std::string names_text(const DataflowGraph& graph, const std::vector<std::size_t>& kernels) {
  std::string text;
  for (const std::size_t kernel : kernels) {
    if (!text.empty()) text += ' ';
    text += graph.kernels[kernel].name;
  }
  return text;
}

}  // namespace

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
