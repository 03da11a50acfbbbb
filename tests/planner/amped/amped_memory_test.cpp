#include <doctest/doctest.h>

#include "planner/amped.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// Three layers of 100 parameters, and two of 60 with four experts of 20 each; an embedding of 7
/// and a head of 11.
AmpedNetwork five_layers() {
  AmpedNetwork network;
  network.experts = 4;
  network.first_parameters = 7;
  network.last_parameters = 11;
  AmpedLayer plain;
  plain.count = 3;
  plain.parameters = 100;
  plain.activations = 10;
  plain.saved = 40;
  AmpedLayer mixture;
  mixture.count = 2;
  mixture.parameters = 60;
  mixture.expert_parameters = 80;
  mixture.activations = 20;
  mixture.saved = 70;
  network.layers = {plain, mixture};
  return network;
}

AmpedTraining small_training() {
  AmpedTraining training;
  training.batch = 24;
  training.micro_batches = 4;
  training.parameter_bits = training.activation_bits = 16;
  training.gradient_bits = 32;
  return training;
}

/// Pairs inside nodes share tensors; two replicas of two stages.
const AmpedDegrees kDegrees{{2, 1, 1}, {1, 2, 2}};

TEST_CASE("parameters of the fullest of two stages, experts shared by the replicas") {
  AmpedTraining training = small_training();
  // Three of five layers and the head, on two chips. Two replicas have two experts each: 40.
  const double parameters = (3 / 5.0 * (3 * 100 + 2 * (60 + 40)) + 11) / 2;
  const AmpedMemory memory = amped_memory(five_layers(), kDegrees, training);
  CHECK(memory.parameters == close_to(2 * parameters));
  CHECK(memory.gradients == close_to(4 * parameters));
  CHECK(memory.optimizer == close_to(12 * parameters));
  const auto held = [&](std::int64_t ways) {
    training.expert_ways = ways;
    return amped_memory(five_layers(), kDegrees, training).parameters;
  };
  CHECK(held(4) == close_to(2 * (3 / 5.0 * (3 * 100 + 2 * (60 + 20)) + 11) / 2));
  CHECK(held(1) == close_to(2 * (3 / 5.0 * (3 * 100 + 2 * (60 + 80)) + 11) / 2));
}

TEST_CASE("activations of the micro-batches that a stage has in flight") {
  AmpedTraining training = small_training();
  // Of 24 samples a replica has 12, in four micro-batches of 3, two of them in flight.
  const auto held = [&] { return amped_memory(five_layers(), kDegrees, training).activations; };
  const double saved = (3 * 40 + 2 * 70) / 2.0;
  const double inputs = 3 * 10 + 2 * 20;
  CHECK(held() == close_to(2 * (2 * 3 * 3 / 5.0 * saved)));
  training.recompute = true;
  CHECK(held() == close_to(2 * (2 * 3 * 3 / 5.0 * inputs + 3 * 70 / 2.0)));
  // A single micro-batch is alone in flight; without a number there are as many as stages.
  training.recompute = false;
  training.micro_batches = 1;
  CHECK(held() == close_to(2 * (12 * 3 / 5.0 * saved)));
  training.micro_batches = 0;
  CHECK(held() == close_to(2 * (2 * 6 * 3 / 5.0 * saved)));
}

}  // namespace
}  // namespace waferloom::planner
