#include "model/option_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "model/text.h"

namespace waferloom {
namespace {

constexpr std::size_t kMostExpected = 10;  // choices that are told as "a, b or c"

std::string range_text(const OptionSpec& option) {
  if (const auto* whole = std::get_if<WholeRange>(&option.range)) {
    return fmt::format("{} to {}", whole->least, whole->most);
  }
  const auto* real = std::get_if<RealRange>(&option.range);
  if (real == nullptr) return "";
  return fallback_text(real->least) + " to " + fallback_text(real->most);
}

/// "b (default)", "c (no proof)", "a (default, or as the plan has it)".
std::string choice_text(const OptionSpec& option, const OptionChoice& choice) {
  std::string mark = choice.name == option.fallback ? "default" : "";
  if (!choice.note.empty()) mark += (mark.empty() ? "" : ", ") + choice.note;
  return mark.empty() ? choice.name : choice.name + " (" + mark + ")";
}

std::string choices_text(const OptionSpec& option) {
  std::vector<std::string> texts;
  for (const OptionChoice& choice : option.choices) texts.push_back(choice_text(option, choice));
  return alternatives(std::vector<std::string_view>(texts.begin(), texts.end()));
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

/// "max or a whole number from 1 to 9".
std::string expected_text(const OptionSpec& option, const std::vector<std::string_view>& names) {
  std::string number;
  if (std::holds_alternative<WholeRange>(option.range)) number = "a whole number from ";
  if (std::holds_alternative<RealRange>(option.range)) number = "a number from ";
  if (number.empty()) return alternatives(names);
  number += range_text(option);
  std::vector<std::string_view> all = names;
  all.push_back(number);
  return alternatives(all);
}

bool is_in_range(const OptionSpec& option, const std::string& text) {
  if (const auto* whole = std::get_if<WholeRange>(&option.range)) {
    return parse_whole_number(text, *whole).has_value();
  }
  const auto* real = std::get_if<RealRange>(&option.range);
  return real != nullptr && parse_real_number(text, *real).has_value();
}

}  // namespace

std::vector<OptionChoice> choices_of(std::span<const std::string_view> names) {
  std::vector<OptionChoice> choices;
  for (const std::string_view name : names) choices.push_back({std::string(name)});
  return choices;
}

std::string fallback_text(double value) {
  std::string text = shortest_text(value);
  replace_all(text, "e+", "e");
  return text;
}

std::string help_text(const OptionSpec& option) {
  std::string text = option.help;
  replace_all(text, "{default}", "(default " + option.fallback + ")");
  replace_all(text, "{fallback}", option.fallback);
  replace_all(text, "{range}", range_text(option));
  if (!option.choices.empty()) replace_all(text, "{choices}", choices_text(option));
  return text;
}

std::string value_fault(const OptionSpec& option, const std::string& text) {
  std::vector<std::string_view> names;
  for (const OptionChoice& choice : option.choices) names.emplace_back(choice.name);
  if (std::find(names.begin(), names.end(), text) != names.end()) return "";
  const bool has_range = !std::holds_alternative<std::monostate>(option.range);
  if (is_in_range(option, text) || (names.empty() && !has_range)) return "";
  if (names.size() > kMostExpected) {
    std::string known;
    for (const std::string_view name : names) known.append(known.empty() ? "" : ", ").append(name);
    return "unknown " + option.name + " " + in_quotes(text) + suggestion(text, names) +
           " (known: " + known + ")";
  }
  return "expected " + expected_text(option, names) + ", found " + in_quotes(text) +
         suggestion(text, names);
}

std::optional<std::uint64_t> parse_whole_number(std::string_view text, WholeRange range) {
  const std::optional<Int128> value = parse_whole_text(text);
  if (!value || text.front() == '-') return std::nullopt;
  if (*value < range.least || *value > range.most) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<double> parse_real_number(std::string_view text, RealRange range) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == end;
  if (!is_number || !(value >= range.least) || !(value <= range.most)) return std::nullopt;
  return value;
}

const OptionSpec& option_named(const std::vector<OptionSpec>& table, std::string_view name) {
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const OptionSpec& option) { return option.name == name; });
  if (at == table.end()) throw std::out_of_range("no option " + std::string(name));
  return *at;
}

OptionSpec with_help(OptionSpec option, std::string help) {
  option.help = std::move(help);
  return option;
}

std::size_t word_index(std::span<const std::string_view> words, const OptionSpec& option,
                       std::string_view text) {
  const auto at = std::find(words.begin(), words.end(), text);
  if (at == words.end()) throw std::logic_error(option.name + ": its choices have no such name");
  return static_cast<std::size_t>(at - words.begin());
}

std::vector<OptionSpec> joined(const std::vector<std::vector<OptionSpec>>& tables) {
  std::vector<OptionSpec> all;
  for (const std::vector<OptionSpec>& table : tables) {
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

}  // namespace waferloom
