#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "model/mesh.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom {
namespace {

class MessageSetReader {
 public:
  explicit MessageSetReader(const std::string& source) : reader_(source) {}

  MessageSet read(const JsonValue& file) {
    reader_.expect_object(file, "a message set as an object with mesh and messages");
    const JsonValue& mesh = reader_.at(file, "mesh");
    const auto& sides = pair(mesh, "mesh as [columns, rows]");
    set_.columns = reader_.whole(sides[0], "columns", {1, kMaxWaferSide});
    set_.rows = reader_.whole(sides[1], "rows", {1, kMaxWaferSide});
    if (set_.columns * set_.rows > kMaxMeshTiles) {
      reader_.fail(mesh, fmt::format("a mesh of at most {} tiles", kMaxMeshTiles));
    }
    if (const JsonValue* routing = JsonReader::find(file, "routing")) {
      const std::string& name = reader_.string(*routing, "routing");
      const std::optional<Routing> rule = routing_named(name);
      if (!rule) reader_.fail(*routing, "routing as " + alternatives(kRoutingNames));
      set_.routing = *rule;
    }
    if (const JsonValue* flits = JsonReader::find(file, "packet_flits")) {
      set_.packet_flits = reader_.whole(*flits, "packet_flits", {1, kMaxPacketFlits});
    }
    if (const JsonValue* fabric = JsonReader::find(file, "fabric")) read_fabric(*fabric);
    const JsonValue& list = reader_.at(file, "messages");
    const auto& items = reader_.array(list, "messages as an array");
    if (items.size() > kMaxMessages) {
      reader_.fail(list, fmt::format("at most {} messages", kMaxMessages));
    }
    for (const JsonValue& item : items) read_message(item);
    for (std::size_t i = 0; i < items.size(); ++i) {
      read_ids(items[i], "after", set_.messages[i].after);
      read_ids(items[i], "adds", set_.messages[i].adds);
      check_adds(items[i], set_.messages[i]);
    }
    check_order(items);
    return std::move(set_);
  }

 private:
  const std::vector<JsonValue>& pair(const JsonValue& value, const std::string& what) const {
    const auto& items = reader_.array(value, what);
    if (items.size() != 2) reader_.fail(value, what);
    return items;
  }

  TilePlace tile(const JsonValue& value, const std::string& what) const {
    const auto& parts = pair(value, what + " as [x, y]");
    return {reader_.whole(parts[0], "x of " + what, {0, set_.columns - 1}),
            reader_.whole(parts[1], "y of " + what, {0, set_.rows - 1})};
  }

  void read_message(const JsonValue& item) {
    reader_.expect_object(item, "a message as an object with id, src, dst and flits");
    Message message;
    const JsonValue& id = reader_.at(item, "id");
    message.id = reader_.whole(id, "id", {0, kMaxReleaseCycle});
    if (!index_of_.emplace(message.id, set_.messages.size()).second) {
      reader_.fail(id, "an id that no message before has");
    }
    message.source = tile(reader_.at(item, "src"), "src");
    read_destinations(reader_.at(item, "dst"), message);
    const bool may_compute =
        message.destinations.size() == 1 && message.destinations.front() == message.source;
    message.flits =
        reader_.whole(reader_.at(item, "flits"), "flits", {may_compute ? 0 : 1, kMaxMessageFlits});
    if (const JsonValue* delay = JsonReader::find(item, "delay_cycles")) {
      message.delay_cycles = reader_.whole(*delay, "delay_cycles", {0, kMaxReleaseCycle});
    }
    if (const JsonValue* release = JsonReader::find(item, "release_cycle")) {
      message.release_cycle = reader_.whole(*release, "release_cycle", {0, kMaxReleaseCycle});
    }
    set_.messages.push_back(std::move(message));
  }

  void read_destinations(const JsonValue& value, Message& message) const {
    const auto& items = reader_.array(value, "dst as [x, y] or an array of those");
    if (items.empty() || items.front().kind != JsonValue::Kind::array) {
      message.destinations.push_back(tile(value, "dst"));
      return;
    }
    std::unordered_set<std::int64_t> seen;
    for (const JsonValue& item : items) {
      const TilePlace place = tile(item, "dst");
      const bool again = !seen.insert(place.y * set_.columns + place.x).second;
      if (again || (place == message.source && items.size() > 1)) {
        reader_.fail(item, "tiles of dst that differ from src and each other");
      }
      message.destinations.push_back(place);
    }
  }

  void read_fabric(const JsonValue& value) {
    reader_.expect_object(value, "fabric as an object with hop_cycles and ramp_cycles");
    set_.fabric = MessageFabric{
        reader_.whole(reader_.at(value, "hop_cycles"), "hop_cycles", {1, kMaxFabricCycles}),
        reader_.whole(reader_.at(value, "ramp_cycles"), "ramp_cycles", {1, kMaxFabricCycles})};
  }

  void read_ids(const JsonValue& item, const std::string& key, std::vector<std::size_t>& places) {
    const JsonValue* list = JsonReader::find(item, key);
    if (list == nullptr) return;
    for (const JsonValue& other : reader_.array(*list, key + " as an array of ids")) {
      const auto at = index_of_.find(reader_.whole(other, "id in " + key, {0, kMaxReleaseCycle}));
      if (at == index_of_.end()) reader_.fail(other, "the id of a message");
      places.push_back(at->second);
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

  /// Fails for a message that waits for itself, over whatever others.
  void check_order(const std::vector<JsonValue>& items) const {
    std::vector<std::size_t> missing(items.size());
    std::vector<std::vector<std::size_t>> followers(items.size());
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < items.size(); ++i) {
      missing[i] = set_.messages[i].after.size() + set_.messages[i].adds.size();
      for (const std::size_t before : set_.messages[i].after) followers[before].push_back(i);
      for (const std::size_t before : set_.messages[i].adds) followers[before].push_back(i);
      if (missing[i] == 0) ready.push_back(i);
    }
    std::size_t done = 0;
    for (; done < ready.size(); ++done) {
      for (const std::size_t follower : followers[ready[done]]) {
        if (--missing[follower] == 0) ready.push_back(follower);
      }
    }
    if (done == items.size()) return;
    const auto stuck =
        std::find_if(missing.begin(), missing.end(), [](std::size_t count) { return count > 0; });
    reader_.fail(items[static_cast<std::size_t>(stuck - missing.begin())],
                 "messages that do not wait for one another in a circle");
  }

  JsonReader reader_;
  MessageSet set_;
  std::unordered_map<std::int64_t, std::size_t> index_of_;
};

}  // namespace

MessageSet read_message_set(std::string_view text, const std::string& source) {
  return MessageSetReader(source).read(parse_json(text, source));
}

}  // namespace waferloom
