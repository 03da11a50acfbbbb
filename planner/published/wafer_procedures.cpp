#include "planner/published/wafer_procedures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "kernels/mesh_layers.h"
#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "planner/wafer/tile_transformer.h"

// Problem: compute what a measured program takes from the settings of a row.
// Idea: a function for each program. Settings name the blocks of a tile, the mesh, or the shape of
// a language model; the machine's preset has the cycles. Source: the procedures of the rows' own
// files; WaferLLM (OSDI'25), Tables 2 to 5, of which the programs run one fused head. Rows of other
// systems in these tables are other programs. Cost: O(1) a row, a few all-reduces for a language
// model.
namespace waferloom::planner {
namespace {

constexpr std::int64_t kMostOfSetting = 1'000'000'000;

std::int64_t whole_of(const JsonValue& value, const std::string& name, std::int64_t least) {
  const std::optional<Int128> number = JsonReader::whole_if(value, least, kMostOfSetting);
  if (number) return static_cast<std::int64_t>(*number);
  throw RequestError(
      fmt::format("{}: expected a whole number from {} to {}", name, least, kMostOfSetting));
}

const JsonValue& setting(const JsonValue& settings, const char* key) {
  const JsonValue* found = JsonReader::find(settings, key);
  if (found == nullptr) throw MissingSetting();
  return *found;
}

const JsonValue& item(const JsonValue& list, std::size_t at) {
  if (list.kind != JsonValue::Kind::array || at >= list.items.size()) throw MissingSetting();
  return list.items[at];
}

std::int64_t whole(const JsonValue& settings, const char* key, std::int64_t least = 1) {
  return whole_of(setting(settings, key), key, least);
}

/// 0 where the row does not say it.
std::int64_t groups_of(const JsonValue& settings, const char* key) {
  return JsonReader::find(settings, key) != nullptr ? whole(settings, key, 0) : 0;
}

std::int64_t block(const JsonValue& settings, std::size_t at) {
  return whole_of(item(setting(settings, "tile"), at), "tile", 1);
}

MeshOperator row_gemm(const JsonValue& settings, const TileFabric& fabric,
                      GemmAlgorithm algorithm) {
  const std::int64_t side = whole(settings, "P");
  const GemmShape shape{side * block(settings, 0), side * block(settings, 1),
                        side * block(settings, 2)};
  return mesh_gemm(fabric, algorithm, shape, {side, side});
}

double gemm_cycles(const JsonValue& settings, const TileFabric& fabric, GemmAlgorithm algorithm) {
  return row_gemm(settings, fabric, algorithm).parts.total();
}

double meshgemm_cycles(const JsonValue& settings, const RowMachine& machine) {
  return gemm_cycles(settings, machine.fabric, GemmAlgorithm::meshgemm);
}

double summa_cycles(const JsonValue& settings, const RowMachine& machine) {
  return gemm_cycles(settings, machine.fabric, GemmAlgorithm::summa);
}

double pipelined_summa_cycles(const JsonValue& settings, const RowMachine& machine) {
  return gemm_cycles(settings, machine.fabric, GemmAlgorithm::pipelined_summa);
}

/// The product of a step is done so many times, or not at all; the exchange may be left out.
double repeated_meshgemm_cycles(const JsonValue& settings, const RowMachine& machine) {
  const OperatorParts parts = row_gemm(settings, machine.fabric, GemmAlgorithm::meshgemm).parts;
  const auto loops = static_cast<double>(whole(settings, "compute_loops", 0));
  const double moved = parts.start - machine.fabric.cycles.start + parts.words + parts.hops;
  return machine.fabric.cycles.start + loops * parts.local +
         (whole(settings, "exchange", 0) > 0 ? moved : 0);
}

double library_gemv_cycles(const JsonValue& settings, const RowMachine& machine) {
  const std::int64_t side = whole(settings, "P");
  return mesh_library_gemv(machine.fabric, {side * block(settings, 0), side * block(settings, 1)},
                           {side, side})
      .parts.total();
}

/// y = A x + b: x and b come from one tile, the result goes back to it: three phases more, each
/// with all numbers through that tile's ramp.
double scattered_gemv_cycles(const JsonValue& settings, const RowMachine& machine) {
  constexpr double kPhases = 3;
  const double side = static_cast<double>(whole(settings, "P"));
  const auto numbers = static_cast<double>(whole(settings, "M"));
  const TileFabric& fabric = machine.fabric;
  return library_gemv_cycles(settings, machine) +
         kPhases * (fabric.cycles.phase + numbers + fabric.way(side - 1));
}

/// The product of a tile's own blocks.
double local_product_cycles(const JsonValue& settings, const RowMachine& machine) {
  return product_cycles(
      machine.fabric,
      {.m = whole(settings, "Nt"), .k = whole(settings, "Kt"), .n = whole(settings, "M")});
}

double meshgemv_cycles(const JsonValue& settings, const RowMachine& machine) {
  const std::int64_t side = whole(settings, "P");
  return mesh_gemv(machine.fabric, {side * block(settings, 0), side * block(settings, 1)},
                   {side, side}, groups_of(settings, "groups"))
      .parts.total();
}

double shift_cycles(const JsonValue& settings, const RowMachine& machine) {
  const std::int64_t side = whole(settings, "P");
  return mesh_shift(machine.fabric, whole(settings, "elements_per_pe"), {side, side},
                    whole(settings, "distance_columns", 0))
      .parts.total();
}

/// A decoder layer for one token. Its activation works on as many numbers as a layer has features.
double decode_layer_cycles(const JsonValue& settings, const RowMachine& machine) {
  const std::int64_t side = whole(settings, "P");
  DecodeBlock block;
  block.hidden = whole(settings, "dim");
  const std::int64_t heads = whole(settings, "heads");
  block.attention = {whole(settings, "seq"), heads, block.hidden / heads};
  block.kv_heads = whole(settings, "kv_heads");
  block.feed_forward = whole(settings, "ffn");
  block.activated = block.hidden;
  return mesh_decode_block(machine.fabric, block, {side, side},
                           groups_of(settings, "allreduce_groups"))
      .whole.parts.total();
}

/// A decoder layer for a prompt.
double prefill_layer_cycles(const JsonValue& settings, const RowMachine& machine) {
  const std::int64_t side = whole(settings, "P");
  PrefillBlock block;
  block.hidden = whole(settings, "dim");
  const std::int64_t heads = whole(settings, "heads");
  block.attention = {whole(settings, "input_tokens"), heads, block.hidden / heads};
  block.kv_heads = whole(settings, "kv_heads");
  block.feed_forward = whole(settings, "ffn");
  block.joined = false;
  return mesh_prefill_block(machine.fabric, block, GemmAlgorithm::meshgemm, {side, side})
      .parts.total();
}

/// A language model as WaferLLM's programs run it.
TileTransformer row_model(const JsonValue& settings) {
  TileTransformer model;
  model.layer.hidden = whole(settings, "dim");
  model.layer.feed_forward = whole(settings, "ffn");
  model.layer.gated = true;
  model.layers = whole(settings, "layers");
  model.vocabulary = whole(settings, "vocab");
  return as_waferllm(model);
}

TileGrid row_mesh(const JsonValue& settings, const char* key) {
  const JsonValue& mesh = setting(settings, key);
  return {whole_of(item(mesh, 0), key, 1), whole_of(item(mesh, 1), key, 1)};
}

double row_clock(const RowMachine& machine) {
  return static_cast<double>(machine.hardware.clock_hz);
}

/// Tokens a second while a token is decoded behind so many others.
double decode_rate(const JsonValue& settings, const RowMachine& machine) {
  return row_clock(machine) / decode_cycles(machine.fabric, row_model(settings),
                                            whole(settings, "context_tokens"), 1,
                                            row_mesh(settings, "mesh"));
}

/// Tokens of a prompt a second.
double prefill_rate(const JsonValue& settings, const RowMachine& machine) {
  const std::int64_t tokens = whole(settings, "input_tokens");
  return static_cast<double>(tokens) * row_clock(machine) /
         prefill_cycles(machine.fabric, row_model(settings), tokens, GemmAlgorithm::meshgemm,
                        row_mesh(settings, "mesh"));
}

/// Output tokens over the time of a whole request.
double request_rate(const JsonValue& settings, const RowMachine& machine) {
  const TileTransformer model = row_model(settings);
  const std::int64_t prompt = whole(settings, "input_tokens");
  const std::int64_t output = whole(settings, "output_tokens");
  const TileGrid mesh = row_mesh(settings, "prefill_mesh");
  const double cycles =
      prefill_cycles(machine.fabric, model, prompt, GemmAlgorithm::meshgemm, mesh) +
      relayout_cycles(machine.fabric, model, mesh, std::min(mesh.rows, mesh.columns)) +
      output_cycles(machine.fabric, model, prompt, output, row_mesh(settings, "decode_mesh"), 1);
  return static_cast<double>(output) * row_clock(machine) / cycles;
}

/// The longest output of a model whose layers lie over the whole wafer. A shift spreads the tokens
/// of a cache over all rows of its mesh; concatenation puts them on a single row.
double longest_output(const JsonValue& settings, const RowMachine& machine) {
  TileTransformer model = row_model(settings);
  model.layer.heads = whole(settings, "heads");
  model.layer.key_value_heads = whole(settings, "kv_heads");
  model.layer.head_size = 0;
  const double balanced = longest_cached(machine.fabric, model, machine.hardware);
  setting(settings, "kv");
  const std::string kept = text_of(settings, "kv");
  if (kept.find("shift") != std::string::npos) return std::floor(balanced);
  return std::floor(balanced / static_cast<double>(row_mesh(settings, "decode_mesh").rows));
}

constexpr std::array<Procedure, 17> kProcedures{
    {{"meshgemm_wse3", "meshgemm", TileProgram::waferllm, meshgemm_cycles},
     {"meshgemm_wse3_unpacked", "meshgemm unpacked", TileProgram::waferllm_unpacked,
      meshgemm_cycles},
     {"meshgemm_colmajor", "meshgemm by columns", TileProgram::waferllm, repeated_meshgemm_cycles},
     {"summa_wse2", "summa", TileProgram::collectives_2d, summa_cycles},
     {"summa_collectives2d_fp16_wse3", "summa", TileProgram::collectives_2d, summa_cycles},
     {"summa_4colour_wse3", "pipelined summa", TileProgram::summa_4colour, pipelined_summa_cycles},
     {"spmm_local", "local product", TileProgram::collectives_2d, local_product_cycles},
     {"meshgemv_wse3", "meshgemv", TileProgram::waferllm, meshgemv_cycles},
     {"gemv_pipeline_allreduce_wse3", "gemv by a chain", TileProgram::collectives_2d,
      library_gemv_cycles},
     {"gemv_collectives2d_fp16_wse3", "gemv with scatter and gather", TileProgram::collectives_2d,
      scattered_gemv_cycles},
     {"shift_wse3", "shift", TileProgram::relay, shift_cycles},
     {"waferllm_decode_wse3", "decode layer", TileProgram::waferllm_decode, decode_layer_cycles},
     {"waferllm_prefill_wse3", "prefill layer", TileProgram::waferllm_prefill,
      prefill_layer_cycles},
     {"waferllm_tables/decode", "decode", TileProgram::waferllm_decode, decode_rate, "tokens/s"},
     {"waferllm_tables/prefill", "prefill", TileProgram::waferllm_prefill, prefill_rate,
      "tokens/s"},
     {"waferllm_tables/request", "request", TileProgram::waferllm_decode, request_rate, "tokens/s"},
     {"waferllm_tables/longest", "longest output", TileProgram::waferllm_decode, longest_output,
      "tokens"}}};

constexpr ExcludedProcedure kExcluded[] = {
    {"decode_block_wse3",
     "of an instrumented program: some 7,455 of its cycles are 28 pairs of timers a layer"},
    {"systolic_host_wse2", "host transfers included: dominated by host I/O"}};

constexpr std::string_view kWaferLlm = "waferllm_tables";

}  // namespace

std::string_view why_excluded(std::string_view procedure) {
  for (const ExcludedProcedure& excluded : kExcluded) {
    if (excluded.name == procedure) return excluded.reason;
  }
  return "";
}

std::string text_of(const JsonValue& row, const char* key) {
  return std::string(JsonReader::text_or_none(row, key));
}

double amount_of(const JsonValue& row, const char* key) {
  const JsonValue* found = JsonReader::find(row, key);
  if (found == nullptr || found->kind != JsonValue::Kind::number) return 0;
  double number = 0;
  std::from_chars(found->text.data(), found->text.data() + found->text.size(), number);
  return number > 0 ? number : 0;
}

std::string unit_of(const JsonValue& row) {
  const std::string unit = text_of(row, "unit");
  return unit.substr(0, unit.find_first_of(" ,"));
}

const Procedure* row_procedure(std::string_view name, const JsonValue& settings) {
  std::string wanted(name);
  if (name == kWaferLlm) {
    // Its tables hold rows of four kinds. The kinds of longest outputs name no system.
    if (JsonReader::find(settings, "system") != nullptr &&
        text_of(settings, "system") != "WaferLLM")
      return nullptr;
    const std::string phase = text_of(settings, "phase");
    wanted += "/" + (JsonReader::find(settings, "kv") != nullptr ? "longest"
                     : phase.empty()                             ? "request"
                                                                 : phase);
  }
  const auto* found = std::find_if(kProcedures.begin(), kProcedures.end(),
                                   [&](const Procedure& known) { return known.name == wanted; });
  return found == kProcedures.end() ? nullptr : found;
}

}  // namespace waferloom::planner
