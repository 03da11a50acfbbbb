#include <algorithm>
#include <set>

#include "model/describe.h"
#include "model/machine/tile_type.h"
#include "model/routes.h"
#include "model/routes/route_rows.h"
#include "model/text.h"

namespace waferloom {
namespace {

constexpr NumberRange kBytes{0, 1'000'000'000'000'000};
constexpr NumberRange kSide{1, kMaxWaferSide};

/// "E12 N3". Whether it leads over the mesh from tile to tile is looked at later.
constexpr OwnForm<RoutedLane> kPath{
    [](const JsonReader& reader, const JsonValue& value, RoutedLane& lane) {
      const std::string what = "path as turns, such as \"E12 N3\"";
      const std::string& text = reader.string(value, what);
      std::size_t place = 0;
      while (place < text.size()) {
        if (!lane.path.empty() && text[place++] != ' ') reader.fail(value, what);
        if (place == text.size()) reader.fail(value, what);
        const std::size_t letter = kPathLetters.find(text[place]);
        if (letter == std::string_view::npos) reader.fail(value, what);
        PathLeg leg{static_cast<Direction>(letter), 0};
        if (!lane.path.empty() && lane.path.back().direction == leg.direction) {
          reader.fail(value, what);
        }
        const std::size_t first = ++place;
        while (place < text.size() && text[place] >= '0' && text[place] <= '9' &&
               place - first < 6) {
          leg.hops = 10 * leg.hops + (text[place++] - '0');
        }
        if (leg.hops < 1) reader.fail(value, what);
        lane.path.push_back(leg);
      }
    },
    [](const RoutedLane& lane, ValueSink& sink) { sink.text(path_text(lane.path)); },
    [](ValueSink& schema) {
      schema.pair("type", "string");
      schema.pair("pattern", "^([EWNS][0-9]+( [EWNS][0-9]+)*)?$");
    }};

void check_path(const JsonReader& reader, const JsonValue& value, const RoutedLane& lane,
                const Routes& routes) {
  TilePlace at = lane.from;
  for (const PathLeg& leg : lane.path) {
    if (is_along_x(leg.direction)) {
      at.x += leg.direction == Direction::east ? leg.hops : -leg.hops;
    } else {
      at.y += leg.direction == Direction::north ? leg.hops : -leg.hops;
    }
    if (at.x < 0 || at.y < 0 || at.x >= routes.columns || at.y >= routes.rows) {
      reader.fail(value, "a path on the mesh");
    }
  }
  if (!(at == lane.to)) reader.fail(value, "a path that ends at `to`");
}

void check_routes(const JsonReader& reader, const JsonValue& file, Routes& routes) {
  const TilePlace last{routes.columns - 1, routes.rows - 1};
  std::set<std::string> names;
  for (std::size_t i = 0; i < routes.tensors.size(); ++i) {
    RoutedTensor& tensor = routes.tensors[i];
    const JsonValue& item = reader.at(file, "tensors").items[i];
    for (std::size_t k = 0; k < tensor.lanes.size(); ++k) {
      const JsonValue& lane = reader.at(item, "lanes").items[k];
      read_tile(reader, reader.at(lane, "from"), "from", last);
      read_tile(reader, reader.at(lane, "to"), "to", last);
      check_path(reader, reader.at(lane, "path"), tensor.lanes[k], routes);
    }
    if (names.insert(tensor.name).second) continue;
    reader.fail(reader.at(item, "name"), "a name that no other tensor has");
  }
}

}  // namespace

template <>
const TypeRows& rows_of<RoutedLane>() {
  constexpr NumberRange kColours{0, 63};
  constexpr NumberRange kPorts{0, 1'000'000};
  static const TypeRows rows = rows_for<RoutedLane>(
      "a lane",
      {needed("from", &RoutedLane::from, {"[x, y] of the tile where it begins"}),
       needed("to", &RoutedLane::to, {"[x, y] of the tile where it ends"}),
       needed("bytes", &RoutedLane::bytes, {"bytes of a sample that go this way", kBytes}),
       formed("path", kPath,
              {.meaning = "its way, such as \"N3 E1\": a direction and a number of hops, then the "
                          "next; north is towards greater y",
               .required = true}),
       needed("colour", &RoutedLane::colour,
              {"colour of the lane; lanes that share a tile have different ones", kColours}),
       row("port", &RoutedLane::port,
           {.meaning = "of inputs and outputs: the port's place in the hardware's list, from 0",
            .range = kPorts,
            .or_null = false})});
  return rows;
}

template <>
const TypeRows& rows_of<RoutedTensor>() {
  constexpr NumberRange kSamples{1, 1'000'000};
  constexpr RealRange kPrice{0, 1};  // the whole time of the busiest link
  static const TypeRows rows = rows_for<RoutedTensor>(
      "a tensor",
      {needed("name", &RoutedTensor::name,
              {"PRODUCER -> CONSUMER; \" #2\" behind the second of a name; with --training also "
               "\"gradient of …\""}),
       needed("bytes", &RoutedTensor::bytes,
              {"bytes of a sample, which its lanes add up to", kBytes}),
       row("buffer_samples", &RoutedTensor::buffer_samples,
           {.meaning = "samples that its buffer holds; by default as the hardware says",
            .range = kSamples,
            .or_null = false}),
       row("price", &RoutedTensor::price,
           {.meaning = "what one tile more of its way adds to the bound on the busiest link, as a "
                       "share of that link's time; read by place --prices",
            .range = kPrice,
            .or_null = false}),
       needed("lanes", &RoutedTensor::lanes, {"the ways that its bytes take at the same time"})});
  return rows;
}

template <>
const TypeRows& rows_of<Routes>() {
  static const TypeRows rows = rows_for<Routes>(
      "routes",
      {format_row("waferloom/routes/1"),
       row("hardware", &Routes::hardware, {"name of the hardware that they were planned for"}),
       needed("columns", &Routes::columns, {"tiles of a row of the mesh", kSide}),
       needed("rows", &Routes::rows, {"rows of the mesh", kSide}),
       needed("tensors", &Routes::tensors, {"every tensor of the placement, each once"})},
      check_routes);
  return rows;
}

std::string routes_schema() { return schema_text(rows_of<Routes>(), "waferloom/routes/1"); }

Routes read_routes(std::string_view text, const std::string& source) {
  return read_described<Routes>(JsonReader(source, "routes"), parse_json(text, source));
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
