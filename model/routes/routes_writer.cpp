#include <fmt/format.h>

#include "model/describe.h"
#include "model/routes.h"
#include "model/routes/route_rows.h"

namespace waferloom {
namespace {

std::string tensor_text(const RoutedTensor& tensor) {
  std::string text =
      fmt::format("{{\"name\": {}, \"bytes\": {}", json_string(tensor.name), tensor.bytes);
  if (tensor.buffer_samples) {
    text += fmt::format(", \"buffer_samples\": {}", *tensor.buffer_samples);
  }
  if (tensor.price)
    text += ", \"price\": " + line_text([&](ValueSink& sink) { sink.real(*tensor.price); });
  text += ", \"lanes\": [";
  for (std::size_t i = 0; i < tensor.lanes.size(); ++i) {
    text += (i == 0 ? "\n      " : ",\n      ") + line_text([&](ValueSink& sink) {
              write_rows(rows_of<RoutedLane>(), &tensor.lanes[i], sink);
            });
  }
  return text + "]}";
}

}  // namespace

std::string path_text(const std::vector<PathLeg>& path) {
  std::string text;
  for (const PathLeg& leg : path) {
    if (!text.empty()) text += ' ';
    text += kPathLetters[static_cast<std::size_t>(leg.direction)];
    text += std::to_string(leg.hops);
  }
  return text;
}

std::string routes_text(const Routes& routes) {
  std::string text = fmt::format(
      "{{\n  \"schema\": \"waferloom/routes/1\",\n  \"hardware\": {},\n  \"columns\": {},\n  "
      "\"rows\": {},\n  \"tensors\": [",
      json_string(routes.hardware), routes.columns, routes.rows);
  for (std::size_t i = 0; i < routes.tensors.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + tensor_text(routes.tensors[i]);
  }
  return text + "\n  ]\n}\n";
}

}  // namespace waferloom
