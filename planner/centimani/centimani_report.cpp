#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/report.h"
#include "model/text.h"
#include "planner/centimani.h"

namespace waferloom::planner {
namespace {

Json stages_json(const BatchTime& time) {
  return {{"load_s", time.stages.host.load_s},
          {"preprocess_s", time.stages.host.preprocess_s},
          {"compute_s", time.stages.compute_s},
          {"transfer_s", time.stages.transfer_s},
          {"exchange_s", time.stages.exchange_s},
          {"serial_s", time.stages.serial_s()},
          {"step_s", time.step_s},
          {"samples_per_s", time.samples_per_s},
          {"measured_operators", time.measured_operators}};
}

Json by_level(const std::vector<double>& bytes, const System& system) {
  Json json = Json::object();
  for (std::size_t i = 0; i < bytes.size(); ++i) json[system.level_name(i)] = bytes[i];
  return json;
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

Json centimani_json(const Workload& workload, const System& system, const CentimaniOptions& options,
                    const CentimaniResult& found) {
  Json report = new_report("centimani");
  report["workload"] = workload.name;
  report["system"] = system.name;
  report["chips"] = options.chips;
  report["stages"] = options.stages;
  report["replicas"] = options.replicas();
  report["learning"] = kLearningNames[static_cast<std::size_t>(options.learning)];
  report["optimizer"] = optimizer_name(options.optimizer);
  report["compression"] = {{"value_bits", options.compression.value_bits},
                           {"density", options.compression.density},
                           {"index_bits", options.compression.index_bits}};
  std::vector<double> sizes;
  for (std::size_t i = 0; i <= system.memories.size(); ++i) sizes.push_back(system.level_bytes(i));
  report["memory_bytes"] = by_level(sizes, system);
  report["best_batch"] = found.choice.candidates[*found.choice.best].batch;
  report["fastest_batch"] = found.choice.candidates[*fastest_batch(found)].batch;
  report["class_bytes"] = Json::object();
  for (std::size_t i = 0; i < kTensorClasses; ++i) {
    report["class_bytes"][std::string(kTensorClassNames[i])] = found.class_bytes[i];
  }
  report["batches"] = Json::array();
  for (std::size_t i = 0; i < found.times.size(); ++i) {
    const BatchCandidate& candidate = found.choice.candidates[i];
    Json row{{"batch", candidate.batch},
             {"level_bytes", by_level(candidate.level_bytes, system)},
             {"fits", !candidate.lacks.has_value()}};
    row["short_level"] =
        candidate.lacks ? Json(system.level_name(candidate.lacks->level)) : Json(nullptr);
    row["objective"] = candidate.objective;
    row.update(stages_json(found.times[i]));
    report["batches"].push_back(std::move(row));
  }
  return report;
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

}  // namespace waferloom::planner
