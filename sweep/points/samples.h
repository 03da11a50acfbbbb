#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sweep/space.h"

namespace waferloom::sweep {

/// Draws points of the unit cube [0, 1)^n, the same for the same seed.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The next point, one coordinate a dimension.
  virtual std::vector<double> next() = 0;
};

/// Latin hypercube: of each dimension, every one of `points` equal slices is drawn from once
/// (McKay, Beckman and Conover 1979). Sobol: Boost.Random's sequence with the directions of Joe and
/// Kuo, moved by a random vector modulo 1 (Cranley and Patterson 1976). Throws RequestError for
/// more dimensions than the sequence has.
std::unique_ptr<Sampler> make_sampler(const Sampling& sampling, std::size_t dimensions);

}  // namespace waferloom::sweep
