#include <algorithm>
#include <optional>
#include <string>

#include "model/hardware.h"
#include "model/workload.h"
#include "planner/centimani.h"
#include "planner/centimani/batch_choice.h"
#include "planner/centimani/decoupled_time.h"
#include "planner/centimani/liveness.h"
#include "planner/validation.h"

namespace waferloom::planner {
namespace {

// Ours of Centimani's figures (USENIX ATC'24; a fragment is at hand). Its predictions were measured
// on machines and cannot be worked out again; what its equations say can.

/// Activations and work space on the chip, the rest beside it.
System two_levels() {
  System system;
  system.name = "two levels";
  system.chip.flop_per_s = 1e12;
  system.chip.sram_bytes = 1000;
  system.memories = {{"dram", 10000, 1e9}};
  system.level_of = {kSramLevel, 1, 1, 1, kSramLevel};
  system.dimensions = {{DimensionTopology::ring, 8, 10e9}};
  system.host.server_bytes_per_s = 25e9;
  return system;
}

/// A tensor of each class, five steps.
void add_walk(OurFigures& ours) {
  TrainingGraph graph;
  graph.steps = {"forward 1", "forward 2", "backward 2", "backward 1", "update"};
  graph.tensors = {{"activation", TensorClass::io, 40, 0, 3},
                   {"weights", TensorClass::weights, 100, 0, 4},
                   {"gradients", TensorClass::gradients, 30, 2, 4},
                   {"moments", TensorClass::algorithm, 20, 4, 4},
                   {"work space", TensorClass::ephemeral, 8, 1, 1}};
  System system = two_levels();
  system.memories.clear();
  system.level_of.fill(kSramLevel);
  ours.push_back(
      {"peak memory of a five-tensor walk, one level", memory_use(graph, system)[0].peak});
  const std::vector<LevelUse> uses = memory_use(graph, two_levels());
  ours.push_back({"level walk, five tensors, on the chip", uses[0].peak});
  ours.push_back({"level walk, five tensors, beside the chip", uses[1].peak});
}

/// 100 + 50 b bytes on the chip, 500 + 200 b beside it.
std::vector<double> straight_lines(std::int64_t batch) {
  const auto samples = static_cast<double>(batch);
  return {100 + 50 * samples, 500 + 200 * samples};
}

void add_choice(OurFigures& ours) {
  const System system = two_levels();
  const BatchChoice choice = choose_batch({1, 4, 16, 18, 19, 32}, system, straight_lines);
  const BatchCandidate& best = choice.candidates[choice.best.value_or(0)];
  ours.push_back({"batch selector", static_cast<double>(best.batch)});
  ours.push_back({"batch selector, objective", best.objective});
}

/// Three operators of 1 + 2, 2 + 3 and 1 + 1 ms, 4 ms of loading and 7 of preprocessing a batch.
StepTimes three_operators() {
  Workload workload;
  workload.operators = {{"a", LinearOperator{1, 10, 20}, {}},
                        {"b", LinearOperator{1, 20, 30}, {0}},
                        {"c", LinearOperator{1, 30, 5}, {1}}};
  CentimaniOptions options;
  options.batches = {1};
  options.measured.operators = {{"linear", {1, 10, 20}, 1, 1e-3, 2e-3},
                                {"linear", {1, 20, 30}, 1, 2e-3, 3e-3},
                                {"linear", {1, 30, 5}, 1, 1e-3, 1e-3}};
  options.measured.host = MeasuredHost{4e-3, 7e-3, 1, 1};
  System system = two_levels();
  system.memories[0].bytes = 1e6;
  StepTimes stages = centimani(workload, system, options).times[0].stages;
  stages.exchange_s = 6e-3;
  return stages;
}

void add_overlap(OurFigures& ours) {
  const StepTimes stages = three_operators();
  const std::string place = "overlap removal on three operators, ";
  ours.push_back({place + "nothing at once", without_overlap(stages, {})});
  ours.push_back({place + "as on GPUs", without_overlap(stages, {true, false, true})});
  ours.push_back({place + "as on AI accelerators", without_overlap(stages, {true, true, true})});
}

void add_communication(OurFigures& ours) {
  ours.push_back(
      {"synchronous all-reduce", exchange_time(1e9, 8, Learning::synchronous, two_levels())});
  ours.push_back({"compression by sparsity", compressed_bytes(100e6, 2, {8, 0.01, 32})});
  const PartitionGraph graph{{3, 5, 2, 4}, {{0, 1, 1}, {0, 2, 5}, {1, 3, 2}, {2, 3, 3}}};
  ours.push_back({"model parallel, longest path", longest_path(graph).total_s()});
}

constexpr std::int64_t kDefaultBatch = 256;  // of the GPU, ResNet-50

BatchChoice chosen_batch(const char* workload, const char* system) {
  CentimaniOptions options;
  options.batches = {1, 2, 4, 8, 16, 32, 64, 128, kDefaultBatch, 480, 512, 1024, 2048};
  return centimani(read_workload(*workload_preset(workload), workload),
                   chips_of(*preset_machine(system)), options)
      .choice;
}

/// Nothing where no batch fits.
std::optional<double> best_batch(const BatchChoice& choice) {
  if (!choice.best) return std::nullopt;
  return static_cast<double>(choice.candidates[*choice.best].batch);
}

/// 1 where the GPU's batch fits, else 0; nothing where it was not tried.
std::optional<double> default_fits(const BatchChoice& choice) {
  const auto candidate =
      std::find_if(choice.candidates.begin(), choice.candidates.end(),
                   [](const BatchCandidate& each) { return each.batch == kDefaultBatch; });
  if (candidate == choice.candidates.end()) return std::nullopt;
  return candidate->lacks ? 0 : 1;
}

void add_best_batches(OurFigures& ours) {
  struct Machine {
    const char* system;
    const char* label;
  };
  constexpr Machine kMachines[] = {{"sn30", "SambaNova SN30"},
                                   {"bow_ipu", "Graphcore Bow-IPU"},
                                   {"cs2", "Cerebras CS-2"},
                                   {"gaudi2", "Habana Gaudi2"}};
  for (const Machine& machine : kMachines) {
    const std::string place = std::string(" on ") + machine.label + ", ";
    const BatchChoice resnet = chosen_batch("resnet50", machine.system);
    ours.push_back({"Table 2, ResNet-50" + place + "best batch", best_batch(resnet)});
    ours.push_back(
        {"Table 2, ResNet-50" + place + "the default batch of 256 fits", default_fits(resnet)});
    const std::optional<double> bert = best_batch(chosen_batch("bert_base", machine.system));
    ours.push_back(
        {"Table 2, Bert-Base" + place + "best batch", bert, {bert ? "" : ": no batch fits"}});
  }
}

}  // namespace

std::vector<ValidationRow> centimani_rows() {
  OurFigures ours;
  add_walk(ours);
  add_choice(ours);
  add_overlap(ours);
  add_communication(ours);
  add_best_batches(ours);
  return compared_rows("centimani", ours);
}

}  // namespace waferloom::planner
