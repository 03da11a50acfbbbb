#include <algorithm>

#include "model/describe.h"
#include "planner/amped.h"

namespace waferloom {
namespace planner {
namespace {

struct AmpedReport {
  const AmpedJob* job;
  const AmpedExploration* found;
};

struct RankedCandidate {
  const AmpedJob* job;
  const AmpedCandidate* candidate;
};

std::optional<double> training_s(const RankedCandidate& ranked) {
  if (!(ranked.job->training.tokens > 0)) return std::nullopt;
  return ranked.candidate->time.seconds();
}

double samples_per_s(const RankedCandidate& ranked) {
  return ranked.job->training.batch / ranked.candidate->time.batch_s();
}

std::vector<Row> part_rows() {
  std::vector<Row> rows;
  for (const AmpedPart& part : kAmpedParts) {
    rows.push_back(row(part.name, part.seconds, {part.words, kAmount}));
  }
  return rows;
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::AmpedLevel>() {
  using planner::AmpedLevel;
  static const TypeRows rows = report_rows(
      {row("tensor", &AmpedLevel::tensor, {"tensor degree at this level", kPositiveCount}),
       row("pipeline", &AmpedLevel::pipeline, {"pipeline degree at this level", kPositiveCount}),
       row("data", &AmpedLevel::data, {"data degree at this level", kPositiveCount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::AmpedDegrees>() {
  using planner::AmpedDegrees;
  static const TypeRows rows = report_rows(
      {row("tensor", &AmpedDegrees::tensor,
           {"tensor degree: ways that every layer is cut", kPositiveCount}),
       row("pipeline", &AmpedDegrees::pipeline,
           {"pipeline degree: stages one behind the other", kPositiveCount}),
       row("data", &AmpedDegrees::data, {"data degree: replicas of the network", kPositiveCount}),
       row("inside", &AmpedDegrees::inside, {"degrees inside a node"}),
       row("among", &AmpedDegrees::among, {"degrees among nodes"})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::AmpedExperts>() {
  using planner::AmpedExperts;
  static const TypeRows rows = report_rows(
      {row("experts", &AmpedExperts::experts,
           {"experts of a layer that has some", NumberRange{2, kCount.most}}),
       row("active", &AmpedExperts::active, {"experts that a token goes through", kPositiveCount}),
       row("every", &AmpedExperts::every, {"of so many layers one has experts", kPositiveCount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::RankedCandidate>() {
  using planner::AmpedBreakdown;
  using planner::AmpedCandidate;
  using planner::RankedCandidate;
  const auto candidate = [](const RankedCandidate& ranked) -> const AmpedCandidate& {
    return *ranked.candidate;
  };
  const auto time = [](const RankedCandidate& ranked) -> const AmpedBreakdown& {
    return ranked.candidate->time;
  };
  static const TypeRows rows = report_rows(joined(
      {through<RankedCandidate>(
           candidate, {row("degrees", &AmpedCandidate::degrees, {"degrees of the candidate"})}),
       through<RankedCandidate>(
           time, {row("micro_batches", &AmpedBreakdown::micro_batches,
                      {"micro-batches of a replica", kAboveZero}),
                  row("micro_batch", &AmpedBreakdown::micro_batch,
                      {"samples of a micro-batch", kAboveZero}),
                  row("efficiency", &AmpedBreakdown::efficiency,
                      {"share of the peak rate that is reached", kAmount}),
                  row("batch_s", &AmpedBreakdown::batch_s, {"seconds of a batch", kAmount})}),
       {computed<RankedCandidate>("training_s", planner::training_s,
                                  {"seconds of a whole training; null without tokens", kAmount}),
        computed<RankedCandidate>("samples_per_s", planner::samples_per_s,
                                  {"samples a second", kAmount})},
       through<RankedCandidate>(time,
                                {row("flop_per_s_per_chip", &AmpedBreakdown::flop_per_s_of_chip,
                                     {"FLOP/s of a chip", kAmount})}),
       through<RankedCandidate>(candidate, {row("memory_bytes", &AmpedCandidate::memory_bytes,
                                                {"bytes of the fullest chip", kAmount})}),
       through<RankedCandidate>(
           time, {group("parts", planner::part_rows(), {"seconds of a batch, by part"})})}));
  return rows;
}

namespace planner {
namespace {

Row workload_row() {
  using Network = AmpedNetwork;
  return group(
      "workload",
      {row("name", &Network::name, {"name of the network"}),
       row("tokens", &Network::tokens, {"tokens of a sample", kPositiveCount}),
       row("layers", &Network::layer_count, {"layers of the network", kPositiveCount}),
       row("parameters", &Network::parameters, {"parameters of the network", kAmount}),
       nullable<Network>([](const Network& network) { return network.experts > 0; },
                         row("experts", &Network::mixture, {"experts of its layers; null: none"}))},
      {"the network"});
}

std::vector<Row> training_rows() {
  using Training = AmpedTraining;
  return {
      row("recompute", &Training::recompute, {"whether forward is computed again before backward"}),
      row("recompute_attention", &Training::recompute_attention,
          {"whether the scores of attention are computed again before backward"}),
      row("sequence_parallel", &Training::sequence_parallel,
          {"whether members of a tensor group share what lies between products"}),
      row("bubble", &Training::bubble,
          {"Eq. 8 as printed (literal), or without its factor 1/L (consistent)"}),
      row("bubble_ratio", &Training::bubble_ratio,
          {"the part of a naive pipeline's bubbles that is not hidden", kAmount}),
      row("all_reduce", &Training::all_reduce,
          {"what a hierarchical all-reduce sends among nodes: all bytes, or the part that a "
           "reduce-scatter leaves"}),
      row("transfers", &Training::transfers,
          {"which transfers of a stage count: a single one, or those of every micro-batch"}),
      row("zero_overhead", &Training::zero_overhead,
          {"how much more ZeRO communicates, as a share", kAmount}),
      row("zero", &Training::zero,
          {"what replicas divide among themselves (ZeRO)", NumberRange{0, 3}}),
      group("bits",
            {row("parameters", &Training::parameter_bits, {"bits of a parameter", kAmount}),
             row("activations", &Training::activation_bits, {"bits of an activation", kAmount}),
             row("gradients", &Training::gradient_bits, {"bits of a gradient", kAmount})},
            {"bits of a number, by what it is of"}),
      row("elements", &Training::elements, {"whether operations beside matrix products count"}),
      row("ends", &Training::ends, {"whether embedding and head count"})};
}

Row settings_row() {
  using Job = AmpedJob;
  using Training = AmpedTraining;
  const auto training = [](const Job& job) -> const Training& { return job.training; };
  const auto efficiency = [](const Job& job) -> const Efficiency& {
    return job.system.chip.reached();
  };
  const auto has_tokens = [](const Training& at) { return at.tokens > 0; };
  return group(
      "settings",
      joined({through<Job>(training,
                           {row("batch", &Training::batch, {"samples of a batch", kPositiveCount}),
                            nullable<Training>(has_tokens,
                                               row("tokens", &Training::tokens,
                                                   {"tokens of a whole training; null: not given",
                                                    kPositiveCount}))}),
              {row("micro_batches", &Job::micro_batches,
                   {"micro-batches of a replica: the best number, as many as stages, or the number "
                    "that was given"})},
              through<Job>(training, training_rows()),
              {computed<Job>("any_degrees", [](const Job& job) { return !job.search.sensible; },
                             {"whether degrees that make little sense are ranked too"}),
               computed<Job>("fits", [](const Job& job) { return job.search.fits; },
                             {"whether only what fits into memories is ranked"})},
              through<Job>(
                  efficiency,
                  {group("efficiency",
                         {row("limit", &Efficiency::limit,
                              {"share that is reached with very large micro-batches", kAmount}),
                          row("half", &Efficiency::half,
                              {"samples of a micro-batch with which half of the limit is reached",
                               kAmount}),
                          row("floor", &Efficiency::floor, {"the least share", kAmount}),
                          row("memory", &Efficiency::memory,
                              {"share of the rate of the chip's memory that kernels of "
                               "element-wise operations reach; 0: it does not bound them",
                               kAmount})},
                         {"share of the peak rate by samples of a micro-batch, max(floor, limit · "
                          "ub / (half + ub))"})})}),
      {"the options in force"});
}

Row system_row() {
  using Job = AmpedJob;
  return group(
      "system",
      {computed<Job>("name", [](const Job& job) { return job.system.name; },
                     {"name of the system"}),
       computed<Job>("node_chips", [](const Job& job) { return job.nodes.chips; },
                     {"chips of a node", kPositiveCount}),
       computed<Job>("nodes", [](const Job& job) { return job.nodes.nodes; },
                     {"nodes of the system", kPositiveCount}),
       computed<Job>("network", [](const Job& job) { return network_text(job.system); },
                     {"how chips and nodes are joined"}),
       computed<Job>("flop_per_s", [](const Job& job) { return job.system.chip.flop_per_s; },
                     {"peak of a chip, FLOP/s", kAmount})},
      {"the system"});
}

std::vector<RankedCandidate> shown_candidates(const AmpedReport& report) {
  std::vector<RankedCandidate> shown;
  const std::vector<std::size_t>& ranked = report.found->ranked;
  for (std::size_t i = 0; i < std::min(report.job->top, ranked.size()); ++i) {
    shown.push_back({report.job, &report.found->all[ranked[i]]});
  }
  return shown;
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::AmpedReport>() {
  using planner::AmpedJob;
  using planner::AmpedNetwork;
  using Amped = planner::AmpedReport;
  const auto network = [](const Amped& report) -> const AmpedNetwork& {
    return report.job->network;
  };
  const auto job = [](const Amped& report) -> const AmpedJob& { return *report.job; };
  static const TypeRows rows = report_file(
      "waferloom/amped/1",
      joined({through<Amped>(network, {planner::workload_row()}),
              through<Amped>(job, {planner::system_row(), planner::settings_row()}),
              {computed<Amped>("explored",
                               [](const Amped& report) { return !report.job->degrees.has_value(); },
                               {"whether degrees were searched; else given"}),
               computed<Amped>("combinations",
                               [](const Amped& report) { return report.found->all.size(); },
                               {"combinations of degrees", kPositiveCount}),
               computed<Amped>("ranked",
                               [](const Amped& report) { return report.found->ranked.size(); },
                               {"of these, combinations that were ranked", kPositiveCount}),
               computed<Amped>("candidates", planner::shown_candidates,
                               {.meaning = "the best combinations, the best first",
                                .items = kPositiveCount})}}));
  return rows;
}

namespace planner {

Report amped_report(const AmpedJob& job, const AmpedExploration& found) {
  return described_report(AmpedReport{&job, &found});
}

std::string amped_schema() {
  return schema_text(rows_of<AmpedReport>(), "Report of waferloom model amped");
}

}  // namespace planner
}  // namespace waferloom
