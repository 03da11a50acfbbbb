#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"
#include "planner/design_space.h"

namespace waferloom::planner {

/// What a picture shows.
enum class SystemsQuantity : std::uint8_t { utilisation, cost, power, time };
inline constexpr std::array<std::string_view, 4> kSystemsQuantityNames{"utilisation", "cost",
                                                                       "power", "time"};

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

// Reports of schema waferloom/systems/1.
/// Of the 80 systems.
Json design_json(const SystemsJob& job, const std::vector<DesignResult>& results);
/// Of the plans of a transformer on one system, ranked.
Json plans_json(const SystemsJob& job, const std::vector<SystemPlan>& plans);
/// Of something else on one system.
Json result_json(const SystemsJob& job, const DesignResult& result);

/// Chip, topology, memory, links.
std::vector<std::string> design_names(const DesignPoint& point);

}  // namespace waferloom::planner
