#include "planner/published/wafer_procedures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "kernels/mesh_operators.h"
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

double meshgemm_cycles(const RowJson& settings, const RowMachine& machine) {
  return gemm_cycles(settings, machine.fabric, GemmAlgorithm::meshgemm);
}

double summa_cycles(const RowJson& settings, const RowMachine& machine) {
  return gemm_cycles(settings, machine.fabric, GemmAlgorithm::summa);
}

double meshgemv_cycles(const RowJson& settings, const RowMachine& machine) {
  const std::int64_t side = whole(settings, "P");
  return mesh_gemv(machine.fabric, side * block(settings, 0), side * block(settings, 1),
                   {side, side}, settings.value("groups", std::int64_t{0}))
      .parts.total();
}

double shift_cycles(const RowJson& settings, const RowMachine& machine) {
  const std::int64_t side = whole(settings, "P");
  return mesh_shift(machine.fabric, whole(settings, "elements_per_pe"),
                    whole(settings, "distance_columns"), {side, side})
      .parts.total();
}

/// A decoder block, of one token; its profile has other metrics, too.
double decode_block_cycles(const RowJson& settings, const RowMachine& machine) {
  const std::int64_t side = whole(settings, "P");
  DecodeBlock block;
  block.hidden = whole(settings, "dim");
  const std::int64_t heads = whole(settings, "heads");
  block.attention = {whole(settings, "seq"), heads, block.hidden / heads};
  block.kv_heads = whole(settings, "kv_heads");
  block.feed_forward = whole(settings, "ffn");
  const DecodeBlockCost cost = mesh_decode_block(
      machine.fabric, block, {side, side}, settings.value("allreduce_groups", std::int64_t{0}));
  return settings.at("metric") == "communication" ? cost.communication : cost.whole.parts.total();
}

/// A language model as WaferLLM's programs run it.
TileTransformer row_model(const RowJson& settings) {
  TileTransformer model;
  model.layer.hidden = whole(settings, "dim");
  model.layer.feed_forward = whole(settings, "ffn");
  model.layer.gated = true;
  model.layers = whole(settings, "layers");
  model.vocabulary = whole(settings, "vocab");
  return as_waferllm(model);
}

TileGrid row_mesh(const RowJson& settings, const char* key) {
  const RowJson& mesh = settings.at(key);
  return {mesh.at(0).get<std::int64_t>(), mesh.at(1).get<std::int64_t>()};
}

double row_clock(const RowMachine& machine) {
  return static_cast<double>(machine.hardware.clock_hz);
}

/// Tokens a second while a token is decoded behind so many others.
double decode_rate(const RowJson& settings, const RowMachine& machine) {
  return row_clock(machine) / decode_cycles(machine.fabric, row_model(settings),
                                            whole(settings, "context_tokens"), 1,
                                            row_mesh(settings, "mesh"));
}

/// Tokens of a prompt a second.
double prefill_rate(const RowJson& settings, const RowMachine& machine) {
  const std::int64_t tokens = whole(settings, "input_tokens");
  return static_cast<double>(tokens) * row_clock(machine) /
         prefill_cycles(machine.fabric, row_model(settings), tokens, GemmAlgorithm::meshgemm,
                        row_mesh(settings, "mesh"));
}

/// Output tokens over the time of a whole request.
double request_rate(const RowJson& settings, const RowMachine& machine) {
  const TileTransformer model = row_model(settings);
  const std::int64_t prompt = whole(settings, "input_tokens");
  const std::int64_t output = whole(settings, "output_tokens");
  const TileGrid mesh = row_mesh(settings, "prefill_mesh");
  const double cycles =
      prefill_cycles(machine.fabric, model, prompt, GemmAlgorithm::meshgemm, mesh) +
      relayout_cycles(machine.fabric, model, mesh, std::min(mesh.rows, mesh.columns)) +
      output_cycles(machine.fabric, model, prompt, output, 1, row_mesh(settings, "decode_mesh"));
  return static_cast<double>(output) * row_clock(machine) / cycles;
}

/// The longest output of a model whose layers lie over the whole wafer. A shift spreads the tokens
/// of a cache over all rows of its mesh; concatenation puts them on a single row.
double longest_output(const RowJson& settings, const RowMachine& machine) {
  TileTransformer model = row_model(settings);
  model.layer.heads = whole(settings, "heads");
  model.layer.key_value_heads = whole(settings, "kv_heads");
  const double balanced = longest_cached(machine.fabric, model, machine.hardware);
  const std::string kept = settings.at("kv").get<std::string>();
  if (kept.find("shift") != std::string::npos) return std::floor(balanced);
  return std::floor(balanced / static_cast<double>(row_mesh(settings, "decode_mesh").rows));
}

constexpr std::array<Procedure, 9> kProcedures{
    {{"meshgemm_wse3", "meshgemm", meshgemm_cycles},
     {"summa_wse2", "summa", summa_cycles},
     {"meshgemv_wse3", "meshgemv", meshgemv_cycles},
     {"shift_wse3", "shift", shift_cycles},
     {"decode_block_wse3", "decode block", decode_block_cycles},
     {"waferllm_tables/decode", "decode", decode_rate},
     {"waferllm_tables/prefill", "prefill", prefill_rate},
     {"waferllm_tables/request", "request", request_rate},
     {"waferllm_tables/longest", "longest output", longest_output}}};

constexpr std::string_view kWaferLlm = "waferllm_tables";

}  // namespace

const Procedure* row_procedure(std::string_view name, const RowJson& settings) {
  std::string wanted(name);
  if (name == kWaferLlm) {
    // Its tables hold rows of four kinds. The kinds of longest outputs name no system.
    if (settings.value("system", std::string("WaferLLM")) != "WaferLLM") return nullptr;
    wanted += "/" + (settings.contains("kv") ? "longest" : settings.value("phase", "request"));
  }
  const auto* found = std::find_if(kProcedures.begin(), kProcedures.end(),
                                   [&](const Procedure& known) { return known.name == wanted; });
  return found == kProcedures.end() ? nullptr : found;
}

}  // namespace waferloom::planner
