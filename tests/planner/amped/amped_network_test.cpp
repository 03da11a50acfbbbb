#include <doctest/doctest.h>

#include "model/errors.h"
#include "planner/amped.h"
#include "planner/amped/amped_studies.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

using test::close_to;
using test::preset_workload;

TEST_CASE("Megatron 145B is 80 layers alike of 24 s h² + 4 s² h FLOP, and two ends") {
  const AmpedNetwork network = amped_network(preset_workload("t_145b"));
  REQUIRE(network.layers.size() == 1);
  const AmpedLayer& layer = network.layers.front();
  const double s = 2048;
  const double h = 12288;
  CHECK(network.layer_count() == 80);
  CHECK(network.heads == 96);
  CHECK(layer.name == "layer");
  CHECK(layer.matrix_flop == 24 * s * h * h + 4 * s * s * h);
  CHECK(layer.activations == s * h);
  CHECK(layer.parameters == 12 * h * h + 13 * h);
  CHECK(network.ends.matrix_flop == 2 * s * h * 51200);
  // Narayanan et al., Section 5.1: 12 l h² (1 + 13 / (12 h) + (V + s) / (12 l h)), and the last
  // normalisation.
  CHECK(network.parameters() == 80 * (12 * h * h + 13 * h) + (51200 + s) * h + 2 * h);
  CHECK(!layer.has_experts());
}

TEST_CASE("experts stand in every other layer: their parameters are held, two of them compute") {
  const AmpedNetwork network = amped_network(glam_like(), {64, 2, 2});
  const AmpedNetwork dense = amped_network(glam_like());
  REQUIRE(network.layers.size() == 2);
  const AmpedLayer& plain = network.layers[0];
  const AmpedLayer& mixed = network.layers[1];
  const double h = 8192;
  const double expert = 2 * h * 32768 + 32768 + h;
  CHECK(plain.count == 32);
  CHECK(mixed.count == 32);
  CHECK(plain.matrix_flop == dense.layers[0].matrix_flop);
  CHECK(mixed.expert_parameters == 64 * expert);
  CHECK(mixed.parameters == plain.parameters - expert + 64 * h);
  // A second expert, and the matrix that chooses.
  CHECK(mixed.matrix_flop == plain.matrix_flop + 1024 * (4 * h * 32768 + 2 * h * 64));
  const double words = 256'000;
  CHECK(network.parameters() ==
        64 * plain.parameters + 32 * (63 * expert + 64 * h) + (words + 2) * h);
  // GLaM 64B/64E is published as 1.2 T: its heads together are twice as wide as the layer, and its
  // layers without experts are gated.
  const double published = network.parameters() + 64 * 4 * h * h + 32 * h * 32768;
  CHECK(published > 1.15e12);
  CHECK(published < 1.25e12);
}

TEST_CASE("one expert is none, and what is no mixture is refused") {
  const Workload glam = glam_like();
  CHECK(amped_network(glam, {1, 1, 2}).experts == 0);
  CHECK_THROWS_WITH_AS(amped_network(glam, {4, 5, 1}),
                       "experts: 5 work on a token, but a layer has 4", RequestError);
  CHECK_THROWS_WITH_AS(amped_network(glam, {4, 2, 65}),
                       "experts: in every 65th layer, but there are 64", RequestError);
  CHECK_THROWS_AS(amped_network(glam, {4, 0, 1}), RequestError);
  CHECK_THROWS_WITH_AS(amped_network(preset_workload("resnet50")),
                       "ResNet-50 has no transformer layers, and AMPeD is a model of transformers",
                       RequestError);
}

TEST_CASE("of layers that differ the fewest heads count, and each kind by itself") {
  Workload workload;
  for (const std::int64_t heads : {4, 2, 4}) {
    workload.operators.push_back({"layer " + std::to_string(workload.operators.size()),
                                  TransformerOperator{8, 16, heads, heads, 32, false, Biases::none},
                                  {}});
  }
  workload.operators[2].kind = TransformerOperator{8, 16, 4, 4, 64, false, Biases::none};
  const AmpedNetwork network = amped_network(workload);
  CHECK(network.heads == 2);
  CHECK(network.layer_count() == 3);
  // Four matrices of h x h each, two of 2 h² twice, and of 4 h² once; two normalisations.
  CHECK(network.parameters() == 3 * 4 * 256 + 2 * 2 * 512 + 2 * 1024 + 3 * 4 * 16);
}

TEST_CASE("a network like GLaM has an embedding, 64 layers and a head of 256,000 words") {
  const AmpedNetwork network = amped_network(glam_like());
  CHECK(network.layer_count() == 64);
  CHECK(network.heads == 128);
  CHECK(network.ends.matrix_flop == 2.0 * 1024 * 8192 * 256000);
  CHECK(network.first_parameters == 8192.0 * 256000);
}

TEST_CASE("the study of Table III sends the share of a batch that it is given, both ways") {
  for (const std::int64_t gpus : {2, 8}) {
    const AmpedBreakdown time = table_iii(gpus, 0.1).time();
    CHECK(time.forward + time.backward == close_to(1.0 / static_cast<double>(gpus)));
    CHECK(time.pipeline == close_to(0.1));
  }
}

}  // namespace
}  // namespace waferloom::planner
