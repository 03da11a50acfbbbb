#include "cli/commands/model/amped_job.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "cli/console/failure.h"
#include "cli/files/system_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
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

Degree degree(const Arguments& arguments, const std::string& option) {
  if (!arguments.has(option)) return {};
  const std::string& text = arguments.text(option);
  if (const auto split = split_numbers(text, "x"); split.size() == 2) {
    if (split[0] < 1 || split[1] < 1) fail(option, "degrees of at least 1", text);
    return {split[0], split[1], true};
  }
  const auto value = parse_whole_number(text, {1, kMostChips});
  if (!value) fail(option, "a whole number, or INSIDExAMONG", text);
  return {static_cast<std::int64_t>(*value), 1, false};
}

planner::AmpedDegrees parse_degrees(const Arguments& arguments, const System& system) {
  const Degree tensor = degree(arguments, "tp");
  const Degree pipeline = degree(arguments, "pp");
  Degree data = degree(arguments, "dp");
  const std::vector<std::pair<const char*, const Degree*>> given{
      {"tp", &tensor}, {"pp", &pipeline}, {"dp", &data}};
  const auto is_split = [&](const auto& option) { return option.second->is_split; };
  if (std::any_of(given.begin(), given.end(), is_split)) {
    for (const auto& [name, degree] : given) {
      if (arguments.has(name) && !degree->is_split) {
        fail(name, "INSIDExAMONG, as other degrees are", arguments.text(name));
      }
    }
    return {{tensor.inside, pipeline.inside, data.inside},
            {tensor.among, pipeline.among, data.among}};
  }
  if (!arguments.has("dp")) {
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
    throw Failure(FailureKind::usage, std::string("--") + option + ": " + system.name + " has " +
                                          std::to_string(system.dimensions.size()) +
                                          " dimensions, and no links for it");
  }
  system.dimensions[dimension].size = size;
}

System parse_system(const Arguments& arguments) {
  System system = read_system_option(arguments, "system");
  const std::size_t levels = system.dimensions.size();
  if (arguments.has("node-chips")) {
    set_size(system, 0, whole(arguments, "node-chips"), "node-chips");
  }
  if (arguments.has("nodes")) {
    set_size(system, 1, whole(arguments, "nodes"), "nodes");
  }
  if (levels == 2 && system.dimensions[0].size >
                         static_cast<std::int64_t>(kMostChips) / system.dimensions[1].size) {
    throw Failure(FailureKind::usage,
                  "--nodes: expected at most " + std::to_string(kMostChips) + " chips in all");
  }
  if (!arguments.has("efficiency")) return system;
  const auto found = numbers(arguments.text("efficiency"), 3, {0, 1e9});
  const bool is_efficiency = found && found->front() > 0 && found->front() <= 1 &&
                             (found->size() < 3 || found->at(2) <= 1);
  if (!is_efficiency) {
    fail("efficiency", "A, A,B or A,B,FLOOR with A above 0 and A and FLOOR at most 1",
         arguments.text("efficiency"));
  }
  system.chip.efficiency = {found->at(0), found->size() > 1 ? found->at(1) : 0,
                            found->size() > 2 ? found->at(2) : 0};
  return system;
}

void parse_bits(const Arguments& arguments, planner::AmpedTraining& training) {
  if (!arguments.has("bits")) return;
  const auto found = numbers(arguments.text("bits"), 4, {1, kMostNumberBits});
  if (!found) fail("bits", "P, P,A, P,A,G or P,A,G,E from 1 to 1024", arguments.text("bits"));
  const auto at = [&](std::size_t i) { return i < found->size() ? found->at(i) : found->front(); };
  training.parameter_bits = at(0);
  training.activation_bits = at(1);
  training.gradient_bits = at(2);
  if (found->size() > 3) training.element_bits = found->at(3);
}

