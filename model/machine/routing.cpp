#include <algorithm>

#include "model/mesh.h"

namespace waferloom {

std::string_view routing_name(Routing routing) {
  return kAllRoutingNames[static_cast<std::size_t>(routing)];
}

std::optional<Routing> routing_named(std::string_view name) {
  const auto at = std::find(kRoutingNames.begin(), kRoutingNames.end(), name);
  if (at == kRoutingNames.end()) return std::nullopt;
  return static_cast<Routing>(at - kRoutingNames.begin());
}

}  // namespace waferloom
