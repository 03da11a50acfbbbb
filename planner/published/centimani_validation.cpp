#include <algorithm>

#include "model/hardware.h"
#include "model/workload.h"
#include "planner/centimani.h"
#include "planner/centimani/batch_choice.h"
#include "planner/centimani/decoupled_time.h"
#include "planner/centimani/liveness.h"
#include "planner/validation.h"

namespace waferloom::planner {
namespace {

// Rows of Centimani (USENIX ATC'24; a fragment is at hand). Its predictions were measured on
// machines and cannot be worked out again; what its equations say can.

using Rows = std::vector<ValidationRow>;

ValidationRow by_hand_row(const std::string& name, const std::string& unit,
                          const RowFigures& figures, const std::string& note) {
  ValidationRow row;
  row.model = "Centimani";
  row.name = name;
  row.unit = unit;
  row.source = "by hand";
  row.certainty = "by hand";
  row.kind = RowKind::closed_form;
  row.derived = figures.expected;
  row.ours = figures.ours;
  row.tolerance = 1e-12;
  row.note = note;
  return row;
}

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
void add_walk(Rows& rows) {
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
  rows.push_back(by_hand_row("peak memory of a five-tensor walk, one level", "B",
                             {178, memory_use(graph, system)[0].peak},
                             "40 + 100 + 30 + 8, backward"));
  const std::vector<LevelUse> uses = memory_use(graph, two_levels());
  rows.push_back(by_hand_row("level walk, five tensors, on the chip", "B", {48, uses[0].peak},
                             "activations and work space: 40 + 8"));
  rows.push_back(by_hand_row("level walk, five tensors, beside the chip", "B", {150, uses[1].peak},
                             "100 + 30 + 20, at the update"));
}

/// 100 + 50 b bytes on the chip, 500 + 200 b beside it.
std::vector<double> straight_lines(std::int64_t batch) {
  const auto samples = static_cast<double>(batch);
  return {100 + 50 * samples, 500 + 200 * samples};
}

void add_choice(Rows& rows) {
  const System system = two_levels();
  const BatchChoice choice = choose_batch({1, 4, 16, 18, 19, 32}, system, straight_lines);
  const BatchCandidate& best = choice.candidates[choice.best.value_or(0)];
  rows.push_back(by_hand_row("batch selector", "samples", {18, static_cast<double>(best.batch)},
                             "the last batch with 100 + 50 b <= 1000 and 500 + 200 b <= 10000"));
  rows.push_back(by_hand_row("batch selector, objective", "B2", {34810000, best.objective},
                             "10 (1000 - 1000)^2 + (10000 - 4100)^2"));
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

void add_overlap(Rows& rows) {
  const StepTimes stages = three_operators();
  rows.push_back(by_hand_row("overlap removal on three operators, nothing at once", "s",
                             {27e-3, without_overlap(stages, {})}, "4 + 7 + (3 + 5 + 2) + 6 ms"));
  rows.push_back(by_hand_row("overlap removal on three operators, as on GPUs", "s",
                             {17e-3, without_overlap(stages, {true, false, true})},
                             "max(4, 7 + max(3 + 5 + 2, 6)) ms"));
  rows.push_back(by_hand_row("overlap removal on three operators, as on AI accelerators", "s",
                             {11e-3, without_overlap(stages, {true, true, true})},
                             "max(4 + 7, max(3 + 5 + 2, 6)) ms"));
}

void add_communication(Rows& rows) {
  const System system = two_levels();
  rows.push_back(by_hand_row("synchronous all-reduce", "s",
                             {0.175, exchange_time(1e9, 8, Learning::synchronous, system)},
                             "Eq. 4, ring of 8: 2 (8 - 1) / 8 of 1 GB at 10 GB/s"));
  rows.push_back(by_hand_row("compression by sparsity", "B",
                             {2.5e6, compressed_bytes(100e6, 2, {8, 0.01, 32})},
                             "50e6 elements, one of a hundred, of 8 bits and an index of 32"));
  const PartitionGraph graph{{3, 5, 2, 4}, {{0, 1, 1}, {0, 2, 5}, {1, 3, 2}, {2, 3, 3}}};
  rows.push_back(by_hand_row("model parallel, longest path", "s",
                             {17, longest_path(graph).total_s()},
                             "Eq. 3 on a diamond: 3 + 5 + 2 + 3 + 4 > 3 + 1 + 5 + 2 + 4"));
}

struct BestBatch {
  const char* system;
  const char* label;
  std::int64_t resnet50;
  std::int64_t bert_base;
  bool default_fits;  ///< ResNet-50's 256
  const char* note;
};

constexpr BestBatch kBestBatches[] = {
    {"sn30", "SambaNova SN30", 32, 1004, false,
     "all tensors in the 640 MB, with fp16 and Adam, as the fragment's section 3.2 has it; what "
     "its compiler recomputes or streams is not printed"},
    {"bow_ipu", "Graphcore Bow-IPU", 1024, 16, true,
     "the placement is assumed (activations streamed, gradients on the chip); the published batch "
     "may be gathered over steps"},
    {"cs2", "Cerebras CS-2", 480, 2, true, "all tensors in the 40 GB; batches were not printed"},
    {"gaudi2", "Habana Gaudi2", 512, 12, true,
     "its 96 GB hold more: the published batch is the best by measured throughput"},
};

constexpr std::int64_t kDefaultBatch = 256;  // of the GPU, ResNet-50

ValidationRow not_judged(const std::string& name, const std::string& unit, double published,
                         const std::string& note) {
  ValidationRow row;
  row.model = "Centimani";
  row.name = name;
  row.unit = unit;
  row.source = "Table 2";
  row.certainty = "in paper, damaged by OCR";
  row.kind = RowKind::not_judged;
  row.published = published;
  row.note = note;
  return row;
}

BatchChoice chosen_batch(const char* workload, const char* system) {
  CentimaniOptions options;
  options.batches = {1, 2, 4, 8, 16, 32, 64, 128, kDefaultBatch, 480, 512, 1024, 2048};
  return centimani(read_workload(*workload_preset(workload), workload),
                   read_system(*system_preset(system), system), options)
      .choice;
}

void add_best_batches(Rows& rows) {
  for (const BestBatch& published : kBestBatches) {
    const std::string place = std::string("Table 2, ResNet-50 on ") + published.label;
    const BatchChoice choice = chosen_batch("resnet50", published.system);
    rows.push_back(not_judged(place + ", best batch", "samples",
                              static_cast<double>(published.resnet50), published.note));
    if (choice.best) {
      rows.back().ours = static_cast<double>(choice.candidates[*choice.best].batch);
    }
    const auto candidate =
        std::find_if(choice.candidates.begin(), choice.candidates.end(),
                     [](const BatchCandidate& each) { return each.batch == kDefaultBatch; });
    rows.push_back(not_judged(place + ", the default batch of 256 fits", "1: yes",
                              published.default_fits ? 1 : 0, published.note));
    if (candidate != choice.candidates.end()) rows.back().ours = candidate->lacks ? 0 : 1;
  }
  for (const BestBatch& published : kBestBatches) {
    const BatchChoice choice = chosen_batch("bert_base", published.system);
    rows.push_back(not_judged(
        std::string("Table 2, Bert-Base on ") + published.label + ", best batch", "samples",
        static_cast<double>(published.bert_base),
        "the Bert rows are damaged (default batch 3, best 1004) and tell neither sequence nor data "
        "set alike; ours with 128 tokens"));
    if (choice.best) {
      rows.back().ours = static_cast<double>(choice.candidates[*choice.best].batch);
    } else {
      rows.back().note += ": no batch fits";
    }
  }
}

/// Ours is missing: the program has no times of operators on these machines.
void add_measured(Rows& rows) {
  const auto add = [&](const std::string& name, double value, const std::string& source) {
    rows.push_back(not_judged(
        name, "x", value,
        "cannot be computed: measured on machines, whose tables of operators are not published"));
    rows.back().source = source;
  };
  add("Table 2, mean speed-up of the best batch over the default", 4.68, "section 4.2.1");
  add("Table 2, largest speed-up of the best batch over the default", 9.31, "section 4.2.1");
  add("Bow-IPU over A100 on ResNet-50", 1.9, "section 4.3.2");
}

}  // namespace

std::vector<ValidationRow> centimani_rows() {
  Rows rows;
  add_walk(rows);
  add_choice(rows);
  add_overlap(rows);
  add_communication(rows);
  add_best_batches(rows);
  add_measured(rows);
  return rows;
}

}  // namespace waferloom::planner
