#include <algorithm>
#include <cstddef>

#include "model/mesh.h"

namespace waferloom {
namespace {

template <typename Value, std::size_t count>
std::optional<Value> named(const std::array<std::string_view, count>& names,
                           std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Value>(at - names.begin());
}

}  // namespace

std::string_view collective_name(CollectiveKind kind) {
  return kCollectiveNames[static_cast<std::size_t>(kind)];
}

std::optional<CollectiveKind> collective_named(std::string_view name) {
  return named<CollectiveKind>(kCollectiveNames, name);
}

std::string_view algorithm_name(CollectiveAlgorithm algorithm) {
  return kAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

std::string_view group_order_name(GroupOrder order) {
  return kGroupOrderNames[static_cast<std::size_t>(order)];
}

}  // namespace waferloom
