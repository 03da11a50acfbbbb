#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "model/describe.h"
#include "model/machine/tile_type.h"
#include "model/mesh.h"
#include "model/text.h"
#include "model/text/json_items.h"
#include "model/wafer.h"

namespace waferloom {
namespace {

// Nothing writes message sets, so their forms have no writers.

/// [columns, rows].
constexpr OwnForm<MessageSet> kMeshSides{
    [](const JsonReader& reader, const JsonValue& value, MessageSet& set) {
      const std::vector<JsonValue>& sides = reader.pair(value, "mesh as [columns, rows]");
      set.columns = reader.whole(sides[0], "columns", {1, kMaxWaferSide});
      set.rows = reader.whole(sides[1], "rows", {1, kMaxWaferSide});
      if (set.columns * set.rows > kMaxMeshTiles) {
        reader.fail(value, fmt::format("a mesh of at most {} tiles", kMaxMeshTiles));
      }
    },
    nullptr,
    [](ValueSink& schema) {
      describe_pair({1, kMaxWaferSide}, schema);
    }};

/// A rule that the file says, so not one of planned routes.
constexpr OwnForm<MessageSet> kRule{
    [](const JsonReader& reader, const JsonValue& value, MessageSet& set) {
      const std::optional<Routing> rule = routing_named(reader.string(value, "routing"));
      if (!rule) reader.fail(value, "routing as " + alternatives(kRoutingNames));
      set.routing = *rule;
    },
    nullptr,
    [](ValueSink& schema) {
      describe_words(kRoutingNames, schema);
      schema.pair("default", kRoutingNames.at(static_cast<std::size_t>(MessageSet{}.routing)));
    }};

/// A tile, or a list of tiles.
bool is_list(const JsonValue& dst) {
  return !dst.items.empty() && dst.items.front().kind == JsonValue::Kind::array;
}

constexpr OwnForm<Message> kDestinations{
    [](const JsonReader& reader, const JsonValue& value, Message& message) {
      const auto& items = reader.array(value, "dst as [x, y] or an array of those");
      const ValueType& tile = type_of<TilePlace>();
      if (!is_list(value)) {
        tile.read(reader, value, "dst", {}, &message.destinations.emplace_back());
        return;
      }
      for (const JsonValue& item : items) {
        tile.read(reader, item, "dst", {}, &message.destinations.emplace_back());
      }
    },
    nullptr,
    [](ValueSink& schema) {
      schema.key("anyOf");
      schema.open_list();
      for (const ValueType* form : {&type_of<TilePlace>(), &type_of<std::vector<TilePlace>>()}) {
        schema.open_object();
        form->describe({{}, {.items = {1, kCount.most}}, {}}, nullptr, schema);
        schema.close();
      }
      schema.close();
    }};

/// The first message that waits for itself, over whatever others.
std::optional<std::size_t> first_in_circle(const MessageSet& set) {
  const std::size_t count = set.messages.size();
  std::vector<std::size_t> missing(count);
  std::vector<std::vector<std::size_t>> followers(count);
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < count; ++i) {
    missing[i] = set.messages[i].after.size() + set.messages[i].adds.size();
    for (const std::size_t before : set.messages[i].after) followers[before].push_back(i);
    for (const std::size_t before : set.messages[i].adds) followers[before].push_back(i);
    if (missing[i] == 0) ready.push_back(i);
  }
  std::size_t done = 0;
  for (; done < ready.size(); ++done) {
    for (const std::size_t follower : followers[ready[done]]) {
      if (--missing[follower] == 0) ready.push_back(follower);
    }
  }
  if (done == count) return std::nullopt;
  const auto stuck =
      std::find_if(missing.begin(), missing.end(), [](std::size_t waits) { return waits > 0; });
  return static_cast<std::size_t>(stuck - missing.begin());
}

/// What messages demand of one another and of their mesh. Their rows have set `after` and `adds` to
/// ids; behind it they are places in the set.
class MessageSetCheck {
 public:
  MessageSetCheck(const JsonReader& reader, const JsonValue& file, MessageSet& set)
      : reader_(reader), items_(reader.at(file, "messages").items), set_(set) {}

  void check() {
    for (std::size_t i = 0; i < items_.size(); ++i) check_message(i);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      make_places(items_[i], "after", set_.messages[i].after);
      make_places(items_[i], "adds", set_.messages[i].adds);
      check_adds(items_[i], set_.messages[i]);
    }
    check_order();
  }

