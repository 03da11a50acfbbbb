#include "planner/amped.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "model/errors.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// One layer of 1,000 FLOP a sample, 10 activations and 96 parameters, and nothing at its ends.
AmpedNetwork one_layer() {
  AmpedNetwork network;
  network.name = "one";
  network.tokens = 5;
  AmpedLayer layer;
  layer.matrix_flop = 1000;
  layer.element_flop = 50;
  layer.activations = 10;
  layer.parameters = 96;
  network.layers.push_back(layer);
  return network;
}

/// Nodes of so many chips on rings of 8 and 2 bytes/s; a chip has 100 FLOP/s.
System machine(std::int64_t chips, std::int64_t nodes) {
  System system;
  system.name = "machine";
  system.chip.flop_per_s = 100;
  system.chip.element_flop_per_s = 10;
  system.dimensions.push_back({DimensionTopology::ring, chips, 8, 0.5});
  system.dimensions.push_back({DimensionTopology::ring, nodes, 2, 1});
  return system;
}

AmpedTraining batch_of(double batch) {
  AmpedTraining training;
  training.batch = batch;
  return training;
}

double communication(AmpedBreakdown time) {
  time.forward = time.backward = time.update = 0;
  return time.batch_s();
}

TEST_CASE(
    "A100 peak and H100 peak: cycles times cores times units times FLOP, as the presets say") {
  const double a100 = peak_flop_per_s({1.41e9, 108, 4, 512});
  const double h100 = peak_flop_per_s({1.8e9, 132, 4, 1024});
  CHECK(a100 == 311'869'440'000'000);
  CHECK(h100 == 973'209'600'000'000);
  const auto chip = [](const char* name) { return test::preset_system(name).chip; };
  CHECK(chip("a100_hdr").flop_per_s == a100);
  CHECK(chip("h100_ndr").flop_per_s == h100);
  CHECK(chip("a100_hdr").element_flop_per_s == peak_flop_per_s({1.41e9, 1, 192, 4}));
  CHECK(chip("h100_ndr").element_flop_per_s == peak_flop_per_s({1.8e9, 1, 320, 4}));
}

TEST_CASE("Eq. 2: products and elements each at their rate, precision rounded up to units") {
  const AmpedNetwork network = one_layer();
  System alone = machine(1, 1);
  AmpedTraining training = batch_of(2);
  CHECK(amped_time(network, alone, {}, training).forward == 2 * 1000 / 100.0 + 2 * 50 / 10.0);
  training.elements = false;
  CHECK(amped_time(network, alone, {}, training).forward == 20);
  training.parameter_bits = 17;  // two passes of 16-bit units
  CHECK(amped_time(network, alone, {}, training).forward == 40);
  training.activation_bits = 8;
  CHECK(amped_time(network, alone, {}, training).forward == 40);
  training.parameter_bits = 8;
  CHECK(amped_time(network, alone, {}, training).forward == 20);
  alone.chip.efficiency = {1, 2, 0};  // two samples: half the rate
  CHECK(amped_time(network, alone, {}, training).forward == 40);
}

TEST_CASE("backward takes twice forward, thrice with recomputation; Eq. 12 updates in two FLOP") {
  const AmpedBreakdown plain = amped_time(one_layer(), machine(1, 1), {}, batch_of(4));
  CHECK(plain.backward == 2 * plain.forward);
  CHECK(plain.update == 2 * 96 / 100.0);
  CHECK(plain.flop == 3 * 4 * 1000);
  AmpedTraining again = batch_of(4);
  again.recompute = true;
  const AmpedBreakdown recomputed = amped_time(one_layer(), machine(1, 1), {}, again);
  CHECK(recomputed.backward == 3 * recomputed.forward);
  CHECK(recomputed.flop == 4 * 4 * 1000);
}

TEST_CASE("element-wise kernels take the longer of their operations and their bytes") {
  AmpedNetwork network = one_layer();
  network.layers[0].moved = 30;
  network.layers[0].moved_whole = 10;
  network.layers[0].moved_attention = 8;
  network.layers[0].saved_attention = 4;
  network.layers[0].attention_flop = 140;
  network.layers[0].attention_element_flop = 20;
  System system = machine(2, 1);
  system.memories.push_back({"memory", 1e3, 20});
  AmpedDegrees degrees;
  degrees.inside.tensor = 2;
  AmpedTraining training = batch_of(4);
  const auto time = [&] { return amped_time(network, system, degrees, training); };
  // Products take 10 s a sample, operations 5; two chips share them.
  CHECK(time().forward == close_to(4 * 15 / 2.0));
  // 16 bits an element: both chips pass ten of the 30, so 40 elements at 10 bytes/s.
  system.chip.efficiency.memory = 0.5;
  CHECK(time().forward == close_to(4 * (10 + 8) / 2.0));
  CHECK(time().backward == close_to(2 * time().forward));
  // The optimizer's pass: weights, gradients and states in, weights and states out.
  CHECK(time().update == close_to(96 / 2.0 * (2 + 2 + 12 + 2 + 12) / 10));
  training.sequence_parallel = true;
  CHECK(time().forward == close_to(4 * (10 + 6) / 2.0));
  // Scores again: products of 140 - 20 operations; 20 at 10 a second, longer than eight elements.
  training.recompute_attention = true;
  CHECK(time().backward == close_to(2 * time().forward + 4 * (1.2 + 2) / 2));
  system.memories[0].bytes_per_s = 1e9;
  CHECK(time().forward == close_to(4 * 15 / 2.0));
}

