#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/text.h"

namespace waferloom {

/// Inclusive bounds of a whole number.
struct WholeRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

/// A word that an option takes, and what help says of it in parentheses.
struct OptionChoice {
  std::string name;
  std::string note{};
};

/// One row of a table of options: what a front end, the command line for one, needs to know of an
/// option to read it, to refuse a wrong value and to explain it. A value is one of the choices, or
/// within the range; without both anything goes.
///
/// In `help` {default} stands for "(default X)", {fallback} for X, {range} for "1 to 9", {choices}
/// for "a, b (default) or c".
struct OptionSpec {
  std::string name;       ///< long name without dashes
  char letter = '\0';     ///< short name, if any
  std::string value{};    ///< the value's name in help; empty for a flag
  std::string help{};     ///< one sentence
  bool repeated = false;  ///< may be given more than once
  bool required = false;
  std::variant<std::monostate, WholeRange, RealRange> range{};
  std::vector<OptionChoice> choices{};
  std::string fallback{};  ///< the default as text; empty: none, or help says it
  /// The modes of a command in which it applies, by what each needs ("--plan"); empty: all.
  std::vector<std::string> modes{};
};

/// Choices without notes.
std::vector<OptionChoice> choices_of(std::span<const std::string_view> names);

/// A number in the fewest digits that give it back, as a fallback: "0.8".
std::string fallback_text(double value);

/// The help with what its braces stand for.
std::string help_text(const OptionSpec& option);

/// What is wrong with a value: "expected a whole number from 1 to 9, found '10'"; empty if nothing.
std::string value_fault(const OptionSpec& option, const std::string& text);

/// A number that has no fault. Both may have an exponent; a whole one is exact: "200e9".
std::optional<std::uint64_t> parse_whole_number(std::string_view text, WholeRange range);
std::optional<double> parse_real_number(std::string_view text, RealRange range);

/// The row of that name. Throws std::out_of_range if there is none.
const OptionSpec& option_named(const std::vector<OptionSpec>& table, std::string_view name);

/// The same option, explained otherwise.
OptionSpec with_help(OptionSpec option, std::string help);

/// A table with more rows behind the row of that name, which is there.
std::vector<OptionSpec> inserted_behind(std::vector<OptionSpec> table, std::string_view name,
                                        const std::vector<OptionSpec>& rows);

/// Options of a table that apply in some modes of a command alone.
struct ModeRule {
  std::vector<std::string> modes;
  std::vector<std::string_view> options;
};
/// The table with the modes of these options. Throws std::out_of_range if it has not one of them.
std::vector<OptionSpec> with_modes(std::vector<OptionSpec> table,
                                   const std::vector<ModeRule>& rules);

/// The rows of tables, one behind the other.
std::vector<OptionSpec> joined(const std::vector<std::vector<OptionSpec>>& tables);

}  // namespace waferloom
