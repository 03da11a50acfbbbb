#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Narayanan et al. (SC'21), Table 1, and PALM's predictions of it. Data of their own, because
// scripts/study_megatron.py reads them too.

namespace waferloom::optimize {

/// What a row is for: the constant is fitted on it, it is judged, or shown alone.
inline constexpr std::array<std::string_view, 3> kMegatronUses{"fitted", "judged", "shown"};

/// A network of the table, how it was cut, and its rate.
struct MegatronRow {
  std::string model;     ///< "18.4B"
  std::string workload;  ///< preset
  std::int64_t layers = 1;
  std::int64_t hidden = 1;
  std::int64_t heads = 1;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  std::int64_t global_batch = 1;
  double tflops_per_gpu = 0;
  std::optional<double> palm_sequences_per_s{};  ///< PALM, Table IV
  std::string use;                               ///< of kMegatronUses
};

/// The rows of a file. Throws InputError with source:line:column.
std::vector<MegatronRow> read_megatron_rows(std::string_view text, const std::string& source);

/// megatron_table1.json, which is part of the program.
std::string_view megatron_json();

}  // namespace waferloom::optimize
