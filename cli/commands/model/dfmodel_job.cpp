#include "cli/commands/model/dfmodel_job.h"

#include <algorithm>
#include <utility>

#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/input_file.h"
#include "cli/files/system_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "model/errors.h"
#include "model/workload.h"

namespace waferloom::cli {
namespace {

/// What a network is before it is sharded.
struct LayerGraph {
  DataflowGraph graph;
  bool is_transformer = false;
};

/// A layer of a network of transformer layers; else all of its kernels.
LayerGraph layer_of(const Network& network, std::int64_t samples, bool by_cycles) {
  if (network.graph && samples > 1) {
    throw Failure(FailureKind::usage,
                  "--micro-batch: a graph of kernels has its samples in its figures");
  }
  try {
    if (network.graph) return {expand_graph(network), false};
    const Workload workload = expand(network);
    if (planner::has_layers(workload)) return {planner::repeated_layer(workload, samples), true};
    if (by_cycles) {
      throw RequestError(
          "--cycles: expected transformer layers, or a graph of kernels with extents");
    }
    return {expand_graph(network, samples), false};
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(network.source, error));
  }
}

LayerGraph read_graph(const Arguments& arguments, std::int64_t samples) {
  const Network network = read_network_operand(arguments, "NETWORK");
  LayerGraph found = layer_of(network, samples, arguments.has("cycles"));
  if (found.graph.kernels.size() > planner::kMostMappedKernels) {
    throw InputError(network.source, kWholeSource,
                     "expected at most " + std::to_string(planner::kMostMappedKernels) +
                         " kernels to be mapped, found " +
                         std::to_string(found.graph.kernels.size()));
  }
  return found;
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

planner::MappingSearchOptions search_options(const Arguments& arguments) {
  planner::MappingSearchOptions options;
  options.method = named<planner::MappingMethod>(arguments, "method", planner::kMappingMethodNames);
  if (arguments.has("partitions")) {
    options.partitions = whole<std::size_t>(arguments, "partitions");
  }
  if (const auto& limit = arguments.common().time_limit) {
    options.time_limit_s = std::chrono::duration<double>(*limit).count();
  }
  options.control = run_control(arguments.common());
  return options;
}

/// Whether --mapping names one, and is no file.
bool is_named_mapping(const std::string& word) {
  return word == planner::kKernelByKernel || word == planner::kOptimalMapping ||
         word == planner::kVendorMapping;
}

bool fills_micro_batch(const Arguments& arguments) {
  return arguments.text_or_default("micro-batch") == "max";
}

void demand_memory(const System& system, const std::string& option) {
  if (!system.memories.empty()) return;
  throw Failure(FailureKind::usage,
                option + ": system " + system.name + " has no memory besides its SRAM");
}

planner::MappingRequest mapping_request(const Arguments& arguments,
                                        const planner::DfmodelJob& job) {
  planner::MappingRequest request;
  request.name = arguments.text_or_default("mapping");
  const DataflowGraph& graph = job.problem.graph;
  if (!is_named_mapping(request.name)) {
    request.given = read_mapping(read_input(request.name, arguments.common()),
                                 source_name(request.name), graph);
  }
  if (request.name == planner::kVendorMapping && planner::vendor_mapping(graph).empty()) {
    throw Failure(FailureKind::usage,
                  "--mapping: vendor cuts transformer layers, and " + job.network + " is none");
  }
  request.network = arguments.text("NETWORK");
  request.fills_micro_batch = fills_micro_batch(arguments);
  request.fills_batch = !arguments.has("batch");
  if (request.fills_micro_batch) demand_memory(job.system, "--micro-batch max");
  request.search = search_options(arguments);
  return request;
}

}  // namespace

std::vector<std::string> dfmodel_files(const Arguments& arguments) {
  std::vector<std::string> files = workload_files(arguments.text("NETWORK"));
  for (const std::string& file : system_files(arguments, "system")) files.push_back(file);
  if (arguments.has("mapping")) {
    const std::string& word = arguments.text("mapping");
    if (!is_named_mapping(word)) files.push_back(word);
  }
  return files;
}

planner::DfmodelJob dfmodel_job(const Arguments& arguments) {
  planner::DfmodelRequest request;
  request.system = read_system_option(arguments, "system");
  request.by_cycles = arguments.has("cycles");
  const bool fills = fills_micro_batch(arguments);
  if (fills && !request.by_cycles) {
    throw Failure(FailureKind::usage, "--micro-batch: max needs --cycles");
  }
  const std::uint64_t samples = fills ? 1 : whole<std::uint64_t>(arguments, "micro-batch");
  request.micro_batch = static_cast<double>(samples);
  LayerGraph network =
      read_graph(arguments, request.by_cycles ? 1 : static_cast<std::int64_t>(samples));
  request.graph = std::move(network.graph);
  request.is_transformer = network.is_transformer;
  request.tensor = tensor_of(arguments, request.system, network.is_transformer);
  request.batch = static_cast<double>(batch_of(arguments, samples));
  request.is_sharded = arguments.has("sharded");
  request.streams = arguments.has("stream");
  request.limits_dram = arguments.has("dram-limit");
  if (request.limits_dram) demand_memory(request.system, "--dram-limit");
  if (request.streams) demand_memory(request.system, "--stream");
  try {
    return planner::make_dfmodel_job(std::move(request));
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage, error.what());
  }
}

planner::DfmodelResult run_dfmodel(const Arguments& arguments, planner::DfmodelJob& job) {
  const planner::MappingRequest request = mapping_request(arguments, job);
  try {
    planner::DfmodelResult result = planner::run_dfmodel_job(job, request);
    if (request.name == planner::kOptimalMapping) throw_if_interrupted();
    return result;
  } catch (const InfeasibleError&) {
    throw_if_interrupted();  // a search that a signal cut has found nothing yet
    throw;
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage, error.what());
  }
}

}  // namespace waferloom::cli
