#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <ostream>

namespace waferloom::test {

/// A number that a check expects, with how far off the actual one may be:
///
///     |actual - expected| <= relative * max(|actual|, |expected|) + absolute
///
/// The absolute term is 0 unless or_within() sets it, so 0 never passes for a small number,
/// whatever its unit (doctest::Approx adds its epsilon to the size and takes any time below 1e-5 s
/// for 0). Where 0 is expected, the absolute term has to be given.
class CloseTo {
 public:
  explicit constexpr CloseTo(double expected) : expected_(expected) {}

  /// Relative, in (0, 1).
  constexpr CloseTo within(double relative) const {
    assert(relative > 0 && relative < 1);
    CloseTo result = *this;
    result.relative_ = relative;
    return result;
  }

  /// Absolute, in the unit of the expected number; greater than 0.
  constexpr CloseTo or_within(double absolute) const {
    assert(absolute > 0);
    CloseTo result = *this;
    result.absolute_ = absolute;
    return result;
  }

  bool holds(double actual) const {
    if (actual == expected_) return true;
    const double size = std::max(std::abs(actual), std::abs(expected_));
    if (!std::isfinite(size)) return false;  // every distance is within a part of infinity
    return std::abs(actual - expected_) <= relative_ * size + absolute_;
  }

  friend bool operator==(double actual, const CloseTo& expected) { return expected.holds(actual); }
  friend bool operator!=(double actual, const CloseTo& expected) { return !expected.holds(actual); }
  friend std::ostream& operator<<(std::ostream& stream, const CloseTo& value) {
    stream << value.expected_ << " (± " << 100 * value.relative_ << " %";
    if (value.absolute_ > 0) stream << " + " << value.absolute_;
    return stream << ")";
  }

 private:
  double expected_ = 0;
  /// What a few hundred roundings of a double can add up to.
  double relative_ = 1e-12;
  double absolute_ = 0;
};

constexpr CloseTo close_to(double expected) { return CloseTo(expected); }

}  // namespace waferloom::test
