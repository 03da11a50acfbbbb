#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/option_spec.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom {

/// Most operators of a workload once all repeats are written out.
inline constexpr std::size_t kMaxOperators = 100'000;

/// Reads a workload (docs/workloads.md), repeats written out. Throws InputError with
/// source:line:column.
Workload read_workload(std::string_view text, const std::string& source);

/// An entry of a workload's file: an operator, or a group of entries, so many times behind one
/// another.
struct NetworkEntry {
  std::string name;
  std::int64_t repeat = 1;
  std::optional<OperatorKind> kind{};  ///< none: a group
  std::vector<NetworkEntry> group{};
};
struct NetworkFile {
  std::string name;
  std::int64_t tokens = 1;
  std::string comment{};
  std::vector<NetworkEntry> entries{};
};
/// The file of a network whose operators stand behind one another, as read_workload reads it.
std::string workload_text(const NetworkFile& file);

/// workload.schema.json, made from the tables of keys (model/network/operator_keys.h).
std::string workload_schema();

/// Workloads that are part of the program: presets/workloads/NAME.json.
std::vector<std::string_view> workload_preset_names();
/// The text of one; nothing if there is none of that name.
std::optional<std::string_view> workload_preset(std::string_view name);

/// How the operators of a network are cut: the same numbers for all, at least 1.
struct OperatorCut {
  std::int64_t samples = 1;  ///< that are worked on at once
  std::int64_t data = 1;     ///< degree of data parallelism
  std::int64_t tensor = 1;   ///< degree of tensor parallelism
};

/// Options that set it: samples, data, tensor. Defaults are those of OperatorCut.
std::vector<OptionSpec> operator_cut_options();

/// A report of schema waferloom/operators/1: what each operator needs for a sample, and the
/// all-reduces that this cut makes necessary. Throws std::overflow_error as all_reduces does.
Json operators_json(const Workload& workload, const OperatorCut& cut);

}  // namespace waferloom
