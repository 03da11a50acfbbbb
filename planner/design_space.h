#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/hardware.h"
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

/// A choice that a design space offers: keys of a machine's file that it sets over the base.
struct DesignChoice {
  std::string name;
  std::vector<MachineChange> set{};
  ChipExecution execution = ChipExecution::dataflow;  ///< of a chip
};

/// DFModel's design space (section VI-C): a machine of 1,024 chips for each choice of a chip
/// (Table V), a topology, a memory and links. design_space.json has the figures and says which of
/// them are the paper's.
struct DesignSpace {
  JsonValue base{};  ///< a machine's file, over which a choice of each list is set
  std::vector<DesignChoice> chips;
  std::vector<DesignChoice> topologies;
  std::vector<DesignChoice> memories;
  std::vector<DesignChoice> links;
};
const DesignSpace& design_space();

/// Indices into the four lists of design_space().
struct DesignPoint {
  std::size_t chip = 0;
  std::size_t topology = 0;
  std::size_t memory = 0;
  std::size_t link = 0;
  bool operator==(const DesignPoint&) const = default;
};
/// All 80, by chip, topology, memory, link.
std::vector<DesignPoint> design_points();
/// Named "SN30, 3-D torus, HBM, PCIe"; dimensions of one chip are left out.
System design_system(const DesignPoint& point);

enum class DesignWorkload : std::uint8_t { gpt3_175b, gpt3_1t, dlrm, hpl, fft };
inline constexpr std::array<std::string_view, 5> kDesignWorkloadNames{"gpt3-175b", "gpt3-1t",
                                                                      "dlrm", "hpl", "fft"};
std::string_view design_workload_name(DesignWorkload workload);
/// GPT-3 175B: 96 layers, batch 2,304, forward only, as in DFModel's set-up files. GPT-3 1T: 128
/// layers, batch 3,072, training.
TransformerJob design_job(DesignWorkload workload);

/// A workload that a system can run.
using DesignWork = std::variant<TransformerJob, NetworkJob, DlrmWorkload, HplWorkload, FftWorkload>;
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
  std::optional<SystemPlan> plan{};  ///< of networks
  std::string problem{};             ///< why nothing is possible
};

/// A network gets its best plan by `objective`, any other workload its closed form. Throws
/// RequestError for a network that is not valid (check_job).
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
  std::optional<double> batch{};              ///< of a network
  bool forward = false;                       ///< of a network
};
inline constexpr double kSystemsBatch = 1024;  ///< where none is given
Options<SystemsChoice> systems_options();
/// Of plans of one system.
OptionSpec execution_option();

// Reports of schema waferloom/systems/1.
/// Of the 80 systems.
Report design_report(const SystemsJob& job, const std::vector<DesignResult>& results);
/// Of the plans of a network on one system, ranked.
Report plans_report(const SystemsJob& job, const std::vector<SystemPlan>& plans);
std::string systems_schema();

/// Chip, topology, memory, links.
std::vector<std::string> design_names(const DesignPoint& point);

}  // namespace waferloom::planner
