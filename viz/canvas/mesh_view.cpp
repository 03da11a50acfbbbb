#include "viz/canvas/mesh_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace waferloom::viz {
namespace {

constexpr TextFace kTickFace{8.5, false};
constexpr double kTick = 4;

double page_x(const MeshView& view, double tile) {
  return view.corner.x + (tile - double(view.tiles.x)) * view.pitch;
}

double page_y(const MeshView& view, double tile) {
  return view.corner.y + (double(view.tiles.y) + double(view.tiles.height) - tile) * view.pitch;
}

/// Calls draw(tile) at every nice step and at the far end, leaving out steps too close to the end.
template <typename Draw>
void for_each_tick(const MeshView& view, std::int64_t extent, double apart, const Draw& draw) {
  const std::int64_t step = nice_step(apart / view.pitch);
  for (std::int64_t tile = 0; tile < extent; tile += step) {
    if (double(extent - tile) * view.pitch >= 0.6 * apart || tile == 0) draw(tile);
  }
  draw(extent);
}

}  // namespace

Box frame(const MeshView& view) { return to_page(view, view.tiles); }

Box to_page(const MeshView& view, const Rectangle& tiles) {
  const double top = double(tiles.y) + double(tiles.height);
  return {page_x(view, double(tiles.x)), page_y(view, top), double(tiles.width) * view.pitch,
          double(tiles.height) * view.pitch};
}

std::int64_t nice_step(double least) {
  std::int64_t power = 1;
  while (true) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (double(digit * power) >= least) return digit * power;
    }
    power *= 10;
  }
}

void draw_axes(Canvas& canvas, const MeshView& view, const Wafer& mesh, double outset) {
  const Box shown = frame(view);
  const double left = shown.x - outset;
  const Stroke stroke{kMuted, 0.7, false};
  const double bottom = shown.y + shown.height + outset;
  std::vector<Segment> ticks;
  for_each_tick(view, mesh.width, 48, [&](std::int64_t tile) {
    const double x = page_x(view, double(tile));
    ticks.push_back({{x, bottom}, {x, bottom + kTick}});
    canvas.text(std::to_string(tile), {x, bottom + kTick + 9},
                {kTickFace, kMuted, TextStyle::Anchor::middle, false, kNoColour});
  });
  for_each_tick(view, mesh.height, 36, [&](std::int64_t tile) {
    const double y = page_y(view, double(tile));
    ticks.push_back({{left, y}, {left - kTick, y}});
    canvas.text(std::to_string(tile), {left - kTick - 3, centred_baseline({y, kTickFace.size})},
                {kTickFace, kMuted, TextStyle::Anchor::end, false, kNoColour});
  });
  canvas.lines(ticks, stroke);
}

void draw_scale_bar(Canvas& canvas, const MeshView& view, const ScaleBar& bar) {
  std::int64_t tiles = 1;
  for (std::int64_t longer = 1; double(longer) * view.pitch <= bar.longest;
       longer = nice_step(double(longer) + 0.5)) {
    tiles = longer;
  }
  const auto& [right, y] = bar.right_end;
  const double left = right - double(tiles) * view.pitch;
  canvas.lines(
      {{{left, y}, {right, y}}, {{left, y - 3}, {left, y + 3}}, {{right, y - 3}, {right, y + 3}}},
      {kInk, 1.2, false});
  canvas.text(fmt::format("{}{}", tiles, tiles == 1 ? " tile" : " tiles"),
              {left - 6, centred_baseline({y, 9})},
              {{9, false}, kInk, TextStyle::Anchor::end, false, kNoColour});
}

}  // namespace waferloom::viz
