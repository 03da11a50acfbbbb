#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/text.h"

namespace waferloom::sweep {

/// The range's least, least + step, … up to its most, which is the last if the steps come within a
/// billionth of a step of it; at most `most` of them.
std::vector<double> stepped(const RealRange& range, double step, std::size_t most);

/// least, least · factor, … up to the range's most, here within a billionth of it.
std::vector<double> multiplied(const RealRange& range, double factor, std::size_t most);

/// A number as an option takes it: 12 significant digits at most, whole ones below 10^15 without an
/// exponent: "4400000000", "0.1".
std::string number_cell(double value);

/// The same number as JSON has it, in that form where it is the same number: "2.2e9" is
/// "2200000000". Whole numbers without an exponent stay as they are, however long.
std::string plain_number(const std::string& json);

}  // namespace waferloom::sweep
