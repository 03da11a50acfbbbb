#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "planner/amped.h"
#include "planner/amped/amped_studies.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

AmpedNetwork megatron() { return amped_network(test::preset_workload("t_145b")); }
System a100() { return test::preset_system("a100_hdr"); }

AmpedTraining recomputed_batch(double batch) {
  AmpedTraining training;
  training.batch = batch;
  training.recompute = true;
  return training;
}

TEST_CASE("the levels of 12 chips are all ordered products of three, each once") {
  const std::vector<AmpedLevel> all = level_degrees(12);
  CHECK(all.size() == 18);  // 6 ways for 4, 3 ways for 3
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const AmpedLevel& level : all) {
    CHECK(level.product() == 12);
    seen.emplace(level.tensor, level.pipeline);
  }
  CHECK(seen.size() == all.size());
  CHECK(level_degrees(1) == std::vector<AmpedLevel>{AmpedLevel{}});
}

TEST_CASE("Megatron 145B on 1,024 A100: 360 ways, ranked, the same at 1, 2 and 4 threads") {
  AmpedSearch search;
  search.choose_micro_batches = true;
  const AmpedExploration once = explore_amped(megatron(), a100(), recomputed_batch(2048), search);
  CHECK(once.all.size() == 360);
  REQUIRE(once.ranked.size() > 20);
  CHECK(once.ranked.size() < 360);
  for (std::size_t i = 1; i < once.ranked.size(); ++i) {
    CHECK(once.all[once.ranked[i - 1]].time.batch_s() <= once.all[once.ranked[i]].time.batch_s());
  }
  for (const int threads : {2, 4}) {
    search.threads = threads;
    const AmpedExploration again =
        explore_amped(megatron(), a100(), recomputed_batch(2048), search);
    CHECK(again.ranked == once.ranked);
    for (std::size_t i = 0; i < once.all.size(); ++i) {
      CHECK(again.all[i].time.batch_s() == once.all[i].time.batch_s());
    }
  }
}

TEST_CASE("every refusal tells its numbers, and the paper's study refuses nothing") {
  const AmpedNetwork network = megatron();
  const AmpedTraining training = recomputed_batch(4096);
  CHECK(amped_refusal(network, {{8, 1, 1}, {16, 8, 1}}, training) ==
        "128 ways of tensor parallelism do not divide 96 heads");
  CHECK(amped_refusal(network, {{8, 1, 1}, {1, 128, 1}}, training) ==
        "128 stages are more than 80 layers");
  CHECK(amped_refusal(network, {{8, 1, 1}, {1, 1, 3}}, training) ==
        "3 replicas do not divide a batch of 4096");
  CHECK(amped_refusal(network, {{8, 1, 1}, {1, 3, 1}}, training) ==
        "3 micro-batches do not divide a replica's batch of 4096");
  CHECK(amped_refusal(network, {{8, 1, 1}, {1, 64, 2}}, training).empty());
  AmpedSearch all;
  all.sensible = false;
  CHECK(explore_amped(network, a100(), training, all).ranked.size() == 360);
}

TEST_CASE("the best number of micro-batches is the best of all divisors") {
  System system = a100();
  system.chip.efficiency = {1, 4, 0.25};  // large micro-batches compute faster, but wait longer
  const AmpedDegrees degrees{{8, 1, 1}, {1, 16, 8}};
  AmpedTraining training = recomputed_batch(2048);
  const AmpedTraining best = with_best_micro_batches(megatron(), system, degrees, training, false);
  const double least = amped_time(megatron(), system, degrees, best).batch_s();
  CHECK(best.micro_batches > 1);
  CHECK(best.micro_batches < 256);
  for (double count = 1; count <= 256; count *= 2) {
    training.micro_batches = count;
    const double seconds = amped_time(megatron(), system, degrees, training).batch_s();
    CHECK(seconds >= least);
    if (count < best.micro_batches) CHECK(seconds > least);
  }
}

TEST_CASE("where no micro-batch fits the smallest is taken, where replicas share none the given") {
  System system = a100();
  const AmpedDegrees degrees{{8, 1, 1}, {1, 16, 8}};
  AmpedTraining training = recomputed_batch(2048);
  training.micro_batches = 2;
  for (NetworkDimension& dimension : system.dimensions) dimension.latency_s = 0;
  for (auto& memory : system.memories) memory.bytes = 1;
  // 2,048 samples of eight replicas: 256 of one sample.
  CHECK(with_best_micro_batches(megatron(), system, degrees, training, true).micro_batches == 256);
  training.batch = 2049;
  CHECK(with_best_micro_batches(megatron(), system, degrees, training, true).micro_batches == 2);
  CHECK(with_best_micro_batches(megatron(), system, degrees, training, false).micro_batches == 2);
}

