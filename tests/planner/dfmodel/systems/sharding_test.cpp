#include "planner/dfmodel/systems/sharding.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "tests/support/gpt3_operator.h"
#include "tests/support/shared_data.h"

namespace waferloom::planner {
namespace {

DataflowGraph gpt3_graph(double layers = 96) {
  TransformerPass pass;
  pass.layers = layers;
  return transformer_graph(test::gpt3_operator(), pass);
}

std::string letters(const std::vector<Sharding>& kernels) {
  std::string text;
  for (const Sharding sharding : kernels) text += "-oMKN"[static_cast<std::size_t>(sharding)];
  return text;
}

std::vector<Sharding> shardings(const std::string& text) {
  const std::string all = "-oMKN";
  std::vector<Sharding> result;
  for (const char letter : text) result.push_back(static_cast<Sharding>(all.find(letter)));
  return result;
}

//                                  A1QKVSsdVPDALFGFDA
const std::string kPublished = "--MMMooooK---MMK--";

ShardingModel chips(std::int64_t count) {
  ShardingModel model;
  model.chips = count;
  return model;
}

TEST_CASE("sharding optimum of a GPT-3 layer") {
  for (const std::int64_t count : {4, 8}) {
    for (const double layers : {1.0, 96.0}) {
      const DataflowGraph graph = gpt3_graph(layers);
      const ShardingResult found = best_sharding(graph, chips(count));
      CHECK(found.cost == 100663296);
      CHECK(letters(found.kernels) == kPublished);
      CHECK(found.width <= 3);
      const auto communications = shard_communications(graph, found.kernels, count);
      REQUIRE(communications.size() == 2);
      for (const ShardCommunication& communication : communications) {
        CHECK(communication.kind == CollectiveKind::all_reduce);
        CHECK(communication.bytes == 50331648);
        CHECK(communication.inherent);
      }
      CHECK(graph.kernels[communications[0].kernel].name == "Proj");
      CHECK(graph.kernels[communications[1].kernel].name == "FFN1");
    }
  }
}

TEST_CASE("a chip's part of a GPT-3 layer [shared]") {
  const char* const file = "published/dfmodel_gpt3_layer.json";
  if (!test::have_shared("a chip's part of a GPT-3 layer [shared]", file)) return;
  std::ifstream stream(test::shared_folder() / file);
  const auto published = nlohmann::json::parse(stream);
  for (const auto& item : published.at("layers_by_tp").items()) {
    const std::string& chip_count = item.key();
    const auto& layer = item.value();
    INFO("chips ", chip_count);
    const std::int64_t count = std::stoll(chip_count);
    const DataflowGraph graph = gpt3_graph();
    const DataflowGraph part = shard(graph, best_sharding(graph, chips(count)).kernels, count);
    REQUIRE(part.kernels.size() == layer.at("kernels").size());
    std::map<std::string, double> bytes;
    for (std::size_t i = 0; i < part.kernels.size(); ++i) {
      const DataflowKernel& kernel = part.kernels[i];
      const auto& given = layer.at("kernels")[i];
      INFO(kernel.name);
      CHECK(kernel.name == given.at("name").get<std::string>());
      CHECK(kernel.flop == given.at("flop").get<double>());
      CHECK(kernel.weight_bytes == given.at("weight_bytes").get<double>());
      CHECK(kernel.all_reduce_bytes == given.at("allreduce_bytes").get<double>());
      CHECK(kernel.output_bytes == given.at("output_bytes").get<double>());
      bytes[kernel.name] = kernel.output_bytes;
    }
    std::set<std::pair<std::string, std::string>> ours;
    std::set<std::pair<std::string, std::string>> theirs;
    for (const DataflowTensor& tensor : part.tensors) {
      ours.emplace(part.kernels[tensor.from].name, part.kernels[tensor.to].name);
      CHECK(tensor.bytes == bytes[part.kernels[tensor.from].name]);
    }
    for (const auto& pair : layer.at("tensors")) {
      theirs.emplace(pair[0].get<std::string>(), pair[1].get<std::string>());
    }
    CHECK(ours == theirs);
    CHECK(ours.size() == 21);
  }
}

TEST_CASE("a chip's part of a GPT-3 layer by hand") {
  const DataflowGraph part = shard(gpt3_graph(), shardings(kPublished), 8);
  const DataflowKernel& query = part.kernels[2];
  CHECK(query.flop == 77309411328);
  CHECK(query.weight_bytes == 37748736);
  CHECK(query.output_bytes == 6291456);
  CHECK(query.extents == Extents{1, 1536, 12288, 2048});
  const DataflowKernel& projection = part.kernels[9];
  CHECK(projection.all_reduce_bytes == 50331648);
  CHECK(projection.output_bytes == 50331648);
  CHECK(projection.extents == Extents{1, 12288, 1536, 2048});
  CHECK(part.kernels[5].extents == Extents{12, 2048, 128, 2048});
}

/// One product behind an operation, and an operation behind it.
DataflowGraph wide_product() {
  DataflowGraph graph;
  graph.kernels = {
      {"in", KernelType::element_wise, {1, 8, 1, 16}, 128, 0, 256, 0, 0},
      {"product", KernelType::gemm, {1, 24, 8, 16}, 6144, 384, 768, 0, 0},
      {"out", KernelType::element_wise, {1, 24, 1, 16}, 384, 0, 768, 0, 0},
  };
  graph.tensors = {{0, 1, 256}, {1, 2, 768}};
  return graph;
}

double cost(const DataflowGraph& graph, const std::string& kernels, std::int64_t count) {
  const ChoiceProblem problem = sharding_problem(graph, chips(count));
  std::vector<std::size_t> choices;
  for (const Sharding kernel : shardings(kernels))
    choices.push_back(static_cast<std::size_t>(kernel));
  return choice_cost(problem, choices);
}

TEST_CASE("every cut of a product has its communication, every change of layout its own") {
  const DataflowGraph graph = wide_product();
  CHECK(cost(graph, "---", 4) == 384);        // weights to all
  CHECK(cost(graph, "-M-", 4) == 768);        // the output is gathered
  CHECK(cost(graph, "-MM", 4) == 0);          // the same parts
  CHECK(cost(graph, "MMM", 4) == 256);        // the input is gathered
  CHECK(cost(graph, "-K-", 4) == 768);        // sums of the output
  CHECK(cost(graph, "MKM", 4) == 768);        // input in the same parts, output cut for nothing
  CHECK(cost(graph, "NKN", 4) == 256 + 768);  // the input goes from everyone to everyone
  CHECK(cost(graph, "NNN", 4) == 384);
  CHECK(cost(graph, "NNM", 4) == 384 + 768);
  CHECK(cost(graph, "---", 1) == 0);
  CHECK_FALSE(can_shard(graph.kernels[0], Sharding::outer, 4));
  CHECK_FALSE(can_shard(graph.kernels[0], Sharding::k, 1));
  CHECK(can_shard(graph.kernels[1], Sharding::m, 3));
  CHECK_FALSE(can_shard(graph.kernels[1], Sharding::k, 3));
}

TEST_CASE("sums over rows that are cut are all-reduced") {
  DataflowGraph graph = wide_product();
  graph.kernels[2].extents.k = 2;
  CHECK(cost(graph, "-MM", 4) == 2 * 16 * 2);
  CHECK(cost(graph, "-MN", 4) == 768);
}

TEST_CASE("whole heads go from rows to matrices and back for nothing") {
  TransformerPass pass;
  TransformerOperator layer;
  layer.sequence = 64;
  layer.hidden = 32;
  layer.heads = 8;
  layer.key_value_heads = 2;
  layer.feed_forward = 128;
  const DataflowGraph graph = transformer_graph(layer, pass);
  const double keys = 64 * 8 * 2;
  // Two key-value heads over two chips, then over four: K and V are exchanged.
  CHECK(cost(graph, kPublished, 2) == 2 * 64 * 32 * 2);
  CHECK(cost(graph, kPublished, 4) == 2 * 64 * 32 * 2 + 2 * keys);
  // Scores by keys: queries are gathered, keys (left by head) go from everyone to everyone.
  CHECK(cost(graph, "--MMMM---K---MMK--", 2) > cost(graph, kPublished, 2));
}

TEST_CASE("conversions are told with their tensors, and shared graphs keep what chips have") {
  const DataflowGraph graph = wide_product();
  const auto communications = shard_communications(graph, shardings("NM-"), 4);
  REQUIRE(communications.size() == 2);
  CHECK(communications[0] == ShardCommunication{CollectiveKind::all_gather, 256, 1, false});
  CHECK(communications[1] == ShardCommunication{CollectiveKind::all_gather, 768, 2, false});
  const DataflowGraph part = shard(graph, shardings("NMM"), 4);
  CHECK(part.kernels[1].all_reduce_bytes == 128);
  CHECK(part.tensors[0].bytes == 256);
  CHECK(part.tensors[1].bytes == 192);
  CHECK(part.kernels[2].flop == 96);
  CHECK_THROWS_WITH_AS(shard(graph, shardings("K--"), 4),
                       "in cannot be cut along K into 4 equal parts", RequestError);
}

TEST_CASE("what a communication hands over is shared by the chips, and no cut leaves it out") {
  DataflowGraph graph;
  graph.kernels = {{"a", KernelType::element_wise, {1, 8, 1, 8}, 64, 0, 128},
                   {"b", KernelType::communication, {1, 8, 1, 8}, 0, 0, 128, 64}};
  graph.tensors = {{0, 1, 128}};
  for (const char* cuts : {"--", "NN"}) {
    CHECK(shard(graph, shardings(cuts), 4).kernels[1].all_reduce_bytes == 16);
    CHECK(shard(graph, shardings(cuts), 1).kernels[1].all_reduce_bytes == 64);
  }
}

TEST_CASE("the first and the last tensor and kernel are cut like all others") {
  const DataflowGraph graph = wide_product();
  const DataflowGraph rows = shard(graph, shardings("NNN"), 4);
  CHECK(rows.tensors[0].bytes == 64);
  CHECK(rows.tensors[1].bytes == 192);
  CHECK(rows.kernels[0].flop == 32);
  CHECK(rows.kernels[0].extents == Extents{1, 8, 1, 4});
  CHECK(rows.kernels[0].output_bytes == 64);
  CHECK(rows.kernels[2].extents == Extents{1, 24, 1, 4});
  // Weights stay whole where columns are cut, and are broadcast: half as long as an all-reduce.
  CHECK(rows.kernels[1].weight_bytes == 384);
  CHECK(rows.kernels[1].all_reduce_bytes == 192);
  CHECK(rows.kernels[0].all_reduce_bytes == 0);
  const DataflowGraph sums = shard(graph, shardings("MKM"), 4);
  CHECK(sums.tensors[0].bytes == 64);
  CHECK(sums.tensors[1].bytes == 768);
  CHECK(sums.kernels[1].weight_bytes == 96);
  CHECK(sums.kernels[1].all_reduce_bytes == 768);
  CHECK(sums.kernels[1].output_bytes == 768);
  // From everyone to everyone takes as long as an all-reduce of an eighth.
  CHECK(shard(graph, shardings("NKN"), 4).kernels[1].all_reduce_bytes == 256 / 8.0 + 768);
}

TEST_CASE("a layer that repeats hands its output on if it has one source and one sink alike") {
  const auto closes = [](const DataflowGraph& graph) {
    const std::size_t tensors = graph.tensors.size();
    const std::size_t pairs = sharding_problem(graph, chips(4)).pairs.size();
    CHECK((pairs == tensors || pairs == tensors + 1));
    return pairs > tensors;
  };
  DataflowGraph graph = wide_product();
  graph.kernels[2].output_bytes = 256;
  CHECK_FALSE(closes(graph));
  graph.repeats = 2;
  CHECK(closes(graph));
  const PairCost last = sharding_problem(graph, chips(4)).pairs.back();
  CHECK(last.first == 2);
  CHECK(last.second == 0);
  // Outputs that differ.
  DataflowGraph other = graph;
  other.kernels[2].output_bytes = 768;
  CHECK_FALSE(closes(other));
  // Two sources, the second of which nobody follows but the product; two sinks.
  other = graph;
  other.kernels.insert(other.kernels.begin(), graph.kernels[0]);
  other.tensors = {{0, 2, 256}, {1, 2, 256}, {2, 3, 768}};
  CHECK_FALSE(closes(other));
  other = graph;
  other.kernels.push_back(graph.kernels[2]);
  other.tensors.push_back({1, 3, 768});
  CHECK_FALSE(closes(other));
  // A source that is a product, and a single kernel.
  other = graph;
  other.kernels[0].type = KernelType::gemm;
  CHECK_FALSE(closes(other));
  other = graph;
  other.kernels.resize(1);
  other.tensors.clear();
  CHECK_FALSE(closes(other));
}

/// Kernels of small extents, each behind some of those before it.
struct RandomGraphs {
  explicit RandomGraphs(unsigned seed) : random(seed) {}

  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  }

