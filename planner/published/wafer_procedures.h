#pragma once

#include <string>
#include <string_view>

#include "kernels/tile_cycles.h"
#include "model/hardware.h"
#include "model/text.h"

namespace waferloom::planner {

/// A row lacks a setting that its kind needs.
struct MissingSetting {};

/// A machine as rows of one data type need it.
struct RowMachine {
  Hardware hardware;
  TileFabric fabric;
};

/// A procedure whose rows are judged. `ours` is in `unit`. Its fabric has the figures of the
/// procedure's program. It throws MissingSetting where a row lacks one, RequestError
/// where one is out of range or the machine cannot run it.
struct Procedure {
  std::string_view name;
  std::string_view kind;
  TileProgram program;
  double (*ours)(const JsonValue& settings, const RowMachine& machine);
  std::string_view unit = "cycles";  ///< the first word of the rows' units
};

/// Procedures that are not judged, and the notes of the rows' files that say why.
struct ExcludedProcedure {
  std::string_view name;
  std::string_view reason;
};
/// Empty for one that is not excluded.
std::string_view why_excluded(std::string_view procedure);

/// A text of a row; empty where the row does not say it.
std::string text_of(const JsonValue& row, const char* key);
/// A number above 0 of a row; 0 where the row does not say one.
double amount_of(const JsonValue& row, const char* key);
/// The unit of a row without what stands behind its first word.
std::string unit_of(const JsonValue& row);

/// The procedure of a row, by its name and settings; null if no model of ours is this program.
const Procedure* row_procedure(std::string_view name, const JsonValue& settings);

}  // namespace waferloom::planner
