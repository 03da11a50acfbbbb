#include "model/message_set.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "model/text/json_text.h"
#include "model/text_scan.h"
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
      reader_.fail(mesh, "a mesh of at most " + std::to_string(kMaxMeshTiles) + " tiles");
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
    const JsonValue& list = reader_.at(file, "messages");
    const auto& items = reader_.array(list, "messages as an array");
    if (items.size() > kMaxMessages) {
      reader_.fail(list, "at most " + std::to_string(kMaxMessages) + " messages");
    }
    for (const JsonValue& item : items) read_message(item);
    for (std::size_t i = 0; i < items.size(); ++i) read_after(items[i], i);
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
    message.flits = reader_.whole(reader_.at(item, "flits"), "flits", {1, kMaxMessageFlits});
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

  void read_after(const JsonValue& item, std::size_t index) {
    const JsonValue* after = JsonReader::find(item, "after");
    if (after == nullptr) return;
    for (const JsonValue& other : reader_.array(*after, "after as an array of ids")) {
      const auto at = index_of_.find(reader_.whole(other, "id in after", {0, kMaxReleaseCycle}));
      if (at == index_of_.end()) reader_.fail(other, "the id of a message");
      set_.messages[index].after.push_back(at->second);
    }
  }

  /// Fails for a message that waits for itself, over whatever others.
  void check_order(const std::vector<JsonValue>& items) const {
    std::vector<std::size_t> missing(items.size());
    std::vector<std::vector<std::size_t>> followers(items.size());
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < items.size(); ++i) {
      missing[i] = set_.messages[i].after.size();
      for (const std::size_t before : set_.messages[i].after) followers[before].push_back(i);
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
