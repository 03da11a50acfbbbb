#pragma once

#include <cstdint>

namespace waferloom::placer {

/// Deterministic random numbers, the same on every machine: xoshiro256** (Blackman and Vigna, 2018)
/// seeded by splitmix64. Each task of a run draws from its own stream.
class RandomStream {
 public:
  struct Key {
    std::uint64_t seed = 1;
    std::uint64_t round = 0;
    std::uint64_t task = 0;
  };
  explicit RandomStream(const Key& key) {
    std::uint64_t x = key.seed;
    x = mix(x) ^ (key.round * 0x9e3779b97f4a7c15ULL);
    x = mix(x) ^ (key.task * 0xd1b54a32d192ed03ULL);
    for (std::uint64_t& word : state_) {
      x += 0x9e3779b97f4a7c15ULL;
      word = mix(x);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate_left(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), bound ≥ 1; bias below bound/2³².
  std::uint32_t below(std::size_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool coin() { return (next() >> 63) != 0; }

 private:
  static std::uint64_t rotate_left(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4];
};

}  // namespace waferloom::placer