TEST_CASE("memory: states by hand, divided by ZeRO; in-flight inputs with recomputation") {
  const AmpedNetwork network = megatron();
  const AmpedDegrees degrees{{8, 1, 1}, {1, 16, 8}};
  AmpedTraining training = recomputed_batch(2048);
  training.micro_batches = 256;
  const AmpedMemory memory = amped_memory(network, degrees, training);
  const double parameters =
      (5 * network.layers[0].parameters + network.first_parameters) / 8;  // 80 / 16 layers
  CHECK(memory.parameters == 2 * parameters);
  CHECK(memory.optimizer == 12 * parameters);
  const double inputs = 16.0 * 5 * 2048 * 12288;  // 16 micro-batches of one sample
  CHECK(memory.activations == 2 * (inputs + network.layers[0].saved / 8));
  training.zero = 3;
  const AmpedMemory shared = amped_memory(network, degrees, training);
  CHECK(shared.parameters == memory.parameters / 8);
  CHECK(shared.gradients == memory.gradients / 8);
  CHECK(shared.optimizer == memory.optimizer / 8);
  training.zero = 1;
  CHECK(amped_memory(network, degrees, training).gradients == memory.gradients);
  training.recompute = false;
  CHECK(amped_memory(network, degrees, training).activations ==
        2 * (16.0 * 5 * network.layers[0].saved / 8));
}

TEST_CASE("memory: of several stages the first has the embedding and the last the head") {
  const AmpedNetwork network = amped_network(test::preset_workload("llama3_8b"));
  CHECK(network.first_parameters + network.last_parameters == network.ends.parameters);
  CHECK(network.last_parameters > 128256.0 * 4096 - 1);  // the head's own matrix
  AmpedTraining training = recomputed_batch(64);
  const double layers = network.parameters() - network.ends.parameters;
  const double alone = amped_memory(network, {{1, 1, 8}, {}}, training).parameters;
  CHECK(alone == 2 * (layers + network.ends.parameters));
  const double staged = amped_memory(network, {{1, 8, 1}, {}}, training).parameters;
  CHECK(staged == 2 * (layers / 8 + std::max(network.first_parameters, network.last_parameters)));
  CHECK(staged < 2 * (layers / 8 + network.ends.parameters));
  // A tied head's stage has a copy of the embedding.
  CHECK(megatron().last_parameters >= 51200.0 * 12288);
}

TEST_CASE("what has no room is named with its level and numbers, and left out where asked for") {
  const AmpedDegrees replicas{{8, 1, 1}, {1, 1, 128}};
  AmpedTraining single = recomputed_batch(2048);
  single.micro_batches = 16;
  const AmpedMemory memory = amped_memory(megatron(), replicas, single);
  const std::string shortage = memory_shortage(memory, a100());
  CHECK(shortage.find("needs 29") == 0);  // 145.6e9 parameters at 16 bytes, by 8
  CHECK(shortage.find(" bytes of hbm, which has 80,000,000,000") != std::string::npos);
  CHECK(memory_shortage({1, 1, 1, 1}, a100()).empty());
  AmpedSearch search;
  search.choose_micro_batches = true;
  search.fits = true;
  const AmpedExploration found = explore_amped(megatron(), a100(), recomputed_batch(2048), search);
  CHECK(!found.ranked.empty());
  for (const std::size_t at : found.ranked) CHECK(found.all[at].memory_bytes <= 80e9);
  const auto refused = [&](const AmpedDegrees& degrees) {
    return std::find_if(found.all.begin(), found.all.end(),
                        [&](const AmpedCandidate& each) { return each.degrees == degrees; })
        ->refusal;
  };
  CHECK(refused(replicas).find("hbm") != std::string::npos);
}

TEST_CASE("shared experts that cannot be shared are refused one by one") {
  const AmpedNetwork glam = amped_network(glam_like(), {64, 2, 2});
  AmpedTraining training = recomputed_batch(1024);
  training.expert_ways = 64;
  AmpedSearch search;
  search.sensible = false;
  const AmpedExploration found = explore_amped(glam, a100(), training, search);
  CHECK(found.ranked.size() < found.all.size());
  for (const std::size_t at : found.ranked) CHECK(found.all[at].degrees.data() % 64 == 0);
}

}  // namespace
}  // namespace waferloom::planner
