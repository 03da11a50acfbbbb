#include <algorithm>

#include "benchmarks_ispd2020/cases.h"
#include "benchmarks_ispd2020/cases/families.h"
#include "benchmarks_ispd2020/cases/network_builder.h"

namespace waferloom::ispd2020 {
namespace {

/// One residual block along the flow.
struct Block {
  bool halves = false;        ///< cblock, else dblock
  std::int64_t image = 0;     ///< side that its kernels are declared with
  std::int64_t features = 0;  ///< F
  TensorShape output;         ///< what flows out of it
  KernelIndex entry = 0;      ///< kernel that its input tensor enters
  KernelIndex skip = 0;       ///< kernel that a skip from outside enters
  KernelIndex exit = 0;       ///< kernel that its output tensor leaves
};

void check(const ResnetParameters& parameters) {
  const auto stages = static_cast<std::int64_t>(parameters.blocks_per_stage.size());
  demand(stages >= 1 && stages <= kMaxDoublings, "resnet: expected 1 to 16 stages");
  for (const std::int64_t blocks : parameters.blocks_per_stage)
    demand(blocks >= 1 && blocks <= kMaxParameter, "resnet: expected at least one block a stage");
  doubled(parameters.features, stages - 1, "resnet features");
  demand(parameters.features % 4 == 0, "resnet features: expected a multiple of 4");
  demand(parameters.copies >= 1 && parameters.copies <= kMaxParameter,
         "resnet copies: expected at least 1");
  doubled(parameters.copies * parameters.features / 2, 0, "resnet input channels");
  demand(parameters.image >= 1 && parameters.image <= kMaxParameter &&
             parameters.image % (std::int64_t{1} << stages) == 0,
         "resnet image: expected a multiple of 2^stages");
  const std::int64_t first = parameters.first_block_image.value_or(2);
  demand(first >= 2 && first <= kMaxParameter && first % 2 == 0,
         "resnet first_block_image: expected an even size");
}

/// The chain of blocks in the order of the flow.
std::vector<Block> chain(const ResnetParameters& parameters) {
  std::vector<Block> blocks;
  std::int64_t image = parameters.image;
  std::int64_t features = parameters.features;
  for (const std::int64_t depth : parameters.blocks_per_stage) {
    const TensorShape output = square_tensor(image / 2, features);
    for (std::int64_t i = 0; i < depth * parameters.copies; ++i) {
      const bool halves = i == 0;
      blocks.push_back({halves, halves ? image : image / 2, features, output, 0, 0, 0});
    }
    image /= 2;
    features *= 2;
  }
  blocks.front().image = parameters.first_block_image.value_or(parameters.image);
  return blocks;
}

/// Positions in the chain in the order of the node numbers: against the flow, cblocks first.
std::vector<std::size_t> numbering(const std::vector<Block>& blocks) {
  std::vector<std::size_t> order;
  for (const bool halves : {true, false})
    for (std::size_t i = blocks.size(); i-- > 0;)
      if (blocks[i].halves == halves) order.push_back(i);
  return order;
}

void add_as_block(ProblemData& data, Block& block) {
  const std::int64_t side = block.image;
  block.entry = block.halves ? add_kernel(data, CblockFormal{side, side, block.features})
                             : add_kernel(data, DblockFormal{side, side, block.features});
  block.skip = block.exit = block.entry;
}

/// The convolutions of a block, in the order of GigaPlacer Fig. 3.
void add_as_convolutions(ProblemData& data, Block& block) {
  const auto conv = [&data](std::int64_t image, std::int64_t field, std::int64_t in,
                            std::int64_t out, std::int64_t stride) {
    return add_kernel(data, ConvFormal{image, image, field, field, in, out, stride, stride});
  };
  const std::int64_t features = block.features;
  const std::int64_t inner = features / 4;
  const std::int64_t stride = block.halves ? 2 : 1;
  const std::int64_t in = features / stride;
  block.entry = conv(block.image, 1, in, inner, 1);
  conv(block.image, 3, inner, inner, stride);
  block.exit = conv(block.image / stride, 1, inner, features, 1);
  block.skip = block.halves ? conv(block.image, 1, in, features, stride) : block.exit;
}

/// Edges inside a block of convolutions (ResidualWiring).
void link_inside(ProblemData& data, const Block& block, ResidualWiring wiring) {
  const bool contest = wiring == ResidualWiring::contest;
  const std::int64_t behind = block.halves && !contest ? block.image / 2 : block.image;
  const TensorShape narrow = square_tensor(block.image, block.features / 4);
  const TensorShape wide = square_tensor(behind, block.features);
  const KernelIndex middle = block.entry + 1;
  add_link(data, {block.entry, middle}, narrow);
  add_link(data, {middle, block.exit}, square_tensor(behind, block.features / 4));
  if (contest) add_link(data, {block.entry, block.skip}, block.halves ? narrow : wide);
  if (block.halves) add_link(data, {block.skip, block.exit}, wide);
}

/// Edges between blocks and to the terminals, in the order of the node numbers.
void link_chain(ProblemData& data, const std::vector<Block>& blocks,
                const std::vector<std::size_t>& order, bool skips_between) {
  const TensorShape& input = data.terminals.front().shape;
  add_input_link(data, blocks.front().entry, input);
  if (skips_between) add_input_link(data, blocks.front().skip, input);
  for (const std::size_t i : order) {
    const Block& block = blocks[i];
    if (i + 1 == blocks.size()) {
      add_output_link(data, block.exit, block.output);
      continue;
    }
    add_link(data, {block.exit, blocks[i + 1].entry}, block.output);
    if (skips_between) add_link(data, {block.exit, blocks[i + 1].skip}, block.output);
  }
}

}  // namespace

Problem make_resnet(const ResnetParameters& parameters, const ProblemSettings& settings) {
  check(parameters);
  const std::int64_t channels_in = parameters.copies * parameters.features / 2;
  ProblemData data = start_network(settings, square_tensor(parameters.image, channels_in));
  std::vector<Block> blocks = chain(parameters);
  const bool apart = parameters.form == ResnetForm::convolutions;
  const std::vector<std::size_t> order = numbering(blocks);
  for (const std::size_t i : order)
    apart ? add_as_convolutions(data, blocks[i]) : add_as_block(data, blocks[i]);
  add_output(data, blocks.back().output);
  if (apart)
    for (const std::size_t i : order) link_inside(data, blocks[i], parameters.wiring);
  link_chain(data, blocks, order, apart && parameters.wiring == ResidualWiring::textbook);
  return Problem(std::move(data));
}

}  // namespace waferloom::ispd2020