  DataflowGraph next() {
    DataflowGraph graph;
    const std::int64_t count = whole(2, 6);
    for (std::int64_t i = 0; i < count; ++i) {
      DataflowKernel kernel;
      kernel.name = "k" + std::to_string(i);
      const bool is_product = whole(0, 1) == 1;
      kernel.type = is_product ? KernelType::gemm : KernelType::element_wise;
      kernel.extents = {whole(1, 2) * 2, whole(1, 4) * 2, whole(1, 3), whole(1, 4)};
      if (is_product && whole(0, 1) == 1) {
        kernel.weight_bytes = static_cast<double>(whole(1, 50));
      }
      kernel.output_bytes = static_cast<double>(whole(1, 50));
      kernel.flop = static_cast<double>(whole(1, 50));
      for (std::int64_t from = 0; from < i; ++from) {
        if (whole(0, 2) != 0) continue;
        const auto maker = static_cast<std::size_t>(from);
        graph.tensors.push_back({maker, graph.kernels.size(), graph.kernels[maker].output_bytes});
      }
      graph.kernels.push_back(std::move(kernel));
    }
    graph.repeats = static_cast<double>(whole(1, 2));
    return graph;
  }

  std::mt19937 random;
};

/// The least cost of all ways to cut all kernels, by their communications alone.
double least_by_brute_force(const DataflowGraph& graph, std::int64_t count) {
  std::vector<Sharding> kernels(graph.kernels.size(), Sharding::none);
  double least = std::numeric_limits<double>::infinity();
  while (true) {
    bool is_possible = true;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      is_possible = is_possible && can_shard(graph.kernels[i], kernels[i], count);
    }
    if (is_possible) {
      double sum = 0;
      for (const auto& shard_communication : shard_communications(graph, kernels, count))
        sum += shard_communication.bytes;
      least = std::min(least, sum);
    }
    std::size_t place = 0;
    for (; place < kernels.size(); ++place) {
      if (kernels[place] != Sharding::n) {
        kernels[place] = static_cast<Sharding>(static_cast<int>(kernels[place]) + 1);
        break;
      }
      kernels[place] = Sharding::none;
    }
    if (place == kernels.size()) return least;
  }
}

