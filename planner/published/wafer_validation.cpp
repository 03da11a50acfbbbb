#include <algorithm>
#include <cmath>
#include <map>

#include "model/errors.h"
#include "model/hardware.h"
#include "planner/published/training_rows.h"
#include "planner/tile_operators.h"
#include "planner/validation.h"

// Problem: hold the closed forms of operators against public measurements of wafers.
// Idea: a row's settings name the blocks of a tile and the mesh; the machine's preset has the
// cycles. Rows of other programs, of vendors' simulators, or with host transfers are listed with
// the reason why they are not judged.
// Source: the rows' own files; procedures as in WaferLLM's repository (docs/operators.md).
// Cost: O(rows).
namespace waferloom::planner {
namespace {

/// What was measured, in the unit of its procedure; nothing where it is not told in that, nor in
/// microseconds with a clock for one of cycles.
std::optional<double> measured_value(const JsonValue& row, const JsonValue& settings,
                                     const Procedure& procedure) {
  const double number = amount_of(row, "value");
  if (number <= 0) return std::nullopt;
  const std::string unit = unit_of(row);
  if (unit == procedure.unit) return number;
  constexpr double kCyclesAMicrosecond = 1e3;  // at 1 GHz
  const double clock = amount_of(settings, "clock_ghz_assumed_by_authors");
  if (unit != "us" || procedure.unit != "cycles" || clock <= 0) return std::nullopt;
  return number * clock * kCyclesAMicrosecond;
}

/// Machines by name and data type, each made once.
class RowMachines {
 public:
  /// Throws RequestError where there is none.
  const RowMachine& of(const std::string& machine, const std::string& data_type) {
    const auto key = std::make_pair(machine, data_type);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const auto preset = preset_machine(machine);
    if (!preset) throw RequestError("no preset of " + machine);
    RowMachine made{fabric_of(*preset), {}};
    made.fabric = tile_fabric(made.hardware, data_type);
    return known_.emplace(key, std::move(made)).first->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, RowMachine> known_;
};

/// What stands in the way of judging a row of that kind; empty if nothing does.
std::string why_not_judged(const WaferRow& row, const Procedure* procedure, std::string_view name) {
  const std::string_view excluded = why_excluded(name);
  if (!excluded.empty()) return std::string(excluded);
  if (procedure == nullptr) return "no model of ours is this program";
  if (row.how != "device" && row.how != "vendor simulator") return "not measured: " + row.how;
  if (!row.measured) {
    return "not a value above 0 in " + std::string(procedure->unit) +
           (procedure->unit == "cycles" ? ", or in us with a clock" : "");
  }
  return "";
}

void judge(WaferRow& row, const Procedure& procedure, const JsonValue& settings,
           RowMachines& machines) {
  try {
    const std::string told = text_of(settings, "dtype");
    const std::string type = told.empty() ? "fp16" : told;
    RowMachine machine = machines.of(row.machine, type);
    if (!machine.fabric.programs.knows(procedure.program)) {
      row.reason = row.machine + " has no " + program_key(procedure.program, type);
      return;
    }
    machine.fabric = machine.fabric.of(procedure.program);
    row.ours = procedure.ours(settings, machine);
    row.figures = program_key(procedure.program, type);
  } catch (const RequestError& error) {
    row.reason = error.what();
  } catch (const MissingSetting&) {
    row.reason = "settings that this kind needs are not there";
  }
}

WaferRow wafer_row(const JsonValue& json, const std::string& section, RowMachines& machines) {
  WaferRow row{text_of(json, "id"), "", text_of(json, "how"), text_of(json, "machine")};
  const std::string name = text_of(json, "procedure");
  const JsonValue& settings = *JsonReader::find(json, "settings");
  const Procedure* procedure = row_procedure(name, settings);
  row.kind = procedure != nullptr ? std::string(procedure->kind) : (name.empty() ? section : name);
  if (procedure != nullptr) {
    row.measured = measured_value(json, settings, *procedure);
  } else if (const double number = amount_of(json, "value"); number > 0) {
    row.measured = number;
  }
  row.unit = text_of(json, "unit");
  row.reason = why_not_judged(row, procedure, name);
  if (row.reason.empty()) judge(row, *procedure, settings, machines);
  return row;
}

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

constexpr double kPercent = 100;

}  // namespace

double WaferRow::error_percent() const { return kPercent * (*ours / *measured - 1); }

std::vector<WaferRow> wafer_rows(std::string_view text, const std::string& source) {
  const JsonValue file = parse_json(text, source);
  RowMachines machines;
  TrainingRows training;
  std::vector<WaferRow> rows;
  for (std::size_t section = 0; section < file.keys.size(); ++section) {
    for (const JsonValue& json : file.items[section].items) {
      const auto has = [&](const char* key) { return JsonReader::find(json, key) != nullptr; };
      if (has("settings") && has("how")) {
        rows.push_back(wafer_row(json, file.keys[section], machines));
      } else if (is_training_row(json)) {
        rows.push_back(training.row(json));
      }
    }
  }
  if (rows.empty()) {
    throw InputError(source, kWholeSource,
                     "expected lists of rows with settings, how and value, found none");
  }
  return rows;
}

std::vector<WaferKind> wafer_kinds(const std::vector<WaferRow>& rows) {
  std::vector<WaferKind> kinds;
  std::vector<std::vector<const WaferRow*>> judged;
  for (const WaferRow& row : rows) {
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const WaferKind& known) {
      return known.kind == row.kind && known.how == row.how;
    });
    if (kind == kinds.end()) {
      kinds.push_back({row.kind, row.how});
      judged.emplace_back();
      kind = std::prev(kinds.end());
    }
    ++kind->rows;
    if (row.is_judged()) judged[static_cast<std::size_t>(kind - kinds.begin())].push_back(&row);
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i].judged = judged[i].size();
    if (judged[i].empty()) continue;
    std::vector<double> measured;
    for (const WaferRow* row : judged[i]) measured.push_back(*row->measured);
    const double constant = middle(measured);
    std::vector<double> errors;
    std::vector<double> constant_errors;
    for (const WaferRow* row : judged[i]) {
      errors.push_back(std::abs(row->error_percent()));
      constant_errors.push_back(kPercent * std::abs(constant / *row->measured - 1));
    }
    std::sort(errors.begin(), errors.end());
    constexpr std::size_t kTenth = 10;
    kinds[i].median_percent = middle(errors);
    kinds[i].p90_percent = errors[errors.size() - 1 - errors.size() / kTenth];
    kinds[i].worst_percent = errors.back();
    kinds[i].constant_model_median_percent = middle(constant_errors);
  }
  return kinds;
}

}  // namespace waferloom::planner
