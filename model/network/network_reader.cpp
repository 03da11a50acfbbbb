#include <algorithm>
#include <tuple>
#include <type_traits>
#include <unordered_set>
#include <variant>

#include "model/errors.h"
#include "model/network/graph_reader.h"
#include "model/network/operator_keys.h"
#include "model/text.h"
#include "model/workload.h"

namespace waferloom {
namespace {

/// Reads operators and groups of them, one behind the other.
class WorkloadReader {
 public:
  explicit WorkloadReader(const std::string& source) : reader_(source, "workload") {}

  Network read(const JsonValue& file) {
    std::vector<std::string_view> keys{"schema", "name", "tokens", "operators", "comment"};
    add_names<KeptNumbers>(keys);
    reader_.expect_keys(file, "a workload as an object with operators", keys);
    reader_.check_schema(file, "waferloom/workload/1");
    Network network;
    if (const JsonValue* name = JsonReader::find(file, "name")) {
      network.name = reader_.string(*name, "name");
      if (!is_printable(network.name)) reader_.fail(*name, "a name of printable characters");
    }
    if (const JsonValue* comment = JsonReader::find(file, "comment")) {
      network.comment = reader_.string(*comment, "comment");
    }
    if (const JsonValue* tokens = JsonReader::find(file, "tokens")) {
      network.tokens = reader_.whole(*tokens, "tokens", kOperatorSize);
      network.tokens_at = tokens->position;
    }
    read_keys(file, network.kept);
    const JsonValue& operators = reader_.at(file, "operators");
    network.operators_at = operators.position;
    network.entries = read_list(operators);
    return network;
  }

 private:
  using Known = std::unordered_set<std::string>;  // names of a list so far

  std::vector<NetworkEntry> read_list(const JsonValue& list) const {
    std::vector<NetworkEntry> entries;
    Known known{"input"};
    for (const JsonValue& item : reader_.array(list, "operators as an array")) {
      reader_.expect_object(item, "an operator as an object");
      NetworkEntry entry;
      entry.position = item.position;
      entry.name = operator_name(reader_.at(item, "name"), known);
      entry.after = edges(item, known);
      if (const JsonValue* repeat = JsonReader::find(item, "repeat")) {
        entry.repeat = reader_.whole(*repeat, "repeat", {1, kMaxOperators});
      }
      if (const JsonValue* operators = JsonReader::find(item, "operators")) {
        expect_keys(item, {"operators"});
        entry.group = read_list(*operators);
      } else {
        entry.kind = read_kind(item);
      }
      known.insert(entry.name);
      entries.push_back(std::move(entry));
    }
    return entries;
  }

  /// A name for people and for paths of names.
  std::string operator_name(const JsonValue& value, const Known& known) const {
    constexpr std::size_t kLongest = 100;
    const std::string& name = reader_.string(value, "name");
    if (name.empty() || name.size() > kLongest || name.find('.') != std::string::npos ||
        !is_printable(name)) {
      reader_.fail(value, "a name of 1 to 100 printable characters without '.'");
    }
    if (known.contains(name)) reader_.fail(value, "a name that no other operator of this list has");
    return name;
  }

  static bool is_printable(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  }

  std::optional<std::vector<NetworkEdge>> edges(const JsonValue& item, const Known& known) const {
    constexpr std::size_t kMostNames = 1'000;
    const JsonValue* after = JsonReader::find(item, "after");
    if (after == nullptr) return std::nullopt;
    const auto& names = reader_.array(*after, "after as an array of names");
    if (names.size() > kMostNames) reader_.fail(*after, "at most 1000 names in after");
    std::vector<NetworkEdge> edges;
    for (const JsonValue& value : names) {
      const std::string& from = reader_.string(value, "the name of an operator");
      if (!known.contains(from)) {
        reader_.fail(value, "an operator before this one in its list, or input");
      }
      edges.push_back({from});
    }
    return edges;
  }

  void expect_keys(const JsonValue& item, std::vector<std::string_view> keys) const {
    for (const char* common : {"name", "after", "repeat"}) keys.emplace_back(common);
    reader_.expect_keys(item, "an operator as an object", keys);
  }

