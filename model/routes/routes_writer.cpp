#include <fmt/format.h>

#include "model/describe.h"
#include "model/routes.h"

namespace waferloom {
namespace {

constexpr std::string_view kLetters = "EWNS";  // by Direction

void write_tile(std::string_view key, const TilePlace& tile, ValueSink& sink) {
  sink.key(key);
  sink.open_list();
  sink.whole(tile.x);
  sink.whole(tile.y);
  sink.close();
}

std::string lane_text(const RoutedLane& lane) {
  return line_text([&](ValueSink& sink) {
    sink.open_object();
    write_tile("from", lane.from, sink);
    write_tile("to", lane.to, sink);
    sink.pair("bytes", lane.bytes);
    sink.pair("path", path_text(lane.path));
    sink.pair("colour", lane.colour);
    if (lane.port) sink.pair("port", *lane.port);
    sink.close();
  });
}

std::string quoted(const std::string& text) {
  return line_text([&](ValueSink& sink) { sink.text(text); });
}

std::string tensor_text(const RoutedTensor& tensor) {
  std::string text =
      fmt::format("{{\"name\": {}, \"bytes\": {}", quoted(tensor.name), tensor.bytes);
  if (tensor.buffer_samples) {
    text += fmt::format(", \"buffer_samples\": {}", *tensor.buffer_samples);
  }
  if (tensor.price)
    text += ", \"price\": " + line_text([&](ValueSink& sink) { sink.real(*tensor.price); });
  text += ", \"lanes\": [";
  for (std::size_t i = 0; i < tensor.lanes.size(); ++i) {
    text += (i == 0 ? "\n      " : ",\n      ") + lane_text(tensor.lanes[i]);
  }
  return text + "]}";
}

}  // namespace

std::string path_text(const std::vector<PathLeg>& path) {
  std::string text;
  for (const PathLeg& leg : path) {
    if (!text.empty()) text += ' ';
    text += kLetters[static_cast<std::size_t>(leg.direction)];
    text += std::to_string(leg.hops);
  }
  return text;
}

std::string routes_text(const Routes& routes) {
  std::string text = fmt::format(
      "{{\n  \"schema\": \"waferloom/routes/1\",\n  \"hardware\": {},\n  \"columns\": {},\n  "
      "\"rows\": {},\n  \"tensors\": [",
      quoted(routes.hardware), routes.columns, routes.rows);
  for (std::size_t i = 0; i < routes.tensors.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + tensor_text(routes.tensors[i]);
  }
  return text + "\n  ]\n}\n";
}

}  // namespace waferloom
