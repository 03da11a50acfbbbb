#pragma once

#include <string>
#include <vector>

#include "model/problem.h"
#include "model/report.h"
#include "model/verify.h"

namespace waferloom {

/// A score's parts as decimal texts in the contest's units. The total is empty where there is none.
struct ScoreTexts {
  std::string time;
  std::string distance;
  std::string adapter;
  std::string preference;
  std::string total;
};
ScoreTexts score_texts(const Problem& problem, const Score& score);
/// The same without the total, which only legal placements are sure to have within 128 bits.
ScoreTexts part_texts(const Problem& problem, const Score& score);

/// {legal, violations, time, distance, adapter, preference, total}; total null if illegal, the
/// others if they cannot be computed.
Json score_json(const Problem& problem, const Judgement& judgement);

/// A report of schema waferloom/score/1.
Json score_report(const Problem& problem, const Judgement& judgement,
                  const std::vector<std::string>& warnings);

/// score_json of a verified placement.
Json legal_score_json(const Problem& problem, const Score& score);

}  // namespace waferloom
