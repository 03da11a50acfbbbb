#include <algorithm>
#include <set>

#include "model/routes.h"
#include "model/text.h"

namespace waferloom {
namespace {

constexpr std::string_view kPathLetters = "EWNS";  // by Direction
constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;
constexpr double kMostPrice = 1;  // the whole time of the busiest link

class RoutesReader {
 public:
  explicit RoutesReader(const std::string& source) : reader_(source, "routes") {}

  Routes read(const JsonValue& file) {
    reader_.expect_keys(file, "routes as an object with columns, rows and tensors",
                        {"schema", "hardware", "columns", "rows", "tensors"});
    reader_.check_schema(file, "waferloom/routes/1");
    if (const JsonValue* name = JsonReader::find(file, "hardware")) {
      routes_.hardware = reader_.string(*name, "hardware");
    }
    routes_.columns = whole(file, "columns", {1, kMaxWaferSide});
    routes_.rows = whole(file, "rows", {1, kMaxWaferSide});
    std::set<std::string> names;
    for (const JsonValue& item :
         reader_.array(reader_.at(file, "tensors"), "tensors as an array")) {
      routes_.tensors.push_back(tensor(item));
      if (!names.insert(routes_.tensors.back().name).second) {
        reader_.fail(reader_.at(item, "name"), "a name that no other tensor has");
      }
    }
    return std::move(routes_);
  }

 private:
  std::int64_t whole(const JsonValue& object, const char* key, NumberRange range) const {
    return reader_.whole(reader_.at(object, key), key, range);
  }

  RoutedTensor tensor(const JsonValue& item) const {
    reader_.expect_keys(item, "a tensor as an object with name, bytes and lanes",
                        {"name", "bytes", "buffer_samples", "price", "lanes"});
    RoutedTensor tensor;
    tensor.name = reader_.string(reader_.at(item, "name"), "name");
    tensor.bytes = whole(item, "bytes", {0, kMostBytes});
    if (JsonReader::find(item, "buffer_samples") != nullptr) {
      tensor.buffer_samples = whole(item, "buffer_samples", {1, 1'000'000});
    }
    if (const JsonValue* price = JsonReader::find(item, "price")) {
      tensor.price = reader_.real(*price, "price", {0, kMostPrice});
    }
    for (const JsonValue& json_value :
         reader_.array(reader_.at(item, "lanes"), "lanes as an array")) {
      tensor.lanes.push_back(lane(json_value));
    }
    return tensor;
  }

  RoutedLane lane(const JsonValue& item) const {
    reader_.expect_keys(item, "a lane as an object with from, to, bytes, path and colour",
                        {"from", "to", "bytes", "path", "colour", "port"});
    RoutedLane lane;
    lane.from = tile(item, "from");
    lane.to = tile(item, "to");
    lane.bytes = whole(item, "bytes", {0, kMostBytes});
    lane.path = path(reader_.at(item, "path"), lane.from, lane.to);
    lane.colour = whole(item, "colour", {0, 63});
    if (JsonReader::find(item, "port") != nullptr) {
      lane.port = static_cast<std::size_t>(whole(item, "port", {0, 1'000'000}));
    }
    return lane;
  }

  TilePlace tile(const JsonValue& item, const char* key) const {
    const JsonValue& value = reader_.at(item, key);
    const std::string what = std::string(key) + " as [x, y]";
    const std::vector<JsonValue>& pair = reader_.array(value, what);
    if (pair.size() != 2) reader_.fail(value, what);
    return {reader_.whole(pair[0], "x", {0, routes_.columns - 1}),
            reader_.whole(pair[1], "y", {0, routes_.rows - 1})};
  }

  std::vector<PathLeg> path(const JsonValue& value, TilePlace at, const TilePlace& to) const {
    const std::string what = "path as turns, such as \"E12 N3\"";
    const std::string& text = reader_.string(value, what);
    std::vector<PathLeg> legs;
    std::size_t place = 0;
    while (place < text.size()) {
      if (!legs.empty() && text[place++] != ' ') reader_.fail(value, what);
      if (place == text.size()) reader_.fail(value, what);
      const std::size_t letter = kPathLetters.find(text[place]);
      if (letter == std::string_view::npos) reader_.fail(value, what);
      if (!legs.empty() && legs.back().direction == static_cast<Direction>(letter)) {
        reader_.fail(value, what);
      }
      PathLeg leg{static_cast<Direction>(letter), 0};
      const std::size_t first = ++place;
      while (place < text.size() && text[place] >= '0' && text[place] <= '9' && place - first < 6) {
        leg.hops = 10 * leg.hops + (text[place++] - '0');
      }
      if (leg.hops < 1) reader_.fail(value, what);
      go(at, leg);
      if (at.x < 0 || at.y < 0 || at.x >= routes_.columns || at.y >= routes_.rows) {
        reader_.fail(value, "a path on the mesh");
      }
      legs.push_back(leg);
    }
    if (!(at == to)) reader_.fail(value, "a path that ends at `to`");
    return legs;
  }

  static void go(TilePlace& at, const PathLeg& leg) {
    if (is_along_x(leg.direction)) {
      at.x += leg.direction == Direction::east ? leg.hops : -leg.hops;
    } else {
      at.y += leg.direction == Direction::north ? leg.hops : -leg.hops;
    }
  }

  JsonReader reader_;
  Routes routes_;
};

}  // namespace

Routes read_routes(std::string_view text, const std::string& source) {
  return RoutesReader(source).read(parse_json(text, source));
}

TextPosition place_in_routes(std::string_view text, const std::string& tensor,
                             std::optional<std::size_t> lane) {
  const JsonValue file = parse_json(text, "routes");
  const JsonValue* tensors = JsonReader::find(file, "tensors");
  if (tensors == nullptr) return {};
  for (const JsonValue& item : tensors->items) {
    const JsonValue* name = JsonReader::find(item, "name");
    if (name == nullptr || name->text != tensor) continue;
    const JsonValue* lanes = JsonReader::find(item, "lanes");
    if (!lane || lanes == nullptr || *lane >= lanes->items.size()) return item.position;
    return lanes->items[*lane].position;
  }
  return {};
}

}  // namespace waferloom
