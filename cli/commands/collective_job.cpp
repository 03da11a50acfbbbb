#include "cli/commands/collective_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/console/failure.h"
#include "cli/files/machine_file.h"
#include "cli/options/command_rows.h"
#include "cli/options/options.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/text.h"
#include "sim/tile_groups.h"

namespace waferloom::cli {
namespace {

void demand_clear(const Hardware& hardware, const Rectangle& tiles, const std::string& option) {
  for (std::int64_t y = tiles.y; y < tiles.y + tiles.height; ++y) {
    for (std::int64_t x = tiles.x; x < tiles.x + tiles.width; ++x) {
      if (is_clear(hardware.wafer, {x, y, 1, 1})) continue;
      const bool passes = Living(hardware).state({x, y}) == TileState::passing;
      throw InfeasibleError(option + " needs tile " + tile_text({x, y}) +
                            (passes ? ", which computes nothing" : ", which is dead"));
    }
  }
}

constexpr const char* kTransfer = "transfer";

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names(kCollectiveNames.begin(), kCollectiveNames.end());
  names.insert(names.end(), {"read", "write", kTransfer});
  return names;
}

void check_kind(const std::string& name) {
  const std::vector<std::string_view> names = kind_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw Failure(FailureKind::usage, "KIND: expected " + alternatives(names) + ", found " +
                                        in_quotes(name) + suggestion(name, names));
}

/// "0,0,4x3+4,0,1x1": the rings of rectangles, one behind the other.
sim::TileGroup parse_group(const std::string& text, const std::string& option,
                           const Hardware& hardware) {
  const auto fail = [&](const std::string& expected) {
    throw Failure(FailureKind::usage,
                  option + ": expected " + expected + ", found " + in_quotes(text));
  };
  sim::TileGroup group;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const auto numbers = split_numbers(text.substr(begin, end - begin), ",,x");
    begin = end + 1;
    if (numbers.size() != 4) fail("rectangles as X,Y,WxH, joined by +");
    const Rectangle tiles{numbers[0], numbers[1], numbers[2], numbers[3]};
    if (tiles.width < 1 || tiles.height < 1) fail("rectangles of at least one tile");
    const Wafer& wafer = hardware.wafer;
    if (!contains({0, 0, wafer.width, wafer.height}, tiles)) {
      fail(fmt::format("tiles within the mesh of {} x {}", wafer.width, wafer.height));
    }
    demand_clear(hardware, tiles, option);
    const sim::TileGroup ring = sim::ring_of(tiles);
    group.insert(group.end(), ring.begin(), ring.end());
  }
  return group;
}

void check_apart(const std::vector<sim::TileGroup>& groups, const std::string& option) {
  std::set<std::pair<std::int64_t, std::int64_t>> taken;
  for (const sim::TileGroup& group : groups) {
    for (const TilePlace& tile : group) {
      if (taken.emplace(tile.x, tile.y).second) continue;
      throw Failure(FailureKind::usage,
                    fmt::format("{}: tile {},{} is there twice", option, tile.x, tile.y));
    }
  }
}

sim::GroupTransfer parse_transfer(const CollectiveRequest& request, const sim::CollectiveJob& job) {
  if (job.kinds.size() > 1 || job.count > 1 || job.groups.size() > 1) {
    throw Failure(FailureKind::usage, "transfer: goes alone, from one --tiles to one --to");
  }
  if (!request.to) throw Failure(FailureKind::usage, "transfer: needs --to");
  sim::GroupTransfer transfer;
  transfer.source = job.groups.front();
  transfer.destination = parse_group(*request.to, "--to", job.hardware);
  check_apart({transfer.destination}, "--to");
  transfer.strategy = request.transfer.strategy.value_or(transfer.strategy);
  transfer.adapters = request.transfer.adapters.value_or(transfer.adapters);
  transfer.all_reduce = job.algorithm;
  transfer.spread = request.transfer.spread.value_or(transfer.spread);
  return transfer;
}

}  // namespace

sim::CollectiveJob collective_job(const CollectiveRequest& request) {
  const sim::CollectiveChoice& choice = request.choice;
  sim::CollectiveJob job;
  job.kinds = request.kinds;
  for (const std::string& kind : job.kinds) check_kind(kind);
  job.stepwise = choice.stepwise;
  refuse_without(
      job.stepwise, "--stepwise",
      {{"network", choice.network.has_value()}, {"routing", choice.routing.has_value()}});
  const bool transfers =
      std::find(job.kinds.begin(), job.kinds.end(), kTransfer) != job.kinds.end();
  refuse_without(transfers, "KIND transfer",
                 {{"to", request.to.has_value()},
                  {"strategy", request.transfer.strategy.has_value()},
                  {"adapters", request.transfer.adapters.has_value()},
                  {"spread", request.transfer.spread.has_value()}});
  if (choice.network) job.run.network = *choice.network;
  if (choice.routing) job.run.network_options.routing = *choice.routing;
  job.algorithm = choice.algorithm;
  job.bytes = choice.bytes;
  job.count = choice.count;
  job.hardware = read_fabric(request.hardware, sim::kCaseHardware, request.common);
  for (const std::string& text : request.tiles) {
    job.groups.push_back(parse_group(text, "--tiles", job.hardware));
  }
  check_apart(job.groups, "--tiles");
  if (transfers) job.transfer = parse_transfer(request, job);
  return job;
}

}  // namespace waferloom::cli
