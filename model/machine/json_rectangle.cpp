#include "model/machine/json_rectangle.h"

#include <fmt/format.h>

#include "model/describe.h"
#include "model/report.h"

namespace waferloom {

Rectangle json_rectangle(const JsonReader& reader, const JsonValue& value, std::int64_t farthest) {
  reader.expect_keys(value, "a rectangle as an object with x, y, width and height",
                     {"x", "y", "width", "height"});
  const NumberRange corner{-farthest, farthest};
  const NumberRange side{1, farthest};
  return Rectangle{reader.whole(reader.at(value, "x"), "x", corner),
                   reader.whole(reader.at(value, "y"), "y", corner),
                   reader.whole(reader.at(value, "width"), "width", side),
                   reader.whole(reader.at(value, "height"), "height", side)};
}

Rectangle json_dead_rectangle(const JsonReader& reader, const JsonValue& value, const Wafer& mesh) {
  const Rectangle tiles = json_rectangle(reader, value, kMaxCoordinate);
  const auto demand = [&](const char* key, std::int64_t low, std::int64_t side,
                          std::int64_t length) {
    if (low < length && low + side > 0) return;
    reader.fail(
        reader.at(value, key).position,
        fmt::format("{}{}x{}, found {} from {} to {}", "expected dead tiles on the mesh of ",
                    mesh.width, mesh.height, key, low, low + side - 1));
  };
  demand("x", tiles.x, tiles.width, mesh.width);
  demand("y", tiles.y, tiles.height, mesh.height);
  return tiles;
}

namespace {

/// A rectangle of dead tiles may reach far beyond the wafer.
const TypeRows& dead_rectangle_rows() {
  constexpr NumberRange kDeadCorner{-kMaxCoordinate, kMaxCoordinate};
  constexpr NumberRange kDeadSide{1, kMaxCoordinate};
  static const TypeRows rows = rows_for<Rectangle>(
      "a rectangle",
      {needed("x", &Rectangle::x, {"column of the lower left tile, from 0", kDeadCorner}),
       needed("y", &Rectangle::y, {"row of the lower left tile, from 0", kDeadCorner}),
       needed("width", &Rectangle::width, {"tiles", kDeadSide}),
       needed("height", &Rectangle::height, {"tiles", kDeadSide})});
  return rows;
}

constexpr OwnForm<Wafer> kDead{
    [](const JsonReader& reader, const JsonValue& value, Wafer& wafer) {
      const auto& items = reader.array(value, "dead as an array of rectangles");
      if (items.size() > kMaxDeadRectangles) {
        reader.fail(value, fmt::format("at most {} dead rectangles", kMaxDeadRectangles));
      }
      for (const JsonValue& item : items) {
        read_rows(reader, item, "a rectangle", dead_rectangle_rows(), &wafer.dead.emplace_back());
      }
    },
    [](const Wafer& wafer, ValueSink& sink) {
      sink.open_list();
      for (const Rectangle& tiles : wafer.dead) write_rows(dead_rectangle_rows(), &tiles, sink);
      sink.close();
    },
    [](ValueSink& schema) {
      schema.pair("type", "array");
      schema.pair("maxItems", kMaxDeadRectangles);
      schema.key("items");
      schema.open_object();
      describe_rows(dead_rectangle_rows(), schema);
      schema.close();
    }};

}  // namespace

Row dead_row() {
  return formed("dead", kDead,
                {"rectangles of dead tiles, which may overlap; what lies beyond the wafer is cut "
                 "off, and none may lie wholly beyond it"});
}

template <>
const TypeRows& rows_of<Rectangle>() {
  constexpr NumberRange kCorner{-kMaxWaferSide, kMaxWaferSide};
  constexpr NumberRange kRectangleSide{1, kMaxWaferSide};
  static const TypeRows rows = rows_for<Rectangle>(
      "a rectangle",
      {needed("x", &Rectangle::x, {"column of the lower left tile, from 0", kCorner}),
       needed("y", &Rectangle::y, {"row of the lower left tile, from 0", kCorner}),
       needed("width", &Rectangle::width, {"tiles", kRectangleSide}),
       needed("height", &Rectangle::height, {"tiles", kRectangleSide})});
  return rows;
}

}  // namespace waferloom
