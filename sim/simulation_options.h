#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/option_spec.h"

namespace waferloom::sim {

/// Options of whatever simulates. Defaults are those of SimulateOptions.
OptionSpec network_option();
OptionSpec routing_option();
OptionSpec samples_option();
/// Where routes may be planned, which is the default then, as that of plans.
OptionSpec planned_routing_option();

OptionSpec hardware_option();
/// "wse1 (default), wse2, … or a JSON file.": the presets, which are part of the program, with
/// notes behind some; of meshes alone if told so.
std::string hardware_help(const std::map<std::string_view, std::string_view>& notes,
                          bool meshes_alone = false);

/// The hardware of networks where none is named: the default of cases has no rates of FLOP.
inline constexpr std::string_view kNetworkHardware = "palm_wafer";

/// Of a pipeline's run: network, routing, samples, training, no-extrapolation, top.
std::vector<OptionSpec> simulation_options();

/// Of a plan's run: allow-infeasible, no-dram.
std::vector<OptionSpec> plan_run_options();

/// Of the run of a message set, besides network and routing.
std::vector<OptionSpec> message_options();

/// How long groups of tiles take to exchange data: algorithm, bytes, count, stepwise, network,
/// routing; and of a transfer from group to group strategy, adapters, spread.
std::vector<OptionSpec> collective_options();
std::vector<OptionSpec> transfer_options();

}  // namespace waferloom::sim
