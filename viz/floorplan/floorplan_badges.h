#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viz/canvas.h"

namespace waferloom::viz {

/// Radius of a badge where there is room, at detail 1, in page units.
inline constexpr double kBadgeRadius = 5.4;
/// Smaller ones cannot be read and are not drawn.
inline constexpr double kLeastBadgeRadius = 3;

/// Where an edge would like its badge.
struct BadgeWish {
  Point middle;  ///< of the edge's curve
  Point across;  ///< unit vector to the side to which the edge bends
  double radius = 1;
  double edge_width = 1;
  bool on_edge = true;  ///< else only beside it
};

/// Finds places for badges so that none lies on another: on the edge, or beside it on
/// either side. O(log n + boxes) a badge as long as few share a place.
class BadgeRoom {
 public:
  /// No badge lies on these boxes.
  explicit BadgeRoom(std::vector<Box> taken = {}) : taken_(std::move(taken)) {}

  /// Nothing where all is taken: the edge has no badge then.
  std::optional<Circle> place(const BadgeWish& wish);

 private:
  using Cell = std::pair<long, long>;
  bool is_free(const Circle& circle) const;

  std::vector<Box> taken_;
  std::map<Cell, std::vector<Circle>> placed_;  ///< by cells as wide as the largest badge
};

void draw_badge(Canvas& canvas, const Circle& place, const std::string& text);

}  // namespace waferloom::viz
