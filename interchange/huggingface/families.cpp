#include "interchange/huggingface/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// Which key of a configuration gives what, family by family, and what a missing key means.
// Source: the configurations and models of the transformers library (Hugging Face).
namespace waferloom::interchange {
namespace {

void set_biases(ModelParts& parts, Biases biases) {
  for (TransformerOperator& layer : parts.layers) layer.biases = biases;
}

Biases biases_of(bool attention, bool feed_forward) {
  if (attention) return feed_forward ? Biases::all : Biases::attention;
  return feed_forward ? Biases::feed_forward : Biases::none;
}

// Windows of attention ------------------------------------------------------------------------

/// Whether a layer looks back on a window, where `layer_types` does not say.
using IsWindowed = bool (*)(std::size_t layer, std::int64_t limit);

bool every_layer(std::size_t, std::int64_t) { return true; }
bool every_second_layer(std::size_t layer, std::int64_t) { return layer % 2 == 0; }
bool from_layer(std::size_t layer, std::int64_t first) {
  return static_cast<std::int64_t>(layer) >= first;
}
bool every_second_before(std::size_t layer, std::int64_t end) {
  return layer % 2 == 0 && static_cast<std::int64_t>(layer) < end;
}

/// By layer whether it looks back on a window; nothing where the file does not say.
std::optional<std::vector<bool>> windowed_layers(const ConfigReader& config, std::size_t layers) {
  const JsonValue* types = config.find("layer_types");
  if (types == nullptr) return std::nullopt;
  const JsonReader& reader = config.reader();
  const std::string expected = fmt::format("layer_types of all {} layers", layers);
  if (reader.array(*types, expected + " as an array").size() != layers) {
    reader.fail(*types, expected);
  }
  std::vector<bool> found;
  for (const JsonValue& type : types->items) {
    const std::string words = "a layer's type as sliding_attention or full_attention";
    const std::string& word = reader.string(type, words);
    if (word != "sliding_attention" && word != "full_attention") reader.fail(type, words);
    found.push_back(word == "sliding_attention");
  }
  return found;
}

void set_windows(const ConfigReader& config, ModelParts& parts, std::int64_t window,
                 IsWindowed is_windowed, std::int64_t limit = 0) {
  const auto said = windowed_layers(config, parts.layers.size());
  if (window == 0) return;
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    if (said ? (*said)[i] : is_windowed(i, limit)) parts.layers[i].attention_window = window;
  }
}

void set_sliding_window(const ConfigReader& config, ModelParts& parts) {
  set_windows(config, parts, config.whole("sliding_window", absent(0)), every_layer);
}

void finish_mistral(const ConfigReader& config, ModelParts& parts) {
  constexpr std::int64_t kWindow = 4096;
  set_windows(config, parts, config.whole("sliding_window", {kWindow, 0}), every_layer);
}

/// Windows are said, and used where another key says so.
void set_used_window(const ConfigReader& config, ModelParts& parts,
                     IsWindowed is_windowed = from_layer) {
  const bool is_used = config.flag("use_sliding_window", false);
  constexpr std::int64_t kWindow = 4096;
  constexpr std::int64_t kLimit = 28;
  const std::int64_t window = is_used ? config.whole("sliding_window", {kWindow, 0}) : 0;
  const std::int64_t limit = is_used ? config.whole("max_window_layers", {kLimit, {}}, 0) : 0;
  set_windows(config, parts, window, is_windowed, limit);
}

// Experts -------------------------------------------------------------------------------------

/// Gives the experts to every layer that `has_experts` names.
template <typename Which>
void set_experts(ModelParts& parts, const Experts& experts, Which&& has_experts) {
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    if (has_experts(static_cast<std::int64_t>(i))) parts.layers[i].experts = experts;
  }
}

void demand_active(const ConfigReader& config, const char* key, const Experts& experts) {
  if (experts.active <= experts.count) return;
  const JsonValue* value = config.find(key);
  const std::string text =
      fmt::format("{} of at most {}, the number of experts", key, experts.count);
  if (value != nullptr) config.reader().fail(*value, text);
  config.reader().fail(config.object(), text);
}

void finish_mixtral(const ConfigReader& config, ModelParts& parts) {
  set_sliding_window(config, parts);
  constexpr std::int64_t kCount = 8;
  Experts experts;
  experts.count = config.whole("num_local_experts", {kCount, {}});
  experts.active = config.whole("num_experts_per_tok", {2, {}});
  experts.feed_forward = parts.layers.front().feed_forward;
  experts.shared_feed_forward = experts.feed_forward;
  demand_active(config, "num_experts_per_tok", experts);
  set_experts(parts, experts, [](std::int64_t) { return true; });
}

