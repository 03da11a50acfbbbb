// Longer than most files: every option of one command, and what its absence stands for.

#include "cli/jobs/dfmodel_job.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/options/option_values.h"
#include "cli/options/simulation_options.h"
#include "cli/options/system_option.h"
#include "cli/options/workload_operand.h"
#include "model/dataflow_file.h"
#include "model/hardware_file.h"
#include "model/input_error.h"
#include "model/workload_file.h"
#include "planner/transformer_graph.h"

namespace waferloom::cli {
namespace {

constexpr const char* kKernelByKernel = "kernel-by-kernel";
constexpr const char* kOptimal = "optimal";
constexpr const char* kVendor = "vendor";

/// What a network is before it is sharded.
struct LayerGraph {
  DataflowGraph graph;
  bool is_transformer = false;
};

/// A layer of a workload's transformers, which have to be alike.
LayerGraph layer_of(const Workload& workload, std::int64_t samples, const std::string& name) {
  const TransformerOperator* layer = nullptr;
  double layers = 0;
  for (const Operator& one : workload.operators) {
    const auto* found = std::get_if<TransformerOperator>(&one.kind);
    if (found == nullptr) continue;
    if (layer != nullptr &&
        count(OperatorKind(*found)).matrix_flop != count(OperatorKind(*layer)).matrix_flop) {
      throw Failure(FailureKind::input, name +
                                            ": expected transformer layers that are alike, "
                                            "found another one in " +
                                            one.name);
    }
    layer = found;
    ++layers;
  }
  if (layer == nullptr) {
    throw Failure(FailureKind::input,
                  name +
                      ": expected a network with transformer layers; give others as a graph of "
                      "kernels and tensors (docs/dfmodel.md)");
  }
  planner::TransformerPass pass;
  pass.samples = samples;
  pass.layers = layers;
  LayerGraph network{planner::transformer_graph(*layer, pass), true};
  network.graph.name = workload.name;
  return network;
}

bool is_graph_of_kernels(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() && json.contains("kernels") && !json.contains("operators");
}

/// Without folders: a graph without a name has one that is the same wherever it is read from.
std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

LayerGraph read_network(const Arguments& arguments, std::int64_t samples) {
  const std::string& name = arguments.text("NETWORK");
  if (const auto preset = workload_preset(name)) {
    return layer_of(read_workload(*preset, name), samples, name);
  }
  if (name.find_first_of("./-") == std::string::npos) {
    return layer_of(read_workload_operand(arguments, "NETWORK"), samples, name);  // says what is
  }
  const std::string text = read_input(name, arguments.common());
  if (!is_graph_of_kernels(text)) {
    return layer_of(read_workload(text, source_name(name)), samples, source_name(name));
  }
  if (samples > 1) {
    throw Failure(FailureKind::usage,
                  "--micro-batch: a graph of kernels has its samples in its figures");
  }
  LayerGraph network{read_dataflow_graph(text, source_name(name)), false};
  if (network.graph.kernels.size() > planner::kMostMappedKernels) {
    throw InputError(source_name(name), "expected at most " +
                                            std::to_string(planner::kMostMappedKernels) +
                                            " kernels to be mapped, found " +
                                            std::to_string(network.graph.kernels.size()));
  }
  if (network.graph.name.empty()) network.graph.name = file_name(source_name(name));
  return network;
}

std::int64_t tensor_of(const Arguments& arguments, const System& system, bool is_transformer) {
  const bool shares = is_transformer && !system.dimensions.empty();
  if (arguments.has("tensor")) return whole(arguments, "tensor");
  return shares ? system.dimensions.front().size : 1;
}

/// At least what is worked on at once, and by default that.
std::uint64_t batch_of(const Arguments& arguments, std::uint64_t samples) {
  if (!arguments.has("batch")) return samples;
  const auto& range = std::get<WholeRange>(arguments.row("batch").range);
  return parse_whole(arguments.text("batch"), "--batch", {samples, range.most});
}

void shard_job(planner::DfmodelJob& job, DataflowGraph& graph) {
  planner::ShardingModel model;
  model.chips = job.tensor;
  job.sharding = planner::best_sharding(graph, model).kernels;
  for (const planner::ShardCommunication& one :
       planner::shard_communications(graph, job.sharding, job.tensor)) {
    job.shared_bytes += one.bytes;
  }
  graph = planner::shard(graph, job.sharding, job.tensor);
}

/// DRAM for tensors between partitions: the first memory less the weights of all layers.
void limit_dram(planner::DfmodelJob& job) {
  if (job.system.memories.empty()) {
    throw Failure(FailureKind::usage,
                  "--dram-limit: system " + job.system.name + " has no memory besides its SRAM");
  }
  double weights = 0;
  for (const DataflowKernel& kernel : job.problem.graph.kernels) weights += kernel.weight_bytes;
  const MemoryLevel& memory = job.system.memories.front();
  const double left = memory.bytes - job.layers * weights;
  if (left < 0) {
    throw Failure(FailureKind::infeasible, memory.name + ": the layers' weights take " +
                                               planner::whole_bytes_text(job.layers * weights) +
                                               " bytes of a chip, of " +
                                               planner::whole_bytes_text(memory.bytes));
  }
  job.problem.rates.dram_bytes = left;
}

planner::MappingSearchOptions search_options(const Arguments& arguments,
                                             const planner::DfmodelJob& job) {
  planner::MappingSearchOptions options;
  options.method = named<planner::MappingMethod>(arguments, "method", planner::kMappingMethodNames);
  options.cycles = job.cycles;
  if (arguments.has("partitions")) {
    options.partitions = whole<std::size_t>(arguments, "partitions");
  }
  if (const auto& limit = arguments.common().time_limit) {
    options.time_limit_s = std::chrono::duration<double>(*limit).count();
  }
  options.stopped = [&common = arguments.common()] { return is_cut(common); };
  return options;
}

/// The chosen mapping's faults as a Failure, if there are any.
void demand_fit(const planner::DfmodelJob& job, const planner::NamedMapping& mapping) {
  for (std::size_t p = 0; p < mapping.partitions.size(); ++p) {
    const planner::PartitionCost& cost = mapping.cost.partitions[p];
    const std::string place = mapping.name + ", partition " + std::to_string(p + 1) + " takes ";
    if (!cost.fits_sram) {
      throw Failure(FailureKind::infeasible,
                    place + planner::whole_bytes_text(cost.sram_bytes) + " bytes of SRAM, of " +
                        planner::whole_bytes_text(job.problem.rates.sram_bytes));
    }
    if (!cost.fits_dram) {
      throw Failure(FailureKind::infeasible,
                    place + planner::whole_bytes_text(cost.live_dram_bytes) + " bytes of " +
                        job.system.memories.front().name + " for tensors, of " +
                        planner::whole_bytes_text(job.problem.rates.dram_bytes));
    }
    if (job.cycles && static_cast<std::int64_t>(mapping.partitions[p].size()) > job.cycles->cores) {
      throw Failure(FailureKind::infeasible, place + std::to_string(mapping.partitions[p].size()) +
                                                 " cores, of " + std::to_string(job.cycles->cores));
    }
  }
}

planner::FoundMapping search(const Arguments& arguments, const planner::DfmodelJob& job,
                             const planner::MappingSearchOptions& options) {
  planner::FoundMapping found = planner::best_mapping(job.problem, options);
  throw_if_interrupted();
  if (found.partitions.empty()) {
    throw Failure(FailureKind::infeasible,
                  arguments.text("NETWORK") + " on " + job.system.name + ": " + found.misfit);
  }
  return found;
}

/// The best mapping for comparison, where all ideals can be gone through.
std::optional<planner::FoundMapping> optimum_beside(const planner::DfmodelJob& job,
                                                    planner::MappingSearchOptions options) {
  options.method = planner::MappingMethod::ideals;
  try {
    planner::FoundMapping found = planner::best_mapping(job.problem, options);
    if (!found.partitions.empty()) return found;
  } catch (const std::invalid_argument&) {  // too many ideals: nothing to compare with
  }
  return std::nullopt;
}

planner::Partitions asked_for(const Arguments& arguments, const planner::DfmodelJob& job,
                              const std::string& word) {
  const DataflowGraph& graph = job.problem.graph;
  if (word == kKernelByKernel) return planner::kernel_by_kernel(graph);
  if (word == kVendor) {
    planner::Partitions vendor = planner::vendor_mapping(graph);
    if (vendor.empty()) {
      throw Failure(FailureKind::usage,
                    "--mapping: vendor cuts transformer layers, and " + job.network + " is none");
    }
    return vendor;
  }
  return read_mapping(read_input(word, arguments.common()), source_name(word), graph);
}

/// The micro-batch that DRAM has room for with these partitions, where `max` is asked for.
void fill_micro_batch(const Arguments& arguments, planner::DfmodelJob& job,
                      const planner::Partitions& partitions) {
  if (!job.cycles || !arguments.has("micro-batch") || arguments.text("micro-batch") != "max") {
    return;
  }
  if (job.system.memories.empty()) {
    throw Failure(FailureKind::usage, "--micro-batch max: system " + job.system.name +
                                          " has no memory besides its SRAM");
  }
  planner::MicroBatchMemory memory{job.system.memories.front().bytes, job.layers, 0,
                                   planner::mapping_cost(job.problem, partitions).dram_bytes};
  for (const DataflowKernel& kernel : job.problem.graph.kernels) {
    memory.weight_bytes += kernel.weight_bytes;
  }
  const std::int64_t samples = planner::largest_micro_batch(memory);
  if (samples < 1) {
    throw Failure(FailureKind::infeasible,
                  job.system.memories.front().name + ": no sample's tensors have room beside " +
                      planner::whole_bytes_text(memory.weight_bytes * job.layers) +
                      " bytes of weights");
  }
  job.micro_batch = static_cast<double>(samples);
  job.problem.rates.seconds_per_weight_byte =
      1 / (job.problem.rates.dram_bytes_per_s * job.micro_batch);
  if (!arguments.has("batch")) job.batch = job.micro_batch;
}

}  // namespace

std::vector<std::string> dfmodel_files(const Arguments& arguments) {
  std::vector<std::string> files = workload_files(arguments.text("NETWORK"));
  for (const std::string& file : system_files(arguments, "system")) files.push_back(file);
  if (arguments.has("mapping")) {
    const std::string& word = arguments.text("mapping");
    if (word != kKernelByKernel && word != kOptimal && word != kVendor) files.push_back(word);
  }
  return files;
}

planner::DfmodelJob dfmodel_job(const Arguments& arguments) {
  planner::DfmodelJob job;
  job.system = read_system_option(arguments, "system");
  const bool by_cycles = arguments.has("cycles");
  const bool fills = arguments.text_or_default("micro-batch") == "max";
  if (fills && !by_cycles) {
    throw Failure(FailureKind::usage, "--micro-batch: max needs --cycles");
  }
  const std::uint64_t samples = fills ? 1 : whole<std::uint64_t>(arguments, "micro-batch");
  job.micro_batch = static_cast<double>(samples);
  job.pass_samples = by_cycles ? 1 : job.micro_batch;
  LayerGraph network = read_network(arguments, by_cycles ? 1 : static_cast<std::int64_t>(samples));
  job.network = network.graph.name;
  job.is_transformer = network.is_transformer;
  job.layers = network.graph.repeats;
  job.flop = total_flop(network.graph) / network.graph.repeats;
  job.tensor = tensor_of(arguments, job.system, network.is_transformer);
  job.batch = static_cast<double>(batch_of(arguments, samples));
  try {
    if (job.tensor > 1 && !arguments.has("sharded")) shard_job(job, network.graph);
    if (arguments.has("sharded")) job.flop *= static_cast<double>(job.tensor);
    const planner::ChipRates rates = planner::chip_rates(job.system, job.tensor, job.micro_batch);
    job.problem = planner::MappingProblem(std::move(network.graph), rates);
    job.roofs = planner::roofs_of(job.system, job.tensor, job.micro_batch);
    if (by_cycles) {
      job.cycles = planner::cycle_chip(job.system);
      job.roofs.flop_per_s = job.system.chip.flop_per_s;
      job.problem.rates.seconds_per_weight_byte = 1 / (rates.dram_bytes_per_s * job.micro_batch);
    }
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::usage, error.what());
  }
  if (arguments.has("stream")) job.streamed = planner::stream_large_weights(job.problem);
  if (arguments.has("dram-limit")) limit_dram(job);
  return job;
}

