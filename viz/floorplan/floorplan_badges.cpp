#include "viz/floorplan/floorplan_badges.h"

#include <algorithm>
#include <cmath>

namespace waferloom::viz {
namespace {

/// Badges are at most this wide, so only neighbouring cells can hold one that touches another.
constexpr double kCell = 2.4 * kBadgeRadius;

/// Cells far beyond any page are one: nobody sees what lies there.
long cell_of(double coordinate) {
  return std::lround(std::clamp(coordinate / kCell, -1.0e6, 1.0e6));
}

}  // namespace

bool BadgeRoom::is_free(const Circle& circle) const {
  const Point& at = circle.centre;
  const bool on_text = std::any_of(taken_.begin(), taken_.end(), [&](const Box& box) {
    return std::hypot(at.x - std::clamp(at.x, box.x, box.x + box.width),
                      at.y - std::clamp(at.y, box.y, box.y + box.height)) < circle.radius;
  });
  if (on_text) return false;
  const Cell centre{cell_of(circle.centre.x), cell_of(circle.centre.y)};
  for (long x = centre.first - 1; x <= centre.first + 1; ++x) {
    for (long y = centre.second - 1; y <= centre.second + 1; ++y) {
      const auto cell = placed_.find({x, y});
      if (cell == placed_.end()) continue;
      for (const auto& [other, radius] : cell->second) {
        const double apart = std::hypot(other.x - circle.centre.x, other.y - circle.centre.y);
        if (apart < 0.95 * (radius + circle.radius)) return false;
      }
    }
  }
  return true;
}

std::optional<Circle> BadgeRoom::place(const BadgeWish& wish) {
  const double beside = wish.radius + 0.5 * wish.edge_width + 0.5;
  std::vector<double> offsets;
  if (wish.on_edge) offsets.push_back(0);
  offsets.insert(offsets.end(), {beside, -beside});
  const auto at = [&](double offset) {
    return Circle{{wish.middle.x + offset * wish.across.x, wish.middle.y + offset * wish.across.y},
                  wish.radius};
  };
  const auto free = std::find_if(offsets.begin(), offsets.end(),
                                 [&](double offset) { return is_free(at(offset)); });
  if (free == offsets.end()) return std::nullopt;
  const Circle circle = at(*free);
  placed_[{cell_of(circle.centre.x), cell_of(circle.centre.y)}].push_back(circle);
  return circle;
}

void draw_badge(Canvas& canvas, const Circle& place, const std::string& text) {
  const double size = 1.35 * place.radius;
  canvas.circle(place, {kWhite, {kAdapter, 0.22 * place.radius, false}, 0});
  canvas.text(text, {place.centre.x, centred_baseline({place.centre.y, size})},
              {{size, true}, kAdapter, TextStyle::Anchor::middle, false, kNoColour});
}

}  // namespace waferloom::viz
