#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/plan.h"

// What Megatron reached on A100 GPUs: rates (Narayanan et al., SC'21, Table 1, with PALM's
// predictions) and times of batches (Korthikanti et al., 2022, Table 5). Data of their own, because
// scripts/study_megatron.py and scripts/fit_gpu.py read them too.

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

/// A batch of which the time was measured.
struct MegatronBatch {
  std::string model;     ///< "175B"
  std::string workload;  ///< preset
  Plan plan{};
  double batch_s = 0;
};

struct MegatronData {
  std::vector<MegatronRow> rows;
  std::vector<MegatronBatch> batches;
};

/// What a file has. Throws InputError with source:line:column.
MegatronData read_megatron(std::string_view text, const std::string& source);

/// Of megatron.json, which is part of the program.
MegatronData megatron_data();

}  // namespace waferloom::optimize
