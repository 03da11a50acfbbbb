#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/problem.h"

namespace waferloom::ispd2020 {

/// Everything of a problem that is not the network.
struct ProblemSettings {
  std::string name;  ///< the header's test=
  Wafer wafer;
  std::int64_t memory_limit = 24'576;  ///< words a tile
  Weights weights;
};

/// Whether a residual block is one kernel (cblock, dblock) or its three or four convolutions.
enum class ResnetForm { blocks, convolutions };

/// How the convolutions of one residual block are joined; only ResnetForm::convolutions asks.
/// Both have the main path 1 → 2 → 3; a cblock's fourth convolution is its projection.
enum class ResidualWiring {
  /// As the contest draws it: the skip leaves the block's first convolution and enters the last,
  /// 1 → 3 (dblock) or 1 → 4 → 3 (cblock). Tensors inside the block carry the block's input image
  /// even behind the stride, and a dblock's skip carries the block's features.
  contest,
  /// As networks are trained: the skip leaves the producer in front of the block, producer → 3 or
  /// producer → 4 → 3, and every tensor is what its producer makes.
  textbook
};

/// Bottleneck ResNet. Stage s = 0, 1, … halves the image and doubles the features, image / 2^(s+1)
/// and features · 2^s behind it: one cblock, then dblocks, in a single chain. Numbers run against
/// the flow: first the cblocks, deepest stage first, then the dblocks, deepest first; with
/// ResnetForm::convolutions each block's convolutions take its place in that order.
struct ResnetParameters {
  ResnetForm form = ResnetForm::blocks;
  /// Blocks of each stage, its cblock included; 1 to 16 stages.
  std::vector<std::int64_t> blocks_per_stage = {3, 4, 6, 3};
  /// The network taken this often, merged stage by stage: a stage has copies · blocks, still only
  /// one of them a cblock, and the input carries copies · features / 2 channels.
  std::int64_t copies = 1;
  std::int64_t features = 256;  ///< of the first stage; a multiple of 4
  std::int64_t image = 112;     ///< side of the input's square image; a multiple of 2^stages
  /// Where set, the side that the first cblock and the tensors inside it are declared with,
  /// whatever flows in; even. The contest's ResNet-75 says 56 between tensors of 112 and 56.
  std::optional<std::int64_t> first_block_image = std::nullopt;
  ResidualWiring wiring = ResidualWiring::contest;
};

/// U-Net of convolutions, numbered along the flow. Level l = 0 … halvings has images of
/// image / 2^l. Down: two 3×3 convolutions a level, to features · 2^l and to twice that, the
/// deepest without doubling; the tensor between levels is pooled on its way. Up: a 2×2 convolution
/// on the smaller image, then two 3×3 convolutions to features · 2^l, the first of which also
/// reads the level's last tensor of the way down. A 1×1 convolution makes the classes.
struct UnetParameters {
  std::int64_t image = 512;       ///< side of the square image; a multiple of 2^halvings
  std::int64_t halvings = 4;      ///< 1 to 16
  std::int64_t features = 64;     ///< of the first convolution
  std::int64_t channels_in = 1;   ///< of the input
  std::int64_t channels_out = 2;  ///< classes
  /// Where set, the label of the edge from the deepest level to the first 2×2 convolution, in
  /// place of what flows there. The contest prints [8][1024][1024].
  std::optional<TensorShape> deepest_tensor = std::nullopt;
};

/// Fully connected chain as 1×1 convolutions on an image of one pixel, numbered along the flow:
/// `layers_per_width` layers of inputs → inputs, one to 2·inputs, and so on through `doublings`
/// doublings, then one layer to the outputs.
struct FullyConnectedParameters {
  std::int64_t inputs = 2;
  std::int64_t doublings = 12;        ///< 0 to 16
  std::int64_t layers_per_width = 1;  ///< layers that keep the width; at least 0
  std::int64_t outputs = 16;
};

/// Any of the families.
using NetworkParameters = std::variant<ResnetParameters, UnetParameters, FullyConnectedParameters>;

/// A case of the ISPD 2020 contest in the project's own form: a network of one of the families
/// and what its score weighs. Ten networks, each with two sets of weights.
struct ContestCase {
  std::string name;  ///< "A" … "T"
  NetworkParameters network;
  ProblemSettings settings;
};

/// All 20 cases, A to T.
const std::vector<ContestCase>& contest_cases();

/// "A" … "T".
const std::vector<std::string>& case_names();

/// Generates a case: the same graph, node numbers, names, tensors, wafer, limit and weights as the
/// contest's file of that name. Throws std::logic_error for a name that is not one of
/// case_names(). Linear in the graph, at most 100 kernels.
Problem make_case(const std::string& name);

}  // namespace waferloom::ispd2020
