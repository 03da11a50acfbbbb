#include <fmt/format.h>

#include <algorithm>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/text.h"
#include "sim/report_json.h"

namespace waferloom::sim {

std::vector<double> link_busy(const ThroughputReport& found, const Hardware& hardware) {
  const Mesh mesh(hardware, found.reserve);
  std::vector<double> busy(found.link_bytes.size(), 0);
  double most = 0;
  for (LinkIndex link = 0; link < busy.size(); ++link) {
    if (found.link_bytes[link] == 0) continue;
    busy[link] = link_time(mesh, link, found.link_bytes[link]);
    most = std::max(most, busy[link]);
  }
  const double whole =
      found.links_shared ? static_cast<double>(std::max<Picoseconds>(1, found.whole_time)) : most;
  if (whole > 0) {
    for (double& share : busy) share /= whole;
  }
  return busy;
}

std::string links_csv(const ThroughputReport& found, const Hardware& hardware) {
  std::string text = "x,y,direction,bytes,busy\n";
  const Mesh mesh(hardware);
  const std::vector<double> busy = link_busy(found, hardware);
  const auto columns = static_cast<std::size_t>(hardware.wafer.width);
  for (std::size_t link = 0; link < found.link_bytes.size(); ++link) {
    if (found.link_bytes[link] == 0) continue;
    const std::size_t tile = link / 4;
    text += fmt::format("{},{},{},{},{}\n", tile % columns, tile / columns,
                        mesh.link_name(static_cast<LinkIndex>(link)), found.link_bytes[link],
                        found.links_shared ? shortest_text(rounded(busy[link])) : "");
  }
  return text;
}

}  // namespace waferloom::sim
