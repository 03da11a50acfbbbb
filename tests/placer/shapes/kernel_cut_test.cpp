#include "placer/shapes/kernel_cut.h"

#include <doctest/doctest.h>

namespace waferloom::placer {
namespace {

const KernelLimits kRoomy{1'000'000, 4, 1'000'000};

TEST_CASE("a block's ports are its first and third convolution") {
  const Kernel kernel = make_kernel(DblockFormal{8, 8, 32});
  const KernelCut cut{Signature{2, 2, 4, 3}, 6};
  REQUIRE(within_limits(kernel, cut));
  const auto execution = execute(kernel, cut, kRoomy);
  REQUIRE(execution.has_value());
  CHECK(execution->c[0] == 4);
  CHECK(execution->c[1] == 6);
  CHECK(execution->c[2] == 3);
  CHECK(signature(kernel, *execution) == cut.ports);
  CHECK(cut_of(kernel, *execution) == cut);
  CHECK(compute_time(kernel, *execution, 4) <= kRoomy.time);
}

TEST_CASE("limits of the ports at the boundary") {
  const Kernel kernel = make_kernel(DblockFormal{8, 8, 32});  // C 32, 8, 8
  CHECK(within_limits(kernel, KernelCut{Signature{8, 8, 32, 8}, 1}));
  CHECK_FALSE(within_limits(kernel, KernelCut{Signature{9, 8, 32, 8}, 1}));
  CHECK_FALSE(within_limits(kernel, KernelCut{Signature{8, 8, 33, 8}, 1}));
  CHECK_FALSE(within_limits(kernel, KernelCut{Signature{8, 8, 32, 9}, 1}));
  const Kernel lone = make_kernel(ConvFormal{8, 8, 1, 1, 4, 4, 1, 1});
  CHECK(within_limits(lone, KernelCut{Signature{1, 1, 4, 4}, 4}));
  CHECK_FALSE(within_limits(lone, KernelCut{Signature{1, 1, 4, 3}, 4}));
}

TEST_CASE("the widest cut takes all channels where rows allow more") {
  const Kernel kernel = make_kernel(DblockFormal{8, 8, 32});
  const KernelCut cut = widest_cut(kernel, ImageSplit{2, 2, 20});
  CHECK(cut.ports == Signature{2, 2, 20, 8});
  CHECK(execute(kernel, cut, kRoomy)->c[1] == 8);
}

TEST_CASE("the least k leaves room for buffers") {
  const Kernel kernel = make_kernel(ConvFormal{4, 4, 1, 1, 2, 4, 1, 1});  // 72 / k words
  const KernelCut cut{Signature{1, 1, 1, 1}, 1};                          // 6 · k tiles
  KernelLimits limits = kRoomy;
  CHECK(execute(kernel, cut, limits)->k[0] == 1);
  limits.buffers = {97, 45};  // 36 words and ⌈97 / 12⌉
  CHECK(execute(kernel, cut, limits)->k[0] == 2);
  limits.buffers = {97, 22};
  CHECK_FALSE(execute(kernel, cut, limits).has_value());
}

TEST_CASE("no execution where the cap is below one round") {
  const Kernel kernel = make_kernel(ConvFormal{8, 8, 1, 1, 4, 4, 1, 1});
  const KernelCut cut{Signature{1, 1, 1, 1}, 1};
  CHECK(execute(kernel, cut, KernelLimits{256, 1, 1'000'000}).has_value());
  CHECK_FALSE(execute(kernel, cut, KernelLimits{255, 1, 1'000'000}).has_value());
}

}  // namespace
}  // namespace waferloom::placer
