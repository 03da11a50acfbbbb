#include "benchmarks_ispd2020/cases/families.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "benchmarks_ispd2020/cases.h"
#include "model/errors.h"
#include "model/problem.h"

namespace waferloom::ispd2020 {
namespace {

ResnetParameters convolutions(ResnetParameters network) {
  network.form = ResnetForm::convolutions;
  return network;
}

ResnetParameters resnet101() {
  ResnetParameters network;
  network.blocks_per_stage = {3, 4, 23, 3};
  return network;
}

const ConvFormal& conv(const Problem& problem, KernelIndex index) {
  return std::get<ConvFormal>(problem.kernel(index).formal);
}

std::size_t count_type(const Problem& problem, std::string_view type) {
  return static_cast<std::size_t>(
      std::count_if(problem.kernels().begin(), problem.kernels().end(),
                    [type](const ProblemKernel& k) { return type_name(k.kernel.formal) == type; }));
}

/// The convolutions of all kernels as sortable values.
using ConvolutionKey = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                  std::int64_t, std::int64_t, std::int64_t>;
std::multiset<ConvolutionKey> all_convolutions(const Problem& problem) {
  std::multiset<ConvolutionKey> all;
  for (const ProblemKernel& k : problem.kernels())
    for (int i = 0; i < k.kernel.convolution_count; ++i) {
      const Convolution& c = k.kernel.convolutions[static_cast<std::size_t>(i)];
      all.insert(
          {c.height4, c.width4, c.in4, c.out4, c.field_height, c.field_width, c.stride_area});
    }
  return all;
}

/// What a convolution makes.
TensorShape made_by(const ConvFormal& formal) {
  return {formal.height / formal.stride_y, formal.width / formal.stride_x, formal.channels_out};
}

void check_numbered(const Problem& problem) {
  REQUIRE(problem.terminals().size() == 2);
  CHECK(problem.terminals()[0].kind == Terminal::Kind::input);
  CHECK(problem.terminals()[0].id == 0);
  CHECK(problem.terminals()[1].kind == Terminal::Kind::output);
  CHECK(problem.terminals()[1].id == static_cast<std::int64_t>(problem.kernel_count()) + 1);
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    CHECK(problem.kernels()[i].id == static_cast<std::int64_t>(i) + 1);
    CHECK(problem.kernels()[i].name == "k" + std::to_string(i + 1));
  }
}

TEST_CASE("settings go into the problem as they are") {
  ProblemSettings settings;
  settings.name = "mine";
  settings.wafer = {100, 50};
  settings.memory_limit = 1000;
  settings.weights = {decimal6(2), Decimal6{500'000}, decimal6(7)};
  const Problem problem = make_network(FullyConnectedParameters{}, settings);
  CHECK(problem.name() == "mine");
  CHECK(problem.wafer() == Wafer{100, 50});
  CHECK(problem.memory_limit() == 1000);
  CHECK(problem.weights() == settings.weights);
}

TEST_CASE("nodes are numbered from the input over the kernels to the output") {
  check_numbered(make_network(resnet101(), {}));
  check_numbered(make_network(convolutions(resnet101()), {}));
  check_numbered(make_network(UnetParameters{}, {}));
  check_numbered(make_network(FullyConnectedParameters{}, {}));
}

TEST_CASE("resnet: blocks form one chain, one cblock a stage") {
  const Problem problem = make_resnet(resnet101(), {});
  CHECK(count_type(problem, "cblock") == 4);
  CHECK(count_type(problem, "dblock") == 29);
  CHECK(problem.connections().size() == 32);
  const std::vector<KernelIndex> order = topological_order(problem);
  REQUIRE(order.size() == 33);
  CHECK(problem.kernel(order[0]).formal == KernelFormal(CblockFormal{112, 112, 256}));
  CHECK(problem.kernel(order[3]).formal == KernelFormal(CblockFormal{56, 56, 512}));
  CHECK(problem.kernel(order[8]).formal == KernelFormal(DblockFormal{14, 14, 1024}));
  CHECK(problem.kernel(order[32]).formal == KernelFormal(DblockFormal{7, 7, 2048}));
  CHECK(problem.terminals()[1].shape == TensorShape{7, 7, 2048});
}

TEST_CASE("resnet: cblocks are numbered first, each kind against the flow") {
  ResnetParameters network;
  network.blocks_per_stage = {2, 2};
  network.image = 8;
  const Problem problem = make_resnet(network, {});
  REQUIRE(problem.kernel_count() == 4);
  CHECK(problem.kernel(0).formal == KernelFormal(CblockFormal{4, 4, 512}));
  CHECK(problem.kernel(1).formal == KernelFormal(CblockFormal{8, 8, 256}));
  CHECK(problem.kernel(2).formal == KernelFormal(DblockFormal{2, 2, 512}));
  CHECK(problem.kernel(3).formal == KernelFormal(DblockFormal{4, 4, 256}));
  CHECK(topological_order(problem) == std::vector<KernelIndex>{1, 3, 0, 2});
}

TEST_CASE("resnet: blocks and their convolutions hold the same work") {
  ResnetParameters small;
  small.blocks_per_stage = {1, 3, 2};
  small.features = 20;
  small.image = 24;
  small.copies = 3;
  for (const ResnetParameters& network : {ResnetParameters{}, resnet101(), small}) {
    const Problem blocks = make_resnet(network, {});
    const Problem apart = make_resnet(convolutions(network), {});
    CHECK(count_type(apart, "conv") == apart.kernel_count());
    CHECK(all_convolutions(blocks) == all_convolutions(apart));
  }
}

TEST_CASE("resnet: copies multiply blocks and input channels but not the halvings") {
  ResnetParameters network;
  network.blocks_per_stage = {2, 3};
  network.copies = 3;
  const Problem problem = make_resnet(network, {});
  CHECK(count_type(problem, "cblock") == 2);
  CHECK(count_type(problem, "dblock") == 13);
  CHECK(problem.terminals()[0].shape == TensorShape{112, 112, 3 * 128});
  CHECK(problem.terminals()[1].shape == TensorShape{28, 28, 512});
}

TEST_CASE("resnet: first_block_image declares the first cblock alone") {
  ResnetParameters network;
  network.blocks_per_stage = {2};
  network.first_block_image = 56;
  const Problem problem = make_resnet(network, {});
  CHECK(problem.kernel(0).formal == KernelFormal(CblockFormal{56, 56, 256}));
  CHECK(problem.kernel(1).formal == KernelFormal(DblockFormal{56, 56, 256}));
  CHECK(problem.terminal_connections()[0].tensor == TensorShape{112, 112, 128});
  CHECK(problem.connections()[0].tensor == TensorShape{56, 56, 256});
}

TEST_CASE("resnet: both wirings have as many edges and no cycle") {
  // a dblock has 3 edges inside, a cblock 4, and the 33 blocks of ResNet-101 are a chain
  ResnetParameters network = convolutions(resnet101());
  const Problem contest = make_resnet(network, {});
  network.wiring = ResidualWiring::textbook;
  const Problem textbook = make_resnet(network, {});
  CHECK(contest.kernel_count() == 29 * 3 + 4 * 4);
  CHECK(contest.connections().size() == 29 * 3 + 4 * 4 + 32);
  CHECK(contest.terminal_connections().size() == 2);
  CHECK(textbook.connections().size() == 29 * 3 + 4 * 4 + 32 - 1);
  CHECK(textbook.terminal_connections().size() == 3);
  CHECK(topological_order(contest).size() == contest.kernel_count());
  CHECK(topological_order(textbook).size() == textbook.kernel_count());
}

TEST_CASE("resnet: in textbook wiring every tensor is what its producer makes") {
  ResnetParameters network = convolutions(resnet101());
  network.wiring = ResidualWiring::textbook;
  const Problem problem = make_resnet(network, {});
  for (const Connection& c : problem.connections())
    CHECK(c.tensor == made_by(conv(problem, c.producer)));
  for (const TerminalConnection& c : problem.terminal_connections())
    CHECK(c.tensor == problem.terminals()[c.terminal].shape);
}

TEST_CASE("resnet: in contest wiring the skip stays inside its block") {
  ResnetParameters network;
  network.blocks_per_stage = {2};
  network.image = 8;
  network.features = 16;
  const Problem problem = make_resnet(convolutions(network), {});
  const std::vector<Connection> expected = {
      {0, 1, {8, 8, 4}}, {1, 2, {8, 8, 4}}, {0, 3, {8, 8, 4}},  {3, 2, {8, 8, 16}},
      {4, 5, {4, 4, 4}}, {5, 6, {4, 4, 4}}, {4, 6, {4, 4, 16}}, {2, 4, {4, 4, 16}}};
  CHECK(problem.connections() == expected);
}

TEST_CASE("unet: two convolutions a level down, three up, and a skip a level") {
  for (const std::int64_t halvings : {1, 3, 5}) {
    UnetParameters network;
    network.halvings = halvings;
    network.image = 96;
    network.channels_in = 3;
    const Problem problem = make_unet(network, {});
    const auto levels = static_cast<std::size_t>(halvings);
    CHECK(problem.kernel_count() == 2 * (levels + 1) + 3 * levels + 1);
    CHECK(problem.connections().size() == problem.kernel_count() - 1 + levels);
    CHECK(topological_order(problem).size() == problem.kernel_count());
    CHECK(problem.terminals()[0].shape == TensorShape{96, 96, 3});
    CHECK(problem.terminals()[1].shape == TensorShape{96, 96, 2});
  }
}

TEST_CASE("unet: consumers read the image and channels that the edges carry") {
  UnetParameters network;
  network.image = 64;
  network.halvings = 3;
  const Problem problem = make_unet(network, {});
  for (const Connection& c : problem.connections()) {
    const ConvFormal& producer = conv(problem, c.producer);
    const ConvFormal& consumer = conv(problem, c.consumer);
    CHECK(c.tensor == TensorShape{consumer.height, consumer.width, producer.channels_out});
    CHECK(consumer.channels_in == producer.channels_out);
  }
  network.deepest_tensor = TensorShape{1, 2, 3};
  const Problem labelled = make_unet(network, {});
  CHECK(labelled.connections()[7].tensor == TensorShape{1, 2, 3});
  CHECK(labelled.connections()[8] == problem.connections()[8]);
}

TEST_CASE("fully connected: widths double and channels match along the chain") {
  FullyConnectedParameters network;
  network.inputs = 3;
  network.doublings = 2;
  network.layers_per_width = 2;
  network.outputs = 5;
  const Problem problem = make_fully_connected(network, {});
  std::vector<std::int64_t> widths;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i)
    widths.push_back(conv(problem, i).channels_out);
  CHECK(widths == std::vector<std::int64_t>{3, 3, 6, 6, 6, 12, 12, 12, 5});
  CHECK(conv(problem, 0).channels_in == 3);
  REQUIRE(problem.connections().size() == problem.kernel_count() - 1);
  for (const Connection& c : problem.connections()) {
    CHECK(c.consumer == c.producer + 1);
    CHECK(c.tensor.elements() == conv(problem, c.producer).channels_out);
    CHECK(conv(problem, c.consumer).channels_in == c.tensor.channels);
  }
}

TEST_CASE("parameters out of range are refused") {
  const auto resnet = [](auto change) {
    ResnetParameters network;
    change(network);
    CHECK_THROWS_AS(make_resnet(network, {}), RequestError);
  };
  resnet([](auto& network) { network.blocks_per_stage.clear(); });
  resnet([](auto& network) { network.blocks_per_stage = {3, 0}; });
  resnet([](auto& network) { network.copies = 0; });
  resnet([](auto& network) { network.features = 6; });
  resnet([](auto& network) { network.features = kMaxParameter; });
  resnet([](auto& network) { network.image = 120; });
  resnet([](auto& network) { network.first_block_image = 55; });
  const auto unet = [](const UnetParameters& network) {
    CHECK_THROWS_AS(make_unet(network, {}), RequestError);
  };
  unet({.halvings = 0});
  unet({.image = 500, .halvings = 4});
  unet({.features = 0});
  unet({.channels_out = 0});
  const auto connected = [](const FullyConnectedParameters& network) {
    CHECK_THROWS_AS(make_fully_connected(network, {}), RequestError);
  };
  connected({.inputs = 0});
  connected({.doublings = -1});
  connected({.inputs = 2, .doublings = 40});
  connected({.layers_per_width = -1});
}

}  // namespace
}  // namespace waferloom::ispd2020
