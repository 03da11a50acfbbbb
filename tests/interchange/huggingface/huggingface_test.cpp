#include "interchange/huggingface.h"

#include <doctest/doctest.h>

#include <string>

#include "model/workload_reader.h"

namespace waferloom::interchange {
namespace {

constexpr const char* kLlama = R"({"model_type": "llama", "hidden_size": 64,
  "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
  "num_key_value_heads": 2, "vocab_size": 100, "max_position_embeddings": 512})";

Workload read(const std::string& text, const ImportOptions& options = {}) {
  return read_workload(workload_text(import_config(text, "config.json", options).file), "network");
}

TEST_CASE("configurations are told from workloads by what they hold") {
  CHECK(is_config(kLlama, "c"));
  CHECK(is_config(R"({"architectures": ["A"]})", "c"));
  CHECK_FALSE(is_config(R"({"operators": [], "model_type": "llama"})", "c"));
  CHECK_FALSE(is_config(R"({"operators": [{"name": "model_type"}]})", "c"));
  CHECK_FALSE(is_config("", "c"));
  CHECK_FALSE(is_config("[\"model_type\"]", "c"));
}

TEST_CASE("a small model by hand") {
  const Workload workload = read(kLlama);
  CHECK(workload.tokens == 512);
  REQUIRE(workload.operators.size() == 4);
  const std::int64_t layer = 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128 + 2 * 64;
  CHECK(count(workload).parameters == 2 * layer + 2 * 100 * 64 + 64);
  CHECK(count(workload).cache == 2 * 2 * 32);
  CHECK(count(read(kLlama, {.sequence = 16})).input == 16);
}

TEST_CASE("the name is the model's, its folder's or its file's") {
  const auto name_of = [](const std::string& source) {
    return import_config(kLlama, source).file.name;
  };
  CHECK(name_of("models/Llama-3/config.json") == "Llama-3");
  CHECK(name_of("small.json") == "small");
  CHECK(name_of("config.json") == "llama");
  std::string named = kLlama;
  named.insert(1, R"("_name_or_path": "meta/Tiny", )");
  CHECK(import_config(named, "config.json").file.name == "Tiny");
}

TEST_CASE("windows are of the layers that a family or the file names") {
  std::string text = kLlama;
  text.replace(text.find("llama"), 5, "mistral");
  text.insert(1,
              R"("sliding_window": 32, "layer_types": ["full_attention", "sliding_attention"], )");
  const Workload workload = read(text);
  CHECK(std::get<TransformerOperator>(workload.operators[1].kind).attention_window == 0);
  CHECK(std::get<TransformerOperator>(workload.operators[2].kind).attention_window == 32);
  CHECK(count(workload.operators[1].kind).matrix_flop -
            count(workload.operators[2].kind).matrix_flop ==
        4 * 512 * (512 - 32) * 64);
}

}  // namespace
}  // namespace waferloom::interchange
