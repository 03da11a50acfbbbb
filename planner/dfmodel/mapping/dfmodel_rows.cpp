#include <cmath>

#include "model/describe.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/cycle_model.h"

namespace waferloom {
namespace planner {
namespace {

struct MappedReport {
  const DfmodelJob* job;
  const DfmodelResult* result;
};

struct MappedPartition {
  const DfmodelJob* job;
  const std::vector<std::size_t>* kernels;
  const PartitionCost* cost;
};

/// A mapping beside the others.
struct ComparedMapping {
  MappedReport report;
  const NamedMapping* mapping;
  RoofPoint point;
};

/// How a chip's time for a kernel is counted.
enum class CountedBy : std::uint8_t { flop, cycles };
constexpr std::array<std::string_view, 2> kCountedByNames{"flop", "cycles"};
constexpr std::span<const std::string_view> words_of(CountedBy /*of*/) { return kCountedByNames; }

/// JSON has no infinity.
std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<std::string> kernel_names(const DataflowGraph& graph,
                                      const std::vector<std::size_t>& kernels) {
  std::vector<std::string> names;
  for (const std::size_t kernel : kernels) names.push_back(graph.kernels[kernel].name);
  return names;
}

std::vector<std::string> names_of(const MappedPartition& partition) {
  return kernel_names(partition.job->problem.graph, *partition.kernels);
}

std::optional<std::vector<CoreGrid>> cores_of(const MappedPartition& partition) {
  const DfmodelJob& job = *partition.job;
  if (!job.cycles) return std::nullopt;
  return allocate_cores(job.problem.graph, *partition.kernels, *job.cycles).grids;
}

std::vector<MappedPartition> mapped_partitions(const MappedReport& report) {
  const NamedMapping& chosen = report.result->chosen;
  std::vector<MappedPartition> partitions;
  for (std::size_t i = 0; i < chosen.partitions.size(); ++i) {
    partitions.push_back({report.job, &chosen.partitions[i], &chosen.cost.partitions[i]});
  }
  return partitions;
}

std::vector<ComparedMapping> compared_mappings(const MappedReport& report) {
  const DfmodelJob& job = *report.job;
  std::vector<ComparedMapping> compared;
  for (const NamedMapping& mapping : report.result->compared) {
    compared.push_back({report, &mapping, roof_point(job.problem, mapping.cost, job.roofs)});
  }
  return compared;
}

NamedList<Sharding> sharding_of(const DfmodelJob& job) {
  NamedList<Sharding> kernels;
  for (std::size_t i = 0; i < job.sharding.size(); ++i) {
    kernels.emplace_back(job.problem.graph.kernels[i].name, job.sharding[i]);
  }
  return kernels;
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::CoreGrid>() {
  using planner::CoreGrid;
  static const TypeRows rows = report_rows(
      {row("lane", &CoreGrid::lane,
           {"cores that a kernel's outputs are spread over", kPositiveCount}),
       row("stage", &CoreGrid::stage, {"cores that its tokens are spread over", kPositiveCount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::MappedPartition>() {
  using planner::MappedPartition;
  using Cost = planner::PartitionCost;
  const auto cost = [](const MappedPartition& partition) -> const Cost& { return *partition.cost; };
  static const TypeRows rows = report_rows(joined(
      {{computed<MappedPartition>("kernels", planner::names_of,
                                  {.meaning = "names of its kernels", .items = kPositiveCount})},
       through<MappedPartition>(
           cost,
           {row("compute_s", &Cost::compute_s, {"seconds of computing", kAmount}),
            row("memory_s", &Cost::memory_s, {"seconds of traffic with DRAM", kAmount}),
            row("network_s", &Cost::network_s, {"seconds of traffic among chips", kAmount}),
            row("weight_load_s", &Cost::weight_load_s,
                {"seconds in which weights come in", kAmount}),
            row("total_s", &Cost::total_s, {"seconds of the partition", kAmount}),
            row("bound", &Cost::bound, {"what bounds it"}),
            row("sram_bytes", &Cost::sram_bytes, {"bytes of SRAM that it needs", kAmount}),
            row("streamed_bytes", &Cost::streamed_bytes,
                {"bytes of weights that come from DRAM while it works; they are in dram_bytes too",
                 kAmount}),
            row("live_dram_bytes", &Cost::live_dram_bytes,
                {"bytes of tensors between partitions that are alive", kAmount}),
            row("flop", &Cost::flop, {"FLOP of its kernels", kAmount}),
            row("dram_bytes", &Cost::dram_bytes, {"bytes from and to DRAM", kAmount}),
            row("reduced_bytes", &Cost::reduced_bytes, {"bytes of its all-reduces", kAmount})}),
       {computed<MappedPartition>("cores", planner::cores_of,
                                  {"cores of each kernel; null where FLOP are counted"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::FoundMapping>() {
  using Found = planner::FoundMapping;
  static const TypeRows rows =
      report_rows({row("method", &Found::method, {"how the mapping was found"}),
                   row("optimal", &Found::is_optimal, {"whether it is proved to be the best"}),
                   computed<Found>("total_s", [](const Found& found) { return found.cost.total_s; },
                                   {"seconds of the mapping", kAmount}),
                   row("bound_s", &Found::bound_s, {"no mapping takes fewer seconds", kAmount}),
                   row("gap", &Found::gap, {"(total - bound) / total", RealRange{0, 1}}),
                   row("ideals", &Found::ideals,
                       {"sets of kernels that the search looked at; 0: not all of them", kCount}),
                   row("transitions", &Found::transitions, {"steps of the search", kCount}),
                   row("nodes", &Found::nodes, {"nodes that the solver CBC looked at", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::ComparedMapping>() {
  using planner::ComparedMapping;
  using planner::finite;
  using planner::NamedMapping;
  using planner::RoofPoint;
  const auto mapping = [](const ComparedMapping& at) -> const NamedMapping& { return *at.mapping; };
  const auto point = [](const ComparedMapping& at) -> const RoofPoint& { return at.point; };
  const auto speedup = [](const ComparedMapping& at) {
    return finite(at.report.result->compared.front().cost.total_s / at.mapping->cost.total_s);
  };
  const auto utilisation = [](const ComparedMapping& at) {
    return at.report.job->utilisation(at.mapping->cost.total_s);
  };
  const auto bound = [](const ComparedMapping& at) { return at.point.bound(at.report.job->roofs); };
  static const TypeRows rows = report_rows(joined(
      {through<ComparedMapping>(
           mapping,
           {row("name", &NamedMapping::name, {"name of the mapping"}),
            computed<NamedMapping>("partitions",
                                   [](const NamedMapping& at) { return at.partitions.size(); },
                                   {"number of partitions", kPositiveCount}),
            computed<NamedMapping>("fits", [](const NamedMapping& at) { return at.cost.fits; },
                                   {"whether SRAM and DRAM hold it"}),
            computed<NamedMapping>("total_s",
                                   [](const NamedMapping& at) { return finite(at.cost.total_s); },
                                   {"seconds of the mapping; null: it does not fit", kAmount})}),
       {computed<ComparedMapping>(
            "speedup", speedup,
            {"how much faster it is than one kernel at a time; null: it does not fit", kAmount}),
        computed<ComparedMapping>("utilisation", utilisation,
                                  {"share of the peak rate that is reached", kAmount})},
       through<ComparedMapping>(
           point,
           {row("flop_per_s", &RoofPoint::flop_per_s, {"FLOP/s of a chip", kAmount}),
            computed<RoofPoint>("memory_intensity",
                                [](const RoofPoint& at) { return finite(at.memory_intensity); },
                                {"FLOP for each byte; null: no bytes", kAmount}),
            computed<RoofPoint>("network_intensity",
                                [](const RoofPoint& at) { return finite(at.network_intensity); },
                                {"FLOP for each byte of the network; null: no byte", kAmount})}),
       {computed<ComparedMapping>("bound", bound, {"name of the lowest roof"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::Roofs>() {
  using planner::finite;
  using planner::Roofs;
  static const TypeRows rows = report_rows(
      {row("flop_per_s", &Roofs::flop_per_s, {"peak of the chip, FLOP/s", kAmount}),
       computed<Roofs>("dram_bytes_per_s",
                       [](const Roofs& roofs) { return finite(roofs.dram_bytes_per_s); },
                       {"bytes a second of DRAM; null: no limit", kAmount}),
       computed<Roofs>("network_bytes_per_s",
                       [](const Roofs& roofs) { return finite(roofs.network_bytes_per_s); },
                       {"bytes a second of the network; null: no limit", kAmount})});
  return rows;
}

namespace planner {
namespace {

std::vector<Row> mapped_rows() {
  using Job = DfmodelJob;
  const auto is_shared = [](const Job& job) { return !job.sharding.empty(); };
  return through<MappedReport>(
      [](const MappedReport& report) -> const Job& { return *report.job; },
      {row("network", &Job::network, {"name of the graph or network"}),
       computed<Job>("system", [](const Job& job) { return job.system.name; },
                     {"name of the system"}),
       row("tensor", &Job::tensor, {"chips that share a layer", kPositiveCount}),
       row("layers", &Job::layers, {"layers of the network", kAboveZero}),
       row("micro_batch", &Job::micro_batch, {"samples at once", kPositiveCount}),
       row("batch", &Job::batch, {"samples of a batch", kPositiveCount}),
       computed<Job>(
           "compute",
           [](const Job& job) { return job.cycles ? CountedBy::cycles : CountedBy::flop; },
           {"how computing is counted: by FLOP, or by the arrays' cycles"}),
       nullable<Job>(is_shared,
                     group("sharding",
                           {computed<Job>("kernels", sharding_of,
                                          {"how each kernel is shared among the chips"}),
                            row("shared_bytes", &Job::shared_bytes,
                                {"bytes that a pass of a layer communicates", kAmount})},
                           {"how a layer's kernels are shared among chips; null: they are not"}))});
}

double layer_s(const MappedReport& report) { return report.result->chosen.cost.total_s; }

std::vector<Row> chosen_rows() {
  using Mapped = MappedReport;
  const auto streamed = [](const Mapped& report) {
    return streamed_names(*report.job, report.result->chosen);
  };
  return {
      computed<Mapped>("streamed", streamed,
                       {"kernels whose weights come from DRAM, in whole or in part, while their "
                        "partition works"}),
      computed<Mapped>(
          "sram_bytes",
          [](const Mapped& report) { return finite(report.job->problem.rates.sram_bytes); },
          {"bytes of SRAM of a chip; null: no limit", kAmount}),
      computed<Mapped>("mapping", [](const Mapped& report) { return report.result->chosen.name; },
                       {"which mapping it is: optimal, kernel-by-kernel, vendor, or a file's"}),
      computed<Mapped>("partitions", mapped_partitions,
                       {.meaning = "partitions of the mapping, in the order in which they run",
                        .items = kPositiveCount}),
      computed<Mapped>("layer_s", layer_s, {"seconds of a pass of a layer", kAmount}),
      computed<Mapped>("batch_s",
                       [](const Mapped& report) { return layer_s(report) * report.job->passes(); },
                       {"seconds of all layers and samples", kAmount}),
      computed<Mapped>(
          "utilisation",
          [](const Mapped& report) { return report.job->utilisation(layer_s(report)); },
          {"share of the chips' peak that is reached; FLOP of shared kernels count once", kAmount}),
      computed<Mapped>("search", [](const Mapped& report) { return report.result->search; },
                       {"the search for the best mapping; null where none was made"}),
      computed<Mapped>("comparison", compared_mappings,
                       {.meaning = "this mapping beside others", .items = kPositiveCount}),
      computed<Mapped>("roofs", [](const Mapped& report) { return report.job->roofs; },
                       {"the roofs of a chip"})};
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::MappedReport>() {
  static const TypeRows rows =
      report_file("waferloom/dfmodel/1", joined({planner::mapped_rows(), planner::chosen_rows()}));
  return rows;
}

namespace planner {

Report dfmodel_report(const DfmodelJob& job, const DfmodelResult& result) {
  return described_report(MappedReport{&job, &result});
}

std::string dfmodel_schema() {
  return schema_text(rows_of<MappedReport>(), "Report of waferloom model dfmodel");
}

std::string mapping_text(const DfmodelJob& job, const Partitions& partitions) {
  std::vector<std::vector<std::string>> names;
  for (const std::vector<std::size_t>& partition : partitions) {
    names.push_back(kernel_names(job.problem.graph, partition));
  }
  return waferloom::mapping_text(job.network, names);
}

}  // namespace planner
}  // namespace waferloom
