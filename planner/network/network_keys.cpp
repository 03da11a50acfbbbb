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
enum class NetworkKey : std::uint8_t {
  experts,
  latent,
  projection,
  patches,
  weights,
  kernels,
  sorts
};

/// In a sentence: "… has experts".
constexpr std::array<std::string_view, 7> kKeyTexts{"experts",
                                                    "latent attention",
                                                    "a projection",
                                                    "patches of images",
                                                    "weights of fewer bits",
                                                    "kernels of graphs",
                                                    "a sort"};

struct KnownKeys {
  std::string_view command;
  std::string_view work;  ///< in messages: "serving does not know"
  std::array<bool, kKeyTexts.size()> knows;
};

/// In the order of NetworkUser and of NetworkKey.
constexpr std::array<KnownKeys, 7> kKnown{{
    {"plan --serve", "serving", {false, false, false, false, true}},
    {"plan --way streaming", "streaming", {false, false, false, false, true}},
    {"plan --way pipeline", "pipelining", {false, false, false, true, true, true}},
    {"model serving", "serving by chips", {false, false, false, false, true}},
    {"model amped", "AMPeD", {true, true, true, true, false}},
    {"model centimani", "Centimani", {true, true, true, true, false}},
    {"model systems", "planning of systems", {true, true, true, true, false, true, true}},
}};

bool lacks(const KnownKeys& row, NetworkKey key) {
  return !row.knows[static_cast<std::size_t>(key)];
}

/// The first key of an operator that is not known.
std::optional<NetworkKey> unknown_key(const OperatorKind& kind, const KnownKeys& row) {
  if (const auto* layer = std::get_if<TransformerOperator>(&kind)) {
    if (layer->experts && lacks(row, NetworkKey::experts)) return NetworkKey::experts;
    if (layer->latent && lacks(row, NetworkKey::latent)) return NetworkKey::latent;
    return std::nullopt;
  }
  const auto* embedding = std::get_if<EmbeddingOperator>(&kind);
  const auto* head = std::get_if<HeadOperator>(&kind);
  const bool is_projected = (embedding != nullptr && embedding->projection > 0) ||
                            (head != nullptr && head->projection > 0);
  if (is_projected && lacks(row, NetworkKey::projection)) {
    return NetworkKey::projection;
  }
  if (is_graph_kernel(kind) && lacks(row, NetworkKey::kernels)) return NetworkKey::kernels;
  if (std::holds_alternative<SortOperator>(kind) && lacks(row, NetworkKey::sorts)) {
    return NetworkKey::sorts;
  }
  if (std::holds_alternative<PatchesOperator>(kind) && lacks(row, NetworkKey::patches)) {
    return NetworkKey::patches;
  }
  return std::nullopt;
}

}  // namespace

void demand_known(const Workload& workload, NetworkUser user) {
  const KnownKeys& row = kKnown[static_cast<std::size_t>(user)];
  const auto refuse = [&](NetworkKey key, const std::string& name = {}) {
    throw UnknownKeyError(std::string(row.command) + ": " + workload.name + " has " +
                          std::string(kKeyTexts[static_cast<std::size_t>(key)]) + name +
                          ", which " + std::string(row.work) + " does not know yet");
  };
  if (workload.kept.weights && lacks(row, NetworkKey::weights)) refuse(NetworkKey::weights);
  for (const Operator& op : workload.operators) {
    const auto key = unknown_key(op.kind, row);
    if (key) refuse(*key, *key == NetworkKey::sorts ? ", " + op.name : "");
  }
}

}  // namespace waferloom::planner
