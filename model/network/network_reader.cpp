#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "model/errors.h"
#include "model/network/graph_reader.h"
#include "model/network/operator_rows.h"

// Files of workloads: lists of operators and of groups of them. An entry's object has the keys of
// every entry and those of its kind beside each other.

namespace waferloom {
namespace {

/// An operator of a file.
template <typename Kind>
struct OperatorEntry {
  NetworkEntry entry{};
  std::string word{};  ///< of its kind
  Kind kind{};
};

template <std::size_t kind>
using EntryOf = OperatorEntry<std::variant_alternative_t<kind, OperatorKind>>;

std::vector<NetworkEntry> read_list(const JsonReader& reader, const JsonValue& list);
void write_list(const std::vector<NetworkEntry>& entries, ValueSink& sink);

constexpr OwnForm<NetworkEntry> kAfter{
    [](const JsonReader& reader, const JsonValue& value, NetworkEntry& entry) {
      const auto& names = reader.array(value, "after as an array of names");
      if (names.size() > kMaxNamesAfter) {
        reader.fail(value, fmt::format("at most {} names in after", kMaxNamesAfter));
      }
      entry.after.emplace();
      for (const JsonValue& name : names) {
        entry.after->push_back({reader.string(name, "the name of an operator")});
      }
    },
    [](const NetworkEntry& entry, ValueSink& sink) {
      if (!entry.after) return sink.nothing();
      sink.open_list();
      for (const NetworkEdge& edge : *entry.after) sink.text(edge.from);
      sink.close();
    },
    [](ValueSink& schema) { type_of<std::vector<std::string>>().describe({}, nullptr, schema); }};

constexpr OwnForm<NetworkEntry> kGroup{
    [](const JsonReader& reader, const JsonValue& value, NetworkEntry& entry) {
      entry.group = read_list(reader, value);
    },
    [](const NetworkEntry& entry, ValueSink& sink) { write_list(entry.group, sink); },
    [](ValueSink& schema) {
      schema.pair("type", "array");
      schema.key("items");
      schema.open_object();
      schema.pair("$ref", "#/properties/operators/items");
      schema.close();
    }};

Row name_row() {
  return needed("name", &NetworkEntry::name,
                {.meaning = "name, unlike the others of the list", .items = {1, kCount.most}});
}

std::vector<Row> place_rows() {
  constexpr NumberRange kRepeats{1, kMaxOperators};
  return terse({formed("after", kAfter,
                       {"names of the operators above in this list whose outputs it takes, or "
                        "input: what the list itself comes after; by default the last above"}),
                row("repeat", &NetworkEntry::repeat,
                    {"how often it is written out, one behind the other, as layer.1, layer.2, …",
                     kRepeats})});
}

template <std::size_t kind>
const TypeRows& entry_rows() {
  using Entry = EntryOf<kind>;
  static const std::span<const std::string_view> word(&kOperatorKindNames[kind], 1);
  static const TypeRows& kinds = rows_of<decltype(Entry::kind)>();
  static const TypeRows rows = rows_for<Entry>(
      kinds.noun,
      joined({inside(&Entry::entry, {name_row()}),
              {listed_row(needed("kind", &Entry::word, {"the kind of operator"}), word)},
              inside(&Entry::entry, place_rows()),
              inside(&Entry::kind, kinds.rows)}),
      [](const JsonReader& reader, const JsonValue& item, Entry& entry) {
        if (kinds.check) kinds.check(reader, item, &entry.kind);
      });
  return rows;
}

template <std::size_t kind>
NetworkEntry read_entry(const JsonReader& reader, const JsonValue& item) {
  EntryOf<kind> read;
  read_rows(reader, item, entry_rows<kind>().noun, entry_rows<kind>(), &read);
  read.entry.kind = std::move(read.kind);
  return std::move(read.entry);
}

template <std::size_t kind>
void write_entry(const NetworkEntry& entry, ValueSink& sink) {
  const EntryOf<kind> written{entry, std::string(kOperatorKindNames[kind]),
                              std::get<kind>(*entry.kind)};
  write_rows(entry_rows<kind>(), &written, sink);
}

/// What is done with entries of each kind, in the order of the variant.
struct EntryForm {
  const TypeRows& (*rows)();
  NetworkEntry (*read)(const JsonReader& reader, const JsonValue& item);
  void (*write)(const NetworkEntry& entry, ValueSink& sink);
};
template <std::size_t... kinds>
constexpr std::array<EntryForm, sizeof...(kinds)> entry_forms(std::index_sequence<kinds...>) {
  return {EntryForm{entry_rows<kinds>, read_entry<kinds>, write_entry<kinds>}...};
}
constexpr auto kEntryForms =
    entry_forms(std::make_index_sequence<std::variant_size_v<OperatorKind>>());

const TypeRows& group_rows() {
  static const TypeRows rows = rows_for<NetworkEntry>(
      "an operator",
      joined({{name_row()},
              place_rows(),
              {formed("operators", kGroup,
                      {.meaning = "operators of a group, which is repeated as a whole",
                       .required = true})}}));
  return rows;
}

NetworkEntry read_any(const JsonReader& reader, const JsonValue& item) {
  if (JsonReader::find(item, "operators") != nullptr) {
    NetworkEntry group;
    read_rows(reader, item, group_rows().noun, group_rows(), &group);
    return group;
  }
  const std::string expected = "kind as " + alternatives(kOperatorKindNames);
  const JsonValue& value = reader.at(item, "kind");
  const auto kind = std::find(kOperatorKindNames.begin(), kOperatorKindNames.end(),
                              reader.string(value, expected));
  if (kind == kOperatorKindNames.end()) reader.fail(value, expected);
  return kEntryForms.at(static_cast<std::size_t>(kind - kOperatorKindNames.begin()))
      .read(reader, item);
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// Its name is for people and for paths of names; it comes after those that are known.
void check_names(const JsonReader& reader, const JsonValue& item, const NetworkEntry& entry,
                 const std::unordered_set<std::string>& known) {
  constexpr std::size_t kLongest = 100;
  const std::string& name = entry.name;
  const JsonValue& at = reader.at(item, "name");
  if (name.empty() || name.size() > kLongest || name.find('.') != std::string::npos ||
      !is_printable(name)) {
    reader.fail(at, "a name of 1 to 100 printable characters without '.'");
  }
  if (known.contains(name)) reader.fail(at, "a name that no other operator of this list has");
  if (!entry.after) return;
  for (const JsonValue& from : reader.at(item, "after").items) {
    if (known.contains(from.text)) continue;
    reader.fail(from, "an operator before this one in its list, or input");
  }
}

std::vector<NetworkEntry> read_list(const JsonReader& reader, const JsonValue& list) {
  std::vector<NetworkEntry> entries;
  std::unordered_set<std::string> known{"input"};
  for (const JsonValue& item : reader.array(list, "operators as an array")) {
    reader.expect_object(item, "an operator as an object");
    NetworkEntry entry = read_any(reader, item);
    entry.position = item.position;
    check_names(reader, item, entry, known);
    known.insert(entry.name);
    entries.push_back(std::move(entry));
  }
  return entries;
}

void write_list(const std::vector<NetworkEntry>& entries, ValueSink& sink) {
  sink.open_list();
  for (const NetworkEntry& entry : entries) {
    if (entry.kind) {
      kEntryForms.at(entry.kind->index()).write(entry, sink);
    } else {
      write_rows(group_rows(), &entry, sink);
    }
  }
  sink.close();
}

constexpr OwnForm<Network> kOperators{
    [](const JsonReader& reader, const JsonValue& value, Network& network) {
      network.operators_at = value.position;
      network.entries = read_list(reader, value);
    },
    [](const Network& network, ValueSink& sink) { write_list(network.entries, sink); },
    [](ValueSink& schema) {
      const auto describe = [&](const TypeRows& rows) {
        schema.open_object();
        describe_rows(rows, schema);
        schema.close();
      };
      schema.pair("type", "array");
      schema.pair("minItems", 1);
      schema.key("items");
      schema.open_object();
      schema.key("anyOf");
      schema.open_list();
      for (const EntryForm& form : kEntryForms) describe(form.rows());
      describe(group_rows());
      schema.close();
      schema.close();
    }};

const TypeRows& format_rows() {
  static const TypeRows rows = rows_for<NumberFormat>(
      "a number format",
      terse({needed("bits", &NumberFormat::bits, {"bits of a number", NumberRange{1, 16}}),
             row("group", &NumberFormat::group,
                 {"numbers that share a scale of 16 bits; 0: no scales", kOperatorSizeOrNone})}));
  return rows;
}

std::vector<Row> kept_rows() {
  return terse(
      {formed("weights", kPart<KeptNumbers, &KeptNumbers::weights, format_rows>,
              {.meaning = "how matrices and filters of layers are kept; by default as a machine "
                          "computes",
               .null_is_none = true}),
       formed("caches", kPart<KeptNumbers, &KeptNumbers::caches, format_rows>,
              {.meaning = "how keys and values are kept; by default as a machine computes",
               .null_is_none = true})});
}

void check_network(const JsonReader& reader, const JsonValue& file, Network& network) {
  if (!is_printable(network.name)) {
    reader.fail(reader.at(file, "name"), "a name of printable characters");
  }
  if (const JsonValue* tokens = JsonReader::find(file, "tokens")) {
    network.tokens_at = tokens->position;
  }
}

}  // namespace

template <>
const TypeRows& rows_of<Network>() {
  static const TypeRows rows = rows_for<Network>(
      "a workload",
      joined(
          {{format_row("waferloom/workload/1"),
            row("name", &Network::name, {"name of the network, for reports"}),
            row("tokens", &Network::tokens,
                {"tokens of a sample; 1 where it is none of tokens", kOperatorSize})},
           terse({row("comment", &Network::comment, {"a remark, which nothing reads"})}),
           inside(&Network::kept, kept_rows()),
           {formed(
               "operators", kOperators,
               {.meaning =
                    "operators one behind the other; an entry with operators of its own is a group",
                .required = true})}}),
      check_network);
  return rows;
}

std::string workload_schema() {
  return schema_text(rows_of<Network>(), "A workload (docs/workloads.md)");
}

std::string network_text(const Network& network) {
  if (network.graph) throw std::logic_error("a graph of kernels is no workload");
  return written_text([&](ValueSink& sink) { write_rows(rows_of<Network>(), &network, sink); });
}

namespace {

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
  Network network = is_graph(file) ? read_graph(file, source)
                                   : read_described<Network>(JsonReader(source, "workload"), file);
  network.source = source;
  return network;
}

}  // namespace waferloom
