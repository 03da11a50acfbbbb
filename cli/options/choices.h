#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "cli/console/failure.h"
#include "cli/options/arguments.h"
#include "model/text_scan.h"

namespace waferloom::cli {

/// The place of an option's value among words; `otherwise` without the option. Throws
/// Failure::usage, with a suggestion, for any other word.
template <std::size_t count>
std::size_t choice(const Arguments& arguments, const std::string& option,
                   const std::array<std::string_view, count>& words, std::size_t otherwise = 0) {
  if (!arguments.has(option)) return otherwise;
  const std::string& text = arguments.text(option);
  const auto* at = std::find(words.begin(), words.end(), text);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  throw Failure(FailureKind::usage, "--" + option + ": expected " + alternatives(words) +
                                        ", found " + waferloom::quoted(text) +
                                        suggestion(text, {words.begin(), words.end()}));
}

}  // namespace waferloom::cli
