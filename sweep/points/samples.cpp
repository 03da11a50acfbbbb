#include "sweep/points/samples.h"

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/errors.h"

namespace waferloom::sweep {
namespace {

using Generator = boost::random::mt19937_64;

/// In [0, 1), a multiple of 2^-53.
double uniform(Generator& generator) { return static_cast<double>(generator() >> 11) * 0x1p-53; }

/// Whole, below `count`.
std::size_t below(Generator& generator, std::size_t count) {
  return static_cast<std::size_t>(uniform(generator) * static_cast<double>(count));
}

class LatinHypercube : public Sampler {
 public:
  LatinHypercube(const Sampling& sampling, std::size_t dimensions)
      : generator_(sampling.seed), slices_(dimensions) {
    for (std::vector<std::uint32_t>& order : slices_) {
      order.resize(sampling.points);
      std::iota(order.begin(), order.end(), 0U);
      for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[below(generator_, i)]);
      }
    }
  }

  std::vector<double> next() override {
    std::vector<double> point;
    for (const std::vector<std::uint32_t>& order : slices_) {
      const double slice = order[drawn_] + uniform(generator_);
      point.push_back(std::min(slice / static_cast<double>(order.size()), kBelowOne));
    }
    ++drawn_;
    return point;
  }

 private:
  static constexpr double kBelowOne = 1 - 0x1p-53;
  Generator generator_;
  std::vector<std::vector<std::uint32_t>> slices_;
  std::size_t drawn_ = 0;
};

class Sobol : public Sampler {
 public:
  Sobol(const Sampling& sampling, std::size_t dimensions) : sequence_(dimensions) {
    Generator generator(sampling.seed);
    for (std::size_t i = 0; i < dimensions; ++i) shift_.push_back(uniform(generator));
  }

  std::vector<double> next() override {
    std::vector<double> point;
    for (const double shift : shift_) {
      const double moved = static_cast<double>(sequence_() >> 11) * 0x1p-53 + shift;
      point.push_back(moved < 1 ? moved : moved - 1);
    }
    return point;
  }

 private:
  boost::random::sobol sequence_;
  std::vector<double> shift_;
};

}  // namespace

std::unique_ptr<Sampler> make_sampler(const Sampling& sampling, std::size_t dimensions) {
  constexpr std::size_t kMostSobol = 3667;
  if (sampling.method == Sampling::Method::latin_hypercube) {
    return std::make_unique<LatinHypercube>(sampling, dimensions);
  }
  if (dimensions > kMostSobol) {
    throw RequestError("a Sobol sequence has at most 3667 dimensions");
  }
  return std::make_unique<Sobol>(sampling, dimensions);
}

}  // namespace waferloom::sweep
