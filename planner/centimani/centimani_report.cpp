#include <algorithm>

#include "model/describe.h"
#include "model/text.h"
#include "planner/centimani.h"

namespace waferloom {
namespace planner {
namespace {

struct TrainedReport {
  const Workload* workload;
  const System* system;
  const CentimaniOptions* options;
  const CentimaniResult* found;
};

struct TimedBatch {
  const System* system;
  const BatchCandidate* candidate;
  const BatchTime* time;
};

NamedList<double> by_level(const std::vector<double>& bytes, const System& system) {
  NamedList<double> named;
  for (std::size_t i = 0; i < bytes.size(); ++i) named.emplace_back(system.level_name(i), bytes[i]);
  return named;
}

NamedList<double> memory_bytes(const TrainedReport& report) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i <= report.system->memories.size(); ++i) {
    sizes.push_back(report.system->level_bytes(i));
  }
  return by_level(sizes, *report.system);
}

std::optional<std::string> short_level_name(const TimedBatch& batch) {
  if (!batch.candidate->lacks) return std::nullopt;
  return batch.system->level_name(batch.candidate->lacks->level);
}

std::vector<TimedBatch> timed_batches(const TrainedReport& report) {
  const CentimaniResult& found = *report.found;
  std::vector<TimedBatch> batches;
  for (std::size_t i = 0; i < found.times.size(); ++i) {
    batches.push_back({report.system, &found.choice.candidates[i], &found.times[i]});
  }
  return batches;
}

std::int64_t best_batch(const TrainedReport& report) {
  const BatchChoice& choice = report.found->choice;
  return choice.candidates[*choice.best].batch;
}

std::int64_t best_rate_batch(const TrainedReport& report) {
  return report.found->choice.candidates[*fastest_batch(*report.found)].batch;
}

template <std::size_t... at>
std::vector<Row> class_rows(std::index_sequence<at...> /*of*/) {
  return {computed<TrainedReport>(
      kTensorClassNames[at],
      [](const TrainedReport& report) { return report.found->class_bytes[at]; },
      {"bytes of this class of tensors", kAmount})...};
}

std::string verdict(const System& system, const CentimaniResult& found, std::size_t i) {
  const BatchCandidate& candidate = found.choice.candidates[i];
  if (candidate.lacks) return "lacks " + system.level_name(candidate.lacks->level);
  const bool is_chosen = found.choice.best == i;
  const bool is_fastest = fastest_batch(found) == i;
  if (is_chosen) return is_fastest ? "chosen, fastest" : "chosen";
  return is_fastest ? "fastest" : "fits";
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::Compression>() {
  using planner::Compression;
  static const TypeRows rows = report_rows(
      {row("value_bits", &Compression::value_bits, {"bits of a value", kAmount}),
       row("density", &Compression::density, {"share of values that are sent", kAmount}),
       row("index_bits", &Compression::index_bits, {"bits of a value's index", kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::TimedBatch>() {
  using planner::BatchCandidate;
  using planner::BatchTime;
  using planner::HostTime;
  using planner::StepTimes;
  using planner::TimedBatch;
  const auto candidate = [](const TimedBatch& at) -> const BatchCandidate& {
    return *at.candidate;
  };
  const auto host = [](const TimedBatch& at) -> const HostTime& { return at.time->stages.host; };
  const auto stages = [](const TimedBatch& at) -> const StepTimes& { return at.time->stages; };
  const auto time = [](const TimedBatch& at) -> const BatchTime& { return *at.time; };
  const auto levels = [](const TimedBatch& at) {
    return planner::by_level(at.candidate->level_bytes, *at.system);
  };
  static const TypeRows rows = report_rows(joined(
      {through<TimedBatch>(candidate, {row("batch", &BatchCandidate::batch,
                                           {"samples of a batch", kPositiveCount})}),
       {computed<TimedBatch>("level_bytes", levels, {"by memory: bytes that lie there", kAmount}),
        computed<TimedBatch>("fits",
                             [](const TimedBatch& at) { return !at.candidate->lacks.has_value(); },
                             {"whether all memories hold their part"}),
        computed<TimedBatch>("short_level", planner::short_level_name,
                             {"the memory that is too small; null: none"})},
       through<TimedBatch>(candidate, {row("objective", &BatchCandidate::objective,
                                           {"what the selector minimises: how far bytes are from "
                                            "the memories' sizes, in bytes²",
                                            kAmount})}),
       through<TimedBatch>(host, {row("load_s", &HostTime::load_s,
                                      {"seconds to bring a batch to the chip", kAmount}),
                                  row("preprocess_s", &HostTime::preprocess_s,
                                      {"seconds to make a batch ready", kAmount})}),
       through<TimedBatch>(
           stages, {row("compute_s", &StepTimes::compute_s, {"seconds of computing", kAmount}),
                    row("transfer_s", &StepTimes::transfer_s,
                        {"seconds of transfers between stages", kAmount}),
                    row("exchange_s", &StepTimes::exchange_s,
                        {"seconds of exchanges of gradients", kAmount}),
                    row("serial_s", &StepTimes::serial_s,
                        {"seconds of a step without overlaps: the sum of its parts", kAmount})}),
       through<TimedBatch>(
           time, {row("step_s", &BatchTime::step_s, {"seconds of a step", kAmount}),
                  row("samples_per_s", &BatchTime::samples_per_s, {"samples a second", kAmount}),
                  row("measured_operators", &BatchTime::measured_operators,
                      {"operators whose measured times count", kCount})})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::TrainedReport>() {
  using planner::CentimaniOptions;
  using planner::TrainedReport;
  const auto options = [](const TrainedReport& report) -> const CentimaniOptions& {
    return *report.options;
  };
  static const TypeRows rows = report_file(
      "waferloom/centimani/1",
      joined({{computed<TrainedReport>(
                   "workload", [](const TrainedReport& report) { return report.workload->name; },
                   {"name of the workload"}),
               computed<TrainedReport>(
                   "system", [](const TrainedReport& report) { return report.system->name; },
                   {"name of the system"})},
              through<TrainedReport>(
                  options,
                  {row("chips", &CentimaniOptions::chips, {"chips that train", kPositiveCount}),
                   row("stages", &CentimaniOptions::stages,
                       {"stages one behind the other", kPositiveCount}),
                   row("replicas", &CentimaniOptions::replicas,
                       {"copies of the network", kPositiveCount}),
                   row("learning", &CentimaniOptions::learning,
                       {"how replicas learn: at the same time, or each at its own"}),
                   row("optimizer", &CentimaniOptions::optimizer,
                       {"the optimizer whose states are kept"}),
                   row("compression", &CentimaniOptions::compression,
                       {"how gradients are compressed"})}),
              {computed<TrainedReport>("memory_bytes", planner::memory_bytes,
                                       {"by memory: its bytes", kAmount}),
               computed<TrainedReport>("best_batch", planner::best_batch,
                                       {"batch that the paper's rule chooses, which fills the "
                                        "memories and looks at no time",
                                        kPositiveCount}),
               computed<TrainedReport>(
                   "fastest_batch", planner::best_rate_batch,
                   {"batch of most samples_per_s, of those that fit", kPositiveCount}),
               group("class_bytes", planner::class_rows(std::make_index_sequence<kTensorClasses>()),
                     {"by class of tensors: bytes with the best batch"}),
               computed<TrainedReport>(
                   "batches", planner::timed_batches,
                   {.meaning = "every batch that was looked at", .items = kPositiveCount})}}));
  return rows;
}

namespace planner {

std::optional<std::size_t> fastest_batch(const CentimaniResult& found) {
  constexpr double kEqual = 1 - 1e-9;  // rates of the same samples differ by rounding
  double most = 0;
  for (std::size_t i = 0; i < found.times.size(); ++i) {
    if (!found.choice.candidates[i].lacks) most = std::max(most, found.times[i].samples_per_s);
  }
  std::optional<std::size_t> fastest;
  for (std::size_t i = 0; i < found.times.size(); ++i) {
    const bool fits = !found.choice.candidates[i].lacks;
    if (fits && found.times[i].samples_per_s >= most * kEqual) fastest = i;
  }
  return fastest;
}

Report centimani_report(const Workload& workload, const System& system,
                        const CentimaniOptions& options, const CentimaniResult& found) {
  return described_report(TrainedReport{&workload, &system, &options, &found});
}

std::string centimani_schema() {
  return schema_text(rows_of<TrainedReport>(), "Report of waferloom model centimani");
}

TextTable batches_table(const System& system, const CentimaniResult& found) {
  std::vector<std::string> heading{"batch"};
  for (std::size_t i = 0; i <= system.memories.size(); ++i) {
    heading.push_back(system.level_name(i) + " MB");
  }
  for (const char* name : {"verdict", "objective", "step ms", "samples/s"}) {
    heading.emplace_back(name);
  }
  TextTable table(heading);
  constexpr double kMega = 1e6;
  constexpr double kMilli = 1e-3;
  for (std::size_t i = 0; i < found.times.size(); ++i) {
    const BatchCandidate& candidate = found.choice.candidates[i];
    std::vector<std::string> row{std::to_string(candidate.batch)};
    for (const double bytes : candidate.level_bytes) row.push_back(significant_text(bytes / kMega));
    row.push_back(verdict(system, found, i));
    row.push_back(significant_text(candidate.objective));
    row.push_back(significant_text(found.times[i].step_s / kMilli));
    row.push_back(significant_text(found.times[i].samples_per_s));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace planner
}  // namespace waferloom
