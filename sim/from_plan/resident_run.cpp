#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "model/mesh.h"
#include "sim/mesh/route.h"
#include "sim/mesh/run_check.h"
#include "sim/message_run.h"
#include "sim/network/message_writer.h"
#include "sim/wafer_runs.h"

// Problem: check how long a token takes through regions of a wafer when vectors really move.
// Idea: write passes down as messages: a region's layers are a delay of its first tile, vectors go
// in lanes from row to row, around tiles that are dead. A region and the step of embedding and head
// are used by one group at a time, so each waits for its use before; so is a border between groups
// of tiles, which is a delay of its links.
// Source: the layouts of planner/wafer_serving.h. Cost: as many messages as rows, regions and
// groups, three times.
namespace waferloom::sim {
namespace {

constexpr std::int64_t kPasses = 3;

class PassWriter {
 public:
  explicit PassWriter(const ResidentPass& pass)
      : pass_(pass),
        living_(mesh_of(pass)),
        writer_({.rows = pass.rows, .columns = pass.columns}, {pass.hop_cycles, pass.ramp_cycles},
                pass.dead),
        used_(pass.regions.size()),
        carried_(pass.regions.size() + 1) {}

  void write() {
    for (std::int64_t pass = 0; pass < kPasses; ++pass) {
      for (std::int64_t group = 0; group < pass_.groups; ++group) write_group(group);
    }
  }

  const MessageSet& set() const { return writer_.set(); }
  /// Places of the ends of each pass of the first group, and of moves in its last pass.
  const std::vector<std::size_t>& ends() const { return first_ends_; }

 private:
  void write_group(std::int64_t group) {
    std::vector<std::size_t> ready;
    if (const auto known = last_end_of(group)) ready.push_back(*known);
    for (std::size_t r = 0; r < pass_.regions.size(); ++r) {
      if (used_[r]) ready.push_back(*used_[r]);
      const std::size_t done = compute(pass_.regions[r], pass_.cycles[r], std::exchange(ready, {}));
      // Before the next group a tile also works on an embedding and a head.
      used_[r] = pass_.groups == 1 ? done : compute(pass_.regions[r], pass_.ends_cycles, {done});
      if (r + 1 == pass_.regions.size()) {
        ready = {done};
      } else {
        ready = go_on(r, done);
      }
    }
    if (ends_used_) ready.push_back(*ends_used_);
    ends_used_ = compute(pass_.regions.front(), pass_.ends_cycles, std::move(ready));
    last_ends_.resize(static_cast<std::size_t>(pass_.groups));
    last_ends_[static_cast<std::size_t>(group)] =
        pass_.back ? cross(pass_.regions.size(), *pass_.back, *ends_used_) : *ends_used_;
    if (group == 0) first_ends_.push_back(*ends_used_);
  }

  static Hardware mesh_of(const ResidentPass& pass) {
    Hardware hardware;
    hardware.wafer = {pass.columns, pass.rows, pass.dead.tiles};
    hardware.dead_links = pass.dead.links;
    return hardware;
  }

  /// From a region to the next, over a border or in lanes.
  std::vector<std::size_t> go_on(std::size_t region, std::size_t done) {
    const Rectangle& next = pass_.regions[region + 1];
    const BorderCrossing over =
        region < pass_.crossings.size() ? pass_.crossings[region] : BorderCrossing{};
    if (over == BorderCrossing{}) return move(pass_.regions[region], next, done);
    return {cross(region, over, done)};
  }

  /// Words go over a border's links as soon as those before are over.
  std::size_t cross(std::size_t border, const BorderCrossing& over, std::size_t after) {
    const Rectangle& from = pass_.regions[std::min(border, pass_.regions.size() - 1)];
    std::vector<std::size_t> ready{after};
    if (carried_[border]) ready.push_back(*carried_[border]);
    carried_[border] = compute(from, over.carry_cycles, std::move(ready));
    return compute(from, over.latency_cycles, {*carried_[border]});
  }

  /// The tile of a region that is joined and next to one of its row.
  TilePlace joined_near(const TilePlace& tile, const Rectangle& region) const {
    if (living_.is_whole() || living_.state(tile) == TileState::joined) return tile;
    TilePlace best = tile;
    std::int64_t least = region.width + region.height;
    for (std::int64_t y = region.y; y < region.y + region.height; ++y) {
      for (std::int64_t x = region.x; x < region.x + region.width; ++x) {
        const std::int64_t hops = std::abs(x - tile.x) + std::abs(y - tile.y);
        if (hops >= least || living_.state({x, y}) != TileState::joined) continue;
        least = hops;
        best = {x, y};
      }
    }
    return best;
  }

