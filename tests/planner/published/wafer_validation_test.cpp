#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/workload.h"
#include "planner/validation.h"
#include "planner/wafer_streaming.h"
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
  const Hardware wse3 = fabric_of(*preset_machine("wse3"));
  const TileCycles cycles =
      wse3.programs.at("fp16").cycles[static_cast<std::size_t>(TileProgram::relay)];
  // Two words, a hop of two cycles and two ramps of two each time.
  const double ours = cycles.start + 8 * (cycles.relay + 2 * cycles.relay_word + 2 + 6);
  const std::vector<WaferRow> rows = wafer_rows(
      R"({"about": "text", "moves": [)" + shift_row("a", 8, 800) + "," + shift_row("b", 8, 400) +
          "," + shift_row("c", 8, 800, R"(, "how": "vendor simulator")") + "]}",
      "rows.json");
  REQUIRE(rows.size() == 3);
  CHECK(*rows[0].ours == close_to(ours));
  CHECK(rows[0].error_percent() == close_to(100 * (ours / 800 - 1)));
  CHECK(rows[0].figures == "programs.relay.fp16");
  CHECK(*rows[2].ours == close_to(ours));
  const std::vector<WaferKind> kinds = wafer_kinds(rows);
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].kind == "shift");
  CHECK(kinds[0].judged == 2);
  CHECK(kinds[0].worst_percent == close_to(100 * (ours / 400 - 1)));
  // The larger of two is the median; for it the constant model is exact, for the other 100 % off.
  CHECK(kinds[0].constant_model_median_percent == close_to(100));
  // The vendor's simulator is judged beside devices, not among them.
  CHECK(kinds[1].how == "vendor simulator");
  CHECK(kinds[1].judged == 1);
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
         "procedure": "shift_wse3", "settings": {"dtype": "fp16"}, "value": 1},
        {"id": "published", "machine": "WSE-3", "how": "a paper's model", "unit": "cycles",
         "procedure": "shift_wse3", "settings": {"dtype": "fp16"}, "value": 1},
        {"id": "no such program", "machine": "WSE-2", "how": "device", "unit": "cycles",
         "procedure": "shift_wse3", "settings": {"dtype": "fp32"}, "value": 1},
        {"id": "excluded", "machine": "WSE-3", "how": "device", "unit": "cycles per block",
         "procedure": "decode_block_wse3", "settings": {"dtype": "fp16"}, "value": 1}]})",
      "rows.json");
  REQUIRE(rows.size() == 7);
  CHECK(rows[0].reason == "settings that this kind needs are not there");
  CHECK(rows[1].reason == "no model of ours is this program");
  CHECK(rows[1].kind == "host stream");
  CHECK(rows[2].reason == "no preset of WSE-9");
  CHECK(rows[3].reason == "not a value above 0 in cycles, or in us with a clock");
  CHECK(rows[4].reason == "not measured: a paper's model");
  CHECK(rows[5].reason == "WSE-2 has no programs.relay.fp32");
  CHECK(rows[6].reason.starts_with("of an instrumented program"));
  for (const WaferRow& row : rows) CHECK(!row.is_judged());
}

TEST_CASE("rows with odd values are listed with the reason, and end nothing") {
  const auto reason_of = [](const std::string& unit, const std::string& value,
                            const std::string& settings) {
    const std::vector<WaferRow> rows =
        wafer_rows(R"({"gemm": [{"id": "a", "machine": "WSE-3", "how": "device", "unit": )" + unit +
                       R"(, "procedure": "meshgemm_wse3", "value": )" + value +
                       R"(, "settings": )" + settings + "}]}",
                   "rows.json");
    CHECK(!rows.at(0).is_judged());
    return rows.at(0).reason;
  };
  const std::string good = R"({"P": 4, "tile": [2, 2, 2]})";
  for (const char* unit : {R"("ns")", R"("furlongs")", "null", "3", R"("tokens/s")"}) {
    CHECK(reason_of(unit, "5", good).starts_with("not a value above 0 in cycles"));
  }
  for (const char* value : {"-1", "0", "null", R"("7")"}) {
    CHECK(reason_of(R"("cycles")", value, good).starts_with("not a value above 0 in cycles"));
  }
  for (const char* side : {"0", "-4", "1.5", R"("4")", "1e18"}) {
    CHECK(reason_of(R"("cycles")", "5",
                    std::string(R"({"P": )") + side + R"(, "tile": [2, 2, 2]})") ==
          "P: expected a whole number from 1 to 1000000000");
  }
  CHECK(reason_of(R"("cycles")", "5", R"({"P": 4, "tile": [2, 0, 2]})") ==
        "tile: expected a whole number from 1 to 1000000000");
  CHECK(reason_of(R"("cycles")", "5", "[4]") == "settings that this kind needs are not there");
  CHECK(reason_of(R"("us")", "5",
                  R"({"P": 4, "tile": [2, 2, 2], "clock_ghz_assumed_by_authors": "1"})")
            .starts_with("not a value above 0"));
}