planner::DfmodelResult run_dfmodel(const Arguments& arguments, planner::DfmodelJob& job) {
  const std::string& word = arguments.text_or_default("mapping");
  planner::DfmodelResult result;
  try {
    const planner::Partitions each = planner::kernel_by_kernel(job.problem.graph);
    const planner::Partitions given =
        word == kOptimal ? planner::Partitions{} : asked_for(arguments, job, word);
    fill_micro_batch(arguments, job, given.empty() ? each : given);
    const planner::MappingSearchOptions options = search_options(arguments, job);
    if (word == kOptimal) {
      result.search = search(arguments, job, options);
      result.chosen = {word, result.search->partitions, result.search->cost};
    } else {
      result.chosen = {word, given, job.priced(given)};
      demand_fit(job, result.chosen);
      result.search = optimum_beside(job, options);
    }
    result.compared.push_back({kKernelByKernel, each, job.priced(each)});
    const planner::Partitions vendor = planner::vendor_mapping(job.problem.graph);
    if (!vendor.empty()) result.compared.push_back({kVendor, vendor, job.priced(vendor)});
    if (word != kKernelByKernel && word != kVendor) result.compared.push_back(result.chosen);
    if (word != kOptimal && result.search) {
      result.compared.push_back({kOptimal, result.search->partitions, result.search->cost});
    }
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::usage, error.what());
  }
  return result;
}

}  // namespace waferloom::cli
