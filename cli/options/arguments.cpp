#include "cli/options/arguments.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <thread>

#include "cli/console/failure.h"
#include "cli/console/made_by.h"
#include "cli/options/help.h"
#include "model/text.h"
#include "placer/place.h"
#include "placer/place_options.h"

namespace waferloom::cli {
namespace {

namespace po = boost::program_options;

/// Takes the operands that a command has no name for; no option can be spelt like it.
const std::string kSurplus = "surplus operand";

std::vector<OptionSpec> all_options(const Command& command) {
  std::vector<OptionSpec> all = command.options;
  all.insert(all.end(), common_options().begin(), common_options().end());
  return all;
}

po::options_description describe(const Command& command) {
  po::options_description description;
  for (const OptionSpec& option : all_options(command)) {
    std::string spelling = option.name;
    if (option.letter != '\0') spelling += std::string(",") + option.letter;
    for (const std::string& name : {spelling, option.also}) {
      if (name.empty()) continue;
      if (option.value.empty()) {
        description.add_options()(name.c_str(), "");
        continue;
      }
      auto* values = po::value<std::vector<std::string>>();
      if (option.repeated) values->composing();
      description.add_options()(name.c_str(), values, "");
    }
  }
  for (const OperandSpec& operand : command.operands) {
    description.add_options()(operand.name.c_str(), po::value<std::vector<std::string>>(), "");
  }
  description.add_options()(kSurplus.c_str(), po::value<std::vector<std::string>>(), "");
  return description;
}

po::positional_options_description describe_operands(const Command& command) {
  po::positional_options_description positions;
  for (const OperandSpec& operand : command.operands) {
    positions.add(operand.name.c_str(), operand.repeated ? -1 : 1);
    if (operand.repeated) return positions;
  }
  positions.add(kSurplus.c_str(), -1);
  return positions;
}

std::string unknown_option_message(const Command& command, const std::string& found) {
  std::vector<std::string> spellings;
  for (const OptionSpec& option : all_options(command)) spellings.push_back("--" + option.name);
  std::string guess = suggestion(found, {spellings.begin(), spellings.end()});
  for (const std::string& spelling : spellings) {
    const bool begun = found.size() > 3 && spelling.starts_with(found);
    if (guess.empty() && begun) guess = ", did you mean '" + spelling + "'?";
  }
  if (guess.empty()) guess = "; `waferloom help " + command.name + "` lists those it has";
  return "unknown option " + in_quotes(found) + guess;
}

std::vector<po::option> parse_tokens(const Command& command,
                                     const std::vector<std::string>& tokens) {
  const po::options_description description = describe(command);
  const po::positional_options_description positions = describe_operands(command);
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    return po::command_line_parser(tokens)
        .options(description)
        .positional(positions)
        .style(style)
        .run()
        .options;
  } catch (const po::unknown_option& error) {
    throw Failure(FailureKind::usage, unknown_option_message(command, error.get_option_name()));
  } catch (const po::invalid_command_line_syntax& error) {
    if (error.kind() == po::invalid_syntax::missing_parameter ||
        error.kind() == po::invalid_syntax::empty_adjacent_parameter) {
      throw Failure(FailureKind::usage, error.get_option_name() + ": expected a value");
    }
    throw Failure(FailureKind::usage, error.what());
  } catch (const po::error& error) {
    throw Failure(FailureKind::usage, error.what());
  }
}

/// Values by name; a flag that is there has one empty value.
ArgumentValues collect(const std::vector<po::option>& options) {
  ArgumentValues values;
  for (const po::option& option : options) {
    std::vector<std::string>& own = values[option.string_key];
    own.insert(own.end(), option.value.begin(), option.value.end());
    if (option.value.empty()) own.emplace_back();
  }
  return values;
}

/// What is given by an option's second name is given by its name.
void rename(const Command& command, ArgumentValues& values) {
  for (const OptionSpec& option : all_options(command)) {
    const auto found = values.find(option.also);
    if (option.also.empty() || found == values.end()) continue;
    if (values.contains(option.name)) {
      throw Failure(FailureKind::usage, "expected one of --" + option.name + " and --" +
                                            option.also + ", its second name, found both");
    }
    values[option.name] = found->second;
    values.erase(option.also);
  }
}

/// Operands that should have stood behind -- are too many.
void check_dashes(const Command& command, const std::vector<std::string>& tokens,
                  ArgumentValues& values) {
  for (const OperandSpec& operand : command.operands) {
    const auto found = values.find(operand.name);
    if (!operand.behind_dashes || found == values.end()) continue;
    const auto dashes = std::find(tokens.begin(), tokens.end(), "--");
    const auto behind = std::max<std::ptrdiff_t>(0, tokens.end() - dashes - 1);
    if (static_cast<std::ptrdiff_t>(found->second.size()) > behind) {
      values[kSurplus] = found->second;
    }
  }
}

/// "A, B and C".
std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 < items.size() ? ", " : " and ";
    text += items[i];
  }
  return text;
}

