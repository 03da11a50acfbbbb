#include "interchange/huggingface.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/errors.h"
#include "model/workload.h"
#include "tests/support/source_folder.h"

namespace waferloom::interchange {
namespace {

constexpr const char* kLlama = R"({"model_type": "llama", "hidden_size": 64,
  "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
  "num_key_value_heads": 2, "vocab_size": 100, "max_position_embeddings": 512})";

Workload read(const std::string& text, const ImportOptions& options = {}) {
  return read_workload(network_text(import_config(text, "config.json", options).file), "network");
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
  CHECK(count(workload).parameters == 2 * layer + std::int64_t{2} * 100 * 64 + 64);
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

TEST_CASE("a missing window is the family's, null is none, and only known types are read") {
  const auto windows = [](const std::string& keys) {
    std::string text = kLlama;
    text.replace(text.find("llama"), 5, "mistral");
    text.insert(1, keys);
    std::vector<std::int64_t> found;
    for (const Operator& op : read(text, {.sequence = 8}).operators) {
      const auto* layer = std::get_if<TransformerOperator>(&op.kind);
      if (layer != nullptr) found.push_back(layer->attention_window);
    }
    return found;
  };
  CHECK(windows("") == std::vector<std::int64_t>{4096, 4096});
  CHECK(windows(R"("sliding_window": null, )") == std::vector<std::int64_t>{0, 0});
  CHECK_THROWS_AS(windows(R"("layer_types": ["full_attention", "chunked_attention"], )"),
                  InputError);
  CHECK_THROWS_AS(windows(R"("sliding_window": null, "layer_types": [1], )"), InputError);
}

TEST_CASE("other names of keys, a byte order mark, and heads that do not divide") {
  std::string gpt = R"({"model_type": "gpt2", "hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "max_position_embeddings": 32, "vocab_size": 100})";
  CHECK(read(gpt).operators.size() == 4);
  CHECK(is_config("\xEF\xBB\xBF" + gpt, "c"));
  gpt.replace(gpt.find("\"num_attention_heads\": 4"), 24, "\"num_attention_heads\": 5");
  CHECK(std::get<TransformerOperator>(read(gpt).operators[1].kind).features_of_head() == 12);
}

TEST_CASE("what would change counts and is not read becomes a note") {
  const auto notes = [](const std::string& keys) {
    std::string text = kLlama;
    text.insert(1, keys);
    std::string all;
    for (const std::string& note : import_config(text, "c", {.sequence = 8}).notes) all += note;
    return all;
  };
  CHECK(notes(R"("architectures": ["LlamaForCausalLM"], )").empty());
  CHECK(notes(R"("architectures": ["LlamaModel"], )").find("LlamaModel") != std::string::npos);
  CHECK(notes(R"("add_cross_attention": true, )").find("cross") != std::string::npos);
  CHECK(notes(R"("position_embedding_type": "relative_key", )").find("distances") !=
        std::string::npos);
}

TEST_CASE("a key missing from a real configuration is told or has a meaning") {
  int told = 0;
  int meant = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_folder() / "tests/interchange/configs")) {
    const auto whole = nlohmann::ordered_json::parse(std::ifstream(file.path()));
    for (const auto& item : whole.items()) {
      const std::string& key = item.key();
      CAPTURE(file.path().string());
      CAPTURE(key);
      nlohmann::ordered_json rest = whole;
      rest.erase(key);
      try {
        CHECK(count(read(rest.dump())).parameters > 0);
        ++meant;
      } catch (const InputError& error) {
        CHECK(std::string(error.what()).find(key) != std::string::npos);
        ++told;
      }
    }
  }
  CHECK(told > 0);
  CHECK(meant > told);
}

}  // namespace
}  // namespace waferloom::interchange
