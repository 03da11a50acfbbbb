#include "planner/wafer_validation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "model/errors.h"
#include "model/hardware_reader.h"
#include "tests/support/close_to.h"
#include "tests/support/shared_data.h"

namespace waferloom::planner {
namespace {

using test::close_to;

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string shift_row(const std::string& id, int distance, double value,
                      const std::string& rest = R"(, "how": "device")") {
  return R"({"id": ")" + id + R"(", "machine": "WSE-3", "procedure": "shift_wse3", "unit": "cycles",
      "settings": {"P": 16, "elements_per_pe": 4, "dtype": "fp16", "distance_columns": )" +
         std::to_string(distance) + R"(}, "value": )" + std::to_string(value) + rest + "}";
}

TEST_CASE("rows of a shift stand beside ours") {
  const TileCycles cycles = read_hardware(*hardware_preset("wse3"), "wse3").tile_cycles.at("fp16");
  // Two words, a hop of two cycles and two ramps of two each time.
  const double ours = cycles.start + 8 * (cycles.relay + 2 * cycles.relay_word + 2 + 6);
  const std::vector<WaferRow> rows = wafer_rows(
      R"({"about": "text", "moves": [)" + shift_row("a", 8, 800) + "," + shift_row("b", 8, 400) +
          "," + shift_row("c", 8, 800, R"(, "how": "vendor simulator")") + "]}",
      "rows.json");
  REQUIRE(rows.size() == 3);
  CHECK(*rows[0].ours == close_to(ours));
  CHECK(rows[0].error_percent() == close_to(100 * (ours / 800 - 1)));
  CHECK(!rows[2].is_judged());
  CHECK(rows[2].reason == "not measured on a device: vendor simulator");
  const std::vector<WaferKind> kinds = wafer_kinds(rows);
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].kind == "shift");
  CHECK(kinds[0].judged == 2);
  CHECK(kinds[0].worst_percent == close_to(100 * (ours / 400 - 1)));
  // The larger of two is the median; for it the constant model is exact, for the other 100 % off.
  CHECK(kinds[0].constant_model_median_percent == close_to(100));
  CHECK(kinds[1].judged == 0);
}

TEST_CASE("rows that cannot be judged say why") {
  const std::vector<WaferRow> rows = wafer_rows(
      R"({"other": [
        {"id": "no settings of it", "machine": "WSE-3", "how": "device", "unit": "cycles",
         "procedure": "meshgemm_wse3", "settings": {"P": 4, "dtype": "fp16"}, "value": 1},
        {"id": "other program", "machine": "WSE-2", "how": "device", "unit": "s", "settings": {},
         "procedure": "host stream", "value": 1},
        {"id": "unknown", "machine": "WSE-9", "how": "device", "unit": "cycles",
         "procedure": "shift_wse3", "settings": {"dtype": "fp16"}, "value": 1},
        {"id": "no clock", "machine": "WSE-3", "how": "device", "unit": "us",
         "procedure": "shift_wse3", "settings": {"dtype": "fp16"}, "value": 1}]})",
      "rows.json");
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].reason == "settings that this kind needs are not there");
  CHECK(rows[1].reason == "no model of ours is this program");
  CHECK(rows[1].kind == "host stream");
  CHECK(rows[2].reason == "no preset of WSE-9");
  CHECK(rows[3].reason == "not a time in cycles, or in microseconds with a clock");
  for (const WaferRow& row : rows) CHECK(!row.is_judged());
}

TEST_CASE("of a decoder block's profile the whole and its communication are judged") {
  const auto row = [](const std::string& metric) {
    return R"({"id": ")" + metric + R"(", "machine": "WSE-3", "how": "device",
        "procedure": "decode_block_wse3", "unit": "cycles per block", "metric": ")" +
           metric +
           R"(", "settings": {"P": 8, "dim": 64, "seq": 64, "ffn": 128, "heads": 1, "kv_heads": 1,
        "allreduce_groups": 2, "dtype": "fp16"}, "value": 4000})";
  };
  const std::vector<WaferRow> rows = wafer_rows(
      R"({"a": [)" + row("total") + "," + row("communication") + "," + row("unprofiled") + "]}",
      "rows.json");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].kind == "decode block");
  CHECK(*rows[1].ours < *rows[0].ours);
  CHECK(rows[2].reason == "part of a profile that ours does not have");
}

