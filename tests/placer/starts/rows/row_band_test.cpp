#include "placer/starts/rows/row_band.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "tests/placer/placer_cases.h"
#include "tests/support/close_to.h"

namespace waferloom::placer {
namespace {

using test::close_to;

constexpr double kNever = 1e30;

int mismatches(const ImageSplit& a, const ImageSplit& b) {
  return (a.h != b.h ? 1 : 0) + (a.w != b.w ? 1 : 0) + (a.c != b.c ? 1 : 0);
}

TEST_CASE("a sweep finds the cheapest signatures of a row") {
  test::Draw draw(3);
  for (int round = 0; round < 60; ++round) {
    const Problem problem = test::medium_problem(4, Weights{}, static_cast<std::uint64_t>(round));
    const ShapeLibrary library(problem);
    const std::int64_t time = test::roomy_time(library);
    std::vector<TypesUnder> all;
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < 7; ++i) {  // all different
      const ImageSplit bands{draw.between(1, 3), 1 + i % 2, 1 + i / 2};
      all.push_back(types_under(library, bands, time));
      members.push_back(i);
    }
    std::vector<RowKernel> kernels;
    std::vector<std::vector<double>> own(4);  // mismatches, by kernel and signature
    for (KernelIndex k = 0; k < 4; ++k) {
      kernels.push_back({library.type_of(k), static_cast<float>(draw.between(1, 4)),
                         static_cast<float>(draw.between(0, 12))});
      for (std::size_t m = 0; m < all.size(); ++m) {
        own[k].push_back(static_cast<double>(draw.between(0, 20)));
      }
    }
    const auto cost_of = [&](const std::vector<std::uint32_t>& chosen) {
      double cost = 0;
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        const std::int64_t tiles = all[chosen[k]].types[kernels[k].type].tiles.width;
        if (tiles == 0) return kNever;
        cost += static_cast<double>(tiles) * static_cast<double>(kernels[k].per_tile);
        cost += own[k][chosen[k]];
        if (k == 0) continue;
        cost += mismatches(all[chosen[k - 1]].bands, all[chosen[k]].bands) *
                static_cast<double>(kernels[k].per_change);
      }
      return cost;
    };
    constexpr std::int64_t kRoom = 10'000;  // never reached
    const RowBand band(60, members, all, kernels,
                       [&](std::size_t k, std::uint32_t member) { return own[k][member]; });
    RowBand::Sweep sweep(band, kRoom);
    sweep.remember();
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const bool taken = sweep.append(k);
      double least = kNever;
      std::vector<std::uint32_t> chosen(k + 1, 0);
      const std::function<void(std::size_t)> choose = [&](std::size_t position) {
        if (position > k) {
          least = std::min(least, cost_of(chosen));
          return;
        }
        for (const std::uint32_t member : members) {
          chosen[position] = member;
          choose(position + 1);
        }
      };
      choose(0);
      REQUIRE(taken == (least < kNever));
      if (!taken) break;
      CHECK(sweep.cost() == close_to(least));
      std::vector<std::uint32_t> found;
      std::int64_t stood = 0;
      for (const RowBand::Sweep::Step& step : sweep.steps()) {
        CHECK(step.start == stood);
        stood += all[step.signature].types[kernels[found.size()].type].tiles.width;
        found.push_back(step.signature);
      }
      REQUIRE(found.size() == k + 1);
      CHECK(cost_of(found) == close_to(least));
      CHECK(found.front() == sweep.first_signature());
      CHECK(found.back() == sweep.last_signature());
      std::int64_t width = 0;
      for (std::size_t i = 0; i <= k; ++i) {
        width += all[found[i]].types[kernels[i].type].tiles.width;
      }
      CHECK(width == sweep.width());
    }
  }
}

/// Pixels, all under one signature, side by side; a tile of a gap costs ten.
struct PixelRow {
  static constexpr std::int64_t kRoom = 60;  // of the row
  Problem problem{test::problem_data(std::vector<KernelFormal>(3, test::kPixel), test::chain(3),
                                     Wafer{kRoom, 40})};
  ShapeLibrary library{problem};
  std::vector<TypesUnder> all{types_under(library, ImageSplit{1, 1, 8}, 8)};
  std::int64_t width = all[0].types[0].tiles.width;  ///< of a pixel
  std::vector<RowKernel> kernels{3, RowKernel{0, 1, 1, 10}};
  RowBand band{9, {0}, all, kernels, [](std::size_t, std::uint32_t) { return 0.0; }};
};

TEST_CASE("a row that is full takes no more") {
  const PixelRow row;
  REQUIRE(row.width > 0);
  RowBand::Sweep sweep(row.band, 2 * row.width);
  CHECK(sweep.append(0));
  CHECK(sweep.append(1));
  CHECK_FALSE(sweep.append(2));
}

TEST_CASE("a track finds the first room that is wide enough") {
  const RowTrack track({false, false, true, false, true, false, false, false});
  CHECK(track.place(0, 2) == 0);
  CHECK(track.place(1, 1) == 1);
  CHECK(track.place(1, 2) == 5);
  CHECK(track.place(2, 1) == 3);
  CHECK(track.place(5, 3) == 5);
  CHECK(track.place(6, 3) > track.length());
  CHECK(track.place(8, 1) > track.length());
}

TEST_CASE("on a track kernels step past what is blocked, and pay for the gap") {
  const PixelRow row;
  std::vector<bool> blocked(PixelRow::kRoom, false);
  blocked[static_cast<std::size_t>(row.width)] = true;  // right behind the first kernel
  const RowTrack track(blocked);
  RowBand::Sweep sweep(row.band, PixelRow::kRoom, &track);
  sweep.remember();
  REQUIRE(sweep.append(0));
  CHECK(sweep.cost() == static_cast<double>(row.width));
  REQUIRE(sweep.append(1));
  CHECK(sweep.width() == 2 * row.width + 1);
  CHECK(sweep.cost() == static_cast<double>(2 * row.width + 10));
  CHECK(sweep.steps()[1].start == row.width + 1);
}

}  // namespace
}  // namespace waferloom::placer
