#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/problem.h"
#include "model/verify.h"

namespace waferloom {

/// Reports are ordered JSON; their schemas are in model/schemas/.
using Json = nlohmann::ordered_json;

/// A report that begins with its schema's name, "waferloom/NAME/1".
Json new_report(const std::string& name);

/// {schema, error {class, message, exit_code}}.
Json error_json(const std::string& class_name, const std::string& message, int exit_code);

/// Text of a report, with a line end; bytes that are not UTF-8 are replaced.
std::string json_text(const Json& report);

/// {x, y, width, height}.
Json rectangle_json(const Rectangle& tiles);

/// A decimal as a JSON number where a double prints it exactly, else as its text.
Json json_number(const std::string& decimal);

/// Seconds as reports have them, to the millisecond.
double rounded_to_ms(double seconds);

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
