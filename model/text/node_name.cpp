#include "model/text/node_name.h"

#include <algorithm>

namespace waferloom {

bool is_name(std::string_view name) {
  constexpr std::string_view kMarks = "_.-+/#@[]";
  const auto allowed = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kMaxNameLength &&
         name.find("//") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace waferloom
