#include <algorithm>
#include <string>
#include <vector>

#include "viz/floorplan.h"

namespace waferloom::viz {
namespace {

/// The kinds of operators, each once, in the order in which the whole network has them.
std::string kinds_text(const Workload& workload, const std::vector<std::size_t>& operators) {
  std::vector<std::string> kinds;
  for (const Operator& op : workload.operators) {
    const std::string kind(kind_name(op.kind));
    const bool is_known = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    if (!is_known) kinds.push_back(kind);
  }
  std::string text;
  for (const std::string& kind : kinds) {
    const bool occurs = std::any_of(operators.begin(), operators.end(), [&](std::size_t index) {
      return kind == kind_name(workload.operators[index].kind);
    });
    if (occurs) text += (text.empty() ? "" : ", ") + kind;
  }
  return text;
}

/// "layer.4–7" for the names from "layer.4" to "layer.7", "embedding–layer.3" for others.
std::string range_text(const std::string& first, const std::string& last) {
  if (first == last) return first;
  const std::size_t dot = first.rfind('.');
  const bool same_family = dot != std::string::npos &&
                           last.compare(0, dot + 1, first, 0, dot + 1) == 0 &&
                           last.rfind('.') == dot;
  return first + "–" + (same_family ? last.substr(dot + 1) : last);
}

/// The runs of neighbouring operators.
std::string content_text(const Workload& workload, const std::vector<std::size_t>& operators) {
  std::string text;
  for (std::size_t begin = 0; begin < operators.size();) {
    std::size_t end = begin + 1;
    while (end < operators.size() && operators[end] == operators[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ", ") + range_text(workload.operators[operators[begin]].name,
                                                    workload.operators[operators[end - 1]].name);
    begin = end;
  }
  return text;
}

}  // namespace

NetworkStages network_stages(const Workload& workload, const Hardware& hardware,
                             const StageContents& stages) {
  constexpr double kMicrosecond = 1e-6;
  NetworkStages network;
  network.network = workload.name;
  network.hardware = hardware.name;
  for (const std::vector<std::size_t>& operators : stages.operators) {
    network.stages.push_back({kinds_text(workload, operators), content_text(workload, operators)});
  }
  network.time_unit_s = kMicrosecond * static_cast<double>(stages.time_unit_us);
  network.tensor_bytes = stages.tensor_bytes;
  if (hardware.topology != Topology::switched) {
    network.ports = hardware_fabric(hardware).ports.value_or(std::vector<FabricPort>{});
  }
  return network;
}

Placement placed_stages(const std::vector<Rectangle>& tiles) {
  Placement placement;
  for (const Rectangle& own : tiles) {
    placement.kernels.push_back({option_execution(1), own.x, own.y, false});
  }
  return placement;
}

}  // namespace waferloom::viz
