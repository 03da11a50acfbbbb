#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "model/machine/hardware_keys.h"
#include "model/report.h"

namespace waferloom {

// Numbers of hardware as JSON, by the tables of keys. Private to model/.

inline Json value_json(std::int64_t value) { return value; }
inline Json value_json(const std::optional<std::int64_t>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}
/// Exact: a decimal of six places up to 10⁹ is a double's shortest text.
inline Json value_json(Decimal6 value) {
  if (value.millionths % Decimal6::kOne == 0) return value.millionths / Decimal6::kOne;
  return static_cast<double>(value.millionths) / static_cast<double>(Decimal6::kOne);
}

inline Json value_json(double value) { return value; }

/// A number of an owner.
template <typename Owner>
Json number_json(const Owner& owner, const HardwareKey<Owner>& key) {
  return std::visit([&](auto member) { return value_json(owner.*member); }, key.member);
}

inline const char* topology_name(Topology topology) {
  return topology == Topology::switched ? "switched" : "mesh";
}
inline const char* choice_name(PortChoice rule) {
  return rule == PortChoice::all ? "all" : "nearest";
}
inline const char* lane_sides_name(LaneSides sides) {
  return sides == LaneSides::any ? "any" : "facing";
}
inline const char* edge_io_name(EdgeIo edge) { return edge == EdgeIo::dram ? "dram" : "host"; }

}  // namespace waferloom