 private:
  void check_message(std::size_t at) {
    const JsonValue& item = items_[at];
    const Message& message = set_.messages[at];
    if (!place_of_.emplace(message.id, at).second) {
      reader_.fail(reader_.at(item, "id"), "an id that no message before has");
    }
    const TilePlace last{set_.columns - 1, set_.rows - 1};
    read_tile(reader_, reader_.at(item, "src"), "src", last);
    const JsonValue& dst = reader_.at(item, "dst");
    if (is_list(dst)) {
      check_destinations(dst, message, last);
    } else {
      read_tile(reader_, dst, "dst", last);
    }
    const bool may_compute =
        message.destinations.size() == 1 && message.destinations.front() == message.source;
    reader_.whole(reader_.at(item, "flits"), "flits", {may_compute ? 0 : 1, kMaxMessageFlits});
  }

  void check_destinations(const JsonValue& dst, const Message& message, const TilePlace& last) {
    std::unordered_set<std::int64_t> seen;
    for (const JsonValue& item : dst.items) {
      const TilePlace place = read_tile(reader_, item, "dst", last);
      const bool again = !seen.insert(place.y * set_.columns + place.x).second;
      if (again || (place == message.source && dst.items.size() > 1)) {
        reader_.fail(item, "tiles of dst that differ from src and each other");
      }
    }
  }

  void make_places(const JsonValue& item, std::string_view key, std::vector<std::size_t>& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto at = place_of_.find(static_cast<std::int64_t>(ids[i]));
      if (at == place_of_.end()) {
        reader_.fail(reader_.at(item, key).items[i], "the id of a message");
      }
      ids[i] = at->second;
    }
  }

  void check_adds(const JsonValue& item, const Message& message) const {
    if (message.adds.empty()) return;
    const JsonValue& adds = reader_.at(item, "adds");
    if (!set_.fabric) reader_.fail(adds, "fabric in a set whose messages are added");
    for (const std::size_t index : message.adds) {
      const Message& added = set_.messages[index];
      const auto& to = added.destinations;
      if (std::find(to.begin(), to.end(), message.source) == to.end() ||
          added.flits != message.flits) {
        reader_.fail(adds, "messages of as many flits to src");
      }
    }
  }

  void check_order() const {
    const std::optional<std::size_t> stuck = first_in_circle(set_);
    if (stuck)
      reader_.fail(items_[*stuck], "messages that do not wait for one another in a circle");
  }

  const JsonReader& reader_;
  const std::vector<JsonValue>& items_;
  MessageSet& set_;
  std::unordered_map<std::int64_t, std::size_t> place_of_;
};

void check_message_set(const JsonReader& reader, const JsonValue& file, MessageSet& set) {
  MessageSetCheck(reader, file, set).check();
}

}  // namespace

template <>
const TypeRows& rows_of<MessageFabric>() {
  constexpr NumberRange kCycles{1, kMaxFabricCycles};
  static const TypeRows rows = with_labels(rows_for<MessageFabric>(
      "fabric", {needed("hop_cycles", &MessageFabric::hop_cycles,
                        {"cycles of a word from tile to tile", kCycles}),
                 needed("ramp_cycles", &MessageFabric::ramp_cycles,
                        {"cycles between a tile and its router, each way", kCycles})}));
  return rows;
}

template <>
const TypeRows& rows_of<Message>() {
  constexpr NumberRange kCycle{0, kMaxReleaseCycle};
  static const TypeRows rows = with_labels(rows_for<Message>(
      "a message",
      {needed("id", &Message::id, {"its number, which no other message has", kCycle}),
       needed("src", &Message::source, {"[x, y] of the tile that sends it"}),
       formed("dst", kDestinations,
              {.meaning = "[x, y] of the tile that gets it, or a list of several, each another",
               .required = true}),
       needed("flits", &Message::flits,
              {"its length; 0 to its own tile: nothing is sent, the tile computes for delay_cycles",
               NumberRange{0, kMaxMessageFlits}}),
       row("delay_cycles", &Message::delay_cycles,
           {"cycles that pass between what it waits for and its begin", kCycle}),
       row("release_cycle", &Message::release_cycle, {"cycle in which it may begin", kCycle}),
       row("after", &Message::after,
           {.meaning = "ids of messages that are complete before it begins",
            .range = kCycle,
            .item = "id in after"}),
       row("adds", &Message::adds,
           {.meaning = "ids of messages of as many flits to its src, which are added to it word by "
                       "word; with fabric alone",
            .range = kCycle,
            .item = "id in adds"})}));
  return rows;
}

