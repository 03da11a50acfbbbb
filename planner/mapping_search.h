#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/cycle_model.h"

namespace waferloom::planner {

/// How the best mapping is looked for.
enum class MappingMethod : std::uint8_t {
  automatic,  ///< ideals if there are not too many, else CBC from the best cut
  ideals,     ///< dynamic program over order ideals: exact
  cbc,        ///< mixed-integer program
  cuts,       ///< pieces of a few orders: no proof
};
inline constexpr std::array<std::string_view, 4> kMappingMethodNames{"automatic", "ideals", "cbc",
                                                                     "cuts"};
std::string_view mapping_method_name(MappingMethod method);

struct MappingSearchOptions {
  std::optional<std::size_t> partitions{};  ///< exactly so many; nothing: as many as are best
  MappingMethod method = MappingMethod::automatic;
  std::size_t most_ideals = 60'000;
  double time_limit_s = 60;             ///< of the whole search; CBC has what is left of it
  std::int64_t most_nodes = 1'000'000;  ///< of CBC alone
  /// Compute by cycles instead of FLOP / rate; not with CBC.
  std::optional<CycleChip> cycles{};
  std::function<bool()> stopped{};
};

struct FoundMapping {
  Partitions partitions;    ///< empty: there is none; then `why_infeasible` says why
  MappingCost cost;         ///< by mapping_cost (cycle_mapping_cost), whoever found it
  double bound_s = 0;       ///< no mapping takes less
  bool is_optimal = false;  ///< proved: by all ideals, or by CBC within its tolerances
  MappingMethod method = MappingMethod::cuts;  ///< that `partitions` are of
  std::size_t ideals = 0;                      ///< 0: not enumerated, or more than allowed
  std::uint64_t transitions = 0;
  std::int64_t nodes = 0;  ///< of CBC
  std::string why_infeasible;
  /// (total - bound) / total; 0 if optimal.
  double gap() const;
};

/// The mapping of least total time that fits SRAM and DRAM. Interchangeable kernels are searched
/// in one order only (twin_kernels.h). Everything is re-evaluated by the one cost function; an
/// answer of CBC that does not fit by it is dropped. Deterministic unless a time limit cuts CBC.
/// Throws RequestError for more than kMostMappedKernels kernels, for 0 partitions or more
/// than kernels, for `ideals` where there are more than allowed, and for `cbc` with cycles or a
/// program of more than kMostMappingVariables.
FoundMapping best_mapping(const MappingProblem& problem, const MappingSearchOptions& options = {});

inline constexpr std::size_t kMostMappedKernels = 4096;

/// max(all compute, all network, all bytes that move anyhow) + all loading of weights.
double least_total_s(const MappingProblem& problem);

}  // namespace waferloom::planner
