#include "cli/commands/model/amped_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "cli/console/failure.h"
#include "cli/files/machine_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "model/errors.h"
#include "model/text.h"
#include "planner/amped.h"

namespace waferloom::cli {
namespace {

constexpr std::uint64_t kMostChips = 100'000'000;
constexpr double kMostNumberBits = 1024;

[[noreturn]] void fail(const std::string& option, const std::string& expected,
                       const std::string& found) {
  throw Failure(FailureKind::usage,
                "--" + option + ": expected " + expected + ", found " + in_quotes(found));
}

/// Numbers between commas, of which some may be left out at the end; nothing if it is not that.
std::optional<std::vector<double>> numbers(const std::string& text, std::size_t most,
                                           RealRange range) {
  std::vector<double> found;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    double value = 0;
    const auto parsed = std::from_chars(text.data() + begin, text.data() + end, value);
    const bool is_number = parsed.ec == std::errc() && parsed.ptr == text.data() + end;
    if (!is_number || !(value >= range.least) || !(value <= range.most)) return std::nullopt;
    found.push_back(value);
    begin = end + 1;
  }
  if (found.size() > most) return std::nullopt;
  return found;
}

/// A degree as a total, or as INxAMONG.
struct Degree {
  std::int64_t inside = 1;
  std::int64_t among = 1;
  bool is_split = false;
};

Degree degree(const std::optional<std::string>& given, const std::string& option) {
  if (!given) return {};
  const std::string& text = *given;
  if (const auto split = split_numbers(text, "x"); split.size() == 2) {
    if (split[0] < 1 || split[1] < 1) fail(option, "degrees of at least 1", text);
    return {split[0], split[1], true};
  }
  const auto value = parse_whole_number(text, {1, kMostChips});
  if (!value) fail(option, "a whole number, or INSIDExAMONG", text);
  return {static_cast<std::int64_t>(*value), 1, false};
}

planner::AmpedDegrees parse_degrees(const planner::AmpedChoice& request, const System& system) {
  const Degree tensor = degree(request.tensor, "tp");
  const Degree pipeline = degree(request.pipeline, "pp");
  Degree data = degree(request.data, "dp");
  if (tensor.is_split || pipeline.is_split || data.is_split) {
    const auto check = [](const char* name, const auto& given, const Degree& degree) {
      if (given && !degree.is_split) fail(name, "INSIDExAMONG, as other degrees are", *given);
    };
    check("tp", request.tensor, tensor);
    check("pp", request.pipeline, pipeline);
    check("dp", request.data, data);
    return {{tensor.inside, pipeline.inside, data.inside},
            {tensor.among, pipeline.among, data.among}};
  }
  if (!request.data) {
    data.inside = planner::filling_data_degree(tensor.inside * pipeline.inside, system);
  }
  try {
    return planner::nested_degrees({tensor.inside, pipeline.inside, data.inside}, system);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage, error.what());
  }
}

void set_size(System& system, std::size_t dimension, std::int64_t size, const char* option) {
  if (dimension >= system.dimensions.size()) {
    throw Failure(FailureKind::usage,
                  fmt::format("{}{}: {} has {} dimensions, and no links for it", "--", option,
                              system.name, system.dimensions.size()));
  }
  system.dimensions[dimension].size = size;
}

System parse_system(const planner::AmpedChoice& request, const CommonOptions& common) {
  System system = read_chips(request.machine, common);
  const std::size_t levels = system.dimensions.size();
  if (request.node_chips) set_size(system, 0, *request.node_chips, "node-chips");
  if (request.nodes) set_size(system, 1, *request.nodes, "nodes");
  if (levels == 2 && system.dimensions[0].size >
                         static_cast<std::int64_t>(kMostChips) / system.dimensions[1].size) {
    throw Failure(FailureKind::usage,
                  fmt::format("--nodes: expected at most {} chips in all", kMostChips));
  }
  if (!request.efficiency) return system;
  const auto found = numbers(*request.efficiency, 3, {0, 1e9});
  const bool is_efficiency = found && found->front() > 0 && found->front() <= 1 &&
                             (found->size() < 3 || found->at(2) <= 1);
  if (!is_efficiency) {
    fail("efficiency", "A, A,B or A,B,FLOOR with A above 0 and A and FLOOR at most 1",
         *request.efficiency);
  }
  system.chip.efficiency = {found->at(0), found->size() > 1 ? found->at(1) : 0,
                            found->size() > 2 ? found->at(2) : 0};
  system.chip.efficiency_by_type.clear();
  return system;
}

