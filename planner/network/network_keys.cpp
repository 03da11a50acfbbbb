#include "planner/network/network_keys.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

/// What some networks have.
enum class NetworkKey : std::uint8_t { experts, latent, attention_window, projection, patches };

/// In a sentence: "… has experts".
constexpr std::array<std::string_view, 5> kKeyTexts{
    "experts", "latent attention", "attention windows", "a projection", "patches of images"};

struct KnownKeys {
  std::string_view command;
  std::string_view work;  ///< in messages: "serving does not know"
  std::array<bool, kKeyTexts.size()> knows;
};

/// In the order of NetworkUser and of NetworkKey.
constexpr std::array<KnownKeys, 4> kKnown{{
    {"plan --serve", "serving", {}},
    {"plan --way streaming", "streaming", {}},
    {"plan --way pipeline", "pipelining", {false, false, false, false, true}},
    {"model serving", "serving by chips", {}},
}};

bool lacks(const KnownKeys& row, NetworkKey key) {
  return !row.knows[static_cast<std::size_t>(key)];
}

std::optional<NetworkKey> key_of_layer(const TransformerOperator& layer, std::int64_t tokens,
                                       const KnownKeys& row) {
  if (layer.experts && lacks(row, NetworkKey::experts)) return NetworkKey::experts;
  if (layer.latent && lacks(row, NetworkKey::latent)) return NetworkKey::latent;
  const std::int64_t all = tokens > 0 ? tokens : layer.sequence;
  const bool is_cut = layer.looked_back(all) < all;
  if (is_cut && lacks(row, NetworkKey::attention_window)) return NetworkKey::attention_window;
  return std::nullopt;
}

/// The first key of an operator that is not known.
std::optional<NetworkKey> unknown_key(const OperatorKind& kind, std::int64_t tokens,
                                      const KnownKeys& row) {
  if (const auto* layer = std::get_if<TransformerOperator>(&kind)) {
    return key_of_layer(*layer, tokens, row);
  }
  const auto* embedding = std::get_if<EmbeddingOperator>(&kind);
  const auto* head = std::get_if<HeadOperator>(&kind);
  const bool is_projected = (embedding != nullptr && embedding->projection > 0) ||
                            (head != nullptr && head->projection > 0);
  if (is_projected && lacks(row, NetworkKey::projection)) {
    return NetworkKey::projection;
  }
  if (std::holds_alternative<PatchesOperator>(kind) && lacks(row, NetworkKey::patches)) {
    return NetworkKey::patches;
  }
  return std::nullopt;
}

}  // namespace

TransformerOperator without_window(TransformerOperator layer) {
  layer.attention_window = 0;
  return layer;
}

void demand_known(const Workload& workload, NetworkUser user, std::int64_t tokens) {
  const KnownKeys& row = kKnown[static_cast<std::size_t>(user)];
  for (const Operator& op : workload.operators) {
    const auto key = unknown_key(op.kind, tokens, row);
    if (!key) continue;
    throw RequestError(std::string(row.command) + ": " + workload.name + " has " +
                       std::string(kKeyTexts[static_cast<std::size_t>(*key)]) + ", which " +
                       std::string(row.work) + " does not know yet");
  }
}

}  // namespace waferloom::planner
