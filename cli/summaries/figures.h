#pragma once

#include <string>

namespace waferloom::cli {

inline constexpr double kGiga = 1e9;

/// A number with four digits, as plain_text has it: "1234", "12.35", "14080", "3.25e+09".
std::string four_digits(double value);
/// Bytes in the unit that suits: "12.5 GB", 1000 in a step.
std::string bytes_text(double bytes);
/// A rate in `unit` with a prefix: "7.5 PFLOP/s", "1.1 GHz".
std::string rate_figure(double rate, const std::string& unit);
/// Seconds likewise: "3.25 ms".
std::string seconds_text(double seconds);

}  // namespace waferloom::cli