std::string model_row(const std::string& settings, const std::string& unit) {
  return R"({"id": "a", "machine": "WSE-2", "how": "device", "procedure": "waferllm_tables",
      "unit": ")" +
         unit + R"(", "value": 1000, "settings": {"model": "small", "layers": 4, "dim": 256,
      "heads": 4, "kv_heads": 2, "ffn": 512, "vocab": 1000, )" +
         settings + "}}";
}

TEST_CASE("rows of language models are judged in their own unit, other systems' are not") {
  const std::string rates = "tokens/s per request";
  const std::vector<WaferRow> rows =
      wafer_rows(R"({"a": [)" +
                     model_row(R"("phase": "decode", "context_tokens": 64, "mesh": [16, 16],
                       "system": "WaferLLM", "dtype": "fp16")",
                               rates) +
                     "," +
                     model_row(R"("phase": "prefill", "input_tokens": 64, "mesh": [16, 16],
                       "system": "WaferLLM")",
                               rates) +
                     "," +
                     model_row(R"("input_tokens": 64, "output_tokens": 8, "prefill_mesh": [16, 16],
                       "decode_mesh": [8, 8], "system": "WaferLLM")",
                               rates) +
                     "," + model_row(R"("kv": "balanced by upward shift")", "tokens") + "," +
                     model_row(R"("kv": "concat")", "tokens") + "," +
                     model_row(R"("phase": "decode", "context_tokens": 64, "mesh": [16, 16],
                       "system": "T10")",
                               rates) +
                     "]}",
                 "rows.json");
  REQUIRE(rows.size() == 6);
  const char* kinds[] = {"decode",         "prefill",        "request",
                         "longest output", "longest output", "waferllm_tables"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    CHECK(rows[i].kind == kinds[i]);
    CHECK(rows[i].is_judged() == (i < 4));
    CHECK(*rows[i].measured == close_to(1000));
  }
  // A request's 8 tokens take longer than the 8 alone, and its prompt comes before.
  CHECK(*rows[2].ours < *rows[0].ours);
  CHECK(*rows[2].ours > 0);
  CHECK(rows[4].reason == "settings that this kind needs are not there");
}

TEST_CASE("files without rows are refused") {
  CHECK_THROWS_AS(wafer_rows("{}", "f"), InputError);
  CHECK_THROWS_AS(wafer_rows("[1", "f"), InputError);
  CHECK_THROWS_AS(wafer_rows(R"({"gemm": [{"id": "a"}]})", "f"), InputError);
}

/// The presets tell these errors. Rows of a kind that nothing was fitted on, of one machine.
void check_backing(const std::vector<WaferRow>& blind, const char* preset) {
  const Hardware hardware = read_hardware(*hardware_preset(preset), preset);
  const std::map<std::string, std::string> kinds{
      {"meshgemm", "gemm"},   {"summa", "gemm"},
      {"meshgemv", "gemv"},   {"shift", "shift"},
      {"decode", "decode"},   {"prefill", "prefill"},
      {"request", "request"}, {"longest output", "longest output"}};
  for (const WaferKind& kind : wafer_kinds(blind)) {
    const auto what = kinds.find(kind.kind);
    if (what == kinds.end() || kind.judged == 0) continue;
    CAPTURE(kind.kind);
    const auto told =
        std::find_if(hardware.backing.begin(), hardware.backing.end(),
                     [&](const MeasuredBacking& backing) { return backing.what == what->second; });
    REQUIRE(told != hardware.backing.end());
    constexpr double kDigit = 0.06;  // they are told with a digit behind the point
    CHECK(told->rows == static_cast<std::int64_t>(kind.judged));
    CHECK(std::abs(told->median_percent - kind.median_percent) <= kDigit);
    CHECK(std::abs(told->worst_percent - kind.worst_percent) <= kDigit);
  }
}

