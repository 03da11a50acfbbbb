#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/run_control.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/cycle_model.h"

namespace waferloom::planner {

/// How the best mapping is looked for.
enum class MappingMethod : std::uint8_t {
  automatic,  ///< ideals if there are not too many, else CBC from the best cut
  ideals,     ///< dynamic program over order ideals: exact
  cbc,        ///< mixed-integer program
  cuts,       ///< best cut of a few orders of the kernels: no proof
};
inline constexpr std::array<std::string_view, 4> kMappingMethodNames{"automatic", "ideals", "cbc",
                                                                     "cuts"};
std::string_view mapping_method_name(MappingMethod method);

struct MappingSearchOptions {
  std::optional<std::size_t> partitions{};  ///< exactly this number; nothing: any number
  MappingMethod method = MappingMethod::automatic;
  std::size_t most_ideals = 60'000;
  double time_limit_s = 60;             ///< of the whole search; CBC gets the rest of it
  std::int64_t most_nodes = 1'000'000;  ///< of CBC alone
  /// Compute by cycles instead of FLOP / rate; not with CBC.
  std::optional<CycleChip> cycles{};
  RunControl control{};  ///< ends the search early, with what it has
};

struct FoundMapping {
  Partitions partitions;    ///< empty: there is none; then `why_infeasible` says why
  MappingCost cost;         ///< by mapping_cost or cycle_mapping_cost, for every method
  double bound_s = 0;       ///< no mapping takes less
  bool is_optimal = false;  ///< proved: by all ideals, or by CBC within its tolerances
  MappingMethod method = MappingMethod::cuts;  ///< the method that found `partitions`
  std::size_t ideals = 0;                      ///< 0: not enumerated, or more than allowed
  std::uint64_t transitions = 0;
  std::int64_t nodes = 0;  ///< of CBC
  std::string why_infeasible;
  /// (total - bound) / total; 0 if optimal.
  double gap() const;
};

/// The mapping of least total time that fits SRAM and DRAM. The search tries only one order of
/// interchangeable kernels (twin_kernels.h). The same cost function prices every answer; an answer
/// of CBC that does not fit by it is dropped. Deterministic unless a time limit cuts CBC.
/// Throws RequestError in these cases: there are no kernels or more than kMostMappedKernels; the
/// number of partitions is 0 or more than the kernels; `ideals` is asked and there are more than
/// allowed; `cbc` is asked with cycles, or with more than kMostMappingVariables variables.
FoundMapping best_mapping(const MappingProblem& problem, const MappingSearchOptions& options = {});

inline constexpr std::size_t kMostMappedKernels = 4096;

/// A lower bound on the total of any mapping: max(all compute, all network, all bytes that kernels
/// themselves read and write in DRAM) + all loads of weights, of which as many are streamed as
/// pays.
double least_total_s(const MappingProblem& problem);

}  // namespace waferloom::planner
