#include "model/hardware.h"

#include <optional>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/progress.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/files/result_target.h"
#include "cli/options/command_rows.h"
#include "cli/summaries/hardware_summary.h"
#include "planner/system_plan.h"
#include "viz/fabric.h"

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct MachineRequest {
  CommonOptions common;
  MachineChoice hardware;
  bool json = false;
  std::optional<std::string> output;
  std::vector<std::string> draw;
};

std::vector<Machine> presets() {
  std::vector<Machine> all;
  for (const std::string_view name : machine_preset_names()) {
    all.push_back(preset_machine(name).value());
  }
  return all;
}

/// A mesh or torus of a file's tiles, with its ports; of other machines, how their chips are
/// joined.
std::string drawn_machine(const Machine& machine, viz::PictureFormat format) {
  const bool has_tiles = machine.fabric && !planner::has_fabric_of_chips(machine);
  return has_tiles ? viz::draw_fabric(viz::hardware_fabric(*machine.fabric), format)
                   : viz::draw_chip_network(machine, format);
}

/// What is written beside stdout; made before work begins.
struct HardwareOutputs {
  std::optional<ResultTarget> file;
  std::vector<PictureFile> pictures;

  explicit HardwareOutputs(const MachineRequest& request) {
    if (request.output) file.emplace(*request.output);
    for (const std::string& path : request.draw) {
      pictures.push_back(picture_file("--draw", path));
    }
  }

  /// check_distinct over all of them, the report and the input.
  void check(const ReportTarget& report, const MachineChoice& machine) const {
    std::vector<const OutputFile*> files;
    if (file && file->file() != nullptr) files.push_back(file->file());
    for (const PictureFile& picture : pictures) files.push_back(&picture.file);
    if (report.file() != nullptr) files.push_back(report.file());
    check_distinct(files, machine_inputs(machine));
  }

  void write(const Machine& machine, Progress& progress) const {
    std::vector<std::string> drawn;
    for (const PictureFile& picture : pictures) {
      drawn.push_back(drawn_machine(machine, picture.format));
    }
    if (file && !file->on_stdout()) {
      file->replace(machine_text(machine));
      progress.note("hardware written to " + file->name());
    }
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      pictures[i].file.write(drawn[i]);
      progress.note("picture written to " + pictures[i].file.path());
    }
  }
};

int run_hardware(const MachineRequest& request) {
  const ReportTarget report(request.common);
  const bool to_stdout = request.output == "-";
  const bool as_json = to_stdout || request.json;
  if (as_json && report.on_stdout()) {
    throw Failure(FailureKind::usage, std::string("expected one of ") +
                                          (to_stdout ? "-o -" : "--json") +
                                          " and --report - on stdout");
  }
  if (!request.hardware.name) {
    const std::vector<Machine> all = presets();
    report.write(machines_report(all));
    if (!report.on_stdout()) write_stdout(machines_table(all));
    return 0;
  }
  const HardwareOutputs outputs(request);
  outputs.check(report, request.hardware);
  const Machine machine = read_machine_named(*request.hardware.name, changes_of(request.hardware),
                                             "HARDWARE", request.common);
  Progress progress(request.common);
  outputs.write(machine, progress);
  report.write(machines_report({machine}));
  if (as_json) {
    write_stdout(machine_text(machine));
  } else if (!report.on_stdout()) {
    write_stdout(machine_summary(machine));
  }
  return 0;
}

}  // namespace

const Command& hardware_command() {
  static const Command command = command_of<MachineRequest>(
      {.name = "hardware",
       .summary = "List the hardware presets; check, show or draw a hardware file.",
       .usage = {"hardware HARDWARE [--json] [-o FILE] [--draw FILE ...]", "hardware"},
       .description =
           "Checks a hardware file or a preset and tells what it has: mesh, dead tiles, links, "
           "memory, peak rates, ports, and what the file leaves to its default. --json and -o give "
           "the whole file with every key, to begin one's own from. Without HARDWARE the presets "
           "are listed.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose"},
       .modes = {{"HARDWARE",
                  [](const ArgumentValues& values) { return values.contains("HARDWARE"); }},
                 {"no HARDWARE", [](const ArgumentValues&) { return true; }}},
       .examples = {"waferloom hardware", "waferloom hardware palm_wafer --draw palm.svg",
                    "waferloom hardware sn40l_16 --draw ring.svg",
                    "waferloom hardware wse2 -o mine.json", "waferloom hardware mine.json",
                    "waferloom hardware wse2 --json | python3 -m json.tool"}},
      {operand_inside(&MachineRequest::hardware,
                      operand(&MachineChoice::name,
                              {"HARDWARE", "A preset or a JSON file; - reads stdin.", false}))},
      in_modes<MachineRequest>(
          {option_inside(&MachineRequest::hardware, machine_options({})[1]),
           option_inside(&MachineRequest::hardware, machine_options({})[2]),
           option(&MachineRequest::json,
                  {"json", '\0', "", "Print the whole hardware file in place of the summary."}),
           option(&MachineRequest::output,
                  {"output", 'o', "FILE",
                   "Write the whole hardware file to FILE; - is stdout, as --json."}),
           option(&MachineRequest::draw,
                  {"draw", '\0', "FILE",
                   "Also draw the mesh with its ports, dead tiles, dead links and groups, or how "
                   "chips are joined; the ending says the format: .svg, .png or .pdf. May be given "
                   "again.",
                   true})},
          {{{"HARDWARE"}, {"set", "chips", "json", "output", "draw"}}}),
      run_hardware);
  return command;
}

}  // namespace waferloom::cli