TEST_CASE("replicas update what they have, with ZeRO their share; experts are shared") {
  AmpedNetwork network = one_layer();
  network.experts = 4;
  network.layers[0].expert_parameters = 400;
  System system = machine(4, 1);
  system.memories.push_back({"memory", 1e3, 20});
  system.chip.efficiency.memory = 0.5;
  AmpedDegrees degrees;
  degrees.inside.data = 4;
  AmpedTraining training = batch_of(4);
  const auto updated = [&] {
    constexpr double kBytes = 2 + 2 + 12 + 2 + 12;
    return amped_time(network, system, degrees, training).update * 10 / kBytes;
  };
  CHECK(updated() == close_to(96 + 400 / 4.0));
  training.expert_ways = 2;
  CHECK(updated() == close_to(96 + 400 / 2.0));
  training.zero = 1;
  CHECK(updated() == close_to((96 + 400) / 4.0));
}

TEST_CASE("No communication at degrees 1, and no waiting") {
  CHECK(communication(amped_time(one_layer(), machine(1, 1), {}, batch_of(3))) == 0);
  System chip = machine(1, 1);
  chip.dimensions.clear();
  CHECK(communication(amped_time(one_layer(), chip, {}, batch_of(3))) == 0);
}

TEST_CASE("Eqs. 5 and 6: tensor parallelism in a node and among nodes, by hand") {
  // b = 2: 2 · 2 · 10 activations of 2 bytes are 80 bytes; T = 2 · 3/4 and 2 · 1/2.
  const AmpedBreakdown time =
      amped_time(one_layer(), machine(4, 2), {{4, 1, 1}, {2, 1, 1}}, batch_of(2));
  CHECK(time.tensor_inside == 2 * (0.5 * 1.5 * 4 + 80 / 8.0 * 1.5));
  CHECK(time.tensor_among == 2 * (1 * 1.0 * 2 + 80 / 2.0 * 1.0));
  AmpedTraining scattered = batch_of(2);
  scattered.all_reduce = HierarchyForm::scattered;
  CHECK(amped_time(one_layer(), machine(4, 2), {{4, 1, 1}, {2, 1, 1}}, scattered).tensor_among ==
        2 * (1 * 1.0 * 2 + 20 / 2.0 * 1.0));
  AmpedTraining given = batch_of(2);
  given.inside_factor = 0.25;
  given.among_factor = 3;
  const AmpedBreakdown other =
      amped_time(one_layer(), machine(4, 2), {{4, 1, 1}, {2, 1, 1}}, given);
  CHECK(other.tensor_inside == 2 * (0.5 * 0.25 * 4 + 80 / 8.0 * 0.25));
  CHECK(other.tensor_among == 2 * (1 * 3.0 * 2 + 80 / 2.0 * 3));
}

TEST_CASE("Eqs. 7 and 8: the slower level's transfer, and bubbles in both forms") {
  AmpedNetwork network = one_layer();
  network.layers[0].count = 4;
  const AmpedDegrees degrees{{1, 2, 1}, {1, 2, 1}};
  AmpedTraining training = batch_of(8);
  training.elements = false;
  training.micro_batches = 2;
  training.bubble_ratio = 0.5;
  const AmpedBreakdown time = amped_time(network, machine(2, 2), degrees, training);
  // b = 8 / 4: 2 · 10 · 2 bytes over the slower link, a quarter for each of 4 layers.
  CHECK(time.effective_batch == 2);
  CHECK(time.micro_batch == 4);
  CHECK(time.pipeline == 2 * (1 + 40 / 2.0));
  const double compute = time.forward + time.backward;
  CHECK(compute == 3 * 4 * 8 * 1000 / 100.0 / 4);
  CHECK(time.bubble == close_to(0.5 * 3 / 2 * (compute + time.pipeline)).within(1e-14));
  training.bubble = BubbleForm::literal;
  CHECK(amped_time(network, machine(2, 2), degrees, training).bubble ==
        close_to(0.5 * 3 / 2 * (compute / 4 + time.pipeline)).within(1e-14));
}

