#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text.h"

namespace waferloom::sweep {

/// What became of a point.
enum class PointStatus : std::uint8_t {
  done,        ///< exit code 0, or 4 with a report: a check that failed is an answer
  infeasible,  ///< exit code 3: an answer, too
  failed,      ///< anything else; `exec` tries it again
};
inline constexpr std::array<std::string_view, 3> kPointStatusNames{"done", "infeasible", "failed"};
constexpr std::span<const std::string_view> words_of(PointStatus /*of*/) {
  return kPointStatusNames;
}
std::string_view status_name(PointStatus status);

/// How the process of a point ended.
struct PointOutcome {
  int exit_code = 0;          ///< 128 + signal where a signal ended it
  std::string report{};       ///< the text of the command's report; empty if it wrote none
  std::string message{};      ///< the last lines of its stderr
  bool memory_limit = false;  ///< out of the memory that a point may take
  double wall_s = 0;
  std::int64_t peak_memory_bytes = 0;
};

PointStatus status_of(const PointOutcome& outcome);

/// "memory limit", "exit code 2", "signal 9".
std::string failure_reason(const PointOutcome& outcome);

/// The file of a result: results/XX/ID.json, .infeasible.json or .err.json, XX the id's first two
/// digits.
std::string result_path(std::string_view id, PointStatus status);
/// The status that the name of a file says, and its id; nothing for other files.
std::optional<std::pair<std::string, PointStatus>> result_of_name(std::string_view name);

/// The text of that file, schema waferloom/sweep_result/1.
std::string result_text(std::string_view id, const PointOutcome& outcome);
std::string result_schema();
/// The text of a JSON object with the key `whole` behind its others, as a last line: ends_whole.
std::string whole_text(std::string object);
/// Whether a file that ends in these bytes is whole.
bool ends_whole(std::string_view tail);

/// A result read back.
struct PointResult {
  std::string id{};
  PointStatus status = PointStatus::failed;
  std::int64_t exit_code = 0;
  std::string reason{};  ///< of a failure
  std::string message{};
  double wall_s = 0;
  std::int64_t peak_memory_bytes = 0;
  JsonValue report{};  ///< null if there is none
};
/// Throws InputError with source:line:column for what is no result.
PointResult read_result(std::string_view text, const std::string& source);

}  // namespace waferloom::sweep
