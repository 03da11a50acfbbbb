#include "cli/commands/sweep/swept_commands.h"

#include <algorithm>
#include <array>
#include <string>

#include "cli/commands/program.h"
#include "cli/options/arguments.h"
#include "cli/options/output_options.h"
#include "planner/design_space.h"

namespace waferloom::cli {
namespace {

constexpr std::array kSwept{"plan",          "place",         "score",
                            "route",         "simulate",      "collective",
                            "model amped",   "model dfmodel", "model centimani",
                            "model serving", "model tile",    "model systems"};

/// Options of all commands that may be axes; the others are exec's own.
constexpr std::array kCommonAxes{"seed", "effort", "time-limit"};

cluster::SweptCommand swept(const Command& command) {
  cluster::SweptCommand swept{.name = command.name};
  for (const OperandSpec& operand : command.operands) {
    swept.operands.push_back({operand.name, operand.required});
  }
  for (const OptionSpec& option : command.options) {
    if (!is_output(command.name, option)) {
      swept.options.push_back(option);
    } else if (option.required) {
      swept.outputs.push_back(option.name);
    }
  }
  for (const std::string name : kCommonAxes) {
    if (std::find(command.idle.begin(), command.idle.end(), name) != command.idle.end()) continue;
    swept.options.push_back(option_named(common_options(), name));
    if (name == "effort") swept.effort = swept.options.back().fallback;
  }
  if (command.name == "model systems") {
    swept.networks = {planner::kDesignWorkloadNames.begin(), planner::kDesignWorkloadNames.end()};
  }
  return swept;
}

}  // namespace

std::vector<cluster::SweptCommand> swept_commands() {
  std::vector<cluster::SweptCommand> commands;
  for (const char* name : kSwept) commands.push_back(swept(*command_named(name)));
  return commands;
}

}  // namespace waferloom::cli
