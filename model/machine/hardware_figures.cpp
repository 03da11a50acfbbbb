#include "model/hardware.h"
#include "model/machine/hardware_rows.h"

namespace waferloom {
namespace {

class Figures {
 public:
  explicit Figures(const Hardware& hardware) : hardware_(hardware) {}

  /// A figure whose value is JSON.
  void add(const std::string& key, std::string value) {
    const std::string source = source_of(hardware_, key);
    figures_.push_back({key, std::move(value), source.empty() ? where_from(key) : source});
  }
  void add_count(const std::string& key, std::size_t count) { add(key, std::to_string(count)); }

  void add_all(const std::string& prefix, const void* owner, const std::vector<Row>& rows) {
    for (const Row& row : rows) add(prefix + std::string(row.key), value_text(row, owner));
  }

  /// Those that are not null.
  void add_known(const void* owner, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      if (row.type->is_there(row.value_of(owner))) add_all("", owner, {row});
    }
  }

  std::vector<HardwareFigure> take() { return std::move(figures_); }

 private:
  /// Of a figure that has no source of its own.
  const char* where_from(const std::string& key) const {
    constexpr std::string_view kPeak = "peak_flop_per_s_per_tile.";
    const bool is_latency =
        key == "link.latency_ps" || (key == "group_link.latency_ps" &&
                                     hardware_.group_link.latency_ps == hardware_.link.latency_ps);
    if (hardware_.hop_cycles && is_latency) return "from hop_cycles";
    if (key.starts_with(kPeak) &&
        hardware_.multiply_adds_per_cycle.contains(key.substr(kPeak.size()))) {
      return "from multiply_adds_per_cycle";
    }
    return hardware_.given.contains(key) ? "given" : "default";
  }

  const Hardware& hardware_;
  std::vector<HardwareFigure> figures_;
};

}  // namespace

std::vector<HardwareFigure> hardware_figures(const Hardware& hardware) {
  Figures figures(hardware);
  const Hardware* whole = &hardware;
  figures.add_count("columns", static_cast<std::size_t>(hardware.wafer.width));
  figures.add_count("rows", static_cast<std::size_t>(hardware.wafer.height));
  figures.add_all("", whole, {row("topology", &Hardware::topology)});
  if (hardware.topology == Topology::torus) {
    figures.add_all("", whole, {row("networks", &Hardware::networks)});
  }
  figures.add_all("", whole, machine_rows());
  figures.add_all("link.", &hardware.link, rows_of<LinkClass>().rows);
  figures.add_all("group_link.", &hardware.group_link, rows_of<LinkClass>().rows);
  if (hardware.column_link) {
    figures.add_all("column_link.", &*hardware.column_link, rows_of<LinkClass>().rows);
  }
  figures.add_all("router.", &hardware.router, rows_of<RouterSpec>().rows);
  figures.add_all("routing.", &hardware.routing, rows_of<RoutingSpec>().rows);
  if (hardware.noc) {
    figures.add_count("noc.networks", hardware.noc->networks.size());
    std::vector<Row> numbers = rows_of<NocSpec>().rows;
    numbers.erase(numbers.begin());
    figures.add_all("noc.", &*hardware.noc, numbers);
  }
  for (const auto& [type, rate] : hardware.peak_flop_per_s_per_tile) {
    figures.add("peak_flop_per_s_per_tile." + type, std::to_string(rate));
  }
  for (const auto& [type, count] : hardware.multiply_adds_per_cycle) {
    figures.add("multiply_adds_per_cycle." + type, std::to_string(count));
  }
  for (const auto& [type, percent] : hardware.achievable_percent_by_type) {
    figures.add("achievable_percent_by_type." + type, to_string(percent));
  }
  figures.add_known(whole, fabric_rows());
  for (const auto& [type, programs] : hardware.programs) {
    for (std::size_t at = 0; at < kTilePrograms; ++at) {
      if (!programs.known[at]) continue;
      figures.add_all(program_key(static_cast<TileProgram>(at), type) + ".", &programs.cycles[at],
                      rows_of<TileCycles>().rows);
    }
  }
  for (const auto& [type, training] : hardware.training) {
    figures.add_all("programs." + std::string(kTrainingName) + "." + type + ".", &training,
                    rows_of<TrainingFigures>().rows);
  }
  figures.add_count("host_ports", hardware.host_ports.size());
  figures.add_all("", whole, {row("host_port_choice", &Hardware::host_port_choice)});
  figures.add_count("dram_ports", hardware.dram_ports.size());
  figures.add_all(
      "", whole,
      {row("dram_port_choice", &Hardware::dram_port_choice), row("edge_io", &Hardware::edge_io)});
  figures.add_count("dead", closed_tiles(hardware).size());
  if (!hardware.passing.empty()) figures.add_count("passing", hardware.passing.size());
  figures.add_count("dead_links", hardware.dead_links.size());
  return figures.take();
}

}  // namespace waferloom
