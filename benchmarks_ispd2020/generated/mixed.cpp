#include <algorithm>
#include <utility>
#include <vector>

#include "benchmarks_ispd2020/cases/network_builder.h"
#include "benchmarks_ispd2020/generated/networks.h"

namespace waferloom::ispd2020 {
namespace {

constexpr std::int64_t kMixedHalvings = 4;
constexpr std::int64_t kMixedDoublings = 3;

/// The chain while it grows.
class MixedChain {
 public:
  MixedChain(const ProblemSettings& settings, const NetworkScale& scale)
      : scale_(scale), data_(start_network(settings, tensor(0))) {}

  std::int64_t halvings() const { return halvings_; }

  void add_cblock() {
    const std::int64_t side = image(halvings_);
    add(CblockFormal{side, side, channels(halvings_ + 1)}, halvings_ + 1);
  }
  void add_dblock() {
    const std::int64_t side = image(halvings_);
    add(DblockFormal{side, side, channels(halvings_)}, halvings_);
  }
  void add_convolution(std::int64_t field) {
    const std::int64_t side = image(halvings_);
    const std::int64_t features = channels(halvings_);
    add(ConvFormal{side, side, field, field, features, features, 1, 1}, halvings_);
  }
  /// A 2×2 convolution behind which the image is larger.
  void add_enlarging() {
    const std::int64_t side = image(halvings_);
    add(ConvFormal{side, side, 2, 2, channels(halvings_), channels(halvings_ - 1), 1, 1},
        halvings_ - 1);
  }
  void add_skip(const Link& link) { add_link(data_, link, made_[link.from]); }

  ProblemData finished() {
    add_output(data_, made_.back());
    add_output_link(data_, made_.size() - 1, made_.back());
    return std::move(data_);
  }

 private:
  std::int64_t image(std::int64_t halvings) const { return scale_.image >> halvings; }
  std::int64_t channels(std::int64_t halvings) const {
    return 2 * scale_.features << std::min(halvings, kMixedDoublings);
  }
  TensorShape tensor(std::int64_t halvings) const {
    return square_tensor(image(halvings), channels(halvings));
  }
  void add(const KernelFormal& formal, std::int64_t halvings_behind) {
    add_chained(data_, formal, tensor(halvings_));
    halvings_ = halvings_behind;
    made_.push_back(tensor(halvings_));
  }

  NetworkScale scale_;
  ProblemData data_;
  std::int64_t halvings_ = 0;      ///< of the image behind the last kernel
  std::vector<TensorShape> made_;  ///< by each kernel
};

/// Adds the kernel that a number in [0, 20) stands for; what cannot be is a convolution.
void add_drawn(MixedChain& chain, SeededDraws& draws) {
  const std::int64_t drawn = draws.below(20);
  if (drawn < 3 && chain.halvings() < kMixedHalvings) return chain.add_cblock();
  if (drawn >= 3 && drawn < 8) return chain.add_dblock();
  if (drawn >= 8 && drawn < 10 && chain.halvings() > 0) return chain.add_enlarging();
  chain.add_convolution(draws.once_in(2) ? 3 : 1);
}

}  // namespace

ProblemData mixed_network(const ProblemSettings& settings, const NetworkScale& scale,
                          SeededDraws draws) {
  MixedChain chain(settings, scale);
  for (std::int64_t i = 0; i < scale.kernels; ++i) add_drawn(chain, draws);
  for (std::int64_t from = 0; from + 2 < scale.kernels; ++from) {
    const std::int64_t later = scale.kernels - from - 2;  // that the chain does not join
    const auto skip = [&](std::int64_t choices) {
      const std::int64_t to = from + 2 + draws.below(std::min(choices, later));
      chain.add_skip({static_cast<KernelIndex>(from), static_cast<KernelIndex>(to)});
    };
    if (draws.once_in(8)) skip(5);
    if (draws.once_in(64)) skip(later);
  }
  return chain.finished();
}

}  // namespace waferloom::ispd2020
