#include <doctest/doctest.h>

#include <string>

#include "planner/amped.h"
#include "tests/support/json_check.h"

namespace waferloom::planner {
namespace {

using test::check_json;

/// 24 layers of 100 parameters and 50 of the ends: 2,450. 6 ways in a node of 8, 5 nodes.
AmpedJob job() {
  AmpedJob job;
  job.network.name = "net";
  job.network.tokens = 2048;
  job.network.layers.emplace_back();
  job.network.layers[0].count = 24;
  job.network.layers[0].parameters = 100;
  job.network.ends.parameters = 50;
  job.system.name = "machine";
  job.system.chip.flop_per_s = 3e14;
  job.system.chip.efficiency = {0.75, 2, 0.25};
  job.system.dimensions = {{DimensionTopology::ring, 8}, {DimensionTopology::switched, 5}};
  job.nodes = {8, 5};
  job.training.batch = 96;
  job.top = 2;
  return job;
}

/// Parts are 1, 2, 4, … 1024 s in the order of the equations: 2,047 s a batch.
AmpedCandidate candidate() {
  AmpedCandidate amped_candidate;
  amped_candidate.degrees = {{2, 3, 5}, {7, 11, 13}};
  double seconds = 1;
  for (const AmpedPart& part : kAmpedParts) {
    amped_candidate.time.*part.seconds = seconds;
    seconds *= 2;
  }
  amped_candidate.time.batches = 3;
  amped_candidate.time.micro_batch = 6;
  amped_candidate.time.micro_batches = 16;
  amped_candidate.time.efficiency = 0.5;
  amped_candidate.time.flop = 2047.0 * 40 * 1000;
  amped_candidate.time.chips = 40;
  amped_candidate.memory_bytes = 123456;
  return amped_candidate;
}

AmpedCandidate candidate_of(std::int64_t tensor) {
  AmpedCandidate amped_candidate = candidate();
  amped_candidate.degrees = {{tensor, 1, 1}, {1, 1, 1}};
  return amped_candidate;
}

TEST_CASE("amped's report has every figure of a candidate in its unit") {
  AmpedJob of_batch = job();
  of_batch.training.batch = 2047.0 * 4;  // 4 samples/s
  AmpedExploration found;
  found.all = {candidate()};
  found.ranked = {0};
  check_json(amped_report(of_batch, found).json()["candidates"], R"([{
    "degrees": {"tensor": 14, "pipeline": 33, "data": 65,
                "inside": {"tensor": 2, "pipeline": 3, "data": 5},
                "among": {"tensor": 7, "pipeline": 11, "data": 13}},
    "micro_batches": 16, "micro_batch": 6, "efficiency": 0.5, "batch_s": 2047,
    "training_s": null, "samples_per_s": 4, "flop_per_s_per_chip": 1000, "memory_bytes": 123456,
    "parts": {"forward": 1, "backward": 2, "update": 4, "tensor_inside": 8, "tensor_among": 16,
              "experts": 32, "pipeline": 64, "zero": 128, "gradients_inside": 256,
              "gradients_among": 512, "bubble": 1024}}])");
  of_batch.training.tokens = 1;
  CHECK(amped_report(of_batch, found).json()["candidates"][0]["training_s"] == 3 * 2047);
}

TEST_CASE("amped's report tells the network, the system and the settings, defaults included") {
  Json report = amped_report(job(), {}).json();
  check_json(report, R"({"schema": "waferloom/amped/1",
    "workload": {"name": "net", "tokens": 2048, "layers": 24, "parameters": 2450, "experts": null},
    "system": {"name": "machine", "node_chips": 8, "nodes": 5, "network": "ring 8 x switch 5",
               "flop_per_s": 3e14},
    "settings": {"batch": 96, "tokens": null, "micro_batches": "best", "recompute": false,
                 "recompute_attention": false, "sequence_parallel": false,
                 "bubble": "consistent", "bubble_ratio": 1, "all_reduce": "full",
                 "transfers": "one", "zero_overhead": 0, "zero": 0,
                 "bits": {"parameters": 16, "activations": 16, "gradients": 16},
                 "elements": true, "ends": true, "any_degrees": false, "fits": false,
                 "efficiency": {"limit": 0.75, "half": 2, "floor": 0.25,
                                "memory": 0}},
    "explored": true, "combinations": 0, "ranked": 0, "candidates": []})");
}

