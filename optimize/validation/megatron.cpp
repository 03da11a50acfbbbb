#include "optimize/validation/megatron.h"

#include "model/describe.h"

namespace waferloom {

std::string_view megatron_json();  // made by CMake

template <>
const TypeRows& rows_of<optimize::MegatronRow>() {
  using optimize::MegatronRow;
  constexpr RowFacts kWhole{.range = kPositiveCount};
  constexpr RowFacts kRate{.range = kAboveZero};
  static const TypeRows rows = rows_for<MegatronRow>(
      "a row of the table",
      {needed("model", &MegatronRow::model), needed("workload", &MegatronRow::workload),
       needed("layers", &MegatronRow::layers, kWhole),
       needed("hidden", &MegatronRow::hidden, kWhole), needed("heads", &MegatronRow::heads, kWhole),
       needed("tensor", &MegatronRow::tensor, kWhole),
       needed("pipeline", &MegatronRow::pipeline, kWhole),
       needed("data", &MegatronRow::data, kWhole),
       needed("global_batch", &MegatronRow::global_batch, kWhole),
       needed("tflops_per_gpu", &MegatronRow::tflops_per_gpu, kRate),
       needed("palm_sequences_per_s", &MegatronRow::palm_sequences_per_s, kRate),
       listed_row(needed("use", &MegatronRow::use), optimize::kMegatronUses)});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::MegatronBatch>() {
  using optimize::MegatronBatch;
  static const TypeRows rows = rows_for<MegatronBatch>(
      "a batch",
      {needed("model", &MegatronBatch::model), needed("workload", &MegatronBatch::workload),
       needed("batch_s", &MegatronBatch::batch_s, {.range = kAboveZero}),
       needed("plan", &MegatronBatch::plan)});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::MegatronData>() {
  using optimize::MegatronData;
  static const TypeRows rows = rows_for<MegatronData>(
      "what Megatron reached",
      {remark_row("source"), remark_row("certainty"), remark_row("use"),
       needed("rows", &MegatronData::rows), needed("batches", &MegatronData::batches)});
  return rows;
}

namespace optimize {

MegatronData read_megatron(std::string_view text, const std::string& source) {
  return read_described<MegatronData>(JsonReader(source), parse_json(text, source));
}

MegatronData megatron_data() { return read_megatron(megatron_json(), "megatron.json"); }

}  // namespace optimize
}  // namespace waferloom
