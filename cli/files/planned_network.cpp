#include "cli/files/planned_network.h"

#include <fmt/format.h>

#include <utility>

#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/workload_file.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom::cli {
namespace {

/// Where no --hardware is given: what the plan was made for.
std::string default_machine(const std::string& source, const AnyPlan& plan) {
  const std::string name(hardware_of(plan));
  if (name.empty()) return std::string(sim::kNetworkHardware);
  if (machine_preset(name)) return name;
  throw Failure(FailureKind::usage, source + ": expected --hardware FILE: the plan is for " +
                                        in_quotes(name) + ", which is no preset");
}

/// The hardware with the dead tiles of a file `wafer`, unless that is empty, in place of its own.
Hardware with_wafer_of(Hardware hardware, const std::string& wafer, const CommonOptions& common) {
  if (wafer.empty()) return hardware;
  const std::string source = source_name(wafer);
  const WaferFile file = read_wafer(read_input(wafer, common), source);
  if (file.wafer.width != hardware.wafer.width || file.wafer.height != hardware.wafer.height) {
    throw InputError(
        source, kWholeSource,
        fmt::format("expected a wafer of {} x {} tiles, as the hardware has, found {} x {}",
                    hardware.wafer.width, hardware.wafer.height, file.wafer.width,
                    file.wafer.height));
  }
  hardware.wafer = file.wafer;
  return hardware;
}

}  // namespace

PlannedNetwork read_planned_network(const PlannedNetworkFiles& files, const CommonOptions& common,
                                    Warnings& warnings) {
  Workload workload = read_workload_named(files.workload, "CASE", common);
  const std::string source = source_name(files.plan);
  std::string text = read_input(files.plan, common);
  AnyPlan plan = read_any_plan(text, source);
  const std::string_view network = network_of(plan);
  if (!std::holds_alternative<Plan>(plan) && network != workload.name) {
    throw InputError(source, kWholeSource,
                     fmt::format("the plan is for {}, not for {}", network, workload.name));
  }
  const std::string machine =
      files.machine.name ? *files.machine.name : default_machine(source, plan);
  Hardware hardware =
      with_wafer_of(read_fabric(files.machine, machine, common), files.wafer, common);
  for (const std::string& other : made_for_others(made_for(plan), workload, hardware)) {
    warnings.add(fmt::format("{}: {}", source, other));
  }
  return {std::move(workload), source, std::move(text), std::move(plan),
          std::move(hardware), machine};
}

}  // namespace waferloom::cli
