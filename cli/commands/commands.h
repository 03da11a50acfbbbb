#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"

namespace waferloom::cli {

// One file a command, named as it: place.cpp, model_amped.cpp; contest_form.cpp is the contest's.

const Command& plan_command();
const Command& place_command();
const Command& score_command();
const Command& route_command();
const Command& simulate_command();
const Command& optimize_command();
const Command& draw_command();
const Command& bench_command();
const Command& cases_command();
const Command& workload_command();
const Command& import_command();
const Command& hardware_command();
const Command& collective_command();
const Command& validate_command();
const Command& schema_command();
const Command& model_amped_command();
const Command& model_dfmodel_command();
const Command& model_systems_command();
const Command& model_centimani_command();
const Command& model_serving_command();
const Command& model_tile_command();
const Command& sweep_plan_command();
const Command& sweep_exec_command();
const Command& sweep_submit_command();
const Command& sweep_status_command();
const Command& sweep_cancel_command();
const Command& sweep_collect_command();
const Command& sweep_report_command();
/// The contest's own form, `waferloom kgraph=F output=F …`, which has no command word.
const Command& contest_form();

/// Whether a first argument begins the contest's form: a word, then '='.
bool is_contest_setting(const std::string& argument);

}  // namespace waferloom::cli