TEST_CASE("[shared] presets tell how far off their models are") {
  if (!test::have_shared("wafer rows", "published/wse_measured.json")) return;
  std::set<std::string> fitted;
  for (const char* name : {"wse2.json", "wse3.json", "wse2_transformer.json"}) {
    const auto fit =
        nlohmann::json::parse(file_text(test::source_folder() / "model/presets/fits" / name));
    for (const auto& id : fit["rows"]) fitted.insert(id.get<std::string>());
  }
  const std::string text = file_text(test::shared_folder() / "published/wse_measured.json");
  std::map<std::string, std::vector<WaferRow>> blind;
  for (const WaferRow& row : wafer_rows(text, "rows")) {
    if (row.how == "device" && !fitted.contains(row.id)) blind[row.machine].push_back(row);
  }
  check_backing(blind["WSE-2"], "wse2");
  check_backing(blind["WSE-3"], "wse3");
}

TEST_CASE("[shared] measured rows that nothing was fitted on") {
  if (!test::have_shared("wafer rows", "published/wse_measured.json")) return;
  std::set<std::string> fitted;
  for (const char* name : {"wse2.json", "wse3.json"}) {
    const auto fit =
        nlohmann::json::parse(file_text(test::source_folder() / "model/presets/fits" / name));
    for (const auto& id : fit["rows"]) fitted.insert(id.get<std::string>());
    // The presets have what was fitted.
    const std::string preset(name, std::string(name).find('.'));
    const Hardware hardware = read_hardware(*hardware_preset(preset), preset);
    const TileCycles& cycles = hardware.tile_cycles.at(fit["data_type"].get<std::string>());
    CHECK(cycles.start == close_to(fit["tile_cycles"]["start"].get<double>()));
    CHECK(cycles.issue == close_to(fit["tile_cycles"]["issue"].get<double>()));
    CHECK(cycles.issue >= 1);
  }
  std::vector<WaferRow> blind;
  std::size_t rows = 0;
  std::size_t judged = 0;
  const std::string text = file_text(test::shared_folder() / "published/wse_measured.json");
  for (const WaferRow& row : wafer_rows(text, "rows")) {
    const bool is_kind = row.kind == "meshgemm" || row.kind == "summa" || row.kind == "meshgemv" ||
                         row.kind == "shift";
    if (!is_kind || row.how != "device") continue;
    ++rows;
    judged += row.is_judged() ? 1 : 0;
    if (!fitted.contains(row.id)) blind.push_back(row);
  }
  CHECK(judged * 100 >= rows * 95);
  for (const WaferKind& kind : wafer_kinds(blind)) {
    CAPTURE(kind.kind);
    CHECK(kind.judged > 10);
    CHECK(kind.median_percent <= 4);
    CHECK(kind.p90_percent <= 10);
    CHECK(kind.worst_percent <= 25);
    CHECK(kind.median_percent < kind.constant_model_median_percent);
  }
}

TEST_CASE("[shared] language models of which nothing was fitted") {
  if (!test::have_shared("wafer rows", "published/wse_measured.json")) return;
  const auto fit = nlohmann::json::parse(
      file_text(test::source_folder() / "model/presets/fits/wse2_transformer.json"));
  std::set<std::string> fitted;
  for (const auto& id : fit["rows"]) fitted.insert(id.get<std::string>());
  const TileCycles& cycles = read_hardware(*hardware_preset("wse2"), "wse2").tile_cycles.at("fp16");
  CHECK(cycles.step == close_to(fit["tile_cycles"]["step"].get<double>()));
  CHECK(cycles.issue == close_to(fit["tile_cycles"]["issue"].get<double>()));
  std::vector<double> errors;
  const std::string text = file_text(test::shared_folder() / "published/wse_measured.json");
  for (const WaferRow& row : wafer_rows(text, "rows")) {
    if (!row.is_judged() || fitted.contains(row.id)) continue;
    CAPTURE(row.id);
    const double error = std::abs(row.error_percent());
    if (row.kind == "decode block") CHECK(error <= 25);
    if (row.kind == "longest output") CHECK(error <= 10);
    if (row.kind != "decode" && row.kind != "prefill" && row.kind != "request") continue;
    CHECK(error <= 30);
    errors.push_back(error);
  }
  REQUIRE(errors.size() >= 10);
  std::sort(errors.begin(), errors.end());
  CHECK(errors[errors.size() / 2] <= 12);
}

}  // namespace
}  // namespace waferloom::planner
