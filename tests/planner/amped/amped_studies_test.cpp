#include "planner/amped/amped_studies.h"

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

// Settings as the papers print them; A100: 1.41 GHz x 108 x 4 x 512, NVLink 300 GB/s, HDR 25 GB/s,
// EDR 12.5 GB/s.
constexpr double kA100 = 1.41e9 * 108 * 4 * 512;

TEST_CASE("AMPeD's Table II: degrees, batches and figures of Megatron's runs") {
  struct Run {
    std::string name;
    double tensor, pipeline, data, batch;
  };
  // Batches are Narayanan et al.'s; the second run's DP of 12 is AMPeD's.
  const std::vector<Run> printed{{"145B", 8, 8, 24, 2304},
                                 {"310B", 8, 16, 12, 2160},
                                 {"530B", 8, 35, 9, 2520},
                                 {"1T", 8, 64, 6, 3072}};
  REQUIRE(megatron_runs().size() == printed.size());
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const Run& wanted = printed[i];
    const MegatronRun& run = megatron_runs()[i];
    INFO(wanted.name);
    CHECK(run.name == wanted.name);
    CHECK(run.degrees.tensor == wanted.tensor);
    CHECK(run.degrees.pipeline == wanted.pipeline);
    CHECK(run.degrees.data == wanted.data);
    CHECK(run.batch == wanted.batch);
    const AmpedStudy study = table_ii(run);
    CHECK(study.system.chip.flop_per_s == close_to(kA100));
    CHECK(study.system.dimensions[0].size == 8);
    CHECK(study.system.chips() == wanted.tensor * wanted.pipeline * wanted.data);
    CHECK(study.degrees.inside.tensor == 8);
    CHECK(study.degrees.among.pipeline == wanted.pipeline);
    CHECK(study.degrees.among.data == wanted.data);
    CHECK(study.training.recompute);
    CHECK_FALSE(study.training.elements);
    CHECK_FALSE(study.training.ends);
    CHECK(study.training.bubble == BubbleForm::consistent);
    CHECK(study.time().micro_batch == close_to(1.0));
    CHECK(study.time().efficiency == close_to(0.56));
  }
}

TEST_CASE("AMPeD's Table III: a batch is a second of one GPU, transfers the given share of it") {
  for (const std::int64_t gpus : {2, 4, 8}) {
    const AmpedBreakdown time = table_iii(gpus, 0.25).time();
    const auto count = static_cast<double>(gpus);
    CHECK(time.forward == close_to(1 / (3 * count)));
    CHECK(time.backward == close_to(2 / (3 * count)));
    CHECK(time.pipeline == close_to(0.25));
    CHECK(time.micro_batches == 32);
    CHECK(time.chips == count);
  }
}

TEST_CASE("case study I: 300e9 tokens on 1,024 A100") {
  const AmpedStudy study = case_i({{8, 1, 1}, {1, 1, 128}}, 0.8);
  CHECK(study.system.chips() == 1024);
  CHECK(study.system.dimensions[1].link_bytes_per_s == close_to(25e9));
  CHECK(study.training.bubble == BubbleForm::literal);
  CHECK(study.training.recompute);
  const AmpedBreakdown time = study.time();
  CHECK(time.batches == close_to(300e9 / (16384.0 * 2048)));
  CHECK(time.efficiency == close_to(0.8));
  // 80 layers, 24 h^2 + 4 s h FLOP a token forward, three times that backward.
  const double forward =
      80 * (24.0 * 12288 * 12288 + 4.0 * 2048 * 12288) * 16384 * 2048 / (1024 * 0.8 * kA100);
  CHECK(time.forward == close_to(forward).within(1e-9));
  CHECK(time.backward == close_to(3 * forward).within(1e-9));
}

