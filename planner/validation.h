#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/run_control.h"

namespace waferloom::planner {

/// How a row of `waferloom validate` is judged.
enum class RowKind : std::uint8_t {
  reproduced,      ///< against a figure that a paper or a log of its program shows
  closed_form,     ///< against a value derived by hand, without the code that it judges
  calibrated,      ///< a constant was fitted; judged beside what a constant model gives
  not_reproduced,  ///< known to be off from a figure that a paper or a log shows; `note` says how
  not_judged,      ///< shown beside ours; `note` says why it is not judged
};
inline constexpr std::size_t kRowKinds = 5;
const char* row_kind_name(RowKind kind);

/// The tolerance of rows that say nothing else.
inline constexpr double kRowTolerance = 1e-6;

/// A figure that somebody published, or one derived by hand, beside ours. Exactly one of
/// `published` and `derived` is there.
struct ValidationRow {
  std::string model;      ///< the paper: "AMPeD", "DFModel", "Centimani", "PALM", "Megatron"
  std::string name;       ///< "Table II, 145B"
  std::string unit;       ///< "ns", "TFLOP/s/GPU", "days", ""
  std::string source;     ///< "Table II", "log of the public repository", "by hand"
  std::string certainty;  ///< "in paper", "from repository", "by hand"
  RowKind kind = RowKind::reproduced;
  std::optional<double> published{};       ///< in the paper or in a log
  std::optional<double> derived{};         ///< of closed forms
  std::optional<double> ours{};            ///< nothing where the program cannot compute it
  double tolerance = kRowTolerance;        ///< relative; of rows that are judged
  std::optional<double> constant_model{};  ///< what a constant model gives
  std::string note{};

  /// What ours is compared with.
  std::optional<double> reference() const { return published ? published : derived; }
  /// |value - reference| / |reference|; 0 where both are 0; nothing without a reference.
  std::optional<double> error_of(double value) const;
  /// Of ours; nothing where one of both is missing.
  std::optional<double> error() const;
  bool is_judged() const { return kind != RowKind::not_judged; }
  /// Whether ours is within the tolerance; nothing where nothing is judged.
  std::optional<bool> holds() const;
  /// Whether a judged row is not as its kind says: also where what is said not to be reproduced
  /// holds.
  bool fails() const;
};

// The rows of each model, computed when called. Those that take longer throw RunCut.
std::vector<ValidationRow> amped_rows();
std::vector<ValidationRow> dfmodel_mapping_rows();  ///< partitions of kernels on a chip
/// Sharding, topologies, workloads, cost.
std::vector<ValidationRow> dfmodel_system_rows(const RunControl& control = {});
std::vector<ValidationRow> serving_rows();
std::vector<ValidationRow> centimani_rows();

}  // namespace waferloom::planner
