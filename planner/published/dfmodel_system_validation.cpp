#include <fmt/format.h>

#include <cmath>

#include "planner/design_space.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/dfmodel/systems/science_workloads.h"
#include "planner/dfmodel/systems/sharding.h"
#include "planner/system_plan.h"
#include "planner/validation.h"

namespace waferloom::planner {
namespace {

using Topology = DimensionTopology;

constexpr const char* kModel = "DFModel";
constexpr const char* kRepository = "log of the public repository";
constexpr const char* kByHand = "by hand";

ValidationRow row(RowKind kind, std::string name, std::string unit, std::string source) {
  ValidationRow result;
  result.model = kModel;
  result.name = std::move(name);
  result.unit = std::move(unit);
  result.source = std::move(source);
  result.kind = kind;
  const bool is_by_hand = kind == RowKind::closed_form;
  result.certainty = is_by_hand ? kByHand : "in paper";
  return result;
}

void add(std::vector<ValidationRow>& rows, ValidationRow row, const RowFigures& figures,
         std::string note = {}) {
  (row.kind == RowKind::closed_form ? row.derived : row.published) = figures.expected;
  row.ours = figures.ours;
  row.note = std::move(note);
  rows.push_back(std::move(row));
}

/// 1,024 SN30 as in the repository: 1,280 cores of 32 x 6 at 1.25 GHz, two twice.
System sn30_torus() {
  System system;
  system.name = "SN30, torus 8 x 128";
  system.chip.flop_per_s = 614.4e12;
  system.chip.sram_bytes = 671088640;
  system.chip.efficiency.limit = kDesignUtilisation;
  system.memories.push_back({"ddr", 1.0995116e12, 300e9});
  system.level_of.fill(kSramLevel + 1);
  for (const std::int64_t size : {8, 128}) {
    NetworkDimension ring;
    ring.size = size;
    ring.link_bytes_per_s = 50e9;
    system.dimensions.push_back(ring);
  }
  return system;
}

void add_transformers(std::vector<ValidationRow>& rows) {
  const auto from_log = [](const char* name, const char* unit, const char* source) {
    ValidationRow result = row(RowKind::reproduced, name, unit, source);
    result.certainty = "from repository";
    return result;
  };
  const TransformerJob small = design_job(DesignWorkload::gpt3_175b);
  const TransformerJob large = design_job(DesignWorkload::gpt3_1t);
  TransformerPass pass;
  pass.layers = small.layers;
  ShardingModel model;
  model.chips = 8;
  const ShardingResult sharded = best_sharding(transformer_graph(small.layer, pass), model);
  add(rows, from_log("sharding optimum of a GPT-3 layer", "bytes", kRepository),
      {100663296, sharded.cost},
      fmt::format("all-reduces behind Proj and FFN1; elimination of width {}", sharded.width));
  add(rows, from_log("GPT-3 175B FLOP", "FLOP", kRepository), {1.6874003603411436e18, small.flop()},
      "forward, 96 layers, batch 2,304");
  add(rows, from_log("GPT-3 1T FLOP", "FLOP", "read-me of the public repository"),
      {3.85072240461978e19, large.flop()},
      "128 layers, batch 3,072; backward: products twice, operations once, additions none");
  const System system = sn30_torus();
  ValidationRow reached = row(RowKind::not_judged, "GPT-3 1T on 1,024 SN30, torus 8 x 128, TP x PP",
                              "utilisation", "read-me of the public repository");
  reached.certainty = "from repository";
  const auto plans = ranked_system_plans(large, system, {}, Objective::time);
  add(rows, std::move(reached), {0.7748055154407518, plans.front().utilisation},
      fmt::format("ours: the best of all degrees, TP {} x PP {}, with a bubble and weights from "
                  "DRAM; its batch and backward mapping are not told",
                  plans.front().tensor, plans.front().pipeline));
}

NetworkDimension dimension(Topology topology, std::int64_t size) {
  NetworkDimension result;
  result.topology = topology;
  result.size = size;
  result.link_bytes_per_s = 1e9;
  result.latency_s = 1e-6;
  return result;
}

void add_networks(std::vector<ValidationRow>& rows) {
  struct Case {
    const char* name;
    std::vector<NetworkDimension> dimensions;
    double by_hand_us;
    const char* note;
  };
  const std::vector<Case> cases{
      {"all-reduce on a ring", {dimension(Topology::ring, 8)}, 28, "14 steps, 2 x 7/8"},
      {"all-reduce on a line", {dimension(Topology::line, 8)}, 42, "half the rate: 2 x 2 x 7/8"},
      {"all-reduce where all are connected",
       {dimension(Topology::fully_connected, 8)},
       4,
       "2 steps, 2 x 1/8"},
      {"all-reduce through a switch", {dimension(Topology::switched, 8)}, 20, "6 steps, 2 x 7/8"},
      {"all-reduce on a torus",
       {dimension(Topology::ring, 4), dimension(Topology::ring, 2)},
       22,
       "6 + 2 steps, 2 (3/4 + 1/2 x 1/4)"},
      {"all-reduce on a dragonfly",
       {dimension(Topology::fully_connected, 4), dimension(Topology::fully_connected, 2)},
       10,
       "2 + 2 steps, 2 (1/4 + 1/2 x 1/4)"},
      {"all-reduce on a mesh group of 3 x 3",
       {mesh_group(3, 3, {.bytes_per_s = 1e9, .latency_s = 1e-6})},
       16 + 4 * 8.0 / 9 * 8,
       "no Hamiltonian cycle: a line"},
  };
  for (const Case& study : cases) {
    constexpr double kBytes = 8000;
    constexpr double kMicro = 1e-6;
    const double ours =
        collective_rate(CollectiveKind::all_reduce, study.dimensions).seconds(kBytes) / kMicro;
    add(rows, row(RowKind::closed_form, study.name, "us", kByHand), {study.by_hand_us, ours},
        std::string(study.note) + " of 8,000 bytes; links of 1 GB/s, steps of 1 us");
  }
}

void add_sciences(std::vector<ValidationRow>& rows) {
  const System system = design_system({});
  // 1,024 chips of a 32 x 32 torus: 4 x D/B for each ring, D = 65,536 x 92 x 2 bytes, twice; all-
  // reduce of 20 (3,375^2 + 3,375) x 2 bytes, 2 x 1,023/1,024; 2 x 32 + 2 x 62 steps in all.
  const double part = 65536.0 * 92 * 2;
  const double layers = 227'880'000.0 * 2;
  add(rows, row(RowKind::closed_form, "DLRM, network on a 2-D torus", "s", kByHand),
      {(16 * part + layers * 2 * 1023 / 1024) / 25e9 + (2 * 32 + 2 * 62) * kDesignLatency,
       dlrm_time({}, system).network_s},
      "4 passes over 2 rings of 2 x 65,536 x 92 x 2 B, 2 x 1023/1024 of 2 x 227,880,000 B, 188 "
      "steps; PCIe");
  // 32 x 32: panels n^2 e / 64 and swaps 3 n^2 e / 64 by chains at the full rate.
  add(rows, row(RowKind::closed_form, "HPL, network on a 2-D torus", "s", kByHand),
      {(50e12 / 64 + 150e12 / 64) / 25e9 + (5e6 / 512 * 62 + 5e6 * 5) * kDesignLatency,
       hpl_time({}, system).network_s},
      "panels n^2 e / 64 and swaps 3 n^2 e / 64, 62 steps each of n / 512 panels, 5 n of swaps; "
      "PCIe");
  // Three all-to-alls of 4 GiB a chip on two rings of 32, whose links carry 4 times that each.
  add(rows, row(RowKind::closed_form, "FFT, network on a 2-D torus", "s", kByHand),
      {3 * (8 * 4294967296.0 / 25e9 + 32 * kDesignLatency), fft_time({}, system).network_s},
      "3 all-to-alls of 4 GiB a chip on two rings of 32, 8 times that over a link; PCIe");
}

/// Fig. 9 prints Y = 3e-7 X^2 - 4.3e-4 X + 0.04 (kW of TFLOP/s), which falls below 0.
void add_power(std::vector<ValidationRow>& rows) {
  for (const DesignChip& chip : kDesignChips) {
    const double x = chip.tflops;
    const double printed_w = 1000 * (3e-7 * x * x - 4.3e-4 * x + 0.04);
    add(rows,
        row(RowKind::not_judged, "Fig. 9's curve as printed, " + std::string(chip.name), "W",
            "Fig. 9"),
        {printed_w, silicon_power_w(x)}, "its sign makes no sense: we take + 4.3e-4 x");
  }
}

/// Which tendency a claim has beside ours; sizes are not judged, as they rest on assumptions.
std::string tendency(const DesignClaim& claim) {
  const std::string rule =
      claim.published == 1 ? "within 20 % of 1" : "beyond 1 on its side by 5 % or more";
  return claim.same_tendency
             ? "same tendency (" + rule + "); sizes, prices and latencies are assumed"
             : "not the same tendency (not " + rule +
                   ") under our sizes, prices and latencies: docs/design_space.md";
}

void add_claims(std::vector<ValidationRow>& rows, const RunControl& control) {
  for (const auto workload :
       {DesignWorkload::gpt3_1t, DesignWorkload::dlrm, DesignWorkload::hpl, DesignWorkload::fft}) {
    const auto sweep = design_sweep(design_work(workload), Objective::time, 1, control);
    control.end_if_cut();
    for (const DesignClaim& claim : design_claims(workload, sweep)) {
      const std::string name = "design space of " + std::string(design_workload_name(workload)) +
                               ": " + claim.name + ", " + claim.quantity;
      add(rows, row(RowKind::not_judged, name, "times", "section VI-C"),
          {claim.published, claim.ours}, tendency(claim));
    }
  }
}

}  // namespace

std::vector<ValidationRow> dfmodel_system_rows(const RunControl& control) {
  std::vector<ValidationRow> rows;
  add_transformers(rows);
  add_networks(rows);
  add_sciences(rows);
  add_power(rows);
  add_claims(rows, control);
  return rows;
}

}  // namespace waferloom::planner