  OperatorKind read_kind(const JsonValue& item) const {
    const std::string expected = "kind as " + alternatives(kOperatorKindNames);
    const JsonValue& value = reader_.at(item, "kind");
    const std::string& kind = reader_.string(value, expected);
    const auto at = std::find(kOperatorKindNames.begin(), kOperatorKindNames.end(), kind);
    if (at == kOperatorKindNames.end()) reader_.fail(value, expected);
    return read_kind_at(item, static_cast<std::size_t>(at - kOperatorKindNames.begin()));
  }

  /// The operator whose kind stands at that place of the variant.
  template <std::size_t kind = 0>
  OperatorKind read_kind_at(const JsonValue& item, std::size_t at) const {
    if constexpr (kind + 1 < std::variant_size_v<OperatorKind>) {
      if (at > kind) return read_kind_at<kind + 1>(item, at);
    }
    return read_operator<std::variant_alternative_t<kind, OperatorKind>>(item);
  }

  template <typename Owner>
  Owner read_operator(const JsonValue& item) const {
    std::vector<std::string_view> keys{"kind"};
    if constexpr (kHasWindow<Owner>) {
      add_names<Window>(keys);
      keys.push_back(kPadding);
    }
    add_names<Owner>(keys);
    if constexpr (std::is_same_v<Owner, TransformerOperator>) keys.push_back(kOldBiases);
    expect_keys(item, keys);
    Owner owner;
    if constexpr (kHasWindow<Owner>) {
      read_keys(item, owner.window);
      owner.window.padding = read_padding(item, owner.window);
    }
    if constexpr (std::is_same_v<Owner, TransformerOperator>) read_old_biases(item, owner);
    read_keys(item, owner);
    if constexpr (std::is_same_v<Owner, ConvOperator>) check_convolution(item, owner);
    if constexpr (std::is_same_v<Owner, PoolOperator>) check_filter(item, owner.window);
    if constexpr (std::is_same_v<Owner, TransformerOperator>) check_layer(item, owner);
    if constexpr (std::is_same_v<Owner, EmbeddingOperator>) check_positions(item, owner);
    if constexpr (std::is_same_v<Owner, PatchesOperator>) check_patches(item, owner);
    if constexpr (std::is_same_v<Owner, ReduceOperator>) check_sums(item, owner);
    return owner;
  }

  template <typename Owner>
  static void add_names(std::vector<std::string_view>& keys) {
    for (const PairKey<Owner>& key : kPairKeys<Owner>) keys.push_back(key.name);
    for (const OperatorKey<Owner>& key : kOperatorKeys<Owner>) keys.push_back(key.name);
    std::apply([&](const auto&... key) { (keys.push_back(key.name), ...); }, kPartKeys<Owner>);
  }

  template <typename Owner>
  void read_keys(const JsonValue& item, Owner& owner) const {
    for (const PairKey<Owner>& key : kPairKeys<Owner>) {
      const JsonValue* value =
          key.otherwise ? JsonReader::find(item, key.name) : &reader_.at(item, key.name);
      if (value == nullptr) continue;
      std::tie(owner.*key.height, owner.*key.width) =
          reader_.sides(*value, std::string(key.name), kOperatorSize);
    }
    for (const OperatorKey<Owner>& key : kOperatorKeys<Owner>) read_key(item, key, owner);
    std::apply([&](const auto&... key) { (read_part(item, key, owner), ...); }, kPartKeys<Owner>);
  }

  template <typename Owner, typename Part>
  void read_part(const JsonValue& item, const PartKey<Owner, Part>& key, Owner& owner) const {
    const JsonValue* value = JsonReader::find_unless_null(item, key.name);
    if (value == nullptr) return;
    std::vector<std::string_view> keys;
    add_names<Part>(keys);
    reader_.expect_keys(*value, std::string(key.name) + " as an object", keys);
    read_keys(*value, (owner.*key.member).emplace());
  }

