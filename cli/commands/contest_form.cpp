#include <algorithm>
#include <map>

#include "cli/commands/commands.h"
#include "cli/commands/place/place_job.h"
#include "cli/console/failure.h"
#include "cli/options/command_rows.h"
#include "model/errors.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

const std::string kOperand = "KEY=VALUE";

struct Setting {
  const char* key;
  const char* help;
  bool required;
};

/// The keys of the contest's form, in its order.
const std::vector<Setting>& settings() {
  static const std::vector<Setting> table{
      {"kgraph", "the case", true},
      {"output", "where to write the solution", true},
      {"wirepenalty", "weight of the distance, in place of the case's wlength", false},
      {"timelimit", "seconds, as --time-limit", false},
      {"width", "tiles, in place of the case's", false},
      {"height", "tiles, in place of the case's", false}};
  return table;
}

using Values = std::map<std::string, std::string>;

Values parse_settings(const std::vector<std::string>& tokens) {
  Values values;
  std::vector<std::string_view> keys;
  for (const Setting& setting : settings()) keys.emplace_back(setting.key);
  for (const std::string& token : tokens) {
    const std::size_t equals = token.find('=');
    const std::string key = token.substr(0, equals);
    if (equals == std::string::npos || std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw Failure(FailureKind::usage,
                    "expected key=value of the contest's form, found " + in_quotes(token) +
                        (equals == std::string::npos ? "" : suggestion(key, keys)));
    }
    if (equals + 1 == token.size()) throw Failure(FailureKind::usage, key + ": expected a value");
    if (!values.emplace(key, token.substr(equals + 1)).second) {
      throw Failure(FailureKind::usage, key + ": given more than once");
    }
  }
  for (const Setting& setting : settings()) {
    if (setting.required && !values.contains(setting.key)) {
      throw Failure(FailureKind::usage, std::string("expected ") + setting.key + "=FILE");
    }
  }
  return values;
}

std::int64_t side(const std::string& text, const std::string& key) {
  return static_cast<std::int64_t>(
      parse_whole(text, key, {1, static_cast<std::uint64_t>(kMaxWaferSide)}));
}

/// The case with what the command line says in place of its header.
Problem with_settings(const Problem& problem, const Values& values) {
  ProblemData data = problem.data();
  for (const auto& [key, value] : values) {
    if (key == "width") data.wafer.width = side(value, key);
    if (key == "height") data.wafer.height = side(value, key);
    if (key == "wirepenalty") data.weights.distance = parse_decimal(value, key);
  }
  try {
    return Problem(std::move(data));
  } catch (const RequestError& error) {
    throw InputError("command line", kWholeSource, error.what());
  }
}

/// KEY=VALUE, as given.
struct ContestRequest {
  CommonOptions common;
  std::vector<std::string> settings;
};

int run_contest_form(const ContestRequest& request) {
  const Values values = parse_settings(request.settings);
  CommonOptions common = request.common;
  if (values.contains("timelimit")) {
    if (common.time_limit) {
      throw Failure(FailureKind::usage, "expected one of timelimit= and --time-limit, found both");
    }
    common.time_limit = parse_seconds(values.at("timelimit"), "timelimit");
  }
  const std::string& case_path = values.at("kgraph");
  const PlaceOutputs outputs{
      ResultTarget(values.at("output")), {}, std::nullopt, ReportTarget(common)};
  outputs.check({case_path});
  Warnings warnings(common);
  const Problem problem =
      with_settings(read_case_to_place({case_path, "", ""}, common, warnings), values);
  return run_place_job({problem, case_path, "auto", outputs, warnings, std::nullopt}, common);
}

std::string settings_help() {
  std::string text = "Keys:";
  for (const Setting& setting : settings()) {
    text += "\n" + std::string(setting.key) + ": " + setting.help;
  }
  return text;
}

}  // namespace

bool is_contest_setting(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return std::all_of(argument.begin(), argument.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return c >= 'a' && c <= 'z'; });
}

const Command& contest_form() {
  static const Command command = command_of<ContestRequest>(
      {.name = "kgraph=FILE ...",
       .summary = "The ISPD 2020 contest's own form of place.",
       .usage = {"kgraph=FILE output=FILE [KEY=VALUE ...] [options]"},
       .description = "Places a case as the contest called its solvers. The rest comes from the "
                      "case's header.",
       .examples = {"waferloom kgraph=A.kgraph output=A.sol wirepenalty=1 timelimit=5 "
                    "\\\n      width=633 height=633"}},
      {operand(&ContestRequest::settings, {kOperand, settings_help(), true, true})}, {},
      run_contest_form);
  return command;
}

}  // namespace waferloom::cli
