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
    rows.push_back(row(part.name, part.seconds, {.range = kAmount}));
  }
  return rows;
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::AmpedLevel>() {
  using planner::AmpedLevel;
  static const TypeRows rows =
      report_rows({row("tensor", &AmpedLevel::tensor, {.range = kPositiveCount}),
                   row("pipeline", &AmpedLevel::pipeline, {.range = kPositiveCount}),
                   row("data", &AmpedLevel::data, {.range = kPositiveCount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::AmpedDegrees>() {
  using planner::AmpedDegrees;
  static const TypeRows rows =
      report_rows({row("tensor", &AmpedDegrees::tensor, {.range = kPositiveCount}),
                   row("pipeline", &AmpedDegrees::pipeline, {.range = kPositiveCount}),
                   row("data", &AmpedDegrees::data, {.range = kPositiveCount}),
                   row("inside", &AmpedDegrees::inside), row("among", &AmpedDegrees::among)});
  return rows;
}

template <>
const TypeRows& rows_of<planner::AmpedExperts>() {
  using planner::AmpedExperts;
  static const TypeRows rows =
      report_rows({row("experts", &AmpedExperts::experts, {.range = NumberRange{2, kCount.most}}),
                   row("active", &AmpedExperts::active, {.range = kPositiveCount}),
                   row("every", &AmpedExperts::every, {.range = kPositiveCount})});
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
      {through<RankedCandidate>(candidate, {row("degrees", &AmpedCandidate::degrees)}),
       through<RankedCandidate>(
           time, {row("micro_batches", &AmpedBreakdown::micro_batches, {.range = kAboveZero}),
                  row("micro_batch", &AmpedBreakdown::micro_batch, {.range = kAboveZero}),
                  row("efficiency", &AmpedBreakdown::efficiency, {.range = kAmount}),
                  row("batch_s", &AmpedBreakdown::batch_s, {.range = kAmount})}),
       {computed<RankedCandidate>("training_s", planner::training_s, {.range = kAmount}),
        computed<RankedCandidate>("samples_per_s", planner::samples_per_s, {.range = kAmount})},
       through<RankedCandidate>(
           time,
           {row("flop_per_s_per_chip", &AmpedBreakdown::flop_per_s_of_chip, {.range = kAmount})}),
       through<RankedCandidate>(
           candidate, {row("memory_bytes", &AmpedCandidate::memory_bytes, {.range = kAmount})}),
       through<RankedCandidate>(time, {group("parts", planner::part_rows())})}));
  return rows;
}

namespace planner {
namespace {

Row workload_row() {
  using Network = AmpedNetwork;
  return group(
      "workload",
      {row("name", &Network::name), row("tokens", &Network::tokens, {.range = kPositiveCount}),
       row("layers", &Network::layer_count, {.range = kPositiveCount}),
       row("parameters", &Network::parameters, {.range = kAmount}),
       nullable<Network>([](const Network& network) { return network.experts > 0; },
                         row("experts", &Network::mixture))});
}

std::vector<Row> training_rows() {
  using Training = AmpedTraining;
  return {row("recompute", &Training::recompute),
          row("bubble", &Training::bubble),
          row("bubble_ratio", &Training::bubble_ratio, {.range = kAmount}),
          row("all_reduce", &Training::all_reduce),
          row("transfers", &Training::transfers),
          row("zero_overhead", &Training::zero_overhead, {.range = kAmount}),
          row("zero", &Training::zero, {.range = NumberRange{0, 3}}),
          group("bits", {row("parameters", &Training::parameter_bits, {.range = kAmount}),
                         row("activations", &Training::activation_bits, {.range = kAmount}),
                         row("gradients", &Training::gradient_bits, {.range = kAmount})}),
          row("elements", &Training::elements),
          row("ends", &Training::ends)};
}

Row settings_row() {
  using Job = AmpedJob;
  using Training = AmpedTraining;
  const auto training = [](const Job& job) -> const Training& { return job.training; };
  const auto efficiency = [](const Job& job) -> const Efficiency& {
    return job.system.chip.efficiency;
  };
  const auto has_tokens = [](const Training& at) { return at.tokens > 0; };
  return group(
      "settings",
      joined(
          {through<Job>(training, {row("batch", &Training::batch, {.range = kPositiveCount}),
                                   nullable<Training>(has_tokens, row("tokens", &Training::tokens,
                                                                      {.range = kPositiveCount}))}),
           {row("micro_batches", &Job::micro_batches)},
           through<Job>(training, training_rows()),
           {computed<Job>("any_degrees", [](const Job& job) { return !job.search.sensible; }),
            computed<Job>("fits", [](const Job& job) { return job.search.fits; })},
           through<Job>(
               efficiency,
               {group("efficiency", {row("limit", &Efficiency::limit, {.range = kAmount}),
                                     row("half", &Efficiency::half, {.range = kAmount}),
                                     row("floor", &Efficiency::floor, {.range = kAmount})})})}));
}

Row system_row() {
  using Job = AmpedJob;
  return group(
      "system",
      {computed<Job>("name", [](const Job& job) { return job.system.name; }),
       computed<Job>("node_chips", [](const Job& job) { return job.nodes.chips; },
                     {.range = kPositiveCount}),
       computed<Job>("nodes", [](const Job& job) { return job.nodes.nodes; },
                     {.range = kPositiveCount}),
       computed<Job>("network", [](const Job& job) { return network_text(job.system); }),
       computed<Job>("flop_per_s", [](const Job& job) { return job.system.chip.flop_per_s; },
                     {.range = kAmount})});
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
      joined(
          {through<Amped>(network, {planner::workload_row()}),
           through<Amped>(job, {planner::system_row(), planner::settings_row()}),
           {computed<Amped>("explored",
                            [](const Amped& report) { return !report.job->degrees.has_value(); }),
            computed<Amped>("combinations",
                            [](const Amped& report) { return report.found->all.size(); },
                            {.range = kPositiveCount}),
            computed<Amped>("ranked",
                            [](const Amped& report) { return report.found->ranked.size(); },
                            {.range = kPositiveCount}),
            computed<Amped>("candidates", planner::shown_candidates, {.items = kPositiveCount})}}));
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
