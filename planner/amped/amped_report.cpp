#include "model/report.h"
#include "model/text.h"
#include "planner/amped.h"

namespace waferloom::planner {
namespace {

/// All digits, for files.
std::string exact(double value) { return shortest_text(value); }

}  // namespace

std::string amped_csv(const AmpedJob& job, const AmpedExploration& found) {
  std::vector<std::string> heading{"rank",
                                   "tp_inside",
                                   "pp_inside",
                                   "dp_inside",
                                   "tp_among",
                                   "pp_among",
                                   "dp_among",
                                   "micro_batches",
                                   "efficiency",
                                   "memory_bytes",
                                   "flop_per_s_per_chip",
                                   "batch_s",
                                   "training_s"};
  for (const AmpedPart& part : kAmpedParts) heading.push_back(std::string(part.name) + "_s");
  heading.emplace_back("refusal");
  TextTable table(std::move(heading));
  const auto add = [&](const std::string& rank, const AmpedCandidate& candidate) {
    std::vector<std::string> row{rank};
    for (const AmpedLevel& level : {candidate.degrees.inside, candidate.degrees.among}) {
      for (const std::int64_t degree : {level.tensor, level.pipeline, level.data}) {
        row.push_back(std::to_string(degree));
      }
    }
    const AmpedBreakdown& time = candidate.time;
    const bool known = time.batch_s() > 0;
    for (const double value : {time.micro_batches, time.efficiency, candidate.memory_bytes,
                               known ? time.flop_per_s_of_chip() : 0, time.batch_s()}) {
      row.push_back(known ? exact(value) : "");
    }
    row.push_back(known && job.training.tokens > 0 ? exact(time.seconds()) : "");
    for (const AmpedPart& part : kAmpedParts) {
      row.push_back(known ? exact(time.*part.seconds) : "");
    }
    row.push_back(candidate.refusal);
    table.add(std::move(row));
  };
  for (std::size_t i = 0; i < found.ranked.size(); ++i) {
    add(std::to_string(i + 1), found.all[found.ranked[i]]);
  }
  for (const AmpedCandidate& candidate : found.all) {
    if (!candidate.refusal.empty()) add("", candidate);
  }
  return table.csv();
}

}  // namespace waferloom::planner