TEST_CASE("Eq. 7 of every micro-batch: as often, each with its samples") {
  AmpedNetwork network = one_layer();
  network.layers[0].count = 4;
  AmpedTraining training = batch_of(8);
  training.micro_batches = 4;
  training.transfers = TransferForm::every;
  // 4 micro-batches of 2 samples: 2 · 10 · 2 bytes each, forward and backward.
  CHECK(amped_time(network, machine(1, 2), {{1, 1, 1}, {1, 2, 1}}, training).pipeline ==
        2 * 4 * (1 + 40 / 2.0));
}

TEST_CASE("Eqs. 9 to 11: experts and gradients, by hand") {
  AmpedNetwork network = one_layer();
  network.experts = 4;
  network.layers[0].expert_parameters = 128;
  const AmpedDegrees degrees{{1, 1, 2}, {1, 1, 4}};
  const AmpedBreakdown time = amped_time(network, machine(2, 4), degrees, batch_of(8));
  // b = 1: 20 bytes; T = 3/4 of 4 nodes.
  CHECK(time.experts ==
        close_to(2 * (2 * 1 * 0.75 * 4 + 2 * 20 * 0.75 * (1 / (4 * 8.0) + 3 / (4 * 2.0))))
            .within(1e-14));
  // 96 parameters of all 8 replicas; 32 of a quarter of the experts, by the two that have them.
  CHECK(time.gradients_inside == 0.5 * 1 * 2 + 192 / 8.0 * 1 + 0.5 * 1 * 2 + 64 / 8.0 * 1);
  CHECK(time.gradients_among == 1 * 1.5 * 4 + 192 / 2.0 * 1.5);
  AmpedTraining whole = batch_of(8);
  whole.expert_ways = 1;
  CHECK(amped_time(network, machine(2, 4), degrees, whole).gradients_among ==
        2 * 1 * 1.5 * 4 + (192 + 256) / 2.0 * 1.5);
  whole.expert_ways = 3;
  CHECK_THROWS_WITH_AS(amped_time(network, machine(2, 4), degrees, whole),
                       "3 ways to share experts do not divide 4 experts and 8 replicas",
                       RequestError);
}

TEST_CASE("M_g divides by N_PP and N_TP") {
  AmpedNetwork network = one_layer();
  const auto bytes_time = [&](const AmpedDegrees& degrees) {
    System system = machine(4, 2);
    for (NetworkDimension& dimension : system.dimensions) dimension.latency_s = 0;
    return amped_time(network, system, degrees, batch_of(8)).gradients_among;
  };
  CHECK(bytes_time({{1, 1, 4}, {1, 1, 2}}) == 192 / 2.0);
  CHECK(bytes_time({{1, 4, 1}, {1, 1, 2}}) == 48 / 2.0);
  CHECK(bytes_time({{2, 2, 1}, {1, 1, 2}}) == 48 / 2.0);
}

TEST_CASE("ZeRO, M_fDP = 0.5 of Eq. 5: half as much communication again, in the bubble too") {
  AmpedTraining training = batch_of(8);
  const AmpedDegrees degrees{{2, 1, 1}, {1, 2, 1}};
  const AmpedBreakdown plain = amped_time(one_layer(), machine(2, 2), degrees, training);
  training.zero_overhead = 0.5;
  const AmpedBreakdown zero = amped_time(one_layer(), machine(2, 2), degrees, training);
  const double sent = plain.tensor_inside + plain.pipeline;
  CHECK(zero.zero == close_to(0.5 * sent).within(1e-14));
  CHECK(zero.bubble - plain.bubble == close_to(0.5 * 0.5 * sent).within(1e-12));
  CHECK(zero.gradients_among == plain.gradients_among);
}

TEST_CASE("a training is as many batches as its tokens make, and parts add up") {
  AmpedTraining training = batch_of(4);
  training.tokens = 4 * 5 * 2.5;
  const AmpedBreakdown time =
      amped_time(one_layer(), machine(2, 2), {{2, 1, 1}, {1, 1, 2}}, training);
  CHECK(time.batches == 2.5);
  double sum = 0;
  for (const AmpedPart& part : kAmpedParts) sum += time.*part.seconds;
  CHECK(time.batch_s() == sum);
  CHECK(time.seconds() == 2.5 * sum);
  CHECK(time.flop_per_s_of_chip() == time.flop / sum / 4);
}

