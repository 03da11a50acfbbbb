#include "planner/plans/whole_bytes.h"

#include <charconv>
#include <cmath>

namespace waferloom::planner {

std::string whole_bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "unlimited";
  char digits[2048];  // 309 of them, or 5e-324 in full
  const auto end = std::to_chars(digits, digits + sizeof digits, bytes, std::chars_format::fixed);
  std::string text(digits, end.ptr);
  const std::size_t first = text[0] == '-' ? 1 : 0;
  const std::size_t point = text.find('.');
  for (std::size_t at = point == std::string::npos ? text.size() : point; at > first + 3; at -= 3) {
    text.insert(at - 3, ",");
  }
  return text;
}

}  // namespace waferloom::planner
