#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace waferloom {

/// How transfers find their way through the mesh.
enum class Routing : std::uint8_t {
  xy,        ///< along the row first, then along the column
  yx,        ///< the other way round
  o1turn,    ///< one of the two, at random by transfer (Seo et al., ISCA 2005)
  adaptive,  ///< the one of the two with less to carry on its busiest link, xy if they are alike
  planned,   ///< as Routes say; what they do not speak of goes x first
};
/// Of the rules: all but planned, which needs routes.
inline constexpr std::array<std::string_view, 4> kRoutingNames{"xy", "yx", "o1turn", "adaptive"};

/// Whether transfers between the same tiles always take the same way.
inline bool is_fixed(Routing routing) {
  return routing == Routing::xy || routing == Routing::yx || routing == Routing::planned;
}

std::string_view routing_name(Routing routing);
std::optional<Routing> routing_named(std::string_view name);

}  // namespace waferloom
