#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console/common_options.h"
#include "model/option_spec.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom::cli {

/// Parse values of the command line; `option` names them in the Failure::usage that they throw.
std::uint64_t parse_whole(const std::string& text, const std::string& option, WholeRange range);
Decimal6 parse_decimal(const std::string& text, const std::string& option);
/// Whole numbers of `text` in front of each of the separators and behind the last; none if it is
/// not of that form or a number is above kMaxWaferSide.
std::vector<std::int64_t> split_numbers(const std::string& text, std::string_view separators);
/// "633x500": a mesh without dead tiles, sides from 1 to kMaxWaferSide.
Wafer parse_mesh(const std::string& text, const std::string& option);
/// Seconds above 0, at most a million, with up to six decimals.
std::chrono::microseconds parse_seconds(const std::string& text, const std::string& option);

/// Whether an operand names a network: a preset, or a file that ends in .json.
bool names_workload(const std::string& operand);

}  // namespace waferloom::cli
