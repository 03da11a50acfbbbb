#include "cli/commands/model/dfmodel_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/options.h"
#include "cli/options/search_control.h"
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

LayerGraph read_graph(const DfmodelRequest& request, std::int64_t samples) {
  const Network network = read_network_named(request.network, "NETWORK", request.common);
  LayerGraph found = layer_of(network, samples, request.choice.layer.by_cycles);
  if (found.graph.kernels.size() > planner::kMostMappedKernels) {
    throw InputError(network.source, kWholeSource,
                     fmt::format("expected at most {} kernels to be mapped, found {}",
                                 planner::kMostMappedKernels, found.graph.kernels.size()));
  }
  return found;
}

/// Chips that share a layer where nobody says it.
std::int64_t usual_tensor(const planner::LayerRequest& layer) {
  const bool shares = layer.is_transformer && !layer.system.dimensions.empty();
  return shares ? layer.system.dimensions.front().size : 1;
}

/// At least what is worked on at once, and by default that.
std::uint64_t batch_of(const std::optional<std::string>& given, std::uint64_t samples) {
  if (!given) return samples;
  return parse_whole(*given, "--batch", {samples, planner::kMostDfmodelBatch});
}

/// Whether --mapping names one, and is no file.
bool is_named_mapping(const std::string& word) {
  return word == planner::kKernelByKernel || word == planner::kOptimalMapping ||
         word == planner::kVendorMapping;
}

void demand_memory(const System& system, const std::string& option) {
  if (!system.memories.empty()) return;
  throw Failure(FailureKind::usage,
                option + ": system " + system.name + " has no memory besides its SRAM");
}

planner::MappingRequest mapping_request(const DfmodelRequest& request,
                                        const planner::DfmodelJob& job) {
  planner::MappingRequest mapping = request.choice.mapping;
  const DataflowGraph& graph = job.problem.graph;
  if (!is_named_mapping(mapping.name)) {
    mapping.given =
        read_mapping(read_input(mapping.name, request.common), source_name(mapping.name), graph);
  }
  if (mapping.name == planner::kVendorMapping && planner::vendor_mapping(graph).empty()) {
    throw Failure(FailureKind::usage,
                  "--mapping: vendor cuts transformer layers, and " + job.network + " is none");
  }
  mapping.network = request.network;
  mapping.fills_batch = !request.choice.batch;
  if (mapping.fills_micro_batch) demand_memory(job.system, "--micro-batch max");
  if (const auto& limit = request.common.time_limit) {
    mapping.search.time_limit_s = std::chrono::duration<double>(*limit).count();
  }
  mapping.search.control = run_control(request.common);
  return mapping;
}

}  // namespace

std::vector<std::string> dfmodel_files(const DfmodelRequest& request) {
  std::vector<std::string> files = workload_files(request.network);
  for (const std::string& file : machine_inputs(request.choice.machine)) files.push_back(file);
  const std::string& mapping = request.choice.mapping.name;
  if (!is_named_mapping(mapping)) files.push_back(mapping);
  return files;
}

planner::DfmodelJob dfmodel_job(const DfmodelRequest& request) {
  planner::LayerRequest layer = request.choice.layer;
  layer.system = read_chips(request.choice.machine, request.common);
  if (request.choice.mapping.fills_micro_batch && !layer.by_cycles) {
    throw Failure(FailureKind::usage, "--micro-batch: max needs --cycles");
  }
  const auto samples = static_cast<std::uint64_t>(layer.micro_batch);
  LayerGraph network =
      read_graph(request, layer.by_cycles ? 1 : static_cast<std::int64_t>(samples));
  layer.graph = std::move(network.graph);
  layer.is_transformer = network.is_transformer;
  layer.tensor = request.choice.tensor.value_or(usual_tensor(layer));
  layer.batch = static_cast<double>(batch_of(request.choice.batch, samples));
  if (layer.limits_dram) demand_memory(layer.system, "--dram-limit");
  if (layer.streams) demand_memory(layer.system, "--stream");
  try {
    return planner::make_dfmodel_job(std::move(layer));
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage, error.what());
  }
}

planner::DfmodelResult run_dfmodel(const DfmodelRequest& request, planner::DfmodelJob& job) {
  const planner::MappingRequest mapping = mapping_request(request, job);
  try {
    planner::DfmodelResult result = planner::run_dfmodel_job(job, mapping);
    if (mapping.name == planner::kOptimalMapping) throw_if_interrupted();
    return result;
  } catch (const InfeasibleError&) {
    throw_if_interrupted();  // a search that a signal cut has found nothing yet
    throw;
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage, error.what());
  }
}

}  // namespace waferloom::cli
