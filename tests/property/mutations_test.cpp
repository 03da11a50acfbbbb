// Readers and schemas say the same: files of which one value, key or entry is changed are refused
// by both, or taken by both. What a schema cannot say (two keys that have to go together, sizes
// that fit, sums) the reader alone refuses, by a message that is named here.

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/workload.h"

namespace waferloom {
namespace {

using Json = nlohmann::ordered_json;

/// Whether a schema takes a text.
class Judge {
 public:
  explicit Judge(const std::string& text) {
    const auto schema = nlohmann::json::parse(text);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), schema_);
  }
  bool takes(const std::string& text) const {
    const auto file = nlohmann::json::parse(text);
    return valijson::Validator().validate(schema_, valijson::adapters::NlohmannJsonAdapter(file),
                                          nullptr);
  }

 private:
  valijson::Schema schema_;
};

using Chance = std::mt19937;
constexpr unsigned kSeed = 20261126;

std::size_t below(Chance& chance, std::size_t count) { return chance() % count; }

/// Any value of a file that has others inside, or the file.
Json& any_parent(Json& file, Chance& chance) {
  std::vector<Json*> parents;
  const std::function<void(Json&)> walk = [&](Json& value) {
    if (!value.is_structured() || value.empty()) return;
    parents.push_back(&value);
    for (Json& child : value) walk(child);
  };
  walk(file);
  return *parents[below(chance, parents.size())];
}

/// Changes one value, key or entry.
void mutate(Json& file, Chance& chance) {
  static const std::vector<Json> kValues{nullptr,
                                         -1,
                                         0,
                                         1,
                                         2,
                                         3,
                                         7,
                                         1.5,
                                         1e30,
                                         1'000'000'000,
                                         1'000'000'000'000'000'000,
                                         "x",
                                         "",
                                         true,
                                         false,
                                         Json::array(),
                                         Json::object(),
                                         Json::array({1}),
                                         Json::array({1, 2})};
  Json& parent = any_parent(file, chance);
  const std::size_t at = below(chance, parent.size());
  constexpr std::size_t kWays = 5;
  const std::size_t way = below(chance, kWays);
  if (parent.is_array()) {
    if (way == 0) return parent.erase(at), void();
    parent[at] = kValues[below(chance, kValues.size())];
    return;
  }
  auto entry = parent.begin();
  std::advance(entry, static_cast<std::ptrdiff_t>(at));
  const std::string key = entry.key();
  if (way == 0) {
    parent.erase(key);
  } else if (way == 1) {
    parent[key + "s"] = parent[key];
    parent.erase(key);
  } else {
    parent[key] = kValues[below(chance, kValues.size())];
  }
}

struct Reader {
  std::string schema;
  std::string file;  ///< that is right
  std::function<void(const std::string& text)> read;
  /// Parts of what it says where files are wrong in a way that schemas cannot say.
  std::vector<std::string> beyond_schemas;
};

std::size_t draws() {
  const char* told = std::getenv("WAFERLOOM_DRAWS");
  constexpr std::size_t kDraws = 200;
  return told == nullptr ? kDraws : static_cast<std::size_t>(std::stoul(told));
}

void check_agreement(const Reader& reader, unsigned seed) {
  CAPTURE(reader.file);
  const Judge judge(reader.schema);
  const Json whole = Json::parse(reader.file);
  reader.read(whole.dump());
  REQUIRE(judge.takes(whole.dump()));
  Chance chance(seed);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < draws(); ++i) {
    Json file = whole;
    mutate(file, chance);
    const std::string text = file.dump();
    std::string complaint;
    try {
      reader.read(text);
    } catch (const InputError& error) {
      complaint = error.what();
    }
    CAPTURE(Json::diff(whole, file).dump());
    CAPTURE(complaint);
    const bool is_taken = complaint.empty();
    refused += is_taken ? 0 : 1;
    bool is_beyond = false;
    for (const std::string& part : reader.beyond_schemas) {
      is_beyond = is_beyond || complaint.find(part) != std::string::npos;
    }
    const bool agree = judge.takes(text) == is_taken || (is_beyond && !is_taken);
    CHECK(agree);
  }
  // Most changes are faults, and some are none.
  CHECK(refused > draws() / 3);
  CHECK(refused < draws());
}

