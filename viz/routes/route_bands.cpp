#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "model/mesh.h"
#include "model/text.h"
#include "viz/floorplan/stage_facts.h"
#include "viz/routes/route_layers.h"

// Problem: show thousands of lanes in one picture.
// Idea: join neighbouring lanes of a tensor into bands, and draw a band as boxes. The tensors with
// the most load (bytes times hops) get a colour and a number, the others are grey. Arrowheads stand
// at the ends. A number stands on the largest box that meets no other number.
// Source: the colours are Okabe and Ito's and Paul Tol's.
// Cost: O(boxes), and O(ranks²) for numbers.
namespace waferloom::viz {
namespace {

/// Qualitative, strong on pale ground: Okabe and Ito's, then of Paul Tol's "muted".
constexpr std::array<Colour, kRankedTensors> kTensorColours{{{0, 114, 178},
                                                             {213, 94, 0},
                                                             {0, 158, 115},
                                                             {170, 68, 153},
                                                             {230, 159, 0},
                                                             {51, 34, 136},
                                                             {86, 180, 233},
                                                             {136, 34, 85},
                                                             {153, 153, 51},
                                                             {204, 102, 119},
                                                             {17, 119, 51},
                                                             {110, 84, 60}}};
constexpr Colour kOtherTensors{112, 120, 130};

constexpr double kBridged = 12;    // gap between lanes of one bundle, page units
constexpr double kLeastTrack = 1;  // a lane is drawn so wide at least
constexpr double kLeastRun = 6;    // and so long
constexpr double kRankRadius = 6.4;

/// Bytes times hops of a sample.
double load_of(const RoutedTensor& tensor) {
  double load = 0;
  for (const RoutedLane& lane : tensor.lanes) {
    load += static_cast<double>(lane.bytes) * static_cast<double>(hops_of(lane.path));
  }
  return load;
}

Box widened(Box box, bool along_x) {
  const double width = std::max(box.width, along_x ? kLeastRun : kLeastTrack);
  const double height = std::max(box.height, along_x ? kLeastTrack : kLeastRun);
  return {box.x - (width - box.width) / 2, box.y - (height - box.height) / 2, width, height};
}

/// Where lanes of a tensor end, seen the way they go: `across` to the right.
struct LaneEnd {
  Direction direction = Direction::east;
  double along = 0;
  double across = 0;
};

std::vector<LaneEnd> ends_of(const RoutedTensor& tensor, const MeshView& view) {
  std::vector<LaneEnd> ends;
  for (const RoutedLane& lane : tensor.lanes) {
    if (lane.path.empty()) continue;
    const Direction direction = lane.path.back().direction;
    const Point middle = middle_of(to_page(view, {lane.to.x, lane.to.y, 1, 1}));
    const bool along_x = is_along_x(direction);
    ends.push_back({direction, along_x ? middle.x : middle.y, along_x ? middle.y : middle.x});
  }
  std::sort(ends.begin(), ends.end(), [](const LaneEnd& a, const LaneEnd& b) {
    return std::tie(a.direction, a.along, a.across) < std::tie(b.direction, b.along, b.across);
  });
  return ends;
}

void draw_head(Canvas& canvas, const LaneEnd& end, double size, const Colour& colour) {
  const bool along_x = is_along_x(end.direction);
  const double way = end.direction == Direction::east || end.direction == Direction::south ? 1 : -1;
  const auto at = [&](double ahead, double aside) {
    const double along = end.along + way * ahead;
    const double across = end.across + aside;
    return along_x ? Point{along, across} : Point{across, along};
  };
  canvas.polygon({at(size, 0), at(-0.25 * size, -0.62 * size), at(-0.25 * size, 0.62 * size)},
                 {colour, {kWhite, 0.7, false}, 0});
}

/// One arrowhead for ends that lie side by side, more where these are far apart.
void draw_heads(Canvas& canvas, const RoutedTensor& tensor, const MeshView& view,
                const Colour& colour) {
  constexpr double kBeside = 18;
  constexpr double kOneEvery = 110;
  const std::vector<LaneEnd> ends = ends_of(tensor, view);
  for (std::size_t begin = 0; begin < ends.size();) {
    std::size_t end = begin + 1;
    while (end < ends.size() && ends[end].direction == ends[begin].direction &&
           ends[end].along - ends[begin].along < 0.5 * kBeside &&
           std::abs(ends[end].across - ends[end - 1].across) < kBeside) {
      ++end;
    }
    const double extent = std::abs(ends[end - 1].across - ends[begin].across);
    const double size = std::clamp(0.5 * extent, 4.5, 9.0);
    const auto heads = static_cast<std::size_t>(1 + extent / kOneEvery);
    for (std::size_t head = 0; head < heads; ++head) {
      draw_head(canvas, ends[begin + (2 * head + 1) * (end - begin) / (2 * heads)], size, colour);
    }
    begin = end;
  }
}

std::string tooltip(const RoutedTensor& tensor, const DrawnTensor& drawn) {
  std::int64_t longest = 0;
  for (const RoutedLane& lane : tensor.lanes) longest = std::max(longest, hops_of(lane.path));
  return tensor_title(tensor) + ": " + counted_text(tensor.lanes.size(), "lane") + " in " +
         counted_text(drawn.bundles.size(), "bundle") + ", at most " +
         counted_text(longest, "hop") + ", " +
         bytes_text(static_cast<double>(tensor.bytes), kFactDigits) + " a sample";
}

/// The hulls of bundles whose lanes are not on neighbouring tracks.
std::vector<Box> loose_hulls(const MeshView& view, const DrawnTensor& tensor) {
  std::vector<Box> hulls;
  for (const RouteBundle& bundle : tensor.bundles) {
    for (const RouteBand& band : bundle.bands) {
      const bool loose = band.tiles.size() > 1;
      if (loose) hulls.push_back(widened(to_page(view, band.hull), is_along_x(band.direction)));
    }
  }
  return hulls;
}

/// Boxes of a tensor, the best for its number first: the largest, and of many the middle one.
std::vector<Box> sites_of(const RouteScene& scene, const DrawnTensor& tensor) {
  std::vector<Box> sites;
  for (const RouteBundle& bundle : tensor.bundles) {
    for (const Box& box : bundle_boxes(scene.view, bundle)) sites.push_back(box);
  }
  const std::size_t middle = sites.size() / 2;
  std::rotate(sites.begin(), sites.begin() + static_cast<std::ptrdiff_t>(middle), sites.end());
  std::stable_sort(sites.begin(), sites.end(), [](const Box& a, const Box& b) {
    return a.width * a.height > b.width * b.height;
  });
  return sites;
}

bool touch(const Box& a, const Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

}  // namespace

std::vector<DrawnTensor> drawn_tensors(const RoutePicture& picture, const MeshView& view) {
  const std::vector<RoutedTensor>& tensors = picture.routes.tensors;
  const auto apart = std::max<std::int64_t>(1, std::llround(kBridged / view.pitch));
  std::vector<DrawnTensor> drawn;
  std::vector<double> loads;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    loads.push_back(load_of(tensors[i]));
    if (tensors[i].lanes.empty()) continue;
    drawn.push_back({i, {}, route_bundles(tensors[i].lanes, apart)});
  }
  std::stable_sort(drawn.begin(), drawn.end(), [&](const DrawnTensor& a, const DrawnTensor& b) {
    return loads[a.tensor] > loads[b.tensor];
  });
  const std::size_t ranked = std::min(kRankedTensors, drawn.size());
  for (std::size_t i = 0; i < ranked; ++i) drawn[i].rank = i;
  std::rotate(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(ranked), drawn.end());
  return drawn;
}

Colour tensor_colour(const DrawnTensor& tensor) {
  return tensor.rank ? kTensorColours[*tensor.rank] : kOtherTensors;
}

std::string tensor_title(const RoutedTensor& tensor) {
  std::string title = tensor.name;
  constexpr std::string_view kArrow = " -> ";
  const std::size_t at = title.find(kArrow);
  if (at != std::string::npos) title.replace(at, kArrow.size(), " → ");
  return title;
}

std::vector<Box> bundle_boxes(const MeshView& view, const RouteBundle& bundle) {
  std::vector<Box> boxes;
  for (const RouteBand& band : bundle.bands) {
    for (const Rectangle& tiles : band.tiles) {
      boxes.push_back(widened(to_page(view, tiles), is_along_x(band.direction)));
    }
  }
  return boxes;
}

void draw_tensors(Canvas& canvas, const RouteScene& scene) {
  for (const DrawnTensor& drawn : scene.tensors) {
    const RoutedTensor& tensor = scene.picture.routes.tensors[drawn.tensor];
    const Colour colour = tensor_colour(drawn);
    canvas.begin_group({"tensor", tooltip(tensor, drawn)});
    canvas.boxes(loose_hulls(scene.view, drawn), faded(colour, kLooseAlpha));
    std::vector<Box> used;
    for (const RouteBundle& bundle : drawn.bundles) {
      for (const Box& box : bundle_boxes(scene.view, bundle)) used.push_back(box);
    }
    canvas.boxes(used, faded(colour, 0.88));
    draw_heads(canvas, tensor, scene.view, colour);
    canvas.end_group();
  }
}

void draw_rank(Canvas& canvas, const Point& middle, std::size_t rank) {
  const Colour colour = kTensorColours[rank];
  canvas.circle({middle, kRankRadius}, {colour, {kWhite, 1.2, false}, 0});
  const double size = rank < 9 ? 8.5 : 7;
  canvas.text(std::to_string(rank + 1), {middle.x, centred_baseline({middle.y, size})},
              {{size, true}, readable_on(colour), TextStyle::Anchor::middle, false, kNoColour});
}

std::vector<Box> draw_ranks(Canvas& canvas, const RouteScene& scene) {
  std::vector<Box> placed;
  canvas.begin_group({"ranks", {}});
  for (const DrawnTensor& tensor : scene.tensors) {
    if (!tensor.rank) continue;
    const std::vector<Box> sites = sites_of(scene, tensor);
    const auto badge = [mesh = frame(scene.view)](const Box& site) {
      const Point middle = middle_of(site);
      constexpr double kReach = kRankRadius + 1;
      const double right = std::max(mesh.x, mesh.x + mesh.width - 2 * kReach);
      const double bottom = std::max(mesh.y, mesh.y + mesh.height - 2 * kReach);
      return Box{std::clamp(middle.x - kReach, mesh.x, right),
                 std::clamp(middle.y - kReach, mesh.y, bottom), 2 * kReach, 2 * kReach};
    };
    const auto clear = std::find_if(sites.begin(), sites.end(), [&](const Box& site) {
      return std::none_of(placed.begin(), placed.end(),
                          [&](const Box& other) { return touch(badge(site), other); });
    });
    const Box place = badge(clear == sites.end() ? sites.front() : *clear);
    draw_rank(canvas, middle_of(place), *tensor.rank);
    placed.push_back(place);
  }
  canvas.end_group();
  return placed;
}

}  // namespace waferloom::viz