/// Layers that Qwen's models with experts keep dense.
bool has_qwen_experts(const ConfigReader& config, std::int64_t step, std::int64_t layer) {
  if ((layer + 1) % step != 0) return false;
  const JsonValue* dense = config.find("mlp_only_layers");
  if (dense == nullptr) return true;
  const auto& list = config.reader().array(*dense, "mlp_only_layers as an array");
  return std::none_of(list.begin(), list.end(), [&](const JsonValue& value) {
    return config.reader().whole(value, "a layer", {0, 1'000'000}) == layer;
  });
}

void set_qwen_experts(const ConfigReader& config, ModelParts& parts, const Experts& experts) {
  if (experts.count == 0) return;
  demand_active(config, "num_experts_per_tok", experts);
  const std::int64_t step = config.whole("decoder_sparse_step", {1, {}});
  set_experts(parts, experts,
              [&](std::int64_t layer) { return has_qwen_experts(config, step, layer); });
}

void finish_qwen2_moe(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts, config.flag("qkv_bias", true) ? Biases::queries_keys_values : Biases::none);
  set_used_window(config, parts, every_second_before);
  Experts experts;
  constexpr std::int64_t kCount = 60;
  constexpr std::int64_t kActive = 4;
  constexpr std::int64_t kInner = 1408;
  constexpr std::int64_t kShared = 5632;
  experts.count = config.whole("num_experts", {kCount, 0}, 0);
  experts.active = config.whole("num_experts_per_tok", {kActive, {}});
  experts.feed_forward = config.whole("moe_intermediate_size", {kInner, {}});
  experts.shared = 1;
  experts.shared_feed_forward = config.whole("shared_expert_intermediate_size", {kShared, {}});
  experts.shared_gate = true;
  set_qwen_experts(config, parts, experts);
}

void set_query_key_norm(ModelParts& parts) {
  for (TransformerOperator& layer : parts.layers) layer.query_key_norm = true;
}

void finish_qwen3_moe(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts, biases_of(config.flag("attention_bias", false), false));
  set_query_key_norm(parts);
  set_used_window(config, parts, every_layer);
  Experts experts;
  constexpr std::int64_t kCount = 128;
  constexpr std::int64_t kActive = 8;
  constexpr std::int64_t kInner = 768;
  // Both names are in use.
  const bool has_own = config.has("num_experts") || !config.has("num_local_experts");
  experts.count = config.whole(has_own ? "num_experts" : "num_local_experts", {kCount, 0}, 0);
  experts.active = config.whole("num_experts_per_tok", {kActive, {}});
  experts.feed_forward = config.whole("moe_intermediate_size", {kInner, {}});
  experts.shared_feed_forward = experts.feed_forward;
  set_qwen_experts(config, parts, experts);
}

void set_latent(const ConfigReader& config, ModelParts& parts) {
  constexpr std::int64_t kQueryRank = 1536;
  constexpr std::int64_t kKeyValueRank = 512;
  constexpr std::int64_t kHead = 128;
  constexpr std::int64_t kRope = 64;
  LatentAttention latent;
  latent.query_rank = config.whole("q_lora_rank", {kQueryRank, 0});
  latent.key_value_rank = config.whole("kv_lora_rank", {kKeyValueRank, {}});
  latent.rope_size = config.whole("qk_rope_head_dim", {kRope, {}});
  latent.value_size = config.whole("v_head_dim", {kHead, {}});
  const std::int64_t head = config.whole("qk_nope_head_dim", {kHead, {}});
  for (TransformerOperator& layer : parts.layers) {
    layer.latent = latent;
    layer.head_size = head;
  }
}

/// What DeepSeek's second and third version mean by missing keys.
struct DeepseekAbsent {
  Absent count;
  Absent active;
  Absent shared;
  std::int64_t first_with_experts;
  bool has_gate_bias;
};

void finish_deepseek(const ConfigReader& config, ModelParts& parts, const DeepseekAbsent& means) {
  set_biases(parts, biases_of(config.flag("attention_bias", false), false));
  set_latent(config, parts);
  Experts experts;
  constexpr std::int64_t kInner = 2048;
  constexpr std::int64_t kInnerOfSecond = 1407;
  experts.count = config.whole("n_routed_experts", means.count);
  if (experts.count == 0) return;
  experts.active = config.whole("num_experts_per_tok", means.active);
  demand_active(config, "num_experts_per_tok", experts);
  experts.feed_forward =
      config.whole("moe_intermediate_size", {means.has_gate_bias ? kInner : kInnerOfSecond, {}});
  experts.shared = config.whole("n_shared_experts", means.shared, 0);
  experts.shared_feed_forward = experts.feed_forward;
  experts.gate_bias = means.has_gate_bias;
  const std::int64_t first =
      config.whole("first_k_dense_replace", {means.first_with_experts, {}}, 0);
  const std::int64_t every = config.whole("moe_layer_freq", {1, {}});
  set_experts(parts, experts,
              [&](std::int64_t layer) { return layer >= first && layer % every == 0; });
}

