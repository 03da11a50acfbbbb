#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload.h"

namespace waferloom {

// Measured times of operators (Centimani, section 4.3.2: the common ones), and of a machine's
// loading and preprocessing (4.3.1).

/// The sizes that decide how long an operator takes, in the order of docs/centimani.md.
std::vector<std::int64_t> shape_of(const OperatorKind& kind);

/// One measurement: so many samples of an operator at once.
struct MeasuredOperator {
  std::string kind;  ///< kind_name()
  std::vector<std::int64_t> shape{};
  std::int64_t batch = 1;
  double forward_s = 0;
  double backward_s = 0;
  bool operator==(const MeasuredOperator&) const = default;
};

/// A machine that was measured where samples come from, for one sample. Another machine's times are
/// in proportion to its bandwidth and its peak rate.
struct MeasuredHost {
  double load_s = 0;
  double preprocess_s = 0;
  double link_bytes_per_s = 1;
  double cpu_flop_per_s = 1;
  bool operator==(const MeasuredHost&) const = default;
};

struct OperatorTable {
  std::string name;
  std::vector<MeasuredOperator> operators{};
  std::optional<MeasuredHost> host{};
};

/// Seconds forward and backward.
struct OperatorTime {
  double forward_s = 0;
  double backward_s = 0;
};

/// The time of so many samples of an operator, if its kind and shape were measured with that batch;
/// on the straight line between the nearest smaller and larger batch if with both. Nothing
/// otherwise: beyond what was measured nothing is guessed. O(entries).
std::optional<OperatorTime> measured_time(const OperatorTable& table, const OperatorKind& kind,
                                          std::int64_t batch);

/// Reads a table (model/schemas/measurements.schema.json). Throws InputError with
/// source:line:column.
OperatorTable read_operator_table(std::string_view text, const std::string& source);

}  // namespace waferloom
