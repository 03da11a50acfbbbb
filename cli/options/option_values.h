#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "cli/options/arguments.h"

namespace waferloom::cli {

// Values of options as their rows have them: what was given, which parse_arguments held against the
// row's range and choices, or the row's default.

/// Of an option with a range of whole numbers.
template <typename Whole = std::int64_t>
Whole whole(const Arguments& arguments, const std::string& option) {
  const auto value = parse_whole_number(arguments.text_or_default(option),
                                        std::get<WholeRange>(arguments.row(option).range));
  return static_cast<Whole>(value.value());
}

/// Of an option with a range of numbers.
inline double real(const Arguments& arguments, const std::string& option) {
  return parse_real_number(arguments.text_or_default(option),
                           std::get<RealRange>(arguments.row(option).range))
      .value();
}

/// Of an option whose choices are the names of an enumeration's values.
template <typename Named, std::size_t count>
Named named(const Arguments& arguments, const std::string& option,
            const std::array<std::string_view, count>& names) {
  const auto at = std::find(names.begin(), names.end(), arguments.text_or_default(option));
  if (at == names.end()) throw std::logic_error("--" + option + ": its choices have no such name");
  return static_cast<Named>(at - names.begin());
}

}  // namespace waferloom::cli
