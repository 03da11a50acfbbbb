#include "cli/commands/program.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/console/version.h"
#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/options/help.h"
#include "cli/summaries/summary_lines.h"
#include "cluster/task_array.h"
#include "model/errors.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

const std::vector<const Command*>& commands() {
  static const std::vector<const Command*> all{
      &plan_command(),
      &place_command(),
      &score_command(),
      &route_command(),
      &simulate_command(),
      &optimize_command(),
      &draw_command(),
      &bench_command(),
      &cases_command(),
      &workload_command(),
      &import_command(),
      &hardware_command(),
      &collective_command(),
      &validate_command(),
      &schema_command(),
      &model_amped_command(),
      &model_dfmodel_command(),
      &model_systems_command(),
      &model_centimani_command(),
      &model_serving_command(),
      &model_tile_command(),
      &sweep_plan_command(),
      &sweep_exec_command(),
      &sweep_submit_command(),
      &sweep_status_command(),
      &sweep_cancel_command(),
      &sweep_collect_command(),
      &sweep_report_command(),
      &contest_form(),
  };
  return all;
}

/// Words that others stand behind: "model amped".
constexpr std::array<std::string_view, 2> kGroups{"model", "sweep"};

/// The group of a command, empty for those of one word.
std::string_view group_of(std::string_view name) {
  const std::size_t blank = name.find(' ');
  return blank == std::string_view::npos ? std::string_view() : name.substr(0, blank);
}

/// "plan, place, … or sweep": the words that a command line may begin with, or for a group those
/// that may follow it.
std::string words_text(std::string_view group) {
  std::vector<std::string_view> words;
  for (const std::string_view name : command_names()) {
    if (group_of(name) == group)
      words.push_back(group.empty() ? name : name.substr(group.size() + 1));
  }
  if (group.empty()) words.insert(words.end(), kGroups.begin(), kGroups.end());
  return alternatives(words);
}

/// A command and how many words its name has: "model amped" has two.
struct FoundCommand {
  const Command& command;
  std::size_t words;
};

FoundCommand find_command(const std::vector<std::string>& tokens) {
  const std::string& first = tokens.front();
  if (is_contest_setting(first)) return {contest_form(), 1};
  const std::string two = tokens.size() < 2 ? first : first + " " + tokens[1];
  for (const Command* command : commands()) {
    if (command->name == first) return {*command, 1};
    if (command->name == two) return {*command, 2};
  }
  const std::vector<std::string_view> names = command_names();
  if (std::find(kGroups.begin(), kGroups.end(), first) != kGroups.end()) {
    throw Failure(
        FailureKind::usage,
        "expected " + first + " followed by " + words_text(first) +
            (tokens.size() < 2 ? "" : ", found " + in_quotes(tokens[1]) + suggestion(two, names)));
  }
  throw Failure(FailureKind::usage, "expected a command (" + words_text("") + "), found " +
                                        in_quotes(first) + suggestion(first, names));
}

/// Help of the program, or of the command that follows.
int help(const std::vector<std::string>& tokens) {
  write_stdout(tokens.size() < 2
                   ? program_help(commands())
                   : command_help(find_command({tokens.begin() + 1, tokens.end()}).command));
  return 0;
}

int run_command(const Command& command, const std::vector<std::string>& tokens,
                const Invocation& invocation) {
  const Arguments arguments = parse_arguments(command, tokens, invocation);
  if (arguments.has("help")) {
    write_stdout(command_help(command));
    return 0;
  }
  if (arguments.has("version")) {
    write_stdout(version_text());
    return 0;
  }
  try {
    return command.run(arguments);
  } catch (const RunCut& cut) {
    throw_if_interrupted();
    throw Failure(FailureKind::time_limit, cut.what());
  }
}

int run_words(const Invocation& invocation) {
  const std::vector<std::string>& tokens = invocation.command_line;
  if (tokens.empty()) {
    throw Failure(FailureKind::usage, "expected a command (" + words_text("") + ")");
  }
  const std::string& first = tokens.front();
  if (first == "help" || first == "--help" || first == "-h") return help(tokens);
  if (first == "--version") {
    write_stdout(version_text());
    return 0;
  }
  if (is_contest_setting(first)) return run_command(contest_form(), tokens, invocation);
  const FoundCommand found = find_command(tokens);
  return run_command(found.command,
                     {tokens.begin() + static_cast<std::ptrdiff_t>(found.words), tokens.end()},
                     invocation);
}

/// Whether a JSON report on stdout was asked for; looked up in the raw words, because the command
/// line itself may be what is wrong.
bool wants_json(const std::vector<std::string>& tokens) {
  const auto report = std::find(tokens.begin(), tokens.end(), "--report");
  if (report != tokens.end() && report + 1 != tokens.end() && *(report + 1) == "-") return true;
  return std::find(tokens.begin(), tokens.end(), "--report=-") != tokens.end();
}

/// Prints a failure: a line for each of the message's on stderr, JSON on stdout if asked for.
int fail(FailureKind kind, const std::string& message, const std::vector<std::string>& tokens) {
  const bool colour = colour_on_stderr();
  std::size_t begin = 0;
  while (begin <= message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    std::fprintf(stderr, "waferloom: %serror:%s %s\n", colour ? "\033[1;31m" : "",
                 colour ? "\033[0m" : "", message.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
  if (kind == FailureKind::internal) {
    std::fprintf(stderr, "This is a bug of waferloom; please report it.\n");
  }
  if (kind == FailureKind::usage) {
    std::string command;
    for (const Command* known : commands()) {
      if (tokens.empty()) break;
      const bool is_two = tokens.size() > 1 && known->name == tokens[0] + " " + tokens[1];
      if (is_two || known->name == tokens.front()) command = known->name + " ";
    }
    if (!tokens.empty() && is_contest_setting(tokens.front())) command = "kgraph=FILE ";
    std::fprintf(stderr, "See: waferloom %s--help\n", command.c_str());
  }
  const int code = exit_code(kind);
  if (wants_json(tokens)) {
    const std::string json = report_text(error_report(kind, message));
    std::fwrite(json.data(), 1, json.size(), stdout);
  }
  return code;
}

}  // namespace

const Command* command_named(const std::string& name) {
  const auto found = std::find_if(commands().begin(), commands().end(),
                                  [&](const Command* known) { return known->name == name; });
  return found == commands().end() ? nullptr : *found;
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names;
  for (const Command* command : commands()) {
    if (command != &contest_form()) names.push_back(command->name);
  }
  return names;
}

int run_program(const Invocation& invocation) {
  const std::vector<std::string>& tokens = invocation.command_line;
  try {
    return run_words(invocation);
  } catch (const Failure& failure) {
    return fail(failure.kind(), failure.what(), tokens);
  } catch (const optimize::SearchEnded& ended) {
    return fail(failure_kind(ended.reason()), ended.what(), tokens);
  } catch (const InfeasibleError& error) {
    return fail(FailureKind::infeasible, error.what(), tokens);
  } catch (const InputError& error) {
    return fail(FailureKind::input, error.what(), tokens);
  } catch (const RequestError& error) {
    return fail(FailureKind::input, error.what(), tokens);
  } catch (const cluster::EngineError& error) {
    return fail(FailureKind::input, error.what(), tokens);
  } catch (const std::bad_alloc&) {
    return fail(FailureKind::internal, "out of memory", tokens);
  } catch (const std::exception& error) {
    return fail(FailureKind::internal, error.what(), tokens);
  } catch (...) {
    return fail(FailureKind::internal, "unknown exception", tokens);
  }
}

}  // namespace waferloom::cli
