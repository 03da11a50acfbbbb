#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/workload.h"
#include "viz/canvas.h"
#include "viz/fabric.h"

namespace waferloom::viz {

/// What a floorplan tells of a network's stages beyond the problem that placed them.
struct NetworkStages {
  struct Stage {
    std::string kind;     ///< that it is coloured by: "embedding, transformer"
    std::string content;  ///< what it holds: "embedding – layer.3"
  };
  std::string network;  ///< above the picture
  std::string hardware;
  std::vector<Stage> stages;               ///< one for each kernel
  double time_unit_s = 1e-6;               ///< seconds of a unit of the problem's times
  std::vector<std::int64_t> tensor_bytes;  ///< of a micro-batch, for each connection
  std::vector<FabricPort> ports;
  std::vector<Rectangle> branches{};  ///< tiles of those that run side by side within stages
};

/// What the stages of a plan hold.
struct StageContents {
  std::vector<std::vector<std::size_t>> operators;  ///< of the workload, by stage, ascending
  std::int64_t time_unit_us = 1;                    ///< microseconds of a unit of their times
  std::vector<std::int64_t> tensor_bytes;           ///< as of NetworkStages
};
/// What a floorplan tells of the stages of a workload on a hardware.
NetworkStages network_stages(const Workload& workload, const Hardware& hardware,
                             const StageContents& stages);

/// The placement of stages that have one shape each, on these tiles.
Placement placed_stages(const std::vector<Rectangle>& tiles);

/// What a floorplan needs beside its mesh, in page units.
struct FloorplanRoom {
  double right = 0;  ///< of the mesh, for names
  double above = 0;  ///< likewise
  double body = 0;   ///< height of the mesh with its foot, or of the legend
};

struct FloorplanOptions {
  enum class Colour {
    type,   ///< conv, dblock, cblock; of a network the kinds of operators in a stage
    slack,  ///< how much faster than the slowest kernel, in % of its time
    load    ///< time, in % of the slowest kernel's
  };
  Colour colour = Colour::type;
  std::string source{};                    ///< names the files, in the small print; may be empty
  double png_scale = kPngScale;            ///< pixels of a PNG per page unit
  std::optional<NetworkStages> network{};  ///< kernels are the stages of a network
  FloorplanRoom least_room{};              ///< so that several pictures have pages of one size
};

/// The room that draw_floorplan gives a placement if the options ask for none. Throws and costs as
/// it does.
FloorplanRoom floorplan_room(const Problem& problem, const Placement& placement,
                             const FloorplanOptions& options = {});

/// Draws a placement, legal or not.
///
/// Kernels are drawn to scale. Edges are arrows between centres. An arrow's width follows the
/// tensor's size on a log scale. The arrow bends more where it would run over other kernels'
/// centres. Edges with adapter mismatches have a colour of their own, and the number where there is
/// room. Inputs and outputs, utilisation, legend, scale and score stand around them. Only legal
/// placements have a total.
///
/// Names and sizes stand in their kernels, clear of arrows, where they fit at a readable size. The
/// others stand beside the mesh with a line to the kernel, as long as there is room. The legend
/// counts the rest.
///
/// What breaks a rule (overlap, out of bounds, memory) is outlined in red, and shared tiles are
/// hatched. A kernel with execution parameters out of range has no size and is only listed. The
/// picture shows at most a fifth of the wafer's sides beyond its edges. A network has its ports
/// too; its stages say what they hold, and its largest tensors how many bytes they have.
///
/// In an SVG each drawn kernel is a group of class "kernel" with a tooltip and one rect, each edge
/// a group of class "edge", each number a group of class "adapter". Throws std::logic_error if the
/// placement has not one entry for each kernel, or the network not one for each kernel and
/// connection. O((n + m) log n + min(n m, 4 million) + n · page), plus the pairs that share columns
/// where kernels overlap.
std::string draw_floorplan(const Problem& problem, const Placement& placement, PictureFormat format,
                           const FloorplanOptions& options = {});

}  // namespace waferloom::viz