void finish_deepseek_v2(const ConfigReader& config, ModelParts& parts) {
  finish_deepseek(config, parts, {{{}, 0}, {}, {{}, 0}, 0, false});
}

void finish_deepseek_v3(const ConfigReader& config, ModelParts& parts) {
  constexpr std::int64_t kCount = 256;
  constexpr std::int64_t kActive = 8;
  constexpr std::int64_t kDense = 3;
  finish_deepseek(config, parts, {{kCount, 0}, {kActive, {}}, {1, 0}, kDense, true});
}

void finish_gpt_oss(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts, biases_of(config.flag("attention_bias", true), false));
  for (TransformerOperator& layer : parts.layers) layer.sinks = true;
  constexpr std::int64_t kWindow = 128;
  set_windows(config, parts, config.whole("sliding_window", {kWindow, 0}), every_second_layer);
  Experts experts;
  constexpr std::int64_t kCount = 128;
  constexpr std::int64_t kActive = 4;
  experts.count = config.whole("num_local_experts", {kCount, {}});
  experts.active = config.whole("num_experts_per_tok", {kActive, {}});
  experts.feed_forward = parts.layers.front().feed_forward;
  experts.shared_feed_forward = experts.feed_forward;
  experts.bias = true;
  experts.gate_bias = true;
  demand_active(config, "num_experts_per_tok", experts);
  set_experts(parts, experts, [](std::int64_t) { return true; });
}

// Dense models --------------------------------------------------------------------------------

void finish_llama(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts,
             biases_of(config.flag("attention_bias", false), config.flag("mlp_bias", false)));
}

void finish_qwen2(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts, Biases::queries_keys_values);
  set_used_window(config, parts);
}

void finish_qwen3(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts, biases_of(config.flag("attention_bias", false), false));
  set_query_key_norm(parts);
  set_used_window(config, parts);
}

void finish_gemma(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts, biases_of(config.flag("attention_bias", false), false));
}

void finish_gemma2(const ConfigReader& config, ModelParts& parts) {
  finish_gemma(config, parts);
  constexpr std::int64_t kWindow = 4096;
  set_windows(config, parts, config.whole("sliding_window", {kWindow, 0}), every_second_layer);
}

void finish_phi(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts, Biases::all);
  parts.head.bias = true;
  const bool has_norms = config.flag("qk_layernorm", false);
  for (TransformerOperator& layer : parts.layers) {
    layer.parallel = true;
    layer.query_key_norm = has_norms;
  }
}

void finish_gpt2(const ConfigReader&, ModelParts& parts) { set_biases(parts, Biases::all); }

void finish_gpt_neox(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts, biases_of(config.flag("attention_bias", true), true));
  const bool is_parallel = config.flag("use_parallel_residual", true);
  for (TransformerOperator& layer : parts.layers) layer.parallel = is_parallel;
}

void finish_opt(const ConfigReader& config, ModelParts& parts) {
  constexpr std::int64_t kUnusedPositions = 2;
  parts.embedding.positions += kUnusedPositions;
  const bool has_bias = config.flag("enable_bias", true);
  set_biases(parts, has_bias ? Biases::all : Biases::none);
  const std::int64_t hidden = parts.head.hidden;
  const std::int64_t embedded = config.whole("word_embed_proj_dim", absent(hidden));
  if (embedded != hidden) {
    parts.embedding.projection = embedded;
    parts.head.projection = embedded;
  }
  if (!config.flag("layer_norm_elementwise_affine", true)) {
    for (TransformerOperator& layer : parts.layers) layer.norm = Norm::none;
    parts.head.norm = Norm::none;
  }
  const bool has_last =
      config.flag("do_layer_norm_before", true) && !config.flag("_remove_final_layer_norm", false);
  if (!has_last) parts.head.norm = Norm::none;
}

void finish_falcon(const ConfigReader& config, ModelParts& parts) {
  const bool is_new = config.flag("new_decoder_architecture", false);
  const bool is_parallel = config.flag("parallel_attn", true);
  const std::int64_t beside = config.whole("num_ln_in_parallel_attn", absent(is_new ? 2 : 1));
  const std::int64_t heads = parts.layers.front().heads;
  const std::int64_t key_value_heads = is_new ? config.whole("num_kv_heads", absent(heads))
                                       : config.flag("multi_query", true) ? 1
                                                                          : heads;
  set_biases(parts, config.flag("bias", false) ? Biases::all : Biases::none);
  for (TransformerOperator& layer : parts.layers) {
    layer.key_value_heads = key_value_heads;
    layer.parallel = is_parallel;
    layer.norms = !is_parallel || beside == 2 ? 2 : 1;
  }
}