  template <typename Owner>
  void read_key(const JsonValue& item, const OperatorKey<Owner>& key, Owner& owner) const {
    const bool is_needed = !key.otherwise && key.derived == nullptr;
    const JsonValue* value = is_needed     ? &reader_.at(item, key.name)
                             : key.or_null ? JsonReader::find_unless_null(item, key.name)
                                           : JsonReader::find(item, key.name);
    const std::int64_t otherwise =
        key.derived != nullptr ? key.derived(owner) : key.otherwise.value_or(0);
    std::visit([&](auto member) { read_member(value, key, otherwise, owner.*member); }, key.member);
  }

  template <typename Owner>
  void read_member(const JsonValue* value, const OperatorKey<Owner>& key, std::int64_t otherwise,
                   std::int64_t& member) const {
    const NumberRange range{key.least, key.most};
    member = value == nullptr ? otherwise : reader_.whole(*value, std::string(key.name), range);
  }

  template <typename Owner>
  void read_member(const JsonValue* value, const OperatorKey<Owner>& key, std::int64_t otherwise,
                   bool& member) const {
    member = value == nullptr ? otherwise != 0 : reader_.boolean(*value, std::string(key.name));
  }

  template <typename Owner, typename Choice>
  void read_member(const JsonValue* value, const OperatorKey<Owner>& key, std::int64_t otherwise,
                   Choice& member) const {
    member = static_cast<Choice>(otherwise);
    if (value == nullptr) return;
    const auto words = words_of(member);
    const std::string expected = std::string(key.name) + " as " + alternatives(words);
    const auto at = std::find(words.begin(), words.end(), reader_.string(*value, expected));
    if (at == words.end()) reader_.fail(*value, expected);
    member = static_cast<Choice>(at - words.begin());
  }

  static std::string size_text(std::int64_t height, std::int64_t width) {
    return "[" + std::to_string(height) + ", " + std::to_string(width) + "]";
  }

  Padding read_padding(const JsonValue& item, const Window& window) const {
    const JsonValue* value = JsonReader::find(item, kPadding);
    if (value == nullptr) return {};
    constexpr NumberRange kPixels{0, kOperatorSize.most};
    const std::string name(kPadding);
    if (value->kind != JsonValue::Kind::array) {
      return window.even_padding(reader_.whole(*value, name, kPixels));
    }
    std::vector<std::int64_t> sides;
    for (const JsonValue& side : value->items) {
      sides.push_back(reader_.whole(side, name, kPixels));
    }
    constexpr std::size_t kAll = 4;
    if (sides.size() == 2) return {sides[0], sides[1], sides[0], sides[1]};
    if (sides.size() == kAll) return {sides[0], sides[1], sides[2], sides[3]};
    reader_.fail(*value,
                 "padding as a number, [vertical, horizontal] or [top, left, bottom, right]");
  }

  void check_filter(const JsonValue& item, const Window& window) const {
    if (window.padded_height() >= window.reached_height() &&
        window.padded_width() >= window.reached_width()) {
      return;
    }
    reader_.fail(
        reader_.at(item, "filter").position,
        "expected a filter within the image and its padding, " +
            size_text(window.padded_height(), window.padded_width()) + ", found " +
            size_text(window.reached_height(), window.reached_width()) +
            (window.reached_height() > window.height || window.reached_width() > window.width
                 ? " with its dilation"
                 : ""));
  }

  void check_convolution(const JsonValue& item, const ConvOperator& at) const {
    if (at.in_channels % at.groups != 0 || at.out_channels % at.groups != 0) {
      reader_.fail(reader_.at(item, "groups"), "groups that divide in and out, " +
                                                   std::to_string(at.in_channels) + " and " +
                                                   std::to_string(at.out_channels));
    }
    if (!at.transposed) return check_filter(item, at.window);
    if (at.out_height() < 1 || at.out_width() < 1) {
      reader_.fail(reader_.at(item, kPadding), "padding that leaves something of the output");
    }
  }

  /// `bias` says in true and false what `biases` says in words.
  void read_old_biases(const JsonValue& item, TransformerOperator& layer) const {
    const JsonValue* bias = JsonReader::find(item, kOldBiases);
    if (bias == nullptr) return;
    if (const JsonValue* biases = JsonReader::find(item, "biases")) {
      reader_.fail(*biases, "one of bias and biases");
    }
    layer.biases = reader_.boolean(*bias, std::string(kOldBiases)) ? Biases::all : Biases::none;
  }

