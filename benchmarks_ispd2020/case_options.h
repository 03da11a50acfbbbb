#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/option_spec.h"

namespace waferloom::ispd2020 {

/// How much of the table of generated cases: those of at most 40 kernels, or all.
enum class GeneratedTable : std::uint8_t { small, full };
inline constexpr std::array<std::string_view, 2> kGeneratedTableNames{"small", "full"};

/// The generated cases of the benchmark: generated, without a default.
OptionSpec generated_option();

/// Which cases: generated; and of one that is made to order family, kernels, fabric, edge-weights.
/// Defaults are those of GeneratedCase.
std::vector<OptionSpec> case_options();

}  // namespace waferloom::ispd2020
