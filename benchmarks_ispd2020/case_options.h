#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks_ispd2020/generated_cases.h"
#include "model/option_spec.h"

namespace waferloom::ispd2020 {

/// How much of the table of generated cases: those of at most 40 kernels, or all.
enum class GeneratedTable : std::uint8_t { small, full };
inline constexpr std::array<std::string_view, 2> kGeneratedTableNames{"small", "full"};
constexpr std::span<const std::string_view> words_of(GeneratedTable /*of*/) {
  return kGeneratedTableNames;
}

/// Which generated cases are asked for: a table, one that is made to order, or none.
struct CaseChoice {
  std::optional<GeneratedTable> generated;
  GeneratedCase made;  ///< no family: not asked for; its wafer is that of `fabric`
  std::string fabric;  ///< "WxH"; empty: not given
};

/// The generated cases of the benchmark: generated, without a default.
OptionSpec generated_option();

/// generated; and of one that is made to order family, kernels, fabric, edge-weights.
Options<CaseChoice> case_options();

}  // namespace waferloom::ispd2020
