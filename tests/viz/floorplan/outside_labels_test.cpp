#include "viz/floorplan/outside_labels.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace waferloom::viz {
namespace {

constexpr Box kMesh{0, 0, 760, 760};

/// Twice the signed area of a triangle.
double turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

bool cross(const OutsideLabel& a, const OutsideLabel& b) {
  return turn(a.site, a.place, b.site) * turn(a.site, a.place, b.place) < 0 &&
         turn(b.site, b.place, a.site) * turn(b.site, b.place, a.place) < 0;
}

std::vector<LabelWish> specks(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<LabelWish> wishes;
  for (std::size_t i = 0; i < count; ++i) {
    // On a grid of 10 units, so that none lies on another.
    const double x = 10 * double(random() % 38 + 38 * (i % 2));
    const double y = 5 * double(i);
    wishes.push_back({i, "k" + std::to_string(i), {x, y, 4, 4}, false});
  }
  return wishes;
}

TEST_CASE("lines to kernels begin in them, end at places of their own, and do not cross") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const std::vector<LabelWish> wishes = specks(150, seed);
    const OutsideLabels found = place_outside(wishes, kMesh, {});
    REQUIRE(found.labels.size() == 150);
    CHECK(found.left_out.empty());
    for (std::size_t i = 0; i < found.labels.size(); ++i) {
      const OutsideLabel& label = found.labels[i];
      const Box& box = wishes[label.kernel].box;
      CHECK(label.site.x > box.x);
      CHECK(label.site.x < box.x + box.width);
      CHECK(label.site.y > box.y);
      CHECK(label.site.y < box.y + box.height);
      CHECK((label.above ? label.place.y < 0 : label.place.x > 760));
      for (std::size_t j = 0; j < i; ++j) {
        const OutsideLabel& other = found.labels[j];
        const double apart =
            std::hypot(label.place.x - other.place.x, label.place.y - other.place.y);
        CHECK(apart >= 8.9);
        CHECK_FALSE(cross(label, other));
      }
    }
  }
}

TEST_CASE("room is taken on those sides alone that have names") {
  const OutsideLabels none = place_outside({}, kMesh, {});
  CHECK(none.right == 0);
  CHECK(none.above == 0);
  const OutsideLabels right = place_outside({{0, "k", {740, 400, 3, 3}, false}}, kMesh, {});
  CHECK(right.right > 20);
  CHECK(right.above == 0);
  const OutsideLabels above = place_outside({{0, "k", {100, 2, 3, 3}, false}}, kMesh, {});
  CHECK(above.right == 0);
  CHECK(above.above > 20);
}

TEST_CASE("a line goes around text where that is not far") {
  const std::vector<LabelWish> wish{{0, "k", {700, 400, 3, 3}, false}};
  const Box text{720, 395, 30, 10};
  const auto passes = [&](const OutsideLabel& label) {
    for (int i = 0; i <= 1000; ++i) {
      const double share = i / 1000.0;
      const double x = label.site.x + share * (label.place.x - label.site.x);
      const double y = label.site.y + share * (label.place.y - label.site.y);
      if (x > text.x && x < text.x + text.width && y > text.y && y < text.y + text.height) {
        return true;
      }
    }
    return false;
  };
  CHECK(passes(place_outside(wish, kMesh, {}).labels.at(0)));
  CHECK_FALSE(passes(place_outside(wish, kMesh, {text}).labels.at(0)));
}

TEST_CASE("where there are not enough places, those that come first are served alone") {
  std::vector<LabelWish> wishes = specks(168, 1);  // 84 lines of 9 units on two sides of 760
  CHECK(place_outside(wishes, kMesh, {}).labels.size() == 168);
  wishes.push_back({168, "last", {755, 755, 3, 3}, true});
  const OutsideLabels found = place_outside(wishes, kMesh, {});
  REQUIRE(found.labels.size() == 1);
  CHECK(found.labels[0].text == "last");
  CHECK(found.left_out.size() == 168);
}

}  // namespace
}  // namespace waferloom::viz
