#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/mesh.h"
#include "model/report.h"
#include "sim/mesh/route_planner.h"
#include "sim/network_kind.h"
#include "sim/pipeline_spec.h"
#include "sim/report.h"

namespace waferloom::sim {

/// What a sample needs of the resources of a pipeline if nothing waits: by kind of bound the
/// busiest two; of links between tiles the busiest alone. No pipeline is faster than that.
class Demands {
 public:
  /// The first two have to live longer; every lane has a route. Of `network` it only matters
  /// whether links are shared at all. If every sample takes the same routes, `planner` tells what
  /// links carry; if not, that is added as measured.
  Demands(const PipelineSpec& spec, const Mesh& mesh, NetworkKind network, RoutePlanner& planner);

  /// What every sample needs of stages, adapters and ports, those to memory as one, whatever the
  /// routes.
  static Demands on_any_routes(const PipelineSpec& spec);

  /// Of the busiest resource.
  Picoseconds least_per_sample() const;
  /// The busiest resource of a kind, which has no name if there is none.
  const Utilisation& busiest(Bound kind) const { return most_[static_cast<std::size_t>(kind)][0]; }
  /// All that are known, in seconds; by kind, then the busier first.
  std::vector<NamedBound> bounds() const;

  /// Whether links are shared, but what they carry is to be measured.
  bool lacks_links() const { return lacks_links_; }
  /// Bytes by link that so many samples, of which those under way are parts, put there.
  void add_links(const std::vector<std::int64_t>& bytes, double samples);

  /// Kinds of resources: those of Bound besides the schedule.
  static constexpr std::size_t kKinds = 5;

 private:
  explicit Demands(const PipelineSpec& spec) : spec_(spec) {}
  void add(Bound kind, const std::string& name, double busy);
  void add_link(LinkIndex link, double busy);
  void add_stages();
  void add_fixed_links(RoutePlanner& planner);
  void add_adapters();
  void add_ports();
  void add_ports_together();

  const PipelineSpec& spec_;
  const Mesh* mesh_ = nullptr;
  bool links_are_short_ = true;  // not without contention
  bool lacks_links_ = false;
  std::array<std::array<Utilisation, 2>, kKinds> most_;
};

}  // namespace waferloom::sim
