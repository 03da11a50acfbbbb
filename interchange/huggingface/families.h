#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "interchange/huggingface/config_reader.h"
#include "model/workload.h"

namespace waferloom::interchange {

/// What stands for features of a head: hidden / heads.
inline constexpr std::int64_t kOfHidden = 0;
/// What stands for heads of keys and values: as many as heads.
inline constexpr std::int64_t kAsHeads = 0;

/// A network before it becomes operators. Every layer is there.
struct ModelParts {
  std::vector<TransformerOperator> layers;
  EmbeddingOperator embedding{};
  HeadOperator head{};
};

/// A row of the table of families: which key gives what, and what a missing key means.
struct Family {
  std::string_view model_type;
  std::string_view hidden = "hidden_size";
  std::string_view layers = "num_hidden_layers";
  std::string_view heads = "num_attention_heads";
  std::string_view inner = "intermediate_size";
  Absent inner_absent{};               ///< 0: 4 times hidden
  std::string_view key_value_heads{};  ///< the key; empty: as heads
  Absent key_value_heads_absent{};
  std::string_view head_size{};  ///< the key; empty: hidden / heads
  Absent head_size_absent{};
  bool tied = false;  ///< without tie_word_embeddings
  Norm norm = Norm::rms;
  std::int64_t norms = 2;
  bool gated = true;
  std::string_view positions = "max_position_embeddings";
  Absent positions_absent = absent(0);  ///< 0: the file does not say
  bool learns_positions = false;
  /// Sets what only this family has; after all of the above is set, in every layer alike.
  void (*finish)(const ConfigReader& config, ModelParts& parts) = nullptr;
};

std::span<const Family> families();

}  // namespace waferloom::interchange
