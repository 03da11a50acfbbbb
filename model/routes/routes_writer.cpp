#include <nlohmann/json.hpp>

#include "model/routes.h"

namespace waferloom {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kLetters = "EWNS";  // by Direction

std::string lane_text(const RoutedLane& lane) {
  OrderedJson json{{"from", {lane.from.x, lane.from.y}},
                   {"to", {lane.to.x, lane.to.y}},
                   {"bytes", lane.bytes},
                   {"path", path_text(lane.path)},
                   {"colour", lane.colour}};
  if (lane.port) json["port"] = *lane.port;
  return json.dump();
}

std::string tensor_text(const RoutedTensor& tensor) {
  std::string text = "{\"name\": " + OrderedJson(tensor.name).dump(-1, ' ', false) +
                     ", \"bytes\": " + std::to_string(tensor.bytes);
  if (tensor.buffer_samples) {
    text += ", \"buffer_samples\": " + std::to_string(*tensor.buffer_samples);
  }
  if (tensor.price) text += ", \"price\": " + OrderedJson(*tensor.price).dump();
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
  std::string text = "{\n  \"schema\": \"waferloom/routes/1\",\n  \"hardware\": " +
                     OrderedJson(routes.hardware).dump() +
                     ",\n  \"columns\": " + std::to_string(routes.columns) +
                     ",\n  \"rows\": " + std::to_string(routes.rows) + ",\n  \"tensors\": [";
  for (std::size_t i = 0; i < routes.tensors.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + tensor_text(routes.tensors[i]);
  }
  return text + "\n  ]\n}\n";
}

}  // namespace waferloom