TEST_CASE("layers, products and library calls of the runs of 2026 have programs of their own") {
  const auto row = [](const std::string& procedure, const std::string& settings) {
    return R"({"id": ")" + procedure + R"(", "machine": "WSE-3", "how": "device", "unit": "cycles",
        "value": 4000, "procedure": ")" +
           procedure + R"(", "settings": {"P": 8, "dtype": "fp16", )" + settings + "}}";
  };
  const std::string layer = R"("dim": 64, "ffn": 128, "heads": 1, "kv_heads": 1, )";
  const std::string product = R"("tile": [4, 4, 4])";
  const std::vector<WaferRow> rows = wafer_rows(
      R"({"a": [)" + row("waferllm_decode_wse3", layer + R"("seq": 64, "allreduce_groups": 2)") +
          "," + row("waferllm_prefill_wse3", layer + R"("input_tokens": 64)") + "," +
          row("meshgemm_wse3", product) + "," + row("meshgemm_wse3_unpacked", product) + "," +
          row("summa_4colour_wse3", product) + "," + row("summa_collectives2d_fp16_wse3", product) +
          "," + row("gemv_pipeline_allreduce_wse3", R"("tile": [4, 4], "M": 32)") + "," +
          row("gemv_collectives2d_fp16_wse3", R"("tile": [4, 4], "M": 32)") + "," +
          row("meshgemm_colmajor", product + R"(, "compute_loops": 0, "exchange": 1)") + "," +
          row("meshgemm_colmajor", product + R"(, "compute_loops": 2, "exchange": 0)") + "]}",
      "rows.json");
  const char* programs[] = {
      "waferllm_decode", "waferllm_prefill", "waferllm",       "waferllm_unpacked", "summa_4colour",
      "collectives_2d",  "collectives_2d",   "collectives_2d", "waferllm",          "waferllm"};
  REQUIRE(rows.size() == std::size(programs));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].id);
    REQUIRE(rows[i].is_judged());
    CHECK(rows[i].figures == "programs." + std::string(programs[i]) + ".fp16");
  }
  const Hardware wse3 = fabric_of(*preset_machine("wse3"));
  const auto& figures = wse3.programs.at("fp16").cycles;
  const TileCycles& packed = figures[static_cast<std::size_t>(TileProgram::waferllm)];
  const TileCycles& unpacked = figures[static_cast<std::size_t>(TileProgram::waferllm_unpacked)];
  // Two exchanges a step and four of alignment.
  CHECK(*rows[3].ours - *rows[2].ours == close_to(20 * (unpacked.exchange - packed.exchange)));
  // Eight steps' products, once more and once less than with the exchange alone.
  const double local = 8 * 4 * (packed.update + 4 * (packed.vector + packed.issue));
  CHECK(*rows[2].ours - *rows[8].ours == close_to(local));
  CHECK(*rows[9].ours == close_to(packed.start + 2 * local));
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

std::string training_row(const std::string& id, const std::string& rest) {
  return R"({"id": ")" + id + R"(", "machine": "CS-2", "unit": "samples/s", "how": "device", )" +
         rest + "}";
}

