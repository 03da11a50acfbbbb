#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/plan.h"
#include "model/text.h"

namespace waferloom {

inline constexpr NumberRange kPlanDegree{1, 16'000'000};

/// A key whose value is a word of a list.
struct PlanWord {
  std::span<const std::string_view> words;
  std::size_t (*at)(const Plan&);
  void (*set)(Plan&, std::size_t at);
};
/// A key whose value is a whole number in a range.
struct PlanNumber {
  std::int64_t Plan::*member;
  NumberRange range;
};
/// A key whose value has a spelling of its own.
struct PlanSpelling {
  std::string_view pattern;  ///< as JSON Schema has it
  std::string (*expected)();
  std::string (*text)(const Plan&);
  bool (*set)(Plan&, const std::string& text);  ///< false if the text is not of this spelling
};
using PlanFlag = bool Plan::*;
using PlanText = std::string Plan::*;
using PlanNames = std::vector<std::string> Plan::*;

/// One key of a plan's file, but for `stages`, `degrees`, `layer` and `comment`. The table of them
/// drives reader, writer, reports and schema. Private to model/.
struct PlanKey {
  std::string_view name;
  std::string_view meaning;
  std::variant<PlanNumber, PlanWord, PlanSpelling, PlanFlag, PlanText, PlanNames> value;
};

/// All of them, in the order in which files are written.
std::span<const PlanKey> plan_keys();

}  // namespace waferloom