constexpr const char* kLayers = R"({"schema": "waferloom/workload/1", "name": "layers",
  "tokens": 64, "comment": "of a language model", "operators": [
  {"name": "embedding", "kind": "embedding", "sequence": 64, "vocabulary": 100, "hidden": 32,
   "positions": 64, "token_types": 2, "projection": 16, "norm": "layer"},
  {"name": "layers", "repeat": 2, "operators": [
    {"name": "dense", "kind": "transformer", "sequence": 64, "hidden": 32, "heads": 4,
     "head_size": 8, "key_value_heads": 2, "feed_forward": 128, "gated": true, "biases": "none",
     "norm": "rms", "norms": 4, "query_key_norm": true, "parallel": false,
     "attention_window": 16, "sinks": true},
    {"name": "sparse", "kind": "transformer", "sequence": 64, "hidden": 32, "heads": 4,
     "experts": {"count": 4, "active": 2, "feed_forward": 64, "shared": 1,
                 "shared_feed_forward": 32, "bias": true, "gate_bias": false, "shared_gate": true},
     "latent": {"query_rank": null, "key_value_rank": 8, "rope_size": 4, "value_size": 8}}]},
  {"name": "head", "kind": "head", "sequence": 64, "vocabulary": 100, "hidden": 32, "tied": false,
   "norm": "rms", "bias": true, "projection": 16}]})";

constexpr const char* kImages = R"({"operators": [
  {"name": "first", "kind": "conv2", "image": [16, 16], "filter": 3, "stride": [2, 2],
   "padding": [1, 0, 0, 1], "dilation": 1, "in": 4, "out": 8, "groups": 4, "normalised": true},
  {"name": "up", "kind": "conv2", "image": 8, "filter": [2, 2], "stride": 2, "in": 8,
   "out": 4, "transposed": true, "after": ["first"]},
  {"name": "pool", "kind": "pool", "image": [16, 16], "filter": 2, "stride": 2, "padding": 0,
   "channels": 4},
  {"name": "sum", "kind": "add", "elements": 256, "after": ["pool"]},
  {"name": "scores", "kind": "product", "batch": 1, "rows": 1, "in": 1, "out": 1,
   "after": ["input"]},
  {"name": "patches", "kind": "patches", "image": 32, "patch": [8, 8], "channels": 3,
   "hidden": 16, "class_token": true, "positions": 17, "after": ["input"]},
  {"name": "classes", "kind": "linear", "rows": 1, "in": 272, "out": 10, "bias": false}]})";

TEST_CASE("networks: reader and schema agree on files with one fault") {
  const auto read = [](const std::string& text) { read_workload(text, "w.json"); };
  const std::vector<std::string> beyond{"expected operators that fit",
                                        "heads that divide",
                                        "key_value_heads that divide",
                                        "within the image",
                                        "2^60",
                                        "as many tokens as",
                                        "positions for all",
                                        "a name that no other",
                                        "an operator before this one",
                                        "a name of 1 to 100 printable",
                                        "groups that divide",
                                        "one of bias and biases",
                                        "padding that leaves",
                                        "at most as many active",
                                        "no norms where norm is none",
                                        "a Hugging Face configuration",
                                        "a name of printable"};
  check_agreement({workload_schema(), kLayers, read, beyond}, kSeed);
  check_agreement({workload_schema(), kImages, read, beyond}, kSeed);
}

TEST_CASE("machines: reader and schema agree on files with one fault") {
  // Presets are machines; their parts are also files of their own.
  Json system = Json::parse(*machine_preset("sn40l_16"));
  system["schema"] = "waferloom/system/1";
  check_agreement({hardware_schema(),
                   Json::parse(*machine_preset("wse2"))["fabric"].dump(),
                   [](const std::string& text) { read_hardware(text, "h.json"); },
                   {"a key of this file such as", "like as an earlier program",
                    "more multiply-adds a cycle than a tile does", "side of this mesh"}},
                  kSeed);
  check_agreement({system_schema(),
                   system.dump(),
                   [](const std::string& text) { read_system(text, "s.json"); },
                   {"a name that no other memory has", "key flop_per_s", "key 'flop_per_s'"}},
                  kSeed);
}

}  // namespace
}  // namespace waferloom
