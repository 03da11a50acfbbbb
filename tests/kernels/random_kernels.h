#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "kernels/kernel.h"

namespace waferloom::test {

/// Small random kernels for comparisons with brute force; the same seed gives the same kernels on
/// every machine.
class RandomKernels {
 public:
  explicit RandomKernels(std::uint64_t seed) : engine_(seed) {}

  /// A whole number in [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    const auto span = static_cast<std::uint64_t>(most - least + 1);
    return least + static_cast<std::int64_t>(engine_() % span);
  }

  ConvFormal conv(std::int64_t most) {
    return ConvFormal{between(1, most), between(1, most), between(1, 3), between(1, 3),
                      between(1, most), between(1, most), between(1, 3), between(1, 3)};
  }
  DblockFormal dblock(std::int64_t most) {
    return DblockFormal{between(1, most), between(1, most), between(4, 4 * most)};
  }
  CblockFormal cblock(std::int64_t most) {
    return CblockFormal{between(1, most), between(1, most), between(4, 4 * most)};
  }
  /// Any of the three, sizes up to `most`.
  KernelFormal any(std::int64_t most) {
    switch (between(0, 2)) {
      case 0:
        return conv(most);
      case 1:
        return dblock(most);
      default:
        return cblock(most);
    }
  }

  /// A list of shapes with sides up to `most`, some with equal extents, some without a signature.
  ShapesFormal shapes(std::int64_t most) {
    std::vector<ShapeOption> options;
    for (std::int64_t i = between(1, 12); i > 0; --i) {
      ShapeOption option{between(1, most), between(1, most), between(1, 9'000'000),
                         between(0, 3) * between(0, 300), kNoSignature};
      if (between(0, 1) == 0) option.time_millionths *= 1'000'000;
      if (between(0, 1) == 0) {
        const std::int64_t c = between(1, 3);
        option.signature = Signature{between(1, 2), between(1, 2), c, c};
      }
      options.push_back(option);
    }
    return ShapesFormal{std::make_shared<const std::vector<ShapeOption>>(std::move(options))};
  }

  /// Parameters within the limits of a kernel all of whose feature counts are at least one.
  Execution execution(const Kernel& kernel) {
    if (is_shape_list(kernel)) {
      return option_execution(between(1, static_cast<std::int64_t>(shape_options(kernel).size())));
    }
    Execution result{between(1, kernel.height), between(1, kernel.width), {}, {}};
    for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
      result.c[i] = between(1, kernel.convolutions[i].in4 / 4);
      result.k[i] = between(1, kernel.convolutions[i].out4 / 4);
    }
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace waferloom::test
