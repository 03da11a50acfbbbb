#include "planner/wafer_validation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "kernels/mesh_operators.h"
#include "model/errors.h"
#include "model/hardware_reader.h"
#include "planner/tile_operators.h"

// Problem: hold the closed forms of operators against public measurements of wafers.
// Idea: a row's settings name the blocks of a tile and the mesh; the machine's preset has the
// cycles. Rows of other programs, of vendors' simulators, or with host transfers are listed with
// the reason why they are not judged.
// Source: the rows' own files; procedures as in WaferLLM's repository (docs/operators.md).
// Cost: O(rows).
namespace waferloom::planner {
namespace {

using RowJson = nlohmann::json;

/// A program whose rows are judged.
struct Procedure {
  std::string_view name;
  std::string_view kind;
  double (*cycles)(const RowJson& settings, const TileFabric& fabric);
};

std::int64_t whole(const RowJson& settings, const char* key) {
  return settings.at(key).get<std::int64_t>();
}

std::int64_t block(const RowJson& settings, std::size_t at) {
  return settings.at("tile").at(at).get<std::int64_t>();
}

double gemm_cycles(const RowJson& settings, const TileFabric& fabric, GemmAlgorithm algorithm) {
  const std::int64_t side = whole(settings, "P");
  const GemmShape shape{side * block(settings, 0), side * block(settings, 1),
                        side * block(settings, 2)};
  return mesh_gemm(fabric, algorithm, shape, {side, side}).parts.total();
}

double meshgemm_cycles(const RowJson& settings, const TileFabric& fabric) {
  return gemm_cycles(settings, fabric, GemmAlgorithm::meshgemm);
}

double summa_cycles(const RowJson& settings, const TileFabric& fabric) {
  return gemm_cycles(settings, fabric, GemmAlgorithm::summa);
}

double meshgemv_cycles(const RowJson& settings, const TileFabric& fabric) {
  const std::int64_t side = whole(settings, "P");
  return mesh_gemv(fabric, side * block(settings, 0), side * block(settings, 1), {side, side},
                   settings.value("groups", std::int64_t{0}))
      .parts.total();
}

double shift_cycles(const RowJson& settings, const TileFabric& fabric) {
  const std::int64_t side = whole(settings, "P");
  return mesh_shift(fabric, whole(settings, "elements_per_pe"), whole(settings, "distance_columns"),
                    {side, side})
      .parts.total();
}

/// A decoder block, of one token; its profile has other metrics, too.
double decode_block_cycles(const RowJson& settings, const TileFabric& fabric) {
  const std::int64_t side = whole(settings, "P");
  DecodeBlock block;
  block.hidden = whole(settings, "dim");
  const std::int64_t heads = whole(settings, "heads");
  block.attention = {whole(settings, "seq"), heads, block.hidden / heads};
  block.kv_heads = whole(settings, "kv_heads");
  block.feed_forward = whole(settings, "ffn");
  const DecodeBlockCost cost = mesh_decode_block(
      fabric, block, {side, side}, settings.value("allreduce_groups", std::int64_t{0}));
  return settings.at("metric") == "communication" ? cost.communication : cost.whole.parts.total();
}

constexpr std::array<Procedure, 5> kProcedures{
    {{"meshgemm_wse3", "meshgemm", meshgemm_cycles},
     {"summa_wse2", "summa", summa_cycles},
     {"meshgemv_wse3", "meshgemv", meshgemv_cycles},
     {"shift_wse3", "shift", shift_cycles},
     {"decode_block_wse3", "decode block", decode_block_cycles}}};

std::string text_of(const RowJson& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Cycles that were measured; nothing where it is no time.
std::optional<double> measured_cycles(const RowJson& row) {
  const auto value = row.find("value");
  if (value == row.end() || !value->is_number()) return std::nullopt;
  const double number = value->get<double>();
  const std::string unit = text_of(row, "unit");
  if (unit == "cycles" || unit == "cycles per block") return number;
  constexpr double kCyclesAMicrosecond = 1e3;  // at 1 GHz
  const double clock =
      row.value("settings", RowJson::object()).value("clock_ghz_assumed_by_authors", 0.0);
  if (unit == "us" && clock > 0) return number * clock * kCyclesAMicrosecond;
  return std::nullopt;
}

/// Fabrics by machine and data type, each made once.
class Fabrics {
 public:
  /// Throws RequestError where there is none.
  const TileFabric& of(const std::string& machine, const std::string& data_type) {
    const auto [at, is_new] = known_.try_emplace({machine, data_type});
    if (is_new) {
      const auto preset = hardware_preset(machine);
      if (!preset) throw RequestError("no preset of " + machine);
      at->second = tile_fabric(read_hardware(*preset, machine), data_type);
    }
    return at->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, TileFabric> known_;
};

/// What stands in the way of judging a row of that kind; empty if nothing does.
std::string why_not_judged(const WaferRow& row, const Procedure* procedure) {
  if (procedure == nullptr) return "no operator of ours is this program";
  if (row.how != "device") return "not measured on a device: " + row.how;
  if (!row.measured) return "not a time in cycles, or in microseconds with a clock";
  return "";
}

void judge(WaferRow& row, const Procedure& procedure, const RowJson& settings, Fabrics& fabrics) {
  try {
    const TileFabric& fabric = fabrics.of(row.machine, text_of(settings, "dtype"));
    row.ours = procedure.cycles(settings, fabric);
  } catch (const RequestError& error) {
    row.reason = error.what();
  } catch (const RowJson::exception&) {
    row.reason = "settings that this kind needs are not there";
  }
}

WaferRow wafer_row(const RowJson& json, const std::string& section, Fabrics& fabrics) {
  WaferRow row{text_of(json, "id"), "", text_of(json, "how"), text_of(json, "machine")};
  const std::string name = text_of(json, "procedure");
  const auto* procedure = std::find_if(kProcedures.begin(), kProcedures.end(),
                                       [&](const Procedure& known) { return known.name == name; });
  const bool is_known = procedure != kProcedures.end();
  row.kind = is_known ? std::string(procedure->kind) : (name.empty() ? section : name);
  row.measured = measured_cycles(json);
  row.reason = why_not_judged(row, is_known ? procedure : nullptr);
  RowJson settings = json.value("settings", RowJson::object());
  settings["metric"] = text_of(json, "metric");
  const std::string metric = settings["metric"];
  if (row.kind == "decode block" && metric != "total" && metric != "communication") {
    row.reason = "part of a profile that ours does not have";
  }
  if (row.reason.empty()) judge(row, *procedure, settings, fabrics);
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
  RowJson file;
  try {
    file = RowJson::parse(text);
  } catch (const RowJson::exception&) {
    throw InputError(source, "expected measured rows as JSON");
  }
  Fabrics fabrics;
  std::vector<WaferRow> rows;
  for (const auto& [section, list] : file.items()) {
    if (!list.is_array()) continue;
    for (const RowJson& json : list) {
      if (json.is_object() && json.contains("settings") && json.contains("how")) {
        rows.push_back(wafer_row(json, section, fabrics));
      }
    }
  }
  if (rows.empty()) {
    throw InputError(source, "expected lists of rows with settings, how and value, found none");
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

Json wafer_rows_json(const std::vector<WaferRow>& rows) {
  Json report = new_report("wafer_rows");
  report["rows"] = Json::array();
  for (const WaferRow& row : rows) {
    report["rows"].push_back({{"id", row.id},
                              {"kind", row.kind},
                              {"how", row.how},
                              {"machine", row.machine},
                              {"measured", row.measured ? Json(*row.measured) : Json()},
                              {"ours", row.ours ? Json(*row.ours) : Json()},
                              {"error_percent", row.ours ? Json(row.error_percent()) : Json()},
                              {"reason", row.reason}});
  }
  report["kinds"] = Json::array();
  for (const WaferKind& kind : wafer_kinds(rows)) {
    const auto percent = [&](double value) { return kind.judged > 0 ? Json(value) : Json(); };
    report["kinds"].push_back(
        {{"kind", kind.kind},
         {"how", kind.how},
         {"rows", kind.rows},
         {"judged", kind.judged},
         {"median_percent", percent(kind.median_percent)},
         {"p90_percent", percent(kind.p90_percent)},
         {"worst_percent", percent(kind.worst_percent)},
         {"constant_model_median_percent", percent(kind.constant_model_median_percent)}});
  }
  return report;
}

}  // namespace waferloom::planner
