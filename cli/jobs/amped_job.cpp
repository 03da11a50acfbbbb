// Longer than most files: every option of one command, and what its absence stands for.

#include "cli/jobs/amped_job.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "cli/console/failure.h"
#include "cli/options/system_option.h"
#include "cli/options/workload_operand.h"
#include "model/text_scan.h"

namespace waferloom::cli {
namespace {

constexpr std::uint64_t kMostChips = 100'000'000;
constexpr std::uint64_t kMostBatch = 1'000'000'000;
constexpr std::uint64_t kMostExperts = 1'000'000;
constexpr std::uint64_t kMostTop = 1'000'000;
constexpr double kMostTokens = 1e18;
constexpr double kMostBits = 1024;

[[noreturn]] void fail(const std::string& option, const std::string& expected,
                       const std::string& found) {
  throw Failure(FailureKind::usage,
                "--" + option + ": expected " + expected + ", found " + waferloom::quoted(found));
}

std::int64_t whole(const Arguments& arguments, const std::string& option, std::int64_t otherwise,
                   WholeRange range) {
  if (!arguments.has(option)) return otherwise;
  return static_cast<std::int64_t>(parse_whole(arguments.text(option), "--" + option, range));
}

struct RealRange {
  double least = 0;
  double most = 0;
};

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

double real(const Arguments& arguments, const std::string& option, double otherwise,
            const std::string& expected, RealRange range) {
  if (!arguments.has(option)) return otherwise;
  const auto found = numbers(arguments.text(option), 1, range);
  if (!found) fail(option, expected, arguments.text(option));
  return found->front();
}

template <typename Value>
Value choice(const Arguments& arguments, const std::string& option,
             const std::vector<std::string_view>& names, Value otherwise) {
  if (!arguments.has(option)) return otherwise;
  const std::string& name = arguments.text(option);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw Failure(FailureKind::usage, "--" + option + ": expected " + alternatives(names) +
                                          ", found " + waferloom::quoted(name) +
                                          suggestion(name, names));
  }
  return static_cast<Value>(found - names.begin());
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
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < 1 ||
      value > static_cast<std::int64_t>(kMostChips)) {
    fail(option, "a whole number, or INSIDExAMONG", text);
  }
  return {value, 1, false};
}

