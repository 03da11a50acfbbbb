#include "planner/amped/amped_studies.h"

#include <fmt/format.h>

#include <cstddef>

#include "model/hardware.h"
#include "model/workload.h"

namespace waferloom::planner {
namespace {

AmpedNetwork preset_network(const std::string& name) {
  return amped_network(read_workload(*workload_preset(name), name));
}

System preset_system(const std::string& name) { return chips_of(*preset_machine(name)); }

/// What the tables count: products of matrices of layers, with recomputation.
AmpedTraining printed_training(double batch) {
  AmpedTraining training;
  training.batch = batch;
  training.recompute = true;
  training.elements = false;
  training.ends = false;
  return training;
}

constexpr double kTrainingTokens = 300e9;
constexpr double kCaseEfficiency = 0.8;

}  // namespace

const std::vector<MegatronRun>& megatron_runs() {
  static const std::vector<MegatronRun> runs{{"145B", "t_145b", {8, 8, 24}, 2304},
                                             {"310B", "t_310b", {8, 16, 12}, 2160},
                                             {"530B", "t_530b", {8, 35, 9}, 2520},
                                             {"1T", "t_1t", {8, 64, 6}, 3072}};
  return runs;
}

AmpedStudy table_ii(const MegatronRun& run) {
  AmpedStudy study{preset_network(run.workload), preset_system("a100_hdr"), {}, {}};
  study.system.dimensions[1].size = run.degrees.product() / study.system.dimensions[0].size;
  study.degrees = nested_degrees(run.degrees, study.system);
  study.training = printed_training(run.batch);
  study.training.micro_batches = run.batch / static_cast<double>(run.degrees.data);
  return study;
}

AmpedStudy table_iii(std::int64_t gpus, double transfer_share) {
  AmpedStudy study;
  study.network.name = "24 layers";
  AmpedLayer layer;
  layer.count = 24;
  layer.matrix_flop = 1.0 / (3 * layer.count);  // forward and backward: one FLOP together
  study.network.layers.push_back(layer);
  study.system.chip.flop_per_s = 1;
  NetworkDimension links;
  links.topology = DimensionTopology::line;
  links.size = gpus;
  links.link_bytes_per_s = 1;
  links.latency_s = transfer_share / 2;
  study.system.dimensions.push_back(links);
  study.degrees.inside.pipeline = gpus;
  study.training.micro_batches = 32;
  return study;
}

AmpedStudy case_i(const AmpedDegrees& degrees, double efficiency) {
  constexpr double kBatch = 16384;
  AmpedStudy study{preset_network("t_145b"), preset_system("a100_hdr"), degrees,
                   printed_training(kBatch)};
  study.system.chip.efficiency = {efficiency, 0, 0};
  study.training.tokens = kTrainingTokens;
  study.training.bubble = BubbleForm::literal;
  return study;
}

AmpedStudy case_ii(std::int64_t chips, bool pipeline) {
  constexpr double kBatch = 8192;
  AmpedStudy study{
      preset_network("t_145b"), preset_system("a100_edr"), {}, printed_training(kBatch)};
  const std::int64_t nodes = study.system.chips() / chips;
  study.system.dimensions[0].size = chips;
  study.system.dimensions[1].size = nodes;
  study.system.dimensions[1].link_bytes_per_s *= static_cast<double>(chips);
  study.system.chip.efficiency = {kCaseEfficiency, 0, 0};
  study.degrees.inside.tensor = chips;
  (pipeline ? study.degrees.among.pipeline : study.degrees.among.data) = nodes;
  study.training.recompute = false;
  study.training.tokens = kTrainingTokens;
  study.training.bubble = BubbleForm::literal;
  return study;
}

Workload glam_like() {
  constexpr std::int64_t kTokens = 1024;
  constexpr std::int64_t kHidden = 8192;
  constexpr std::int64_t kWords = 256'000;
  Workload workload{"GLaM-like", kTokens, {}};
  workload.operators.push_back({"embedding", EmbeddingOperator{kTokens, kWords, kHidden, 0}, {}});
  for (std::size_t layer = 0; layer < 64; ++layer) {
    workload.operators.push_back({fmt::format("layer.{}", layer + 1),
                                  TransformerOperator{kTokens, kHidden, 128, 128, 4 * kHidden},
                                  {layer}});
  }
  workload.operators.push_back({"head", HeadOperator{kTokens, kWords, kHidden}, {64}});
  return workload;
}

AmpedStudy case_iii(const OpticalNode& node) {
  constexpr double kBatch = 8192;
  AmpedStudy study{amped_network(glam_like(), {64, 2, 2}),
                   preset_system("h100_ndr"),
                   {},
                   printed_training(kBatch)};
  const std::int64_t chips = study.system.chips();
  const std::int64_t nodes = chips / node.chips;
  study.system.dimensions[0] = {DimensionTopology::switched, node.chips, node.link_bytes_per_s};
  study.system.dimensions[1] = {DimensionTopology::switched, nodes, node.among_bytes_per_s};
  study.system.chip.efficiency = {kCaseEfficiency, 0, 0};
  study.degrees.inside.tensor = node.chips;
  study.degrees.among.data = nodes;
  study.training.recompute = false;
  study.training.parameter_bits = 8;
  study.training.activation_bits = 8;
  study.training.gradient_bits = 8;
  return study;
}

OpticalNode electrical_node() {
  const System system = preset_system("h100_ndr");
  return {system.dimensions[0].size, system.dimensions[0].link_bytes_per_s,
          system.dimensions[1].link_bytes_per_s};
}

OpticalNode optical_node(double fibers, std::int64_t chips, double times) {
  const double link = times * electrical_node().link_bytes_per_s;
  return {chips, link, fibers * link / static_cast<double>(chips)};
}

}  // namespace waferloom::planner