TEST_CASE("rates of training are judged, or listed with the file's reason") {
  const std::string bert = R"("model": "BERT-large", "value": 2930, )";
  const std::vector<WaferRow> rows = wafer_rows(
      R"({"training": [)" +
          training_row("a", bert + R"("global_batch_samples": 512, "sequence_tokens": 128)") + "," +
          training_row("b", bert + R"("global_batch_samples": 512, "sequence_tokens": null,
              "judge": true, "note": "again")") +
          "," + training_row("c", bert + R"("global_batch_samples": 512, "judge": false,
              "note": "noisy")") +
          "," + training_row("d", bert + R"("global_batch_samples": null, "judge": true)") + "," +
          training_row("e", R"("model": "ViT base/16", "value": 700,
              "global_batch_samples": 8, "sequence_tokens": 64)") +
          "," +
          training_row("f", R"("model": "ResNet-50", "value": 700, "global_batch_samples": 8)") +
          "]}",
      "rows.json");
  REQUIRE(rows.size() == 6);
  for (const WaferRow& row : rows) CHECK(row.kind == "training");
  WaferStreamingJob job{read_workload(*workload_preset("bert_large"), "bert_large"),
                        fabric_of(*preset_machine("wse2"))};
  job.batch = 512;
  job.head_pieces = 1;
  const StreamingChoice best = plan_wafer_streaming(job).best;
  CHECK(*rows[0].ours == close_to(best.samples_per_s()));
  CHECK(rows[0].error_percent() == close_to(100 * (best.samples_per_s() / 2930 - 1)));
  CHECK(rows[0].settings->micro_batches == best.micro_batches);
  CHECK(rows[0].settings->recompute == "full");
  // What a row does not say is named: the preset's tokens, and all that the plan chose.
  CHECK(*rows[1].ours == *rows[0].ours);
  CHECK(rows[1].assumed.size() == rows[0].assumed.size() + 1);
  CHECK(rows[1].assumed.front() == "sequences of 128 tokens");
  CHECK(rows[1].note == "again");
  CHECK(rows[2].reason == "noisy");
  CHECK(rows[3].reason == "the samples of a step are not known");
  CHECK(rows[4].reason == "no preset of ViT base/16");
  CHECK(rows[5].reason.find("no layer of a language model") != std::string::npos);
  for (std::size_t i = 2; i < rows.size(); ++i) CHECK(!rows[i].is_judged());
}

TEST_CASE("odd rates of training are listed with the reason, and end nothing") {
  const auto reason_of = [](const std::string& unit, const std::string& value,
                            const std::string& rest) {
    const std::vector<WaferRow> rows = wafer_rows(
        R"({"training": [{"id": "a", "machine": "CS-2", "how": "device", "model": "BERT-large",
            "unit": ")" +
            unit + R"(", "value": )" + value + ", " + rest + "}]}",
        "rows.json");
    CHECK(!rows.at(0).is_judged());
    return rows.at(0).reason;
  };
  const std::string good = R"("global_batch_samples": 8, "sequence_tokens": 64)";
  CHECK(reason_of("tokens/s", "5", good) == "no rate above 0 in samples/s");
  CHECK(reason_of("samples/s", "-5", good) == "no rate above 0 in samples/s");
  for (const char* tokens : {"4000000000", "0", R"("many")", "1.5"}) {
    CHECK(reason_of("samples/s", "5",
                    R"("global_batch_samples": 8, "sequence_tokens": )" + std::string(tokens)) ==
          "sequence_tokens: expected a whole number from 1 to 1000000");
  }
  CHECK(reason_of("samples/s", "5", R"("global_batch_samples": 1000000000000000000)") ==
        "the samples of a step are not known");
  CHECK(reason_of("samples/s", "5", good + R"(, "judge": "false")") ==
        "the file says not to judge it");
}

TEST_CASE("sequences that a row says replace the preset's, the head's tokens in proportion") {
  const auto rate = [](const std::string& tokens) {
    const std::string text = training_row("a", R"("model": "BERT-large", "value": 1,
        "global_batch_samples": 512, "sequence_tokens": )" +
                                                   tokens);
    return *wafer_rows(R"({"training": [)" + text + "]}", "rows.json").front().ours;
  };
  // Twice the tokens of half as many samples: the same work but for attention.
  const double half = rate("64");
  CHECK(half > rate("128"));
  CHECK(half < 2 * rate("128"));
}

TEST_CASE("[shared] training rates: CS-2 within 15 %, CS-3 within 20 % but for Llama-2 7B") {
  if (!test::have_shared("wafer rows", "published/wse_measured_2026.json")) return;
  const std::string text = file_text(test::shared_folder() / "published/wse_measured_2026.json");
  std::size_t judged = 0;
  for (const WaferRow& row : wafer_rows(text, "rows")) {
    if (row.kind != "training") continue;
    CAPTURE(row.id);
    CHECK(row.is_judged() == row.reason.empty());
    if (!row.is_judged()) continue;
    ++judged;
    // Whether this data set has sequences of 4,096 tokens is not in its log. With these the row
    // agrees with no other of its machine, with 2,048 it does (docs/wafer_plans.md).
    if (row.settings->model == "Llama-2 7B") {
      CHECK(row.settings->sequence_tokens == 4096);
      continue;
    }
    const bool is_bert = row.settings->model == "BERT-large";
    CHECK(std::abs(row.error_percent()) <= (is_bert ? 10 : row.machine == "CS-2" ? 15 : 20));
  }
  CHECK(judged == 11);
  const std::string shorter = training_row("a", R"("model": "Llama-2 7B", "value": 31.99,
      "global_batch_samples": 1024, "sequence_tokens": 2048)");
  const std::string on_cs3 = std::regex_replace(shorter, std::regex("CS-2"), "CS-3");
  const WaferRow row = wafer_rows(R"({"training": [)" + on_cs3 + "]}", "rows").front();
  CHECK(std::abs(row.error_percent()) <= 20);
}