std::vector<std::string> missing_options(const Command& command, const ArgumentValues& values) {
  std::vector<std::string> missing;
  for (const OptionSpec& option : command.options) {
    if (option.required && !values.contains(option.name)) {
      missing.push_back("--" + option.name + " " + option.value);
    }
  }
  return missing;
}

void refuse(const Command& command, const ArgumentValues& values) {
  if (command.refuse != nullptr) command.refuse(values);
}

/// Everything that is missing is told at once, and what is there too much beside what is expected.
void check_presence(const Command& command, const ArgumentValues& values) {
  const std::vector<std::string> options = missing_options(command, values);
  std::vector<std::string> all;
  std::vector<std::string> missing;
  for (const OperandSpec& operand : command.operands) {
    if (!operand.behind_dashes) all.push_back(operand.name);
    if (operand.required && !values.contains(operand.name)) missing.push_back(operand.name);
  }
  all.insert(all.end(), options.begin(), options.end());
  missing.insert(missing.end(), options.begin(), options.end());
  const auto surplus = values.find(kSurplus);
  if (surplus != values.end()) {
    throw Failure(FailureKind::usage, "expected " + listed(all) + ", found also the operand " +
                                          in_quotes(surplus->second.front()));
  }
  if (missing.empty()) return;
  refuse(command, values);
  throw Failure(FailureKind::usage,
                "expected " + listed(missing) + "; for example " + example_for(command, values));
}

void check_counts(const Command& command, const ArgumentValues& values) {
  for (const OptionSpec& option : all_options(command)) {
    const auto found = values.find(option.name);
    if (found == values.end() || option.repeated || option.value.empty()) continue;
    if (found->second.size() > 1) {
      throw Failure(FailureKind::usage, "--" + option.name + ": given more than once");
    }
    if (found->second.front().empty()) {
      throw Failure(FailureKind::usage, "--" + option.name + ": expected a value");
    }
  }
  for (const OperandSpec& operand : command.operands) {
    const auto found = values.find(operand.name);
    if (found == values.end() || operand.behind_dashes) continue;
    if (std::find(found->second.begin(), found->second.end(), "") != found->second.end()) {
      throw Failure(FailureKind::usage, operand.name + ": expected a value");
    }
  }
}

/// Ranges and choices.
void check_values(const Command& command, const ArgumentValues& values) {
  for (const OptionSpec& option : all_options(command)) {
    const auto found = values.find(option.name);
    if (found == values.end() || option.value.empty()) continue;
    for (const std::string& text : found->second) {
      const std::string fault = value_fault(option, text);
      if (!fault.empty()) throw Failure(FailureKind::usage, "--" + option.name + ": " + fault);
    }
  }
}

/// "--routes: needs CASE and SOL, or --plan, found --messages"; of an option that chooses a mode
/// itself "--plan: goes without --messages".
std::string mode_fault(const std::string& spelled, const std::vector<std::string>& modes,
                       const std::string& mode) {
  if (modes == std::vector<std::string>{spelled}) return spelled + ": goes without " + mode;
  std::string needed;
  for (const std::string& known : modes) needed += (needed.empty() ? "" : ", or ") + known;
  return spelled + ": needs " + needed + (mode.starts_with("--") ? ", found " + mode : "");
}