TEST_CASE("amped's report names settings that are not the defaults") {
  AmpedJob other = job();
  other.training.tokens = 1;
  other.training.recompute = true;
  other.training.bubble = BubbleForm::literal;
  other.training.bubble_ratio = 0.5;
  other.training.all_reduce = HierarchyForm::scattered;
  other.training.transfers = TransferForm::every;
  other.training.zero_overhead = 0.125;
  other.training.zero = 3;
  other.training.parameter_bits = 32;
  other.training.activation_bits = 8;
  other.training.gradient_bits = 4;
  other.training.elements = false;
  other.training.ends = false;
  other.search.sensible = false;
  other.search.fits = true;
  other.micro_batches = MicroBatches::given;
  other.network.experts = 64;
  other.network.mixture = {64, 2, 4};
  other.degrees.emplace();
  const Json report = amped_report(other, {}).json();
  check_json(report["settings"], R"({"batch": 96, "tokens": 1, "micro_batches": "given",
    "recompute": true, "recompute_attention": false, "sequence_parallel": false,
    "bubble": "literal", "bubble_ratio": 0.5, "all_reduce": "scattered",
    "transfers": "every", "zero_overhead": 0.125, "zero": 3,
    "bits": {"parameters": 32, "activations": 8, "gradients": 4}, "elements": false, "ends": false,
    "any_degrees": true, "fits": true, "efficiency": {"limit": 0.75, "half": 2, "floor": 0.25,
                                "memory": 0}})");
  check_json(report["workload"]["experts"], R"({"experts": 64, "active": 2, "every": 4})");
  CHECK(report["explored"] == false);
  other.micro_batches = MicroBatches::stages;
  CHECK(amped_report(other, {}).json()["settings"]["micro_batches"] == "stages");
  other.network.experts = 1;
  CHECK(amped_report(other, {}).json()["workload"]["experts"].is_object());
}

TEST_CASE("amped's report lists candidates by rank, as many as are asked for") {
  AmpedExploration found;
  found.all = {candidate_of(1), candidate_of(2), candidate_of(3), candidate_of(4)};
  found.ranked = {3, 0, 2};
  AmpedJob asked = job();
  const auto tensors = [&] {
    Json degrees = Json::array();
    const Json report = amped_report(asked, found).json();
    CHECK(report["combinations"] == 4);
    CHECK(report["ranked"] == 3);
    for (const Json& entry : report["candidates"]) degrees.push_back(entry["degrees"]["tensor"]);
    return degrees;
  };
  check_json(tensors(), "[4, 1]");
  asked.top = 3;
  check_json(tensors(), "[4, 1, 3]");
  asked.top = 9;
  check_json(tensors(), "[4, 1, 3]");
}

constexpr const char* kHeading =
    "rank,tp_inside,pp_inside,dp_inside,tp_among,pp_among,dp_among,micro_batches,efficiency,"
    "memory_bytes,flop_per_s_per_chip,batch_s,training_s,forward_s,backward_s,update_s,"
    "tensor_inside_s,tensor_among_s,experts_s,pipeline_s,zero_s,gradients_inside_s,"
    "gradients_among_s,bubble_s,refusal\n";
constexpr const char* kParts = "1,2,4,8,16,32,64,128,256,512,1024,";

TEST_CASE("amped's CSV has the ranked candidates, then those refused with the reason") {
  AmpedExploration found;
  found.all = {candidate_of(9), candidate(), candidate_of(4)};
  found.all[0].time = {};
  found.all[0].refusal = "too much";
  found.ranked = {2, 1};
  const std::string figures = std::string("16,0.5,123456,1000,2047,,") + kParts;
  CHECK(amped_csv(job(), found) == kHeading + ("1,4,1,1,1,1,1," + figures + "\n") +
                                       "2,2,3,5,7,11,13," + figures + "\n" +
                                       ",9,1,1,1,1,1,,,,,,,,,,,,,,,,,,too much\n");
}

TEST_CASE("amped's CSV has the time of a training, also of a candidate that is refused") {
  AmpedJob trained = job();
  trained.training.tokens = 1;
  AmpedExploration found;
  found.all = {candidate_of(2)};
  found.all[0].refusal = "no room";
  CHECK(amped_csv(trained, found) ==
        kHeading + (",2,1,1,1,1,1,16,0.5,123456,1000,2047,6141," + std::string(kParts)) +
            "no room\n");
}

}  // namespace
}  // namespace waferloom::planner
