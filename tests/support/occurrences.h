#pragma once

#include <cstddef>
#include <string>

namespace waferloom::test {

/// How often a part that is not empty stands in a text, overlapping ones included.
inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace waferloom::test