  void check_layer(const JsonValue& item, TransformerOperator& layer) const {
    check_heads(item, layer);
    if (layer.norm == Norm::none && JsonReader::find(item, "norms") != nullptr) {
      reader_.fail(reader_.at(item, "norms"), "no norms where norm is none");
    }
    if (!layer.experts) return;
    const JsonValue& experts = reader_.at(item, "experts");
    if (layer.experts->active > layer.experts->count) {
      reader_.fail(reader_.at(experts, "active"), "at most as many active experts as there are, " +
                                                      std::to_string(layer.experts->count));
    }
    if (JsonReader::find(experts, "bias") == nullptr) {
      layer.experts->bias = layer.has_feed_forward_bias();
    }
  }

  void check_heads(const JsonValue& item, const TransformerOperator& layer) const {
    if (layer.hidden % layer.heads != 0 && JsonReader::find(item, "head_size") == nullptr) {
      reader_.fail(reader_.at(item, "heads"), "heads that divide hidden, " +
                                                  std::to_string(layer.hidden) +
                                                  ", or head_size beside them");
    }
    if (layer.heads % layer.key_value_heads != 0) {
      reader_.fail(reader_.at(item, "key_value_heads"),
                   "key_value_heads that divide heads, " + std::to_string(layer.heads));
    }
  }

  void check_sums(const JsonValue& item, const ReduceOperator& at) const {
    if (at.elements % at.out == 0) return;
    reader_.fail(reader_.at(item, "out"),
                 "sums that divide the elements, " + std::to_string(at.elements));
  }

  void check_patches(const JsonValue& item, const PatchesOperator& at) const {
    if (at.patch_height > at.in_height || at.patch_width > at.in_width) {
      reader_.fail(reader_.at(item, "patch"),
                   "a patch within the image, " + size_text(at.in_height, at.in_width));
    }
    if (at.positions != 0 && at.positions < at.tokens()) {
      reader_.fail(reader_.at(item, "positions"),
                   "positions for all " + std::to_string(at.tokens()) + " tokens, or 0 for none");
    }
  }

  /// A token has the vector of its own position, where there are any.
  void check_positions(const JsonValue& item, const EmbeddingOperator& embedding) const {
    if (embedding.positions == 0 || embedding.sequence <= embedding.positions) return;
    reader_.fail(reader_.at(item, "positions"), "positions for all " +
                                                    std::to_string(embedding.sequence) +
                                                    " tokens of sequence, or 0 for none");
  }

  JsonReader reader_;
};

/// What a file of another program is that holds a model; nothing of a workload.
std::string foreign_kind(const JsonValue& file) {
  if (JsonReader::find(file, "operators") != nullptr) return "";
  for (const char* key :
       {"architectures", "model_type", "transformers_version", "num_hidden_layers"}) {
    if (JsonReader::find(file, key) != nullptr) return "a Hugging Face configuration";
  }
  return "";
}

bool is_graph(const JsonValue& file) {
  return JsonReader::find(file, "kernels") != nullptr &&
         JsonReader::find(file, "operators") == nullptr;
}

/// A serialized ModelProto begins with its field 1, a number, and no JSON does.
bool is_onnx(std::string_view text) {
  constexpr char kFirstField = 8;
  return !text.empty() && text.front() == kFirstField;
}

[[noreturn]] void refuse_foreign(const std::string& source, const std::string& kind) {
  throw InputError(source, kWholeSource,
                   "expected a workload, an object with operators (docs/workloads.md), "
                   "found " +
                       kind);
}

}  // namespace

Network read_network(std::string_view text, const std::string& source) {
  if (is_onnx(text)) refuse_foreign(source, "an ONNX model, which is not read yet");
  const JsonValue file = parse_json(text, source);
  if (const std::string kind = foreign_kind(file); !kind.empty()) refuse_foreign(source, kind);
  Network network = is_graph(file) ? read_graph(file, source) : WorkloadReader(source).read(file);
  network.source = source;
  return network;
}

}  // namespace waferloom