void parse_bits(const std::string& text, planner::AmpedTraining& training) {
  const auto found = numbers(text, 4, {1, kMostNumberBits});
  if (!found) fail("bits", "P, P,A, P,A,G or P,A,G,E from 1 to 1024", text);
  const auto at = [&](std::size_t i) { return i < found->size() ? found->at(i) : found->front(); };
  training.parameter_bits = at(0);
  training.activation_bits = at(1);
  training.gradient_bits = at(2);
  if (found->size() > 3) training.element_bits = found->at(3);
}

void parse_factors(const std::string& text, planner::AmpedTraining& training) {
  const auto found = numbers(text, 3, {0, 1e6});
  if (!found) fail("factors", "IN, IN,AMONG or IN,AMONG,MOE", text);
  training.inside_factor = found->at(0);
  if (found->size() > 1) training.among_factor = found->at(1);
  if (found->size() > 2) training.experts_factor = found->at(2);
}

planner::AmpedTraining parse_training(const planner::AmpedChoice& request) {
  planner::AmpedTraining training = request.training;
  training.batch = request.batch.value();
  training.tokens = request.tokens.value_or(training.tokens);
  training.expert_ways = request.expert_ways.value_or(training.expert_ways);
  if (request.bits) parse_bits(*request.bits, training);
  if (request.factors) parse_factors(*request.factors, training);
  return training;
}

void check_options(const AmpedRequest& request) {
  const planner::AmpedChoice& amped = request.amped;
  const bool has_degrees = amped.tensor || amped.pipeline || amped.data;
  if (has_degrees && amped.explore) {
    throw Failure(FailureKind::usage,
                  "--explore: tries all degrees, so --tp, --pp and --dp have no say");
  }
  if (!has_degrees && !amped.explore) {
    throw Failure(FailureKind::usage, "expected --explore, or degrees as --tp, --pp and --dp");
  }
  refuse_without(amped.explore, "--explore",
                 {{"top", amped.top.has_value()},
                  {"csv", request.csv.has_value()},
                  {"heatmap", request.heatmap.has_value()}});
  refuse_without(amped.experts.has_value(), "--experts",
                 {{"experts-active", amped.experts_active.has_value()},
                  {"experts-every", amped.experts_every.has_value()},
                  {"expert-ways", amped.expert_ways.has_value()}});
}

}  // namespace

planner::AmpedJob amped_job(const AmpedRequest& request) {
  check_options(request);
  const planner::AmpedChoice& amped = request.amped;
  planner::AmpedJob job;
  job.training = parse_training(amped);
  job.micro_batches = amped.micro_batches;
  job.experts = {amped.experts.value_or(job.experts.experts),
                 amped.experts_active.value_or(job.experts.active),
                 amped.experts_every.value_or(job.experts.every)};
  job.top = amped.top.value_or(job.top);
  job.search = amped.search;
  job.search.choose_micro_batches = job.micro_batches == planner::MicroBatches::best;
  job.search.threads = request.common.threads;
  const Workload workload = read_workload_named(request.workload, "WORKLOAD", request.common);
  job.system = parse_system(amped, request.common);
  try {
    job.network = planner::amped_network(workload, job.experts);
    job.nodes = planner::amped_nodes(job.system);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, error.what());
  } catch (const std::overflow_error& error) {
    throw Failure(FailureKind::input, blamed(request.workload, error));
  }
  if (!amped.explore) job.degrees = parse_degrees(amped, job.system);
  return job;
}

planner::AmpedExploration run_amped(const planner::AmpedJob& job) {
  try {
    return planner::run_amped_job(job);
  } catch (const planner::RefusedDegrees& refused) {
    throw Failure(FailureKind::usage,
                  std::string(refused.what()) + " (--any-degrees lets it pass)");
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage, error.what());
  }
}

}  // namespace waferloom::cli