TEST_CASE("the best sharding equals brute force on random graphs") {
  const unsigned seed = 404;
  INFO("seed ", seed);
  RandomGraphs random(seed);
  int costly = 0;
  for (int round = 0; round < 120; ++round) {
    INFO("round ", round);
    const DataflowGraph graph = random.next();
    const ShardingResult found = best_sharding(graph, chips(2));
    CHECK(found.cost == least_by_brute_force(graph, 2));
    const DataflowGraph part = shard(graph, found.kernels, 2);
    for (std::size_t i = 0; i < part.kernels.size(); ++i) {
      const double whole = graph.kernels[i].flop;
      CHECK(part.kernels[i].flop == (found.kernels[i] == Sharding::none ? whole : whole / 2));
    }
    if (found.cost > 0) ++costly;
  }
  CHECK(costly > 20);
}

TEST_CASE("time may be weighed in place of bytes") {
  ShardingModel model;
  model.chips = 4;
  model.cost_per_flop = 1;
  model.communication = [](CollectiveKind, double bytes) { return bytes / 1e6; };
  // Communication is next to nothing: everything is cut.
  const ShardingResult found = best_sharding(wide_product(), model);
  for (const Sharding sharding : found.kernels) CHECK(sharding != Sharding::none);
}

TEST_CASE("shardings are named by the extent that is cut") {
  CHECK(sharding_name(Sharding::none) == "none");
  CHECK(sharding_name(Sharding::outer) == "outer");
  CHECK(sharding_name(Sharding::m) == "M");
  CHECK(sharding_name(Sharding::k) == "K");
  CHECK(sharding_name(Sharding::n) == "N");
}

}  // namespace
}  // namespace waferloom::planner
