#include "model/machine/tile_type.h"

namespace waferloom {
namespace {

class TilePlaceType final : public ValueType {
 public:
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& /*row*/, void* into) const override {
    *static_cast<TilePlace*>(into) = read_tile(reader, value, what, {kCount.most, kCount.most});
  }
  void write(const void* from, ValueSink& sink) const override {
    const auto& tile = *static_cast<const TilePlace*>(from);
    const std::vector<std::int64_t> pair{tile.x, tile.y};
    type_of<std::vector<std::int64_t>>().write(&pair, sink);
  }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    describe_pair({0, kMaxWaferSide - 1}, schema);
  }
  JsonValue::Kind kind() const override { return JsonValue::Kind::array; }
};

}  // namespace

TilePlace read_tile(const JsonReader& reader, const JsonValue& value, const std::string& what,
                    const TilePlace& last) {
  const std::vector<JsonValue>& pair = reader.pair(value, what + " as [x, y]");
  return {reader.whole(pair[0], "x of " + what, {0, last.x}),
          reader.whole(pair[1], "y of " + what, {0, last.y})};
}

template <>
const ValueType& type_of<TilePlace>() {
  static const TilePlaceType type;
  return type;
}

}  // namespace waferloom
