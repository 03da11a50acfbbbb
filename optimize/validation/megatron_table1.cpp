#include "optimize/validation/megatron_table1.h"

#include "model/describe.h"

namespace waferloom {
namespace optimize {
namespace {

struct MegatronTable {
  std::vector<MegatronRow> rows;
};

}  // namespace
}  // namespace optimize

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
const TypeRows& rows_of<optimize::MegatronTable>() {
  using optimize::MegatronTable;
  static const TypeRows rows = rows_for<MegatronTable>(
      "the table", {remark_row("source"), remark_row("certainty"), remark_row("use"),
                    needed("rows", &MegatronTable::rows)});
  return rows;
}

namespace optimize {

std::vector<MegatronRow> read_megatron_rows(std::string_view text, const std::string& source) {
  return read_described<MegatronTable>(JsonReader(source), parse_json(text, source)).rows;
}

}  // namespace optimize
}  // namespace waferloom
