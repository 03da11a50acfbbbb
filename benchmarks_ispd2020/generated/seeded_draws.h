#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>

namespace waferloom::ispd2020 {

/// What numbers are drawn for: each use has its own stream, so that the weights of a case do not
/// depend on how many numbers its network took.
enum class DrawUse : std::uint32_t { network = 1, objective = 2, edge_weights = 3 };

/// Whole random numbers from a seed, the same on every machine: of <random> only the engine and the
/// seed sequence are used, whose output the standard fixes. A value: copies repeat its numbers.
class SeededDraws {
 public:
  SeededDraws(std::uint64_t seed, DrawUse use) : engine_(engine(seed, use)) {}

  /// A whole number in [0, count), all equally likely; count at least 1. O(1) expected.
  std::int64_t below(std::int64_t count) {
    const auto span = static_cast<std::uint64_t>(count);
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t whole = kMost - kMost % span;  // a multiple of the span
    std::uint64_t drawn = engine_();
    while (drawn >= whole) drawn = engine_();
    return static_cast<std::int64_t>(drawn % span);
  }

  /// True once in `chances` times.
  bool once_in(std::int64_t chances) { return below(chances) == 0; }

  template <typename Value, std::size_t kCount>
  const Value& one_of(const std::array<Value, kCount>& values) {
    return values[static_cast<std::size_t>(below(static_cast<std::int64_t>(kCount)))];
  }

 private:
  static std::mt19937_64 engine(std::uint64_t seed, DrawUse use) {
    std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                           static_cast<std::uint32_t>(use)};
    return std::mt19937_64(sequence);
  }

  std::mt19937_64 engine_;
};

}  // namespace waferloom::ispd2020
