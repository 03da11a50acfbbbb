#include "model/workload_reader.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "model/text/json_text.h"

namespace waferloom {
namespace {

constexpr NumberRange kSize{1, 1'000'000'000};
constexpr NumberRange kRepeat{1, kMaxOperators};
constexpr std::size_t kMaxEdges = 10 * kMaxOperators;

/// Reads operators and groups of them, one behind the other. Inside a group, `input` is what the
/// group comes after.
class WorkloadReader {
 public:
  explicit WorkloadReader(const std::string& source) : reader_(source, "workload") {}

  Workload read(const JsonValue& file) {
    reader_.expect_keys(file, "a workload as an object with operators",
                        {"schema", "name", "tokens", "operators", "comment"});
    reader_.check_schema(file, "waferloom/workload/1");
    if (const JsonValue* name = JsonReader::find(file, "name")) {
      workload_.name = reader_.string(*name, "name");
      if (!is_printable(workload_.name)) reader_.fail(*name, "a name of printable characters");
    }
    if (const JsonValue* comment = JsonReader::find(file, "comment")) {
      reader_.string(*comment, "comment");
    }
    workload_.tokens = size(file, "tokens", 1);
    const JsonValue& operators = reader_.at(file, "operators");
    read_scope(operators, "", {});
    if (workload_.operators.empty()) reader_.fail(operators, "operators");
    check_counts(operators);
    return std::move(workload_);
  }

 private:
  using Ends = std::vector<std::size_t>;                // operators whose output is taken
  using Known = std::unordered_map<std::string, Ends>;  // names of a list so far

  /// Reads a list of operators and groups that follows `input`; answers its last one's ends.
  Ends read_scope(const JsonValue& list, const std::string& prefix, const Ends& input) {
    Known known{{"input", input}};
    Ends last = input;
    for (const JsonValue& item : reader_.array(list, "operators as an array")) {
      reader_.expect_object(item, "an operator as an object");
      const std::string name = operator_name(reader_.at(item, "name"), known);
      Ends before = ends_before(item, known, last);
      const JsonValue* repeats = JsonReader::find(item, "repeat");
      const std::int64_t repeat =
          repeats == nullptr ? 1 : reader_.whole(*repeats, "repeat", kRepeat);
      for (std::int64_t i = 1; i <= repeat; ++i) {
        const std::string full = prefix + name + (repeat > 1 ? "." + std::to_string(i) : "");
        before = read_one(item, full, before);
      }
      known.emplace(name, before);
      last = before;
    }
    return last;
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

  Ends ends_before(const JsonValue& item, const Known& known, const Ends& last) const {
    constexpr std::size_t kMostNames = 1'000;
    const JsonValue* after = JsonReader::find(item, "after");
    if (after == nullptr) return last;
    const auto& names = reader_.array(*after, "after as an array of names");
    if (names.size() > kMostNames) reader_.fail(*after, "at most 1000 names in after");
    Ends ends;
    for (const JsonValue& value : names) {
      const auto before = known.find(reader_.string(value, "the name of an operator"));
      if (before == known.end()) {
        reader_.fail(value, "an operator before this one in its list, or input");
      }
      for (const std::size_t end : before->second) {
        if (std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
      }
    }
    return ends;
  }

  Ends read_one(const JsonValue& item, const std::string& name, const Ends& before) {
    if (const JsonValue* operators = JsonReader::find(item, "operators")) {
      expect_keys(item, {"operators"});
      if (++groups_ > kMaxOperators) {
        reader_.fail(item, "at most " + std::to_string(kMaxOperators) + " groups in all");
      }
      return read_scope(*operators, name + ".", before);
    }
    if (workload_.operators.size() == kMaxOperators) {
      reader_.fail(item, "at most " + std::to_string(kMaxOperators) + " operators in all");
    }
    edges_ += before.size();
    if (edges_ > kMaxEdges) {
      reader_.fail(item, "at most " + std::to_string(kMaxEdges) + " names in after in all");
    }
    workload_.operators.push_back({name, read_kind(item), before});
    return {workload_.operators.size() - 1};
  }

  void expect_keys(const JsonValue& item, std::vector<std::string_view> keys) const {
    for (const char* common : {"name", "after", "repeat"}) keys.emplace_back(common);
    reader_.expect_keys(item, "an operator as an object", keys);
  }

  OperatorKind read_kind(const JsonValue& item) const {
    const std::string expected = "kind as " + alternatives(kOperatorKindNames);
    const JsonValue& value = reader_.at(item, "kind");
    const std::string& kind = reader_.string(value, expected);
    if (kind == "linear") return read_linear(item);
    if (kind == "conv2") return read_convolution(item);
    if (kind == "pool") return read_pool(item);
    if (kind == "transformer") return read_transformer(item);
    if (kind == "embedding") return read_embedding(item);
    if (kind == "head") return read_head(item);
    if (kind == "add") return read_add(item);
    reader_.fail(value, expected);
  }

  LinearOperator read_linear(const JsonValue& item) const {
    expect_keys(item, {"kind", "rows", "in", "out", "bias"});
    LinearOperator result;
    result.rows = size(item, "rows", 1);
    result.in_features = size(item, "in");
    result.out_features = size(item, "out");
    result.bias = truth(item, "bias", true);
    return result;
  }

  /// "image": [height, width], "filter": [height, width].
  Window read_window(const JsonValue& item) const {
    Window window;
    read_pair(item, "image", window.in_height, window.in_width);
    read_pair(item, "filter", window.height, window.width);
    window.stride = size(item, "stride", 1);
    window.padding = amount(item, "padding");
    if (window.in_height + 2 * window.padding < window.height ||
        window.in_width + 2 * window.padding < window.width) {
      reader_.fail(reader_.at(item, "filter"), "a filter within the image and its padding");
    }
    return window;
  }

  void read_pair(const JsonValue& item, const std::string& key, std::int64_t& height,
                 std::int64_t& width) const {
    const JsonValue& value = reader_.at(item, key);
    const auto& pair = reader_.array(value, key + " as [height, width]");
    if (pair.size() != 2) reader_.fail(value, key + " as [height, width]");
    height = reader_.whole(pair[0], key, kSize);
    width = reader_.whole(pair[1], key, kSize);
  }

  ConvOperator read_convolution(const JsonValue& item) const {
    expect_keys(item, {"kind", "image", "filter", "stride", "padding", "in", "out", "normalised"});
    ConvOperator result;
    result.window = read_window(item);
    result.in_channels = size(item, "in");
    result.out_channels = size(item, "out");
    result.normalised = truth(item, "normalised", false);
    return result;
  }

  PoolOperator read_pool(const JsonValue& item) const {
    expect_keys(item, {"kind", "image", "filter", "stride", "padding", "channels"});
    return {read_window(item), size(item, "channels")};
  }

  TransformerOperator read_transformer(const JsonValue& item) const {
    expect_keys(item, {"kind", "sequence", "hidden", "heads", "key_value_heads", "feed_forward",
                       "gated", "bias"});
    TransformerOperator result;
    result.sequence = size(item, "sequence");
    result.hidden = size(item, "hidden");
    result.heads = size(item, "heads");
    result.key_value_heads = size(item, "key_value_heads", result.heads);
    result.feed_forward = size(item, "feed_forward", 4 * result.hidden);
    result.gated = truth(item, "gated", false);
    result.bias = truth(item, "bias", true);
    if (result.hidden % result.heads != 0) {
      reader_.fail(reader_.at(item, "heads"), "heads that divide hidden");
    }
    if (result.heads % result.key_value_heads != 0) {
      reader_.fail(reader_.at(item, "key_value_heads"), "key_value_heads that divide heads");
    }
    return result;
  }

  EmbeddingOperator read_embedding(const JsonValue& item) const {
    expect_keys(item, {"kind", "sequence", "vocabulary", "hidden", "positions"});
    EmbeddingOperator result{size(item, "sequence"), size(item, "vocabulary"), size(item, "hidden"),
                             0};
    result.positions = amount(item, "positions");
    return result;
  }

  HeadOperator read_head(const JsonValue& item) const {
    expect_keys(item, {"kind", "sequence", "vocabulary", "hidden", "tied"});
    return {size(item, "sequence"), size(item, "vocabulary"), size(item, "hidden"),
            truth(item, "tied", true)};
  }

  AddOperator read_add(const JsonValue& item) const {
    expect_keys(item, {"kind", "elements"});
    return {size(item, "elements")};
  }

  std::int64_t size(const JsonValue& item, const std::string& key) const {
    return reader_.whole(reader_.at(item, key), key, kSize);
  }
  std::int64_t size(const JsonValue& item, const std::string& key, std::int64_t otherwise) const {
    const JsonValue* value = JsonReader::find(item, key);
    return value == nullptr ? otherwise : reader_.whole(*value, key, kSize);
  }

  /// A number that may be 0, which it is where its key is not there.
  std::int64_t amount(const JsonValue& item, const std::string& key) const {
    const JsonValue* value = JsonReader::find(item, key);
    return value == nullptr ? 0 : reader_.whole(*value, key, {0, kSize.most});
  }

  bool truth(const JsonValue& item, const std::string& key, bool otherwise) const {
    const JsonValue* value = JsonReader::find(item, key);
    return value == nullptr ? otherwise : reader_.boolean(*value, key);
  }

  /// Counts fit into 64 bits, so that nobody has to ask again.
  void check_counts(const JsonValue& operators) const {
    try {
      count(workload_);
    } catch (const std::overflow_error&) {
      reader_.fail(operators, "operators of together at most 2^60 operations");
    }
  }

  JsonReader reader_;
  Workload workload_;
  std::size_t groups_ = 0;  // repeats written out
  std::size_t edges_ = 0;
};

}  // namespace

Workload read_workload(std::string_view text, const std::string& source) {
  return WorkloadReader(source).read(parse_json(text, source));
}

}  // namespace waferloom
