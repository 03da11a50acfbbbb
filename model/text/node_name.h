#pragma once

#include <cstddef>
#include <string_view>

namespace waferloom {

/// Whether `name` may be a node's name: 1 to kMaxNameLength letters, digits and _ . - + / # @ [ ],
/// without the // that begins a comment in solutions.
bool is_name(std::string_view name);
inline constexpr std::size_t kMaxNameLength = 200;
inline constexpr std::string_view kNameRule =
    "a name of 1 to 200 letters, digits and _ . - + / # @ [ ]";

}  // namespace waferloom
