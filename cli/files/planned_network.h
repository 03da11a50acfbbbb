#pragma once

#include <string>

#include "cli/console/failure.h"
#include "cli/console/warnings.h"
#include "cli/options/options.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"
#include "sim/simulate.h"

namespace waferloom::cli {

/// What the command line says of WORKLOAD --plan PLAN.
struct PlannedNetworkFiles {
  std::string workload;  ///< a preset or a file
  std::string plan;
  const MachineChoice& machine;
  std::string wafer{};  ///< a file whose dead tiles count in place of the machine's; empty: none
};

/// A network, a plan of it of any way, and the machine that both are read beside: the one door of
/// all commands that take WORKLOAD --plan PLAN.
struct PlannedNetwork {
  Workload workload;
  std::string source;  ///< of the plan, for messages
  std::string text;    ///< of its file
  AnyPlan plan;
  Hardware hardware;
  std::string machine;  ///< for messages

  /// Nothing where the plan is of another way.
  const Plan* cut() const { return std::get_if<Plan>(&plan); }
};

/// Reads all three. Without --hardware the machine is the preset that the plan was made for, or
/// palm_wafer where the plan does not say. Warns where the plan was made for another network or
/// machine. Throws InputError where a plan's operators are those of a network of another name, and
/// Failure, also where --hardware has to say what no preset is.
PlannedNetwork read_planned_network(const PlannedNetworkFiles& files, const CommonOptions& common,
                                    Warnings& warnings);

/// Does something, and blames a plan for what does not fit: the key that asks for it in vain, if
/// that is known.
template <typename Work>
auto blaming(const PlannedNetwork& planned, const Work& work) {
  return blaming(planned.source, [&] {
    try {
      return work();
    } catch (const PlanFault& fault) {
      throw plan_error(planned.text, planned.source, fault);
    } catch (const InfeasibleError& error) {
      throw InfeasibleError(blamed(planned.source, error));
    }
  });
}

}  // namespace waferloom::cli