TEST_CASE("topology factors: steps over members, as links are shared") {
  CHECK(all_reduce_factor(DimensionTopology::ring, 8) == 1.75);
  CHECK(all_reduce_factor(DimensionTopology::switched, 8) == 1.75);
  CHECK(all_reduce_factor(DimensionTopology::line, 8) == 3.5);
  CHECK(all_reduce_factor(DimensionTopology::line, 2) == 1);  // a ring
  CHECK(all_reduce_factor(DimensionTopology::fully_connected, 8) == 0.25);
  CHECK(all_reduce_factor(DimensionTopology::ring, 1) == 0);
}

TEST_CASE("degrees nest: tensor inside nodes first, then data, then pipeline") {
  CHECK(nested_degrees({8, 8, 24}, machine(8, 192)) == AmpedDegrees{{8, 1, 1}, {1, 8, 24}});
  CHECK(nested_degrees({4, 3, 4}, machine(8, 6)) == AmpedDegrees{{4, 1, 2}, {1, 3, 2}});
  CHECK(nested_degrees({2, 6, 1}, machine(4, 3)) == AmpedDegrees{{2, 2, 1}, {1, 3, 1}});
  CHECK(nested_degrees({16, 1, 1}, machine(8, 2)) == AmpedDegrees{{8, 1, 1}, {2, 1, 1}});
}

TEST_CASE("degrees that do not fill the machine are refused with their numbers") {
  const auto refuses = [](const AmpedDegrees& degrees, const char* message) {
    CHECK_THROWS_WITH_AS(amped_time(one_layer(), machine(8, 4), degrees, batch_of(1)), message,
                         RequestError);
  };
  refuses({{3, 1, 1}, {1, 1, 4}},
          "degrees inside a node: 3 x 1 x 1 = 3 (tensor, pipeline, data) do not make its 8 chips");
  refuses({{8, 1, 1}, {1, 5, 1}},
          "degrees among nodes: 1 x 5 x 1 = 5 (tensor, pipeline, data) do not make the 4 nodes");
  refuses({{8, 1, 1}, {0, 5, 1}}, "degrees are at least 1");
  CHECK_THROWS_WITH_AS(nested_degrees({8, 3, 2}, machine(8, 4)),
                       "degrees 8 x 3 x 2 = 48 (tensor, pipeline, data) do not make the 32 chips "
                       "of machine",
                       RequestError);
  System three = machine(8, 4);
  three.dimensions.push_back(three.dimensions.front());
  CHECK_THROWS_WITH_AS(amped_nodes(three),
                       "AMPeD knows two levels, inside nodes and among them: machine has 3 "
                       "dimensions (ring 8 x ring 4 x ring 8)",
                       RequestError);
  CHECK_THROWS_AS(amped_time(one_layer(), machine(1, 1), {}, batch_of(0)), RequestError);
  System dead = machine(8, 4);
  dead.dimensions[1].link_bytes_per_s = 0;
  CHECK_THROWS_AS(amped_time(one_layer(), dead, {{8, 1, 1}, {4, 1, 1}}, batch_of(1)), RequestError);
}

TEST_CASE("ends compute once forward and twice backward, and are not computed again") {
  AmpedNetwork network = one_layer();
  network.ends.matrix_flop = 300;
  network.ends.element_flop = 20;
  network.ends.parameters = 10;
  AmpedTraining training = batch_of(2);
  // Of each sample 10 + 5 s in the layer, 3 + 2 s in the ends.
  const AmpedBreakdown plain = amped_time(network, machine(1, 1), {}, training);
  CHECK(plain.forward == close_to(2 * (15 + 5)));
  CHECK(plain.backward == close_to(2 * (2 * 15 + 2 * 5)));
  CHECK(plain.update == close_to(2 * (96 + 10) / 100.0));
  CHECK(plain.flop == 2 * (3 * 1000 + 3 * 300));
  training.recompute = true;
  const AmpedBreakdown again = amped_time(network, machine(1, 1), {}, training);
  CHECK(again.backward == close_to(2 * (3 * 15 + 2 * 5)));
  CHECK(again.flop == 2 * (4 * 1000 + 3 * 300));
}

TEST_CASE("negative numbers of a training are refused, each of them") {
  const auto refuses = [](auto change) {
    AmpedTraining training = batch_of(2);
    change(training);
    CHECK_THROWS_WITH_AS(amped_time(one_layer(), machine(1, 1), {}, training),
                         "a training has a batch, and no negative numbers", RequestError);
  };
  refuses([](AmpedTraining& training) { training.batch = 0; });
  refuses([](AmpedTraining& training) { training.micro_batches = -1; });
  refuses([](AmpedTraining& training) { training.tokens = -1; });
}

}  // namespace
}  // namespace waferloom::planner
