#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "model/mesh.h"
#include "model/text.h"
#include "model/wafer.h"

// Device traces of tt-npe's form (noc_trace_json): an array of events, each of a processor of a
// tile. Events that say "zone" are begins and ends of parts of a program, which move nothing. An
// event of kind …_SET_STATE says where the later ones of kind …_WITH_STATE of its processor go.

namespace waferloom {
namespace {

constexpr std::int64_t kMostCycle = std::int64_t{1} << 60;
constexpr NumberRange kTraceTile{0, kMaxWaferSide - 1};

class TraceReader {
 public:
  explicit TraceReader(const std::string& source) : reader_(source) {}

  DeviceTrace read(const JsonValue& file) {
    const auto& items = reader_.array(file, "a device trace as an array of events");
    // States are set by what happened before, wherever it stands in the file.
    std::vector<std::pair<std::int64_t, const JsonValue*>> in_time;
    for (const JsonValue& item : items) in_time.emplace_back(cycle_of(item), &item);
    std::stable_sort(in_time.begin(), in_time.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [cycle, item] : in_time) read_event(*item, cycle);
    trace_.events = items.size();
    if (items.empty()) return std::move(trace_);
    trace_.cycles = last_ - first_;
    for (TraceProgram& program : trace_.programs) {
      for (TraceEvent& event : program.events) event.cycle -= first_;
    }
    return std::move(trace_);
  }

 private:
  /// Where events of a processor with a state go.
  struct State {
    TilePlace tile;
    std::int64_t bytes = 0;
  };

  std::int64_t cycle_of(const JsonValue& item) const {
    reader_.expect_object(item, "an event as an object");
    return reader_.whole(reader_.at(item, "timestamp"), "timestamp", {0, kMostCycle});
  }

  void read_event(const JsonValue& item, std::int64_t cycle) {
    first_ = std::min(first_, cycle);
    last_ = std::max(last_, cycle);
    const JsonValue* type = JsonReader::find(item, "type");
    if (type == nullptr) {
      if (JsonReader::find(item, "zone") == nullptr) reader_.at(item, "type");
      return;
    }
    const std::string& word = reader_.string(*type, "type");
    TraceEvent event;
    event.cycle = cycle;
    event.kind = kind_of(word);
    const std::size_t program = program_of(item);
    const bool has_state = word.find("_WITH_STATE") != std::string::npos;
    const bool sets_state = word.find("_SET_STATE") != std::string::npos;
    const bool moves = event.kind <= TraceEventKind::broadcast;
    if (moves) {
      event.network = network_of(item);
      if (has_state) {
        const auto state = states_.find({program, event.kind});
        if (state == states_.end()) reader_.fail(*type, "an event before that sets the state");
        event.tile = state->second.tile;
        event.bytes = state->second.bytes;
      }
      if (!has_state || event.bytes == 0) event.bytes = bytes_of(item);
      if (event.kind == TraceEventKind::broadcast) {
        read_rectangle(item, event);
      } else if (!has_state) {
        event.tile = read_tile(item, "dx", "dy");
      }
      if (sets_state) states_[{program, event.kind}] = {event.tile, event.bytes};
    }
    if (sets_state || (moves && event.bytes == 0)) event.kind = TraceEventKind::other;
    trace_.programs[program].events.push_back(event);
  }

  static TraceEventKind kind_of(std::string_view word) {
    const auto has = [&](std::string_view part) {
      return word.find(part) != std::string_view::npos;
    };
    // A barrier is where its wait ends; where it begins, nothing has to be there yet.
    const bool is_end = has("BARRIER") && !word.ends_with("_START");
    if (word.starts_with("FULL_BARRIER") && is_end) return TraceEventKind::full_barrier;
    if (word.starts_with("READ_BARRIER") && is_end) return TraceEventKind::read_barrier;
    if (word.starts_with("WRITE_BARRIER") && is_end) return TraceEventKind::write_barrier;
    if (has("BARRIER") || has("FLUSH") || has("SET_TRID")) return TraceEventKind::other;
    if (word.starts_with("READ")) return TraceEventKind::read;
    if (word.starts_with("WRITE_MULTICAST")) return TraceEventKind::broadcast;
    if (word.starts_with("WRITE")) return TraceEventKind::write;
    return TraceEventKind::other;
  }

  std::size_t program_of(const JsonValue& item) {
    const std::string& processor = reader_.string(reader_.at(item, "proc"), "proc");
    const TilePlace tile = read_tile(item, "sx", "sy");
    const auto [at, is_new] =
        place_of_.emplace(std::make_tuple(tile.x, tile.y, processor), trace_.programs.size());
    if (is_new) trace_.programs.push_back({tile, processor, {}});
    return at->second;
  }

  std::uint32_t network_of(const JsonValue& item) {
    const std::string& name = reader_.string(reader_.at(item, "noc"), "noc");
    auto& names = trace_.networks;
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) return static_cast<std::uint32_t>(at - names.begin());
    names.push_back(name);
    return static_cast<std::uint32_t>(names.size() - 1);
  }

  TilePlace read_tile(const JsonValue& item, const char* x, const char* y) const {
    return {reader_.whole(reader_.at(item, x), x, kTraceTile),
            reader_.whole(reader_.at(item, y), y, kTraceTile)};
  }

  std::int64_t bytes_of(const JsonValue& item) const {
    return reader_.whole(reader_.at(item, "num_bytes"), "num_bytes", {0, kMaxMessageFlits});
  }

  /// Either corner may be the first.
  void read_rectangle(const JsonValue& item, TraceEvent& event) const {
    const TilePlace a = read_tile(item, "mcast_start_x", "mcast_start_y");
    const TilePlace b = read_tile(item, "mcast_end_x", "mcast_end_y");
    event.tile = {std::min(a.x, b.x), std::min(a.y, b.y)};
    event.last = {std::max(a.x, b.x), std::max(a.y, b.y)};
  }

  JsonReader reader_;
  DeviceTrace trace_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, std::size_t> place_of_;
  std::map<std::pair<std::size_t, TraceEventKind>, State> states_;
  std::int64_t first_ = kMostCycle;
  std::int64_t last_ = 0;
};

}  // namespace

bool is_device_trace(std::string_view text) {
  drop_byte_order_mark(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '[';
}

DeviceTrace read_device_trace(std::string_view text, const std::string& source) {
  return TraceReader(source).read(parse_json(text, source));
}

}  // namespace waferloom