planner::AmpedDegrees parse_degrees(const Arguments& arguments, const System& system) {
  const Degree tensor = degree(arguments, "tp");
  const Degree pipeline = degree(arguments, "pp");
  Degree data = degree(arguments, "dp");
  const std::vector<std::pair<const char*, const Degree*>> given{
      {"tp", &tensor}, {"pp", &pipeline}, {"dp", &data}};
  const auto is_split = [&](const auto& one) { return one.second->is_split; };
  if (std::any_of(given.begin(), given.end(), is_split)) {
    for (const auto& [name, one] : given) {
      if (arguments.has(name) && !one->is_split) {
        fail(name, "INSIDExAMONG, as other degrees are", arguments.text(name));
      }
    }
    return {{tensor.inside, pipeline.inside, data.inside},
            {tensor.among, pipeline.among, data.among}};
  }
  const std::int64_t chips = system.chips();
  const std::int64_t rest = chips / tensor.inside / pipeline.inside;
  if (!arguments.has("dp") && rest > 0 && rest * tensor.inside * pipeline.inside == chips) {
    data.inside = rest;
  }
  return planner::nested_degrees({tensor.inside, pipeline.inside, data.inside}, system);
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
  System system = read_system_option(arguments, "system", "a100_hdr");
  const std::size_t levels = system.dimensions.size();
  if (arguments.has("node-chips")) {
    set_size(system, 0, whole(arguments, "node-chips", 1, {1, kMostChips}), "node-chips");
  }
  if (arguments.has("nodes")) {
    set_size(system, 1, whole(arguments, "nodes", 1, {1, kMostChips}), "nodes");
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
  const auto found = numbers(arguments.text("bits"), 4, {1, kMostBits});
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
  training.batch = static_cast<double>(whole(arguments, "batch", 1, {1, kMostBatch}));
  training.tokens = real(arguments, "tokens", 0, "a number from 1 to 1e18", {1, kMostTokens});
  training.recompute = arguments.has("recompute");
  training.bubble_ratio = real(arguments, "bubble-ratio", 1, "a number from 0 to 1", {0, 1});
  training.zero_overhead = real(arguments, "zero-overhead", 0, "a number from 0 to 100", {0, 100});
  training.zero = whole(arguments, "zero", 0, {0, 3});
  training.bubble =
      choice(arguments, "bubble", {"consistent", "literal"}, planner::BubbleForm::consistent);
  training.all_reduce =
      choice(arguments, "all-reduce", {"full", "scattered"}, planner::HierarchyForm::full);
  training.transfers = choice(arguments, "transfers", {"one", "every"}, planner::TransferForm::one);
  training.elements = !arguments.has("matrix-only");
  training.ends = !arguments.has("layers-only");
  training.expert_ways = whole(arguments, "expert-ways", 0, {1, kMostExperts});
  parse_bits(arguments, training);
  parse_factors(arguments, training);
  return training;
}

void parse_micro_batches(const Arguments& arguments, planner::AmpedJob& job) {
  if (!arguments.has("micro-batches")) return;
  const std::string& text = arguments.text("micro-batches");
  if (text == "best") return;
  if (text == "stages") {
    job.micro_batches = planner::MicroBatches::stages;
    return;
  }
  const auto found = numbers(text, 1, {1, static_cast<double>(kMostBatch)});
  if (!found || found->front() != static_cast<double>(static_cast<std::int64_t>(found->front()))) {
    fail("micro-batches", "best, stages or a whole number", text);
  }
  job.micro_batches = planner::MicroBatches::given;
  job.training.micro_batches = found->front();
}

void refuse_without(const Arguments& arguments, bool there, const char* what,
                    const std::vector<const char*>& options) {
  for (const char* option : options) {
    if (there || !arguments.has(option)) continue;
    throw Failure(FailureKind::usage, std::string("--") + option + ": needs " + what);
  }
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

/// Calls work(); what it cannot do is a usage error.
template <typename Work>
auto as_usage(const Work& work) {
  try {
    return work();
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::usage, error.what());
  }
}

planner::AmpedExploration evaluate_one(const planner::AmpedJob& job) {
  planner::AmpedCandidate one;
  one.degrees = *job.degrees;
  planner::AmpedTraining training = job.training;
  if (job.search.choose_micro_batches) {
    training = planner::with_best_micro_batches(job.network, job.system, one.degrees, training,
                                                job.search.fits);
  }
  one.time = planner::amped_time(job.network, job.system, one.degrees, training);
  if (job.search.sensible) {
    const std::string refusal = planner::amped_refusal(job.network, one.degrees, training);
    if (!refusal.empty()) {
      throw Failure(FailureKind::usage,
                    job.network.name + ": " + refusal + " (--any-degrees lets it pass)");
    }
  }
  const planner::AmpedMemory memory = planner::amped_memory(job.network, one.degrees, training);
  one.memory_bytes = memory.sum();
  const std::string shortage = planner::memory_shortage(memory, job.system);
  if (job.search.fits && !shortage.empty()) {
    throw Failure(FailureKind::infeasible,
                  job.network.name + " on " + job.system.name + ": a chip " + shortage);
  }
  planner::AmpedExploration found;
  found.all.push_back(one);
  found.ranked.push_back(0);
  return found;
}

}  // namespace

planner::AmpedJob amped_job(const Arguments& arguments) {
  check_options(arguments);
  planner::AmpedJob job;
  job.training = parse_training(arguments);
  parse_micro_batches(arguments, job);
  job.experts.experts = whole(arguments, "experts", 0, {2, kMostExperts});
  job.experts.active = whole(arguments, "experts-active", 1, {1, kMostExperts});
  job.experts.every = whole(arguments, "experts-every", 1, {1, kMostExperts});
  job.top = static_cast<std::size_t>(whole(arguments, "top", 10, {1, kMostTop}));
  job.search.sensible = !arguments.has("any-degrees");
  job.search.fits = arguments.has("fits");
  job.search.choose_micro_batches = job.micro_batches == planner::MicroBatches::best;
  job.search.threads = arguments.common().threads;
  const Workload workload = read_workload_operand(arguments, "WORKLOAD");
  job.system = parse_system(arguments);
  try {
    job.network = planner::amped_network(workload, job.experts);
    job.nodes = planner::amped_nodes(job.system);
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input, error.what());
  } catch (const std::overflow_error& error) {
    throw Failure(FailureKind::input, arguments.text("WORKLOAD") + ": " + error.what());
  }
  if (!arguments.has("explore")) {
    job.degrees = as_usage([&] { return parse_degrees(arguments, job.system); });
  }
  return job;
}

