#include "sim/mesh/run_check.h"

#include <fmt/format.h>

#include <stdexcept>

#include "model/text.h"

namespace waferloom::sim {
namespace {

/// Networks keep bytes and rates to about a millionth (FairShares, FairNetwork).
constexpr double kRounding = 2e-6;

void check_part(const std::string& run, const UsedTime& part) {
  if (part.used_ps <= part.all_ps * (1 + kRounding) + part.rounding_ps) return;
  constexpr int kDigits = 6;
  throw std::logic_error(run + ": " + part.name + " is used for " +
                         significant_text(part.used_ps, kDigits) + " ps of " +
                         significant_text(part.all_ps, kDigits) + " ps");
}

void check_links(const RunFigures& figures) {
  const Mesh& mesh = *figures.mesh;
  Int128 on_links = 0;
  for (LinkIndex link = 0; link < figures.link_bytes.size(); ++link) {
    const std::int64_t bytes = figures.link_bytes[link];
    if (bytes == 0) continue;
    on_links += bytes;
    if (mesh.is_dead_link(link)) {
      throw std::logic_error(fmt::format("{}: bytes go over a dead link, {} of tile {}",
                                         figures.run, mesh.link_name(link), Mesh::source(link)));
    }
    const double used = link_time(mesh, link, bytes);
    if (!figures.links_shared || used <= figures.links_ps) continue;
    const NodeIndex tile = Mesh::source(link);
    check_part(figures.run, {fmt::format("link {} of tile ({}, {})", mesh.link_name(link),
                                         mesh.x(tile), mesh.y(tile)),
                             used, figures.links_ps, 0});
  }
  if (on_links == figures.moved) return;
  throw std::logic_error(figures.run + ": links carry " + to_string(on_links) + " bytes, " +
                         to_string(figures.moved) + " were moved over them");
}

}  // namespace

void check_run(const RunFigures& figures) {
  for (const UsedTime& part : figures.parts) check_part(figures.run, part);
  if (figures.mesh != nullptr) check_links(figures);
}

}  // namespace waferloom::sim
