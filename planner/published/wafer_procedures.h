#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "kernels/tile_cycles.h"
#include "model/hardware.h"

namespace waferloom::planner {

using RowJson = nlohmann::json;

/// A machine as rows of one data type need it.
struct RowMachine {
  Hardware hardware;
  TileFabric fabric;
};

/// A program whose rows are judged. `ours` is in the unit of the rows: cycles, tokens a second,
/// tokens. It throws RowJson::exception where a row lacks a setting, RequestError where the
/// machine cannot run it.
struct Procedure {
  std::string_view name;
  std::string_view kind;
  double (*ours)(const RowJson& settings, const RowMachine& machine);
};

/// The procedure of a row, by its name and settings; null if no model of ours is this program.
const Procedure* row_procedure(std::string_view name, const RowJson& settings);

}  // namespace waferloom::planner
