#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viz/canvas/mesh_view.h"
#include "viz/route_picture.h"
#include "viz/routes/route_bundles.h"

namespace waferloom::viz {

/// A tensor as it is drawn.
struct DrawnTensor {
  std::size_t tensor = 0;
  /// From 0: place among those that load links most, which have colours of their own.
  std::optional<std::size_t> rank{};
  std::vector<RouteBundle> bundles;
};
inline constexpr std::size_t kRankedTensors = 12;

/// What the layers of a picture of routes draw from.
struct RouteScene {
  const RoutePicture& picture;
  MeshView view;
  std::vector<DrawnTensor> tensors{};  ///< all that have lanes, in the order of painting
};

/// The tensors of routes: those without a rank, then the ranked ones, most load first, so that
/// narrow bundles lie on wide ones.
std::vector<DrawnTensor> drawn_tensors(const RoutePicture& picture, const MeshView& view);

inline constexpr double kLooseAlpha = 0.13;  ///< of what joins lanes that are apart

Colour tensor_colour(const DrawnTensor& tensor);
/// "k1 → k2".
std::string tensor_title(const RoutedTensor& tensor);

/// The page boxes of the tiles that a bundle uses, widened to what the eye can see.
std::vector<Box> bundle_boxes(const MeshView& view, const RouteBundle& bundle);

/// Blocks of the traffic, faint, with tooltips.
void draw_blocks(Canvas& canvas, const RouteScene& scene);
/// The names of blocks, where they hide nothing; `taken` are boxes to keep clear of.
void draw_block_names(Canvas& canvas, const RouteScene& scene, const std::vector<Box>& taken);

/// Bands of lanes and arrowheads, a group "tensor" each.
void draw_tensors(Canvas& canvas, const RouteScene& scene);
/// Numbers of the ranked tensors on their bundles; answers where they lie.
std::vector<Box> draw_ranks(Canvas& canvas, const RouteScene& scene);
/// A number in a circle of its tensor's colour.
void draw_rank(Canvas& canvas, const Point& middle, std::size_t rank);

/// Ports that lanes use, and where tensors come in and go out; beyond the mesh.
void draw_used_ports(Canvas& canvas, const RouteScene& scene);
inline constexpr double kPortMarkRoom = 20;

}  // namespace waferloom::viz