/// What is given belongs to the mode that is chosen.
void check_mode(const Command& command, const ArgumentValues& values) {
  const auto mode = std::find_if(command.modes.begin(), command.modes.end(),
                                 [&](const CommandMode& known) { return known.is_chosen(values); });
  if (mode == command.modes.end()) return;
  const auto is_wrong = [&](const std::string& name, const std::vector<std::string>& modes) {
    return values.contains(name) && !modes.empty() &&
           std::find(modes.begin(), modes.end(), mode->needs) == modes.end();
  };
  for (const OptionSpec& option : all_options(command)) {
    if (!is_wrong(option.name, option.modes)) continue;
    throw Failure(FailureKind::usage, mode_fault("--" + option.name, option.modes, mode->needs));
  }
  for (const OperandSpec& operand : command.operands) {
    if (!is_wrong(operand.name, operand.modes)) continue;
    throw Failure(FailureKind::usage, operand.name + ": goes without " + mode->needs);
  }
}

/// Those of the common options that say how a command runs.
const Options<CommonOptions>& common_rows() {
  using Common = CommonOptions;
  const auto spec = [](std::string_view name) {
    return option_named(placer::search_options(), name);
  };
  static const Options<Common> rows{
      option(&Common::seed, spec("seed")),
      option(&Common::threads, spec("threads"),
             [range = std::get<WholeRange>(spec("threads").range)](const std::string& text,
                                                                   const std::string& /*name*/) {
               return static_cast<int>(parse_whole_number(text, range).value());
             }),
      option(&Common::time_limit, spec("time-limit"), parse_seconds),
      option(&Common::effort, spec("effort")),
      option(&Common::report,
             {"report", '\0', "FILE|-",
              "Write a JSON report to FILE, or to stdout instead of the summary."}),
      option(&Common::quiet, {"quiet", 'q', "", "No progress on stderr."}),
      option(&Common::verbose,
             {"verbose", 'v', "", "More detail: every improvement, every violation."})};
  return rows;
}

CommonOptions read_common(const ArgumentValues& values, const Invocation& invocation) {
  CommonOptions common;
  common.made_by = std::make_shared<MadeBy>(invocation.command_line);
  common.start = invocation.start;
  common.report_descriptor = invocation.report_descriptor;
  common.command_line = invocation.command_line;
  common.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  common.threads_given = values.contains("threads");
  common.effort_given = values.contains("effort");
  for (const Option<CommonOptions>& row : common_rows()) {
    const auto given = values.find(row.spec.name);
    if (given != values.end()) row.set(common, given->second);
  }
  if (common.quiet && common.verbose) {
    throw Failure(FailureKind::usage, "expected one of --quiet and --verbose, found both");
  }
  return common;
}

}  // namespace

const std::vector<OptionSpec>& common_options() {
  static const std::vector<OptionSpec> options =
      joined({specs_of(common_rows()),
              {{"help", 'h', "", "Print this help."},
               {"version", '\0', "", "Print the versions of the program and its libraries."}}});
  return options;
}

std::vector<std::string> Arguments::list(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>{} : found->second;
}

Arguments parse_arguments(const Command& command, const std::vector<std::string>& tokens,
                          const Invocation& invocation) {
  ArgumentValues values = collect(parse_tokens(command, tokens));
  if (values.contains("help") || values.contains("version")) {
    ArgumentValues only;
    only[values.contains("help") ? "help" : "version"] = {""};
    return {only, read_common(only, invocation)};
  }
  rename(command, values);
  check_dashes(command, tokens, values);
  check_presence(command, values);
  check_counts(command, values);
  check_values(command, values);
  refuse(command, values);
  check_mode(command, values);
  return {values, read_common(values, invocation)};
}

}  // namespace waferloom::cli
