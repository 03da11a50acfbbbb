#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/files/output_file.h"
#include "cli/options/options.h"
#include "model/judgement.h"
#include "model/problem.h"

namespace waferloom::cli {

/// Reports are ordered JSON; their schemas are in model/schemas/.
using Json = nlohmann::ordered_json;

/// A decimal as a JSON number where a double prints it exactly, else as its text.
Json json_number(const std::string& decimal);

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

/// The same as lines of a summary, without the total, and without the preference where it is 0.
std::string part_lines(const ScoreTexts& texts);
/// "  label     text\n".
std::string summary_line(const std::string& label, const std::string& text);

/// {legal, violations, time, distance, adapter, preference, total}; total null if illegal, the
/// others if they cannot be computed.
Json score_json(const Problem& problem, const Judgement& judgement);

/// score_json of a verified placement.
Json legal_score_json(const Problem& problem, const Score& score);

/// A report that begins with its schema's name, "waferloom/NAME/1".
Json new_report(const std::string& name);

/// The effort that limited a run, null where the time limit ruled alone.
Json effort_json(const CommonOptions& options);
/// The time limit in seconds, or null.
Json time_limit_json(const CommonOptions& options);

/// Seconds as reports have them, to the millisecond.
double rounded_to_ms(double seconds);

/// Of this process, so far.
std::int64_t peak_memory_bytes();

/// A number with so many places; with up to nine if it would look like `landmark` and is not.
std::string told_apart(double value, int places, double landmark);

/// {schema, error {class, message, exit_code}}.
Json error_json(const std::string& class_name, const std::string& message, int exit_code);

/// Text of a report, with a line end; bytes that are not UTF-8 are replaced.
std::string json_text(const Json& report);

/// Where a command's report goes. Made before work begins.
class ReportTarget {
 public:
  explicit ReportTarget(const CommonOptions& options);
  bool wanted() const { return on_stdout_ || file_; }
  /// stdout carries the report alone then.
  bool on_stdout() const { return on_stdout_; }
  /// The file, if it is one; for check_distinct.
  const OutputFile* file() const { return file_ ? &*file_ : nullptr; }
  void write(const Json& report) const;

 private:
  bool on_stdout_ = false;
  std::optional<OutputFile> file_;
};

}  // namespace waferloom::cli
