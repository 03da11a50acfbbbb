#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "benchmarks_ispd2020/case_report.h"
#include "cli/commands/commands.h"
#include "cli/commands/sweep/sweep_reports.h"
#include "cli/console/failure.h"
#include "cli/console/progress.h"
#include "cli/files/output_file.h"
#include "cli/files/output_folder.h"
#include "cli/files/report_target.h"
#include "cli/options/command_rows.h"
#include "cluster/islands.h"
#include "interchange/imported_network.h"
#include "interchange/onnx.h"
#include "model/describe.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "model/placement.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/report.h"
#include "model/routes.h"
#include "model/text.h"
#include "model/workload.h"
#include "optimize/bench.h"
#include "optimize/case_islands.h"
#include "optimize/report_json.h"
#include "optimize/wafer_runs.h"
#include "optimize/ways.h"
#include "planner/amped.h"
#include "planner/centimani.h"
#include "planner/design_space.h"
#include "planner/dfmodel.h"
#include "planner/serving.h"
#include "planner/tile_operators.h"
#include "planner/validation.h"
#include "planner/wafer_serving.h"
#include "router/route_report.h"
#include "sim/report_json.h"
#include "sweep/manifest.h"
#include "sweep/results.h"
#include "sweep/space.h"
#include "viz/draw_report.h"

namespace waferloom::cli {
namespace {

struct NamedSchema {
  std::string_view name;
  std::string_view of;  ///< what it is the schema of
  std::string (*text)();
};

std::string schemas_schema();

/// Files, then reports.
constexpr std::array kSchemas{
    NamedSchema{"case_island", "an island of optimize in the folder of --run",
                optimize::case_island_schema},
    NamedSchema{"constraints", "constraints of a placement, --constraints", constraints_schema},
    NamedSchema{"hardware", "the mesh of a machine, --hardware", hardware_schema},
    NamedSchema{"island", "an island of place in the folder of --run", optimize::island_schema},
    NamedSchema{"islands_closed", "closed.json of an epoch of islands",
                cluster::islands_closed_schema},
    NamedSchema{"islands_run", "run.json of the folder of islands", cluster::islands_run_schema},
    NamedSchema{"machine", "a machine, --hardware", machine_schema},
    NamedSchema{"mapping", "partitions of a graph, model dfmodel --mapping", mapping_schema},
    NamedSchema{"measurements", "measured operators, model dfmodel", measurements_schema},
    NamedSchema{"message_set", "messages on a mesh, simulate --messages", message_set_schema},
    NamedSchema{"network", "a graph of kernels, model dfmodel", network_schema},
    NamedSchema{"placement", "where stages lie, simulate --placement", placement_schema},
    NamedSchema{"plan", "a plan, simulate --plan", plan_schema},
    NamedSchema{"routes", "routes, simulate --routes", routes_schema},
    NamedSchema{"sweep_result", "a point's result in the folder of a sweep", sweep::result_schema},
    NamedSchema{"sweep_run", "run.json of the folder of a sweep", sweep::run_schema},
    NamedSchema{"sweep_space", "a design space, sweep plan", sweep::space_schema},
    NamedSchema{"system", "the chips of a machine, --hardware", system_schema},
    NamedSchema{"wafer", "a wafer of a contest case, --wafer", wafer_schema},
    NamedSchema{"workload", "a network", workload_schema},
    NamedSchema{"amped", "report of model amped", planner::amped_schema},
    NamedSchema{"bench", "report of bench", optimize::bench_schema},
    NamedSchema{"cases", "report of cases", ispd2020::cases_schema},
    NamedSchema{"centimani", "report of model centimani", planner::centimani_schema},
    NamedSchema{"collective", "report of collective", sim::collective_schema},
    NamedSchema{"dfmodel", "report of model dfmodel", planner::dfmodel_schema},
    NamedSchema{"draw", "report of draw", viz::draw_schema},
    NamedSchema{"error", "what a command that fails prints as its report", error_schema},
    NamedSchema{"import", "report of import", interchange::import_schema},
    NamedSchema{"import_case", "report of import of a case", interchange::import_case_schema},
    NamedSchema{"machines", "report of hardware", machines_schema},
    NamedSchema{"messages", "report of simulate --messages", sim::messages_schema},
    NamedSchema{"operators", "report of workload", operators_schema},
    NamedSchema{"optimize", "report of optimize", optimize::optimize_schema},
    NamedSchema{"place", "report of place", optimize::place_schema},
    NamedSchema{"planned", "report of plan, of a network that is cut", optimize::planned_schema},
    NamedSchema{"route", "report of route", router::route_schema},
    NamedSchema{"schemas", "report of schema", schemas_schema},
    NamedSchema{"score", "report of score", score_schema},
    NamedSchema{"serving", "report of model serving", planner::serving_schema},
    NamedSchema{"simulate", "report of simulate", sim::simulate_schema},
    NamedSchema{"sweep_cancel", "report of sweep cancel", sweep_cancel_schema},
    NamedSchema{"sweep_plan", "report of sweep plan", sweep_plan_schema},
    NamedSchema{"sweep_status", "report of sweep exec, submit, status, collect",
                sweep_status_schema},
    NamedSchema{"systems", "report of model systems", planner::systems_schema},
    NamedSchema{"tile", "report of model tile", planner::tile_schema},
    NamedSchema{"trace", "report of simulate --messages, of a device trace", sim::trace_schema},
    NamedSchema{"validate", "report of validate", planner::validation_schema},
    NamedSchema{"wafer_plan", "report of plan --way pipeline and streaming",
                planner::wafer_plan_schema},
    NamedSchema{"wafer_rows", "report of validate --model wafer --rows",
                planner::wafer_rows_schema},
    NamedSchema{"wafer_run", "report of simulate, of plans of a whole wafer",
                optimize::wafer_run_schema},
    NamedSchema{"wafer_serving", "report of plan --serve", planner::wafer_serving_schema},
    NamedSchema{"wafer_ways", "report of plan --way all", optimize::ways_schema},
};

struct SchemasReport {
  std::vector<NamedSchema> schemas{kSchemas.begin(), kSchemas.end()};
};

}  // namespace
}  // namespace waferloom::cli

