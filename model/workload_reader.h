#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload.h"

namespace waferloom {

/// Most operators of a workload once all repeats are written out.
inline constexpr std::size_t kMaxOperators = 100'000;

/// Reads a workload (docs/workloads.md), repeats written out. Throws InputError with
/// source:line:column.
Workload read_workload(std::string_view text, const std::string& source);

/// workload.schema.json, made from the tables of keys (model/network/operator_keys.h).
std::string workload_schema();

/// Workloads that are part of the program: presets/workloads/NAME.json.
std::vector<std::string_view> workload_preset_names();
/// The text of one; nothing if there is none of that name.
std::optional<std::string_view> workload_preset(std::string_view name);

}  // namespace waferloom
