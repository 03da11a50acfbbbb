#include "model/text/json_rectangle.h"

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

}  // namespace waferloom
