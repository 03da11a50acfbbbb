#include "interchange/huggingface/quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "model/text.h"

// Problem: take the bits and groups of weights from what five programs write of their own methods.
// Idea: a row a method, with a function that reads its keys; what has no row becomes a note.
namespace waferloom::interchange {
namespace {

constexpr std::string_view kKey = "quantization_config";
constexpr std::int64_t kMostBits = 16;

/// What a method's keys say; nothing where they say that weights are not narrow.
using Method = std::optional<KeptNumbers> (*)(const ConfigReader& config);

std::int64_t bits_of(const ConfigReader& config, std::string_view key) {
  const std::int64_t bits = config.whole(key);
  if (bits <= kMostBits) return bits;
  config.reader().fail(*config.find(key), std::string(key) + " of at most 16");
}

/// Numbers that share a scale; 0 for the -1 that stands for a whole column or tensor.
std::int64_t group_of(const ConfigReader& config, std::int64_t missing) {
  return std::max<std::int64_t>(0, config.whole("group_size", {missing, 0}, -1));
}

std::optional<KeptNumbers> bits_and_group(const ConfigReader& config) {
  constexpr std::int64_t kGroup = 128;
  return KeptNumbers{NumberFormat{bits_of(config, "bits"), group_of(config, kGroup)}};
}

std::optional<KeptNumbers> bitsandbytes(const ConfigReader& config) {
  constexpr NumberFormat kNarrow{4, 64};
  if (config.flag("load_in_4bit", false)) return KeptNumbers{kNarrow};
  if (config.flag("load_in_8bit", false)) return KeptNumbers{NumberFormat{}};
  return std::nullopt;
}

std::optional<KeptNumbers> fp8(const ConfigReader& config) {
  if (!config.has("weight_block_size")) return KeptNumbers{NumberFormat{}};
  const auto [rows, columns] = config.sides("weight_block_size", 1);
  return KeptNumbers{NumberFormat{.group = rows * columns}};
}

/// A group of all linear operators, and caches as kv_cache_scheme says.
std::optional<KeptNumbers> compressed_tensors(const ConfigReader& config) {
  const JsonValue* groups = config.find("config_groups");
  if (groups == nullptr || groups->items.size() != 1) return std::nullopt;
  const ConfigReader group = config.inside(groups->items.front());
  const JsonValue* weights = group.find("weights");
  const JsonValue* targets = group.find("targets");
  const bool has_all =
      targets != nullptr && targets->items.size() == 1 && targets->items.front().text == "Linear";
  if (weights == nullptr || !has_all) return std::nullopt;
  const ConfigReader format = config.inside(*weights);
  KeptNumbers kept{NumberFormat{bits_of(format, "num_bits"), group_of(format, 0)}};
  if (const JsonValue* scheme = config.find("kv_cache_scheme")) {
    const ConfigReader caches = config.inside(*scheme);
    kept.caches = NumberFormat{bits_of(caches, "num_bits"), group_of(caches, 0)};
  }
  return kept;
}

struct MethodRow {
  std::string_view name;
  Method read;
};
constexpr std::array<MethodRow, 5> kMethods{{{"awq", bits_and_group},
                                             {"gptq", bits_and_group},
                                             {"bitsandbytes", bitsandbytes},
                                             {"fp8", fp8},
                                             {"compressed-tensors", compressed_tensors}}};

std::string text_of(const NumberFormat& format) {
  return fmt::format("{} bits{}", format.bits,
                     format.group > 0 ? fmt::format(", a scale for each {}", format.group) : "");
}

}  // namespace

Quantization quantization_of(const ConfigReader& config) {
  const JsonValue* value = config.find(kKey);
  if (value == nullptr) return {};
  config.reader().expect_object(*value, std::string(kKey) + " as an object");
  const ConfigReader own = config.inside(*value);
  const std::string name = own.text("quant_method");
  const auto* const row =
      std::find_if(kMethods.begin(), kMethods.end(),
                   [&](const MethodRow& method) { return method.name == name; });
  const auto kept = row == kMethods.end() ? std::nullopt : row->read(own);
  if (!kept) {
    return {{},
            std::string(kKey) + (name.empty() ? "" : " of quant_method " + in_quotes(name)) +
                " is not read: all weights have the data type of the plan"};
  }
  return {*kept, "matrices of layers are kept in " + text_of(*kept->weights) + " (" + name +
                     "), all else in the data type of the plan" +
                     (kept->caches ? ", caches in " + text_of(*kept->caches) : "")};
}

}  // namespace waferloom::interchange