template <>
const TypeRows& rows_of<MessageSet>() {
  static const TypeRows rows = with_labels(rows_for<MessageSet>(
      "a message set",
      {formed("mesh", kMeshSides, {.meaning = "[columns, rows] of the mesh", .required = true}),
       formed("routing", kRule, {"how messages find their way"}),
       row("packet_flits", &MessageSet::packet_flits,
           {"flits of the longest packet, its head included", NumberRange{1, kMaxPacketFlits}}),
       row("fabric", &MessageSet::fabric,
           {.meaning = "a wafer's routers in place of the reference's: a flit is a word",
            .or_null = false}),
       needed("messages", &MessageSet::messages,
              {.meaning = "the messages, in any order",
               .items = {0, static_cast<std::int64_t>(kMaxMessages)}})},
      check_message_set));
  return rows;
}

std::string message_set_schema() {
  return schema_text(rows_of<MessageSet>(), "Messages between tiles of a mesh");
}

namespace {

/// Reads a set message by message, so that a million of them need no tree of values in memory.
/// Where anything is not as it should be it gives up: then the file is read as a whole, which tells
/// what and where.
class PassingReader {
 public:
  explicit PassingReader(const std::string& source) : reader_(source, "message_set") {}

  std::optional<MessageSet> read(std::string_view text, const std::string& source) {
    try {
      const JsonValue file = parse_json_items(
          text, source, {"messages", [this](const JsonValue& item) { take(item); }});
      MessageSet set = read_described<MessageSet>(reader_, file);
      set.messages = std::move(messages_);
      return is_sound(set) ? std::optional(std::move(set)) : std::nullopt;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

 private:
  void take(const JsonValue& item) {
    if (messages_.size() == kMaxMessages) reader_.fail(item, "no more messages");
    Message message = read_described<Message>(reader_, item);
    is_new_ = is_new_ && place_of_.emplace(message.id, messages_.size()).second;
    messages_.push_back(std::move(message));
  }

  bool is_sound(MessageSet& set) {
    if (!is_new_) return false;
    for (Message& message : set.messages) {
      if (!is_on_mesh(set, message) || !to_places(message.after) || !message.adds.empty()) {
        return false;
      }
    }
    return waits_in_no_circle(set);
  }

  static bool is_on_mesh(const MessageSet& set, const Message& message) {
    const auto lies_on = [&](const TilePlace& tile) {
      return tile.x < set.columns && tile.y < set.rows;
    };
    const std::vector<TilePlace>& to = message.destinations;
    if (!lies_on(message.source) || !std::all_of(to.begin(), to.end(), lies_on)) return false;
    if (to.size() == 1) return message.flits > 0 || to.front() == message.source;
    std::unordered_set<std::int64_t> seen{message.source.y * set.columns + message.source.x};
    const auto is_new = [&](const TilePlace& tile) {
      return seen.insert(tile.y * set.columns + tile.x).second;
    };
    return message.flits > 0 && !to.empty() && std::all_of(to.begin(), to.end(), is_new);
  }

  bool to_places(std::vector<std::size_t>& ids) const {
    for (std::size_t& id : ids) {
      const auto at = place_of_.find(static_cast<std::int64_t>(id));
      if (at == place_of_.end()) return false;
      id = at->second;
    }
    return true;
  }

  static bool waits_in_no_circle(const MessageSet& set) {
    for (std::size_t i = 0; i < set.messages.size(); ++i) {
      for (const std::size_t before : set.messages[i].after) {
        if (before >= i) return !first_in_circle(set);
      }
    }
    return true;  // each waits for earlier ones alone
  }

  JsonReader reader_;
  std::vector<Message> messages_;
  std::unordered_map<std::int64_t, std::size_t> place_of_;
  bool is_new_ = true;
};

}  // namespace

MessageSet read_message_set(std::string_view text, const std::string& source) {
  if (std::optional<MessageSet> set = PassingReader(source).read(text, source)) {
    return *std::move(set);
  }
  return read_described<MessageSet>(JsonReader(source, "message_set"), parse_json(text, source));
}

}  // namespace waferloom