nlohmann::json fit_of(const std::string& name) {
  return nlohmann::json::parse(
      file_text(test::source_folder() / "model/presets/fits" / (name + ".json")));
}

TEST_CASE("presets have the figures that were fitted, and tell how far off each mesh is") {
  const std::map<std::string, std::pair<std::string, std::string>> told{
      {"meshgemm", {"gemm", "meshgemm"}},
      {"summa 4 colours", {"gemm", "pipelined-summa"}},
      {"summa collectives_2d", {"gemm", "summa"}},
      {"summa", {"gemm", "summa"}},
      {"meshgemv", {"gemv", "two-way chain"}},
      {"gemv chain", {"gemv", "one-way chain"}},
      {"shift", {"shift", "relay"}},
      {"decode layer", {"decode", ""}},
      {"prefill layer", {"prefill", ""}},
      {"decode", {"decode", ""}},
      {"prefill", {"prefill", ""}}};
  for (const char* name : {"wse3", "wse2_fp16", "wse2_fp32"}) {
    CAPTURE(name);
    const auto fit = fit_of(name);
    const std::string preset = std::string(name).substr(0, 4);
    const std::string type = fit["data_type"].get<std::string>();
    const Hardware hardware = fabric_of(*preset_machine(preset));
    for (const HardwareFigure& figure : hardware_figures(hardware)) {
      for (const auto& [program, figures] : fit["programs"].items()) {
        const std::string prefix = "programs." + program + "." + type + ".";
        if (!figure.key.starts_with(prefix)) continue;
        const auto fitted = figures.find(figure.key.substr(prefix.size()));
        if (fitted == figures.end()) continue;
        CAPTURE(figure.key);
        CHECK(std::stod(figure.value) == close_to(fitted->get<double>()));
      }
    }
    for (const auto& row : fit["each_mesh_left_out"].items()) {
      const std::string& kind = row.key();
      const auto& errors = row.value();
      CAPTURE(kind);
      const auto what = told.find(kind);
      if (what == told.end()) continue;  // a variant of a program that no plan has
      const MeasuredBacking* backing = find_backing(
          hardware,
          {.what = what->second.first, .algorithm = what->second.second, .data_type = type});
      REQUIRE(backing != nullptr);
      CHECK(backing->rows == errors["rows"].get<std::int64_t>());
      CHECK(backing->median_percent == close_to(errors["median_percent"].get<double>()));
      CHECK(backing->worst_percent == close_to(errors["worst_percent"].get<double>()));
    }
  }
}

/// What the errors of a kind of rows may be, in per cent.
struct KindLimit {
  double median;
  double worst;
};

void check_kinds(const char* file, const std::map<std::string, KindLimit>& limits) {
  if (!test::have_shared("wafer rows", file)) return;
  const std::string text = file_text(test::shared_folder() / file);
  std::vector<WaferRow> rows = wafer_rows(text, "rows");
  std::erase_if(rows, [](const WaferRow& row) { return row.how != "device"; });
  const std::vector<WaferKind> kinds = wafer_kinds(rows);
  for (const auto& of_kind : limits) {
    const std::string& name = of_kind.first;
    const KindLimit& limit = of_kind.second;
    CAPTURE(name);
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const WaferKind& known) { return known.kind == name; });
    REQUIRE(kind != kinds.end());
    CHECK(kind->judged * 100 >= kind->rows * (name == "longest output" ? 30 : 60));
    CHECK(kind->median_percent <= limit.median);
    CHECK(kind->worst_percent <= limit.worst);
  }
}

TEST_CASE("[shared] measured rows") {
  check_kinds("published/wse_measured.json", {{"meshgemm", {2, 10}},
                                              {"meshgemv", {2, 10}},
                                              {"shift", {3, 13}},
                                              {"summa", {3.7, 10}},
                                              {"decode", {4, 6}},
                                              {"prefill", {2, 4}},
                                              {"request", {5, 12}},
                                              {"longest output", {7.6, 7.6}}});
}

TEST_CASE("[shared] measured rows of 2026") {
  check_kinds("published/wse_measured_2026.json", {{"decode layer", {2, 5}},
                                                   {"prefill layer", {2, 5}},
                                                   {"meshgemm unpacked", {4, 10}},
                                                   {"meshgemv", {4, 10}},
                                                   {"gemv by a chain", {4, 10}},
                                                   {"summa", {4, 10}},
                                                   {"pipelined summa", {4, 10}}});
}

}  // namespace
}  // namespace waferloom::planner
