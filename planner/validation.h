#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waferloom {

/// How a row of `waferloom validate` is judged.
enum class RowKind : std::uint8_t {
  exact,         ///< a published or derived value that has to come out within `tolerance`
  closed_form,   ///< a formula or a value worked out by hand
  calibrated,    ///< a constant was fitted; judged beside what a constant model gives
  informative,   ///< printed for comparison alone
  unreproduced,  ///< cannot be reproduced; `note` says why
};
const char* row_kind_name(RowKind kind);

/// A figure, published or worked out by hand, beside ours.
struct ValidationRow {
  std::string model;      ///< "AMPeD", "DFModel", "Centimani", …
  std::string name;       ///< "Table II, 145B"
  std::string unit;       ///< "ns", "TFLOP/s/GPU", "days", ""
  std::string source;     ///< "Table II", "log of the public repository", "by hand"
  std::string certainty;  ///< "in paper", "from repository", "derived", "closed form"
  RowKind kind = RowKind::exact;
  std::optional<double> published{};
  std::optional<double> ours{};
  double tolerance = 1e-6;                 ///< relative
  std::optional<double> constant_model{};  ///< what a constant model gives
  std::string note{};

  /// |ours - published| / |published|; 0 where both are 0; nothing where one is missing.
  std::optional<double> error() const;
  /// Whether it is within its tolerance; true where there is nothing to judge.
  bool holds() const;
};

// The rows of each model, computed when called.
std::vector<ValidationRow> amped_rows();
std::vector<ValidationRow> dfmodel_mapping_rows();  ///< partitions of kernels on a chip
std::vector<ValidationRow> dfmodel_system_rows();   ///< sharding, topologies, workloads, cost
std::vector<ValidationRow> serving_rows();
std::vector<ValidationRow> centimani_rows();

}  // namespace waferloom