planner::AmpedExploration run_amped_job(const planner::AmpedJob& job) {
  return as_usage([&] {
    if (job.degrees) return evaluate_one(job);
    planner::AmpedExploration found =
        planner::explore_amped(job.network, job.system, job.training, job.search);
    if (!found.ranked.empty()) return found;
    throw Failure(FailureKind::infeasible,
                  "none of " + std::to_string(found.all.size()) + " ways to cut " +
                      job.network.name + " for " + job.system.name + " will do; the first, " +
                      planner::level_text(found.all.front().degrees.inside) + " inside nodes and " +
                      planner::level_text(found.all.front().degrees.among) +
                      " among them: " + found.all.front().refusal);
  });
}

const planner::AmpedCandidate& best_of(const planner::AmpedExploration& found) {
  return found.all[found.ranked.front()];
}

std::vector<OptionSpec> amped_options() {
  return {{"batch", '\0', "N", "Sequences of a batch, of all replicas.", false, true},
          {"system", '\0', "NAME|FILE",
           "Preset or JSON file (default a100_hdr): its first dimension joins the chips of a node, "
           "its second one the nodes."},
          {"nodes", '\0', "N", "As many nodes in place of the system's."},
          {"node-chips", '\0', "N", "As many chips in a node in place of the system's."},
          {"tokens", '\0', "N", "Tokens of the training, as 300e9 (default: of one batch)."},
          {"tp", '\0', "N|IxA",
           "Tensor parallelism: N ways, inside nodes first, or I inside and A among nodes."},
          {"pp", '\0', "N|IxA", "Pipeline parallelism, likewise; inside nodes last."},
          {"dp", '\0', "N|IxA", "Data parallelism, likewise (default: what is left)."},
          {"explore", '\0', "", "Rank all degrees inside and among nodes."},
          {"top", '\0', "N", "Of --explore: as many in table and report (default 10)."},
          {"micro-batches", '\0', "N",
           "Of a replica's batch: a number, stages (as many as stages, as in the paper), or best "
           "(default)."},
          {"recompute", '\0', "", "Backward computes activations again: U_b = 3 U_f."},
          {"efficiency", '\0', "A[,B[,F]]",
           "Achieved part of the peak: A ub / (B + ub), at least F, in place of the system's."},
          {"bubble", '\0', "FORM", "Of Eq. 8: consistent (default), or literal with its 1/L."},
          {"all-reduce", '\0', "FORM",
           "Among nodes goes the full volume, as printed (default), or scattered: what a "
           "reduce-scatter inside leaves."},
          {"transfers", '\0', "FORM",
           "Of Eq. 7: one of a batch's, as printed (default), or every micro-batch's."},
          {"bubble-ratio", '\0', "R", "Bubbles that do not overlap (default 1)."},
          {"zero-overhead", '\0', "X", "M_fDP of Eq. 5: 0.5 for ZeRO's third stage (default 0)."},
          {"zero", '\0', "0-3", "Stage of ZeRO, for memory alone (default 0)."},
          {"experts", '\0', "N", "Experts of a layer that has some."},
          {"experts-active", '\0', "N", "Of --experts: as many work on a token (default 1)."},
          {"experts-every", '\0', "N", "Of --experts: in every Nth layer (default 1)."},
          {"expert-ways", '\0', "N",
           "Of --experts: replicas that share them (default: the most that divide both)."},
          {"bits", '\0', "P[,A[,G[,E]]]",
           "Of parameters, activations, gradients (default 16) and other operations (default: as "
           "the chip)."},
          {"factors", '\0', "I[,A[,M]]",
           "Topology factors inside and among nodes, and of the all-to-all, in place of the "
           "topology's."},
          {"matrix-only", '\0', "", "Leave out what is no matrix product (N_nonlin)."},
          {"layers-only", '\0', "", "Leave out the time of embedding and head."},
          {"any-degrees", '\0', "",
           "Let degrees pass that do not divide heads, layers or batch, as the paper does."},
          {"fits", '\0', "", "Demand that memory has room (exit 3 if nothing has)."},
          {"csv", '\0', "FILE", "Of --explore: write all degrees as CSV."},
          {"heatmap", '\0', "FILE",
           "Of --explore: draw times as .svg, .png or .pdf, a row for the degrees inside nodes, a "
           "column for those among them."}};
}

}  // namespace waferloom::cli