void finish_bert(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts, Biases::all);
  parts.embedding.token_types = config.whole("type_vocab_size", {2, {}}, 0);
  parts.embedding.norm = Norm::layer;
}

void finish_vit(const ConfigReader& config, ModelParts& parts) {
  set_biases(parts,
             config.flag("qkv_bias", true) ? Biases::all : Biases::all_but_queries_keys_values);
}

// Heads of keys and values where the key is missing; null stands for as many as heads.
constexpr Absent heads_unless(std::int64_t missing) { return {missing, kAsHeads}; }
constexpr const char* kKeyValueHeads = "num_key_value_heads";
constexpr const char* kHeadSize = "head_dim";
constexpr Absent kSameHeads{kAsHeads, kAsHeads};
constexpr Absent kSharesHidden{kOfHidden, kOfHidden};

constexpr Family kFamilies[] = {
    {.model_type = "llama",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = kSameHeads,
     .head_size = kHeadSize,
     .head_size_absent = kSharesHidden,
     .finish = finish_llama},
    {.model_type = "mistral",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = heads_unless(8),
     .head_size = kHeadSize,
     .head_size_absent = kSharesHidden,
     .finish = finish_mistral},
    {.model_type = "mixtral",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = heads_unless(8),
     .head_size = kHeadSize,
     .head_size_absent = kSharesHidden,
     .finish = finish_mixtral},
    {.model_type = "qwen2",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = heads_unless(32),
     .head_size = kHeadSize,
     .head_size_absent = {kOfHidden, {}},
     .finish = finish_qwen2},
    {.model_type = "qwen3",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = heads_unless(32),
     .head_size = kHeadSize,
     .head_size_absent = {128, {}},
     .finish = finish_qwen3},
    {.model_type = "qwen2_moe",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = {16, {}},
     .head_size = kHeadSize,
     .head_size_absent = {kOfHidden, {}},
     .finish = finish_qwen2_moe},
    {.model_type = "qwen3_moe",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = {4, {}},
     .head_size = kHeadSize,
     .head_size_absent = {kOfHidden, {}},
     .finish = finish_qwen3_moe},
    {.model_type = "gemma",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = {16, {}},
     .head_size = kHeadSize,
     .head_size_absent = {256, {}},
     .tied = true,
     .finish = finish_gemma},
    {.model_type = "gemma2",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = {4, {}},
     .head_size = kHeadSize,
     .head_size_absent = {256, {}},
     .tied = true,
     .norms = 4,
     .finish = finish_gemma2},
    {.model_type = "phi",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = kSameHeads,
     .norm = Norm::layer,
     .norms = 1,
     .gated = false,
     .finish = finish_phi},
    {.model_type = "phi3",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = kSameHeads,
     .head_size = kHeadSize,
     .head_size_absent = {kOfHidden, {}},
     .finish = set_sliding_window},
    {.model_type = "deepseek_v2", .finish = finish_deepseek_v2},
    {.model_type = "deepseek_v3", .finish = finish_deepseek_v3},
    {.model_type = "gpt_oss",
     .key_value_heads = kKeyValueHeads,
     .key_value_heads_absent = heads_unless(8),
     .head_size = kHeadSize,
     .head_size_absent = {64, kOfHidden},
     .finish = finish_gpt_oss},
    {.model_type = "gpt2",
     .hidden = "n_embd",
     .layers = "n_layer",
     .heads = "n_head",
     .inner = "n_inner",
     .inner_absent = absent(0),
     .tied = true,
     .norm = Norm::layer,
     .gated = false,
     .positions = "n_positions",
     .positions_absent = {},
     .learns_positions = true,
     .finish = finish_gpt2},
    {.model_type = "gpt_neox", .norm = Norm::layer, .gated = false, .finish = finish_gpt_neox},
    {.model_type = "opt",
     .inner = "ffn_dim",
     .tied = true,
     .norm = Norm::layer,
     .gated = false,
     .positions_absent = {},
     .learns_positions = true,
     .finish = finish_opt},
    {.model_type = "falcon",
     .inner = "ffn_hidden_size",
     .inner_absent = absent(0),
     .tied = true,
     .norm = Norm::layer,
     .gated = false,
     .finish = finish_falcon},
    {.model_type = "bert",
     .norm = Norm::layer,
     .gated = false,
     .positions_absent = {512, {}},
     .learns_positions = true,
     .finish = finish_bert},
    {.model_type = "vit", .norm = Norm::layer, .gated = false, .finish = finish_vit},
};

}  // namespace

std::span<const Family> families() { return kFamilies; }

}  // namespace waferloom::interchange
