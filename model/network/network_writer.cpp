#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>

#include "model/network/operator_keys.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom {
namespace {

struct MemberNumber {
  std::int64_t operator()(std::int64_t number) const { return number; }
  std::int64_t operator()(bool flag) const { return flag ? 1 : 0; }
  template <typename Choice>
  std::int64_t operator()(Choice choice) const {
    return number_of(choice);
  }
};

struct MemberJson {
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(bool flag) const { return flag; }
  template <typename Choice>
  Json operator()(Choice choice) const {
    return words_of(choice)[static_cast<std::size_t>(choice)];
  }
};

/// Whether a file without the key means the same.
template <typename Owner>
bool is_default(const OperatorKey<Owner>& key, const Owner& owner, std::int64_t value) {
  if (key.derived != nullptr) return key.derived(owner) == value;
  return key.otherwise == value;
}

template <typename Owner>
void write_keys(const Owner& owner, Json& json);

template <typename Owner, typename Part>
void write_part(const PartKey<Owner, Part>& key, const Owner& owner, Json& json) {
  if (!(owner.*key.member)) return;
  Json part = Json::object();
  write_keys(*(owner.*key.member), part);
  json[std::string(key.name)] = std::move(part);
}

template <typename Owner>
void write_keys(const Owner& owner, Json& json) {
  for (const PairKey<Owner>& key : kPairKeys<Owner>) {
    const std::int64_t height = owner.*key.height;
    const std::int64_t width = owner.*key.width;
    if (key.otherwise == height && key.otherwise == width) continue;
    json[std::string(key.name)] = height == width ? Json(height) : Json{height, width};
  }
  for (const OperatorKey<Owner>& key : kOperatorKeys<Owner>) {
    const auto of_member = [&](const auto& what) {
      return std::visit([&](auto member) { return what(owner.*member); }, key.member);
    };
    if (is_default(key, owner, of_member(MemberNumber()))) continue;
    json[std::string(key.name)] = of_member(MemberJson());
  }
  std::apply([&](const auto&... key) { (write_part(key, owner, json), ...); }, kPartKeys<Owner>);
}

struct OperatorJson {
  Json& json;
  template <typename Owner>
  void operator()(const Owner& owner) const {
    if constexpr (kHasWindow<Owner>) write_window(owner.window);
    write_keys(owner, json);
    if constexpr (std::is_same_v<Owner, TransformerOperator>) write_layer(owner);
  }
  void write_window(const Window& window) const {
    write_keys(window, json);
    const Padding& sides = window.padding;
    if (sides == Padding{}) return;
    const auto pixels = window.even_pixels();
    json[std::string(kPadding)] =
        pixels ? Json(*pixels) : Json{sides.top, sides.left, sides.bottom, sides.right};
  }
  /// What its keys' rows do not say: `biases` is as it is by default, and so are experts'; heads
  /// that do not divide have a size even where it is what is left of the division.
  void write_layer(const TransformerOperator& layer) const {
    if (layer.hidden % layer.heads != 0) json["head_size"] = layer.features_of_head();
    if (layer.biases != Biases::all) json["biases"] = MemberJson()(layer.biases);
    if (!layer.experts) return;
    Json& experts = json["experts"];
    experts.erase("bias");
    if (layer.experts->bias != layer.has_feed_forward_bias()) experts["bias"] = layer.experts->bias;
  }
};

Json entries_json(const std::vector<NetworkEntry>& entries) {
  Json list = Json::array();
  for (const NetworkEntry& entry : entries) {
    Json json{{"name", entry.name}};
    if (entry.kind) json["kind"] = kind_name(*entry.kind);
    if (entry.after) {
      json["after"] = Json::array();
      for (const NetworkEdge& edge : *entry.after) json["after"].push_back(edge.from);
    }
    if (entry.repeat > 1) json["repeat"] = entry.repeat;
    if (entry.kind) {
      std::visit(OperatorJson{json}, *entry.kind);
    } else {
      json["operators"] = entries_json(entry.group);
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string network_text(const Network& network) {
  if (network.graph) throw std::logic_error("a graph of kernels is no workload");
  Json json{{"schema", "waferloom/workload/1"}, {"name", network.name}, {"tokens", network.tokens}};
  if (!network.comment.empty()) json["comment"] = network.comment;
  write_keys(network.kept, json);
  json["operators"] = entries_json(network.entries);
  return json_text(json);
}

}  // namespace waferloom
