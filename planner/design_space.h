#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "planner/dfmodel/systems/science_workloads.h"
#include "planner/system_plan.h"

namespace waferloom::planner {

// DFModel's design space (section VI-C): 4 chips (Table V) x 5 topologies x 2 memories x 2 links,
// each a system of 1,024 chips. Rates are the paper's. What it does not print is assumed, the same
// for all, and marked so: prices, capacity and power of memories, power of links, latencies.

struct DesignChip {
  std::string_view name;
  double tflops;      ///< Table V
  double sram_bytes;  ///< Table V
  ChipExecution execution;
};
inline constexpr std::array<DesignChip, 4> kDesignChips{{
    {"H100", 993, 113e6, ChipExecution::kernel_by_kernel},
    {"TPUv4", 275, 160e6, ChipExecution::kernel_by_kernel},
    {"SN30", 614, 640e6, ChipExecution::dataflow},
    {"WSE-2", 7500, 40e9, ChipExecution::dataflow},
}};

/// 1,024 chips each; how they are cut into dimensions is assumed. DGX-1: nodes of 8 in a ring (the
/// rings of its hybrid cube mesh) behind a switch; DGX-2: nodes of 16 at a switch behind another.
struct DesignTopology {
  std::string_view name;
  std::array<DimensionTopology, 3> kinds;
  std::array<std::int64_t, 3> sizes;  ///< 1: there is none
};
inline constexpr std::array<DesignTopology, 5> kDesignTopologies{{
    {"2-D torus",
     {DimensionTopology::ring, DimensionTopology::ring, DimensionTopology::ring},
     {32, 32, 1}},
    {"3-D torus",
     {DimensionTopology::ring, DimensionTopology::ring, DimensionTopology::ring},
     {16, 8, 8}},
    {"dragonfly",
     {DimensionTopology::fully_connected, DimensionTopology::fully_connected,
      DimensionTopology::ring},
     {32, 32, 1}},
    {"DGX-1",
     {DimensionTopology::ring, DimensionTopology::switched, DimensionTopology::ring},
     {8, 128, 1}},
    {"DGX-2",
     {DimensionTopology::switched, DimensionTopology::switched, DimensionTopology::ring},
     {16, 64, 1}},
}};

struct DesignMemory {
  std::string_view name;
  double bytes_per_s;  ///< section VI-C
  double price_usd;    ///< assumed, of a chip's
  double power_w;      ///< assumed
};
/// Assumed, of both, so that they differ by their rates alone as in the paper.
inline constexpr double kDesignMemoryBytes = 1.1e12;
inline constexpr std::array<DesignMemory, 2> kDesignMemories{{
    {"DDR", 200e9, 1000, 20},
    {"HBM", 3000e9, 4000, 60},
}};

struct DesignLink {
  std::string_view name;
  double bytes_per_s;  ///< section VI-C
  double price_usd;    ///< assumed
  double power_w;      ///< assumed
};
inline constexpr std::array<DesignLink, 2> kDesignLinks{{
    {"PCIe", 25e9, 200, 3},
    {"NVLink", 900e9, 1000, 15},
}};
inline constexpr double kDesignLatency = 500e-9;   ///< assumed, of a step
inline constexpr double kDesignUtilisation = 0.9;  ///< DFModel's set-up files

/// Watts of silicon of so many TFLOP/s: Fig. 9's curve, 3e-7 x^2 + 4.3e-4 x + 0.04 kW. Printed with
/// - 4.3e-4 x, which is below 0 for three of its four chips (-91 W for an H100); with + it is 763 W
/// for an H100 and 20.1 kW for a WSE-2, near what their makers say.
double silicon_power_w(double tflops);
/// The same with the sign as printed.
double silicon_power_as_printed_w(double tflops);
/// Dollars of such silicon: 0.025 x^2 + 5 x, assumed; the paper says that the trend is similar and
/// does not show it.
double silicon_price_usd(double tflops);

/// Indices into the four tables.
struct DesignPoint {
  std::size_t chip = 0;
  std::size_t topology = 0;
  std::size_t memory = 0;
  std::size_t link = 0;
  bool operator==(const DesignPoint&) const = default;
};
inline constexpr std::size_t kDesignPoints =
    kDesignChips.size() * kDesignTopologies.size() * kDesignMemories.size() * kDesignLinks.size();
/// All 80, by chip, topology, memory, link.
std::vector<DesignPoint> design_points();
System design_system(const DesignPoint& point);

enum class DesignWorkload : std::uint8_t { gpt3_175b, gpt3_1t, dlrm, hpl, fft };
inline constexpr std::array<std::string_view, 5> kDesignWorkloadNames{"gpt3-175b", "gpt3-1t",
                                                                      "dlrm", "hpl", "fft"};
std::string_view design_workload_name(DesignWorkload workload);
/// GPT-3 175B: 96 layers, batch 2,304, forward alone, as DFModel's set-up files. GPT-3 1T: 128
/// layers, batch 3,072, trained.
TransformerJob design_job(DesignWorkload workload);

/// Whatever can be put onto a system.
using DesignWork = std::variant<TransformerJob, DlrmWorkload, HplWorkload, FftWorkload>;
DesignWork design_work(DesignWorkload workload);

/// What a workload reaches on a system.
struct DesignResult {
  double step_s = 0;
  double flop = 0;
  // Busy times, some of it at once; of transformers also the bubble, when all wait.
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double bubble_s = 0;
  double utilisation = 0;            ///< of the chips' peak
  double flop_per_usd_s = 0;         ///< cost efficiency: FLOP/s for a dollar of the system
  double flop_per_joule = 0;         ///< power efficiency
  std::optional<SystemPlan> plan{};  ///< of transformers
  std::string problem{};             ///< why nothing is possible
};

/// The best plan by `objective` of a transformer; the closed forms of all others. Throws
/// RequestError for a transformer that cannot be.
DesignResult design_result(const DesignWork& work, const System& system, ChipExecution execution,
                           Objective objective);

/// Of all points, in their order, on so many threads. `is_over`, if there is one, is asked before
/// each point; when it says so, the points that are left have a problem and no figures.
std::vector<DesignResult> design_sweep(const DesignWork& work, Objective objective, int threads,
                                       const std::function<bool()>& is_over = {});

/// A claim of section VI-C: how many times as much of a quantity some points reach as others, by
/// the means over the points of each side.
struct DesignClaim {
  std::string name;      ///< "SN30 over H100, TPUv4"
  std::string quantity;  ///< "utilisation", "cost efficiency", "power efficiency"
  double published = 0;
  double ours = 0;
  /// Whether ours is beyond 1 on the same side, by a twentieth at least; of a claim that nothing
  /// changes (1), whether it is within a fifth of 1.
  bool same_tendency = false;
  /// |ours - published| / published.
  double error() const;
};
/// All claims about a workload; none about GPT-3 175B. `sweep` is design_sweep's.
std::vector<DesignClaim> design_claims(DesignWorkload workload,
                                       const std::vector<DesignResult>& sweep);

}  // namespace waferloom::planner