  std::optional<std::size_t> last_end_of(std::int64_t group) const {
    const auto at = static_cast<std::size_t>(group);
    return at < last_ends_.size() ? std::optional(last_ends_[at]) : std::nullopt;
  }

  std::size_t compute(const Rectangle& tiles, std::int64_t cycles, std::vector<std::size_t> after) {
    return writer_.compute({tiles.x, tiles.y}, static_cast<double>(cycles), std::move(after));
  }

  /// A lane a row. Regions side by side: from the near end to the far end of the same row. Else the
  /// lanes go up in columns of their own.
  std::vector<std::size_t> move(const Rectangle& from, const Rectangle& to, std::size_t after) {
    const std::int64_t lanes = std::min(from.height, to.height);
    const std::int64_t flits = (pass_.words + lanes - 1) / lanes;
    const bool beside = from.y == to.y;
    const bool eastwards = to.x > from.x;
    std::vector<std::size_t> sent;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const std::int64_t column = lane * from.width / lanes;
      const std::int64_t near = eastwards ? from.width - 1 : 0;
      const std::int64_t far = eastwards ? to.width - 1 : 0;
      const TilePlace source =
          joined_near({from.x + (beside ? near : column), from.y + lane}, from);
      const TilePlace end = joined_near({to.x + (beside ? far : column), to.y + lane}, to);
      sent.push_back(writer_.send(source, {end}, flits, {after}));
    }
    return sent;
  }

  const ResidentPass& pass_;
  Living living_;
  MessageWriter writer_;
  std::vector<std::optional<std::size_t>> used_;
  std::vector<std::optional<std::size_t>> carried_;  // by border: words that are over it, or back
  std::optional<std::size_t> ends_used_;
  std::vector<std::size_t> last_ends_;
  std::vector<std::size_t> first_ends_;
};

}  // namespace

ResidentTimes run_resident_pass(const ResidentPass& pass, NetworkKind network,
                                const RunControl& control) {
  PassWriter writer(pass);
  writer.write();
  const MessageTimes times = run_messages(writer.set(), {.network = network, .control = control});
  ResidentTimes result;
  result.stopped = times.stopped;
  result.events = times.events;
  if (times.stopped) return result;
  const auto end_of = [&](std::size_t at) { return times.complete_cycle[writer.ends()[at]]; };
  result.first_cycles = end_of(0);
  result.pass_cycles = end_of(kPasses - 1) - end_of(kPasses - 2);
  std::int64_t inside = pass.ends_cycles;
  for (const std::int64_t cycles : pass.cycles) inside += cycles;
  result.move_cycles = result.first_cycles - inside;
  RunFigures figures{"passes"};
  for (std::size_t r = 0; r < pass.regions.size(); ++r) {
    // A region works for every group in every pass that was run.
    figures.parts.push_back({fmt::format("region {}", r),
                             static_cast<double>(kPasses * pass.groups * pass.cycles[r]),
                             static_cast<double>(times.makespan)});
  }
  figures.parts.push_back(
      {"a pass", static_cast<double>(inside), static_cast<double>(result.pass_cycles)});
  check_run(figures);
  result.busiest_link_words =
      *std::max_element(times.link_flits.begin(), times.link_flits.end()) / kPasses;
  return result;
}

std::optional<Bottleneck> resident_bottleneck(const ResidentPass& pass, const ResidentTimes& times,
                                              double clock_hz) {
  std::int64_t all = 0;
  for (const std::int64_t cycles : pass.cycles) all += cycles;
  const auto slowest = std::max_element(pass.cycles.begin(), pass.cycles.end());
  const auto seconds = [&](std::int64_t cycles) { return static_cast<double>(cycles) / clock_hz; };
  std::vector<NamedBound> bounds{
      {"compute", "layers in all regions", seconds(all)},
      {"compute", "embedding and head of all groups", seconds(pass.groups * pass.ends_cycles)},
      {"link", "vectors between regions", seconds(times.move_cycles)}};
  if (pass.groups > 1) {
    bounds.push_back({"compute", fmt::format("region {}", slowest - pass.cycles.begin()),
                      seconds(pass.groups * *slowest)});
  }
  return bottleneck_of(bounds, "a token");
}

}  // namespace waferloom::sim