namespace waferloom {

template <>
const TypeRows& rows_of<cli::NamedSchema>() {
  using cli::NamedSchema;
  static const TypeRows rows =
      report_rows({row("name", &NamedSchema::name, {"name of the schema"}),
                   row("of", &NamedSchema::of, {"what it is the schema of"})});
  return rows;
}

template <>
const TypeRows& rows_of<cli::SchemasReport>() {
  using cli::SchemasReport;
  static const TypeRows rows = report_file(
      "waferloom/schemas/1", {row("schemas", &SchemasReport::schemas, {"every schema"})});
  return rows;
}

}  // namespace waferloom

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct SchemaRequest {
  CommonOptions common;
  std::optional<std::string> name;
  std::optional<std::string> output;
};

std::string schemas_schema() {
  return schema_text(rows_of<SchemasReport>(), "Report of waferloom schema");
}

const NamedSchema& schema_named(const std::string& name) {
  const auto* found = std::find_if(kSchemas.begin(), kSchemas.end(),
                                   [&](const NamedSchema& schema) { return schema.name == name; });
  if (found != kSchemas.end()) return *found;
  std::vector<std::string_view> names;
  for (const NamedSchema& schema : kSchemas) names.push_back(schema.name);
  throw Failure(FailureKind::usage, "NAME: there is no schema " + in_quotes(name) +
                                        suggestion(name, names) +
                                        "; `waferloom schema` lists them");
}

std::string schema_list() {
  TextTable table({"name", "of"});
  for (const NamedSchema& schema : kSchemas) {
    table.add({std::string(schema.name), std::string(schema.of)});
  }
  return table.text();
}

std::vector<OutputFolder::File> schema_files() {
  std::vector<OutputFolder::File> files;
  for (const NamedSchema& schema : kSchemas) {
    files.push_back({std::string(schema.name) + ".schema.json", schema.text()});
  }
  return files;
}

void write_all(const std::string& path, const ReportTarget& report, const CommonOptions& common) {
  const std::vector<OutputFolder::File> files = schema_files();
  std::vector<std::string> names;
  for (const OutputFolder::File& file : files) names.push_back(file.name);
  std::vector<std::string> others;
  if (report.file() != nullptr) others.push_back(report.file()->path());
  OutputFolder(names, path, others).write(files);
  Progress(common).note(fmt::format("{} schemas written to {}", files.size(), path));
}

int run_schema(const SchemaRequest& request) {
  const ReportTarget report(request.common);
  if (request.name) {
    if (report.wanted()) throw Failure(FailureKind::usage, "--report: needs no NAME");
    write_stdout(schema_named(*request.name).text());
    return 0;
  }
  if (request.output) write_all(*request.output, report, request.common);
  report.write(described_report(SchemasReport{}));
  if (!report.on_stdout() && !request.output) write_stdout(schema_list());
  return 0;
}

}  // namespace

const Command& schema_command() {
  static const Command command = command_of<SchemaRequest>(
      {.name = "schema",
       .summary = "List or print the JSON schemas of files and reports.",
       .usage = {"schema NAME", "schema [-o FOLDER] [options]"},
       .description =
           "Prints the JSON Schema (draft 7) of a file that commands read, or of a report that "
           "they write: every key with its meaning, its type and its range. A report names its "
           "schema in its first key: waferloom/score/1 is `schema score`. Without NAME the schemas "
           "are listed.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose"},
       .modes = {{"NAME", [](const ArgumentValues& values) { return values.contains("NAME"); }},
                 {"no NAME", [](const ArgumentValues&) { return true; }}},
       .examples = {"waferloom schema", "waferloom schema score", "waferloom schema -o schemas"}},
      {operand(&SchemaRequest::name,
               {"NAME", "A schema, as the list names it.", false, false, {"NAME"}})},
      in_modes<SchemaRequest>(
          {option(&SchemaRequest::output,
                  {"output", 'o', "FOLDER", "Write all of them, each as NAME.schema.json."})},
          {{{"no NAME"}, {"output"}}}),
      run_schema);
  return command;
}

}  // namespace waferloom::cli
