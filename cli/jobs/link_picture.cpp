#include "cli/jobs/link_picture.h"

#include <utility>

namespace waferloom::cli {

viz::LinkHeatMap link_picture(const Hardware& hardware, std::vector<double> link_busy,
                              std::vector<Rectangle> stages, std::string title, std::string facts) {
  viz::LinkHeatMap map;
  map.mesh = hardware.wafer;
  map.link_busy = std::move(link_busy);
  map.stages = std::move(stages);
  map.title = std::move(title);
  map.facts = std::move(facts);
  map.switched = hardware.topology == Topology::switched;
  map.dead_links = hardware.dead_links;
  if (!map.switched)
    map.ports = viz::hardware_fabric(hardware).ports.value_or(std::vector<viz::FabricPort>{});
  return map;
}

}  // namespace waferloom::cli
