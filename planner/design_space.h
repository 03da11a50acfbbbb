#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/option_spec.h"
#include "model/report.h"
#include "model/run_control.h"
#include "planner/system_plan.h"

namespace waferloom::planner {

/// A recommendation model (793B parameters): tables of vectors, and fully connected layers. Tables
/// are spread over all chips, the layers are on every chip (Mudigere et al., ISCA 2022).
struct DlrmWorkload {
  double tables = 1024;     ///< assumed: one for each of 1,024 chips
  double rows = 8'415'125;  ///< assumed, so that parameters are 793e9 to a part in a million
  double dimension = 92;    ///< assumed
  double pooling = 15;      ///< assumed: rows of a table that a sample adds
  double layers = 20;       ///< assumed
  double width = 3375;      ///< assumed: of each layer's inputs and outputs
  double batch = 65536;     ///< assumed: samples of a step
  double element_bytes = 2;
  double table_parameters() const { return tables * rows * dimension; }
  double layer_parameters() const { return layers * (width * width + width); }
  double parameters() const { return table_parameters() + layer_parameters(); }
};

/// HPLinpack: a dense system of n equations, LU with partial pivoting in panels of `block` columns.
struct HplWorkload {
  double n = 5e6;
  double block = 512;        ///< assumed
  double element_bytes = 2;  ///< assumed: as wide as those of Table V's peaks; HPL's rules say 8
};

/// A one-dimensional complex Fourier transform of 2^log2_points points, spread over all chips.
struct FftWorkload {
  std::int64_t log2_points = 40;
  double point_bytes = 4;  ///< assumed: two numbers as wide as those of Table V's peaks
  double points() const;
};

// DFModel's design space (section VI-C): 4 chips (Table V) x 5 topologies x 2 memories x 2 links.
// Each is a system of 1,024 chips. Rates are the paper's. The paper does not print prices, the
// capacity and power of memories, the power of links, and latencies. They are assumed, equal for
// all systems, and marked "assumed".

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

/// Topologies of 1,024 chips. Their division into dimensions is assumed. DGX-1: a node is a ring of
/// 8 chips (a ring of its hybrid cube mesh), and a switch joins the nodes. DGX-2: a switch joins
/// the 16 chips of a node, and another switch joins the nodes.
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
  double price_usd;    ///< assumed, for the memory of a chip
  double power_w;      ///< assumed
};
/// Assumed, equal for both memories: so they differ only by their rates, as in the paper.
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
inline constexpr double kDesignLatency = 500e-9;   ///< assumed, seconds of a step
inline constexpr double kDesignUtilisation = 0.9;  ///< DFModel's set-up files

/// Watts of silicon with x = `tflops`: the curve of Fig. 9, 3e-7 x^2 + 4.3e-4 x + 0.04 kW. The
/// paper prints - 4.3e-4 x. That is below 0 for three of its four chips (-91 W for an H100). With +
/// it gives 763 W for an H100 and 20.1 kW for a WSE-2, near the makers' figures.
double silicon_power_w(double tflops);
/// Dollars of such silicon: 0.025 x^2 + 5 x. This is assumed: the paper says that the trend is
/// similar, but does not show it.
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
/// GPT-3 175B: 96 layers, batch 2,304, forward only, as in DFModel's set-up files. GPT-3 1T: 128
/// layers, batch 3,072, training.
TransformerJob design_job(DesignWorkload workload);

/// A workload that a system can run.
using DesignWork = std::variant<TransformerJob, DlrmWorkload, HplWorkload, FftWorkload>;
DesignWork design_work(DesignWorkload workload);

/// What a workload reaches on a system.
struct DesignResult {
  double step_s = 0;
  double flop = 0;
  // Busy times; they may overlap. Transformers also have the bubble, in which chips wait.
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

/// A transformer gets its best plan by `objective`, any other workload its closed form. Throws
/// RequestError for a transformer that is not valid (check_job).
DesignResult design_result(const DesignWork& work, const System& system, ChipExecution execution,
                           Objective objective);

/// The results of all points, in their order, on `threads` threads. The control is asked before
/// each point. Once it is cut, the points that are left have a problem and no figures.
std::vector<DesignResult> design_sweep(const DesignWork& work, Objective objective, int threads,
                                       const RunControl& control = {});

/// A claim of section VI-C: the ratio of a quantity's mean over some points to its mean over
/// others.
struct DesignClaim {
  std::string name;      ///< "SN30 over H100, TPUv4"
  std::string quantity;  ///< "utilisation", "cost efficiency", "power efficiency"
  std::string figure;    ///< its name among the figures of `validate`
  double published = 0;
  double ours = 0;
  /// Whether our ratio shows the same tendency. If the published ratio is 1 (no change): ours is
  /// within a fifth of 1. Otherwise: ours is on the same side of 1, by a twentieth or more.
  bool same_tendency = false;
  /// |ours - published| / published.
  double error() const;
};
/// All claims about a workload; there are none about GPT-3 175B. `sweep` is the result of
/// design_sweep.
std::vector<DesignClaim> design_claims(DesignWorkload workload,
                                       const std::vector<DesignResult>& sweep);

/// What a picture shows.
enum class SystemsQuantity : std::uint8_t { utilisation, cost, power, time };
inline constexpr std::array<std::string_view, 4> kSystemsQuantityNames{"utilisation", "cost",
                                                                       "power", "time"};
constexpr std::span<const std::string_view> words_of(SystemsQuantity /*of*/) {
  return kSystemsQuantityNames;
}

/// A workload on the systems of the design space, or on one system.
struct SystemsJob {
  std::string name;
  DesignWork work{};
  std::optional<DesignWorkload> known{};  ///< one of the paper's
  Objective objective = Objective::time;
  SystemsQuantity quantity = SystemsQuantity::utilisation;
  std::optional<System> system{};  ///< none: the design space
  ChipExecution execution = ChipExecution::dataflow;
  std::size_t top = 10;
};

/// What the model is asked for; what is nothing is not given.
struct SystemsChoice {
  Objective objective = Objective::time;
  std::optional<SystemsQuantity> quantity{};  ///< of the 80 systems
  MachineChoice machine{};                    ///< in their place
  std::optional<ChipExecution> execution{};   ///< of that system
  std::optional<std::size_t> top{};           ///< of that system
  std::optional<double> batch{};              ///< of a network
  bool forward = false;                       ///< of a network
};
inline constexpr double kSystemsBatch = 1024;  ///< where none is given
Options<SystemsChoice> systems_options();

// Reports of schema waferloom/systems/1.
/// Of the 80 systems.
Report design_report(const SystemsJob& job, const std::vector<DesignResult>& results);
/// Of the plans of a transformer on one system, ranked.
Report plans_report(const SystemsJob& job, const std::vector<SystemPlan>& plans);
/// Of something else on one system.
Report result_report(const SystemsJob& job, const DesignResult& result);
std::string systems_schema();

/// Chip, topology, memory, links.
std::vector<std::string> design_names(const DesignPoint& point);

}  // namespace waferloom::planner
