#pragma once

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "model/option_spec.h"

namespace waferloom {

/// What holds of every table: names are different, defaults are without fault, and help says all
/// that its braces stand for.
inline void check_table(const std::vector<OptionSpec>& table) {
  std::set<std::string> names;
  for (const OptionSpec& option : table) {
    CAPTURE(option.name);
    CHECK(names.insert(option.name).second);
    const std::string help = help_text(option);
    CHECK(!help.empty());
    CHECK(help.find('{') == std::string::npos);
    CHECK(help.find("(default )") == std::string::npos);
    if (!option.fallback.empty()) CHECK(value_fault(option, option.fallback).empty());
  }
}

/// The default of a row.
inline std::string fallback_of(const std::vector<OptionSpec>& table, const std::string& name) {
  return option_named(table, name).fallback;
}

/// A line an option, in the order of help: "NAME VALUE: required; 1 to 9; a, b or c; default a".
inline std::string table_text(const std::vector<OptionSpec>& table) {
  std::string text;
  for (OptionSpec option : table) {
    text += option.name + (option.value.empty() ? "" : " " + option.value);
    std::string facts = option.required ? "; required" : "";
    option.help = "{range}";
    const std::string range = help_text(option);
    if (!range.empty()) facts += "; " + range;
    if (!option.choices.empty()) {
      option.help = "{choices}";
      facts += "; " + help_text(option);
    }
    if (!option.fallback.empty()) facts += "; default " + option.fallback;
    text += (facts.empty() ? "" : ":" + facts.substr(1)) + "\n";
  }
  return text;
}

}  // namespace waferloom
