#include "planner/network/network_keys.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

constexpr std::array<std::string_view, kNetworkKeys> kKeyNames{
    "experts", "latent", "attention_window", "projection", "patches"};

/// What an operator has, in a sentence: "… has experts".
constexpr std::array<std::string_view, kNetworkKeys> kKeyTexts{
    "experts", "latent attention", "attention windows", "a projection", "patches of images"};

// In the order of NetworkUser and of NetworkKey.
constexpr KnownKeys kKnown[] = {
    {NetworkUser::cut, "plan --way cut", "cutting", {true, true, true, true, true}},
    {NetworkUser::serve, "plan --serve", "serving", {false, false, false, false, false}},
    {NetworkUser::streaming,
     "plan --way streaming",
     "streaming",
     {false, false, false, false, false}},
    {NetworkUser::pipeline,
     "plan --way pipeline",
     "pipelining",
     {false, false, false, false, true}},
    {NetworkUser::amped, "model amped", "AMPeD", {true, true, true, true, true}},
    {NetworkUser::centimani, "model centimani", "Centimani", {true, true, true, true, true}},
    {NetworkUser::dfmodel, "model dfmodel", "DFModel", {true, true, true, true, true}},
    {NetworkUser::serving,
     "model serving",
     "serving by chips",
     {false, false, false, false, false}},
};

std::optional<NetworkKey> key_of_layer(const TransformerOperator& layer, std::int64_t tokens,
                                       const KnownKeys& row) {
  const auto lacks = [&](NetworkKey key) { return !row.knows[static_cast<std::size_t>(key)]; };
  if (layer.experts && lacks(NetworkKey::experts)) return NetworkKey::experts;
  if (layer.latent && lacks(NetworkKey::latent)) return NetworkKey::latent;
  const std::int64_t all = tokens > 0 ? tokens : layer.sequence;
  const bool is_cut = layer.looked_back(all) < all;
  if (is_cut && lacks(NetworkKey::attention_window)) return NetworkKey::attention_window;
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
  if (is_projected && !row.knows[static_cast<std::size_t>(NetworkKey::projection)]) {
    return NetworkKey::projection;
  }
  if (std::holds_alternative<PatchesOperator>(kind) &&
      !row.knows[static_cast<std::size_t>(NetworkKey::patches)]) {
    return NetworkKey::patches;
  }
  return std::nullopt;
}

}  // namespace

std::string_view key_name(NetworkKey key) { return kKeyNames[static_cast<std::size_t>(key)]; }

std::span<const KnownKeys> known_keys() { return kKnown; }

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
