#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "model/option_spec.h"

namespace waferloom::cli {

/// One operand (argument without dashes).
struct OperandSpec {
  std::string name;  ///< in capitals
  std::string help;
  bool required = true;
  bool repeated = false;             ///< takes all that follow; last
  std::vector<std::string> modes{};  ///< as those of an option
  bool behind_dashes = false;        ///< only what stands behind --; repeated
};

/// A run of the program.
struct Invocation {
  optimize::Clock::time_point start;      ///< first thing in main
  std::vector<std::string> command_line;  ///< without the program's name
  /// Where the report goes in place of the file of --report, if it is at least 0: of the points of
  /// a sweep, whose process hands it on.
  int report_descriptor = -1;
};

/// Runs a command line, answers the exit code.
using Program = int (*)(const Invocation&);

struct Arguments;

/// What a command line gives, by name of option or operand; a flag has one empty value.
using ArgumentValues = std::map<std::string, std::vector<std::string>>;

/// What chooses the modes that several commands have.
inline constexpr const char* kOfSolution = "CASE and SOL";
inline constexpr const char* kOfPlan = "--plan";

/// One of the ways to call a command. Options and operands name the modes that they belong to.
struct CommandMode {
  std::string needs;  ///< what chooses it, as messages and help say it: "--plan", "CASE and SOL"
  bool (*is_chosen)(const ArgumentValues&);
};

/// A command of the program: what it takes and what it does.
struct Command {
  std::string name;
  std::string summary;             ///< one line, for the list of commands
  std::vector<std::string> usage;  ///< synopses after "waferloom "
  std::string description;         ///< paragraphs, wrapped by help
  std::vector<OperandSpec> operands{};
  std::vector<OptionSpec> options{};  ///< its own; common_options() are added
  std::vector<std::string> idle{};    ///< common options that it takes but has no use for
  std::vector<CommandMode> modes{};   ///< the first that is chosen rules; none: all options apply
  /// Throws Failure::usage; asked before what is missing is told, and again at the end.
  void (*refuse)(const ArgumentValues&) = nullptr;
  std::vector<std::string> examples{};
  std::function<int(const Arguments&)> run{};  ///< answers the exit code
};

/// The command of a name, null if there is none.
using CommandByName = const Command* (*)(const std::string& name);

/// -h, --version, --seed, …: on every command.
const std::vector<OptionSpec>& common_options();

/// The parsed command line of one command.
struct Arguments {
  ArgumentValues values;  ///< all that is given, by name of option or operand
  CommonOptions common;
  bool has(const std::string& name) const { return values.contains(name); }
  /// All values; none if it is not there.
  std::vector<std::string> list(const std::string& name) const;
};

/// Parses what stands behind a command's name, and holds each value against its option's range and
/// choices. Throws Failure::usage. Options are never guessed
/// from abbreviations. With --help or --version only that is looked at.
Arguments parse_arguments(const Command& command, const std::vector<std::string>& tokens,
                          const Invocation& invocation);

}  // namespace waferloom::cli
