#include "planner/wafer_validation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
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
  const TileCycles cycles = *read_hardware(*hardware_preset("wse3"), "wse3").tile_cycles;
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
         "procedure": "waferllm_tables", "value": 1},
        {"id": "unknown", "machine": "WSE-9", "how": "device", "unit": "cycles",
         "procedure": "shift_wse3", "settings": {"dtype": "fp16"}, "value": 1},
        {"id": "no clock", "machine": "WSE-3", "how": "device", "unit": "us",
         "procedure": "shift_wse3", "settings": {"dtype": "fp16"}, "value": 1}]})",
      "rows.json");
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].reason == "settings that this kind needs are not there");
  CHECK(rows[1].reason == "no operator of ours is this program");
  CHECK(rows[1].kind == "waferllm_tables");
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

TEST_CASE("files without rows are refused") {
  CHECK_THROWS_AS(wafer_rows("{}", "f"), InputError);
  CHECK_THROWS_AS(wafer_rows("[1", "f"), InputError);
  CHECK_THROWS_AS(wafer_rows(R"({"gemm": [{"id": "a"}]})", "f"), InputError);
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
    CHECK(hardware.tile_cycles->start == close_to(fit["tile_cycles"]["start"].get<double>()));
    CHECK(hardware.tile_cycles->issue == close_to(fit["tile_cycles"]["issue"].get<double>()));
    CHECK(hardware.tile_cycles->issue >= 1);
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

}  // namespace
}  // namespace waferloom::planner
