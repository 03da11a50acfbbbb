#include "optimize/validation/megatron_table1.h"

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "model/errors.h"
#include "model/workload.h"

namespace waferloom::optimize {
namespace {

std::string fault_of(const std::string& text) {
  try {
    read_megatron_rows(text, "t.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string table_of(const std::string& batch, const std::string& use) {
  return "{\"rows\": [\n{\"model\": \"1B\", \"workload\": \"t_1b\", \"layers\": 2, \"hidden\": 4, "
         "\"heads\": 1, \"tensor\": 1, \"pipeline\": 1, \"data\": 1, \"global_batch\": " +
         batch + ", \"tflops_per_gpu\": 100, \"palm_sequences_per_s\": null,\n\"use\": \"" + use +
         "\"}]}";
}

TEST_CASE("Megatron's table: what is wrong is told with its place") {
  CHECK(fault_of(table_of("8", "shown")).empty());
  CHECK(fault_of(table_of("0", "shown")).rfind("t.json:2:130: expected global_batch ", 0) == 0);
  CHECK(fault_of(table_of("8", "fit")) ==
        "t.json:3:8: expected use as fitted, judged or shown, found 'fit'");
  CHECK(fault_of("{}") == "t.json:1:1: expected the key 'rows', found an object without it");
}

TEST_CASE("Megatron's networks are presets of the same sizes, on as many GPUs as it used") {
  const std::vector<MegatronRow> rows = read_megatron_rows(megatron_json(), "megatron_table1.json");
  REQUIRE(rows.size() == 10);
  for (const MegatronRow& row : rows) {
    CAPTURE(row.model);
    const auto preset = workload_preset(row.workload);
    REQUIRE(preset.has_value());
    std::int64_t layers = 0;
    for (const Operator& op : read_workload(*preset, row.workload).operators) {
      const auto* layer = std::get_if<TransformerOperator>(&op.kind);
      if (layer == nullptr) continue;
      ++layers;
      CHECK(layer->hidden == row.hidden);
      CHECK(layer->heads == row.heads);
    }
    CHECK(layers == row.layers);
    CHECK(row.global_batch % row.data == 0);
  }
  CHECK(rows.back().tensor * rows.back().pipeline * rows.back().data == 3072);
}

}  // namespace
}  // namespace waferloom::optimize