void parse_factors(const Arguments& arguments, planner::AmpedTraining& training) {
  if (!arguments.has("factors")) return;
  const auto found = numbers(arguments.text("factors"), 3, {0, 1e6});
  if (!found) fail("factors", "IN, IN,AMONG or IN,AMONG,MOE", arguments.text("factors"));
  training.inside_factor = found->at(0);
  if (found->size() > 1) training.among_factor = found->at(1);
  if (found->size() > 2) training.experts_factor = found->at(2);
}

planner::AmpedTraining parse_training(const Arguments& arguments) {
  planner::AmpedTraining training;
  training.batch = whole<double>(arguments, "batch");
  if (arguments.has("tokens")) training.tokens = real(arguments, "tokens");
  training.recompute = arguments.has("recompute");
  training.bubble_ratio = real(arguments, "bubble-ratio");
  training.zero_overhead = real(arguments, "zero-overhead");
  training.zero = whole(arguments, "zero");
  training.bubble = named<planner::BubbleForm>(arguments, "bubble", planner::kBubbleFormNames);
  training.all_reduce =
      named<planner::HierarchyForm>(arguments, "all-reduce", planner::kHierarchyFormNames);
  training.transfers =
      named<planner::TransferForm>(arguments, "transfers", planner::kTransferFormNames);
  training.elements = !arguments.has("matrix-only");
  training.ends = !arguments.has("layers-only");
  if (arguments.has("expert-ways")) training.expert_ways = whole(arguments, "expert-ways");
  parse_bits(arguments, training);
  parse_factors(arguments, training);
  return training;
}

void parse_micro_batches(const Arguments& arguments, planner::AmpedJob& job) {
  const std::string& text = arguments.text_or_default("micro-batches");
  if (text == "best") return;
  if (text == "stages") {
    job.micro_batches = planner::MicroBatches::stages;
    return;
  }
  job.micro_batches = planner::MicroBatches::given;
  job.training.micro_batches = whole<double>(arguments, "micro-batches");
}

void check_options(const Arguments& arguments) {
  const bool has_degrees = arguments.has("tp") || arguments.has("pp") || arguments.has("dp");
  if (has_degrees && arguments.has("explore")) {
    throw Failure(FailureKind::usage,
                  "--explore: tries all degrees, so --tp, --pp and --dp have no say");
  }
  if (!has_degrees && !arguments.has("explore")) {
    throw Failure(FailureKind::usage, "expected --explore, or degrees as --tp, --pp and --dp");
  }
  refuse_without(arguments, arguments.has("explore"), "--explore", {"top", "csv", "heatmap"});
  refuse_without(arguments, arguments.has("experts"), "--experts",
                 {"experts-active", "experts-every", "expert-ways"});
}

}  // namespace

planner::AmpedJob amped_job(const Arguments& arguments) {
  check_options(arguments);
  planner::AmpedJob job;
  job.training = parse_training(arguments);
  parse_micro_batches(arguments, job);
  if (arguments.has("experts")) job.experts.experts = whole(arguments, "experts");
  job.experts.active = whole(arguments, "experts-active");
  job.experts.every = whole(arguments, "experts-every");
  job.top = whole<std::size_t>(arguments, "top");
  job.search.sensible = !arguments.has("any-degrees");
  job.search.fits = arguments.has("fits");
  job.search.choose_micro_batches = job.micro_batches == planner::MicroBatches::best;
  job.search.threads = arguments.common().threads;
  const Workload workload = read_workload_operand(arguments, "WORKLOAD");
  job.system = parse_system(arguments);
  try {
    job.network = planner::amped_network(workload, job.experts);
    job.nodes = planner::amped_nodes(job.system);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, error.what());
  } catch (const std::overflow_error& error) {
    throw Failure(FailureKind::input, blamed(arguments.text("WORKLOAD"), error));
  }
  if (!arguments.has("explore")) {
    job.degrees = parse_degrees(arguments, job.system);
  }
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