TEST_CASE("case study II: nodes of few A100, cards of all chips together among them") {
  for (const std::int64_t chips : {1, 2, 4, 8}) {
    for (const bool pipeline : {false, true}) {
      const AmpedStudy study = case_ii(chips, pipeline);
      CHECK(study.system.dimensions[0].size == chips);
      CHECK(study.system.dimensions[1].size == 1024 / chips);
      CHECK(study.system.dimensions[1].link_bytes_per_s ==
            close_to(12.5e9 * static_cast<double>(chips)));
      CHECK(study.degrees.inside.tensor == chips);
      CHECK(study.degrees.among.pipeline == (pipeline ? 1024 / chips : 1));
      CHECK(study.degrees.among.data == (pipeline ? 1 : 1024 / chips));
      CHECK(study.training.batch == 8192);
      CHECK(study.training.tokens == 300e9);
      CHECK_FALSE(study.training.recompute);
      CHECK(study.training.bubble == BubbleForm::literal);
      CHECK(study.time().efficiency == close_to(0.8));
    }
  }
}

TEST_CASE("a network like GLaM: 64 layers of 8,192, sequences of 1,024") {
  const Workload workload = glam_like();
  REQUIRE(workload.operators.size() == 66);
  const auto& first = std::get<EmbeddingOperator>(workload.operators[0].kind);
  CHECK(workload.operators[0].after.empty());
  CHECK(count(first).parameters == std::int64_t{256'000} * 8192);
  for (std::size_t layer = 1; layer <= 64; ++layer) {
    const auto& layer_shape = std::get<TransformerOperator>(workload.operators[layer].kind);
    CHECK(workload.operators[layer].name == "layer." + std::to_string(layer));
    CHECK(workload.operators[layer].after == std::vector<std::size_t>{layer - 1});
    CHECK(layer_shape.sequence == 1024);
    CHECK(layer_shape.hidden == 8192);
    CHECK(layer_shape.heads == 128);
    CHECK(layer_shape.key_value_heads == 128);
    CHECK(layer_shape.feed_forward == 32768);
  }
  CHECK(workload.operators[65].after == std::vector<std::size_t>{64});
  // Two FLOP for each word, channel and token.
  CHECK(count(workload.operators[65].kind).matrix_flop == 2 * std::int64_t{256'000} * 8192 * 1024);
}

TEST_CASE("case study III: 3,072 H100 at 8 bits, 64 experts of which two are active") {
  const AmpedStudy study = case_iii({48, 900e9, 450e9});
  CHECK(study.network.experts == 64);
  CHECK(study.system.chips() == 3072);
  CHECK(study.system.dimensions[0].size == 48);
  CHECK(study.system.dimensions[0].link_bytes_per_s == 900e9);
  CHECK(study.system.dimensions[0].latency_s == 0);
  CHECK(study.system.dimensions[1].size == 64);
  CHECK(study.system.dimensions[1].link_bytes_per_s == 450e9);
  CHECK(study.degrees.inside.tensor == 48);
  CHECK(study.degrees.among.data == 64);
  CHECK(study.training.batch == 8192);
  CHECK(study.training.parameter_bits == 8);
  CHECK(study.training.activation_bits == 8);
  CHECK(study.training.gradient_bits == 8);
  CHECK_FALSE(study.training.recompute);
  CHECK(study.time().efficiency == close_to(0.8));
}

TEST_CASE("nodes of case study III: NVLink of H100 and NDR, and fibers of a substrate") {
  // 3.6 Tbit/s each way of a chip (AMPeD's Table IV), 400 Gbit/s of a card.
  CHECK(electrical_node().chips == 8);
  CHECK(electrical_node().link_bytes_per_s == close_to(450e9));
  CHECK(electrical_node().among_bytes_per_s == close_to(50e9));
  // 24 of 48 chips have fibers: half a chip's bandwidth for each; four times as fast at four times.
  CHECK(optical_node(24, 48, 1).link_bytes_per_s == close_to(450e9));
  CHECK(optical_node(24, 48, 1).among_bytes_per_s == close_to(225e9));
  CHECK(optical_node(24, 48, 4).link_bytes_per_s == close_to(1800e9));
  CHECK(optical_node(24, 48, 4).among_bytes_per_s == close_to(900e9));
  CHECK(optical_node(8, 8, 1).among_bytes_per_s == close_to(450e9));
}

}  // namespace
}  // namespace waferloom::planner
