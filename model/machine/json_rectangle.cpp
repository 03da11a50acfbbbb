#include "model/machine/json_rectangle.h"

#include <nlohmann/json.hpp>

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
    reader.fail(reader.at(value, key).position,
                std::string("expected dead tiles on the mesh of ") + std::to_string(mesh.width) +
                    "x" + std::to_string(mesh.height) + ", found " + key + " from " +
                    std::to_string(low) + " to " + std::to_string(low + side - 1));
  };
  demand("x", tiles.x, tiles.width, mesh.width);
  demand("y", tiles.y, tiles.height, mesh.height);
  return tiles;
}

Json rectangle_json(const Rectangle& tiles) {
  return {{"x", tiles.x}, {"y", tiles.y}, {"width", tiles.width}, {"height", tiles.height}};
}

}  // namespace waferloom
