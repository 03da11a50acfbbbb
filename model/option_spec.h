#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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
  std::string also{};      ///< a second name, which help does not tell
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

/// Options of a table that apply in some modes of a command alone.
struct ModeRule {
  std::vector<std::string> modes;
  std::vector<std::string_view> options;
};
/// The rows of tables, one behind the other.
std::vector<OptionSpec> joined(const std::vector<std::vector<OptionSpec>>& tables);

/// Where a word stands among those that an option takes. Throws std::logic_error if it does not.
std::size_t word_index(std::span<const std::string_view> words, const OptionSpec& option,
                       std::string_view text);

// What an option sets: the member of a job that its row names. What reads options fills a job, a
// plain value, whose members say by their types what a text becomes and by their values the
// default.

namespace option_values {

template <typename Value>
inline constexpr bool kMayBeNone = false;
template <typename Value>
inline constexpr bool kMayBeNone<std::optional<Value>> = true;
template <typename Value>
inline constexpr bool kIsList = false;
template <typename Value>
inline constexpr bool kIsList<std::vector<Value>> = true;

/// A value of one text, which is without fault by the row.
template <typename Value>
Value value_of(const OptionSpec& spec, const std::string& text) {
  if constexpr (std::is_enum_v<Value>) {
    return static_cast<Value>(word_index(words_of(Value{}), spec, text));
  } else if constexpr (std::is_integral_v<Value>) {
    return static_cast<Value>(parse_whole_number(text, std::get<WholeRange>(spec.range)).value());
  } else if constexpr (std::is_floating_point_v<Value>) {
    const auto* real = std::get_if<RealRange>(&spec.range);
    if (real != nullptr) return parse_real_number(text, *real).value();
    return static_cast<Value>(parse_whole_number(text, std::get<WholeRange>(spec.range)).value());
  } else {
    return text;
  }
}

/// Sets a member: a flag is true, a list takes all texts, everything else the first.
template <typename Value>
void set_value(Value& member, const OptionSpec& spec, const std::vector<std::string>& texts) {
  if constexpr (std::is_same_v<Value, bool>) {
    member = true;
  } else if constexpr (kMayBeNone<Value>) {
    member = value_of<typename Value::value_type>(spec, texts.front());
  } else if constexpr (kIsList<Value>) {
    for (const std::string& text : texts) {
      member.push_back(value_of<typename Value::value_type>(spec, text));
    }
  } else {
    member = value_of<Value>(spec, texts.front());
  }
}

/// A member's value as the default of its option; empty where there is none.
template <typename Value>
std::string default_text(const Value& value) {
  if constexpr (std::is_same_v<Value, bool> || kMayBeNone<Value> || kIsList<Value>) {
    return {};
  } else if constexpr (std::is_enum_v<Value>) {
    return std::string(words_of(value)[static_cast<std::size_t>(value)]);
  } else if constexpr (std::is_integral_v<Value>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return fallback_text(value);
  } else {
    return value;
  }
}

template <typename Value>
void complete(OptionSpec& spec, const Value& by_default) {
  if (spec.fallback.empty()) spec.fallback = default_text(by_default);
  if constexpr (std::is_enum_v<Value>) {
    if (spec.choices.empty()) spec.choices = choices_of(words_of(by_default));
  } else if constexpr (kMayBeNone<Value>) {
    if constexpr (std::is_enum_v<typename Value::value_type>) {
      if (spec.choices.empty()) spec.choices = choices_of(words_of(typename Value::value_type{}));
    }
  }
}

}  // namespace option_values

/// A row of a table of options, and the member that it sets.
template <typename Job>
struct Option {
  OptionSpec spec;
  /// Of the texts that were given for it, at least one.
  std::function<void(Job&, const std::vector<std::string>&)> set;
};
template <typename Job>
using Options = std::vector<Option<Job>>;

/// An option that sets a member: a flag (bool), a text, a whole number or a number in the row's
/// range, a word of an enumeration that has words_of, or none, or several of them. The default is
/// the value that the member has in a new job, choices are the enumeration's words; the row says
/// otherwise where it has its own.
template <typename Job, typename Value>
Option<Job> option(Value Job::*member, OptionSpec spec) {
  option_values::complete(spec, Job{}.*member);
  return {spec, [member, spec](Job& job, const std::vector<std::string>& texts) {
            option_values::set_value(job.*member, spec, texts);
          }};
}

/// An option whose text becomes a value by `parsed(text, "--name")`, which throws what is wrong.
template <typename Job, typename Value, typename Parse>
Option<Job> option(Value Job::*member, OptionSpec spec, Parse parsed) {
  const std::string name = "--" + spec.name;
  return {std::move(spec), [member, name, parsed](Job& job, const std::vector<std::string>& texts) {
            job.*member = parsed(texts.front(), name);
          }};
}

/// A flag that sets a member to a value.
template <typename Job, typename Value>
Option<Job> flag(Value Job::*member, OptionSpec spec, Value value) {
  return {std::move(spec),
          [member, value](Job& job, const std::vector<std::string>&) { job.*member = value; }};
}

/// An option of a member, as one of the job that has it.
template <typename Job, typename Part>
Option<Job> option_inside(Part Job::*part, const Option<Part>& row) {
  return {row.spec, [part, set = row.set](Job& job, const std::vector<std::string>& texts) {
            set(job.*part, texts);
          }};
}
template <typename Job, typename Part>
Options<Job> options_inside(Part Job::*part, const Options<Part>& options) {
  Options<Job> all;
  for (const Option<Part>& row : options) all.push_back(option_inside(part, row));
  return all;
}

template <typename Job>
std::vector<OptionSpec> specs_of(const Options<Job>& options) {
  std::vector<OptionSpec> specs;
  for (const Option<Job>& row : options) specs.push_back(row.spec);
  return specs;
}

template <typename Job>
Options<Job> joined_options(const std::vector<Options<Job>>& tables) {
  Options<Job> all;
  for (const Options<Job>& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

/// A table with more rows behind the row of that name, which is there.
template <typename Job>
Options<Job> options_behind(Options<Job> options, std::string_view name, const Options<Job>& rows) {
  const std::vector<OptionSpec> specs = specs_of(options);
  const auto at = &option_named(specs, name) - specs.data() + 1;
  options.insert(options.begin() + at, rows.begin(), rows.end());
  return options;
}

/// The table with the modes of these options. Throws std::out_of_range if it has not one of them.
template <typename Job>
Options<Job> in_modes(Options<Job> options, const std::vector<ModeRule>& rules) {
  const std::vector<OptionSpec> specs = specs_of(options);
  for (const ModeRule& rule : rules) {
    for (const std::string_view name : rule.options) {
      const auto row = &option_named(specs, name) - specs.data();
      options[static_cast<std::size_t>(row)].spec.modes = rule.modes;
    }
  }
  return options;
}

}  // namespace waferloom
