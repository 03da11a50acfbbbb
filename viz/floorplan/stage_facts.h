#pragma once

#include <string>
#include <utility>
#include <vector>

#include "viz/floorplan/floorplan_parts.h"

namespace waferloom::viz {

/// Significant digits of numbers in pictures.
inline constexpr int kFactDigits = 3;

/// The kinds of a network's stages in the order in which they occur, and how many stages have each.
std::vector<std::pair<std::string, std::size_t>> stage_kinds(const NetworkStages& network);

/// Fill of stages of the kind that occurs as the nth, from 0; grey beyond the palette.
Colour kind_colour(std::size_t nth);
/// The same of every stage's kind. O(stages * kinds).
std::vector<Colour> stage_colours(const NetworkStages& network);

/// Of a kernel, in seconds.
double stage_seconds(const FloorplanScene& scene, KernelIndex stage);

/// What is told of a network above its picture.
void draw_network_heading(Canvas& canvas, const FloorplanScene& scene, const Box& place);

/// Bytes beside the arrows of the largest tensors, where they hide neither text in `taken` nor ink.
std::vector<TensorLabel> plan_tensor_labels(const FloorplanScene& scene, const InkMap& ink,
                                            std::vector<Box> taken);

}  // namespace waferloom::viz
