#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "planner/tile_operators.h"
#include "planner/wafer/serving_layouts.h"

// Problem: say what a layout of regions costs where they lie: around tiles that are dead, and over
// borders between groups of tiles.
// Idea: the regions are laid (RegionSites). The worst region's detours hold for all. Vectors cross
// a border over all of its links; the embedding lies in the first group that has regions, the head
// in the last, so that a token crosses each border once on its way, and its number once back.
// Source: ours. Cost: O(regions + tiles in them that do not live) a layout.
namespace waferloom::planner {
namespace {

/// Regions side by side: how many begin in each row.
std::vector<std::int64_t> row_lengths(const std::vector<Rectangle>& places) {
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || places[i].y != places[i - 1].y) lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}

Rectangle around(const Rectangle& a, const Rectangle& b) {
  const std::int64_t x = std::min(a.x, b.x);
  const std::int64_t y = std::min(a.y, b.y);
  return {x, y, std::max(a.x + a.width, b.x + b.width) - x,
          std::max(a.y + a.height, b.y + b.height) - y};
}

/// Tiles between two regions, and those by which they are out of line.
std::int64_t gap_between(const Rectangle& a, const Rectangle& b) {
  const std::int64_t along =
      std::max<std::int64_t>({0, b.x - (a.x + a.width), a.x - (b.x + b.width)});
  const std::int64_t up =
      std::max<std::int64_t>({0, b.y - (a.y + a.height), a.y - (b.y + b.height)});
  return a.y == b.y ? along : up + std::abs(a.x - b.x);
}

/// One way behind another.
BorderWay behind(const BorderWay& first, const BorderWay& next) {
  if (next.crossings == 0) return first;
  if (first.crossings == 0) return next;
  return {first.crossings + next.crossings, first.latency_ps + next.latency_ps,
          1 / (1 / first.bytes_per_ps + 1 / next.bytes_per_ps)};
}

/// The largest block of whole rows of regions among these; all of them count if there is room for
/// the last row to be filled.
void set_ends(RegionLayout& layout, const std::vector<Rectangle>& places, std::int64_t room) {
  const auto count = static_cast<std::int64_t>(places.size());
  const std::vector<std::int64_t> lengths = row_lengths(places);
  std::int64_t across = lengths.front();
  for (std::size_t i = 0; i + 1 < lengths.size(); ++i) across = std::min(across, lengths[i]);
  std::int64_t down = parts_of(count, across);
  if (across * down > room) down = std::max<std::int64_t>(1, count / across);
  layout.whole = {layout.region.rows * down, layout.region.columns * across};
  layout.end_tiles = count * layout.region.rows * layout.region.columns;
  Rectangle box = places.front();
  for (std::int64_t i = 1; i < std::min(count, across * down); ++i) {
    box = around(box, places[static_cast<std::size_t>(i)]);
  }
  layout.end_stretch =
      layout.stretch * std::max({1.0, as_double(box.width) / as_double(layout.whole.columns),
                                 as_double(box.height) / as_double(layout.whole.rows)});
}

void set_detours(RegionLayout& layout, const RegionSites& sites,
                 const std::vector<Rectangle>& places) {
  Detours all;
  for (const Rectangle& place : places) {
    all = worse(all, sites.detours(place, layout.spare_rows));
  }
  layout.stretch = stretch_of(all, layout.region);
  layout.detour_hops = all.longest;
  layout.link_load = all.load;
}

/// What its places cost. `room`: regions that might lie there.
void settle(RegionLayout& layout, const RegionSites& sites, const std::vector<Rectangle>& places,
            std::int64_t room) {
  set_detours(layout, sites, places);
  const GroupBorders& borders = sites.borders();
  const auto group = [&](const Rectangle& place) { return borders.group({place.x, place.y}); };
  std::vector<Rectangle> first{places.front()};
  std::vector<Rectangle> last{places.front()};
  for (std::size_t i = 1; i < places.size(); ++i) {
    layout.gap_hops = std::max(layout.gap_hops, gap_between(places[i - 1], places[i]));
    if (!layout.spans_groups && group(places[i - 1]) != group(places[i])) {
      ++layout.groups;
      layout.onward = behind(layout.onward, borders.way(group(places[i - 1]), group(places[i])));
      last.clear();
    }
    if (layout.groups == 1) first.push_back(places[i]);
    last.push_back(places[i]);
  }
  if (layout.groups > 1) {
    layout.back = borders.way(group(places.back()), group(places.front()));
    const std::vector<Rectangle>& fewer = first.size() < last.size() ? first : last;
    set_ends(layout, fewer, static_cast<std::int64_t>(fewer.size()));
  } else {
    set_ends(layout, places, room);
  }
}

/// Whether a tile has room for the layers of a region of so many.
bool may_fit(const ServingGround& ground, const TileGrid& region, std::int64_t blocks) {
  if (blocks < 1) return false;
  if (!ground.freedom.enforced) return true;
  return parts_of(ground.model.layers, blocks) *
                 layer_weight_bytes(ground.fabric, ground.model, region) +
             ground.fabric.program_bytes <=
         ground.hardware.sram_bytes_per_tile.value_or(0);
}

/// Regions for which there is room in the first group of tiles, the first two, and so on; of all
/// groups where borders do not matter.
std::vector<std::int64_t> blocks_of_groups(const ServingGround& ground, const TileGrid& region,
                                           const RegionWay& way) {
  const GroupBorders& borders = ground.sites->borders();
  if (way.spans || !borders.are_felt()) return {way.blocks};
  const std::int64_t most = std::min(way.blocks, ground.model.layers);
  const std::vector<Rectangle> places = ground.sites->places(region, way, ground.rows, most);
  std::vector<std::int64_t> blocks;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const GroupPlace before = borders.group({places[i - 1].x, places[i - 1].y});
    if (before == borders.group({places[i].x, places[i].y})) continue;
    blocks.push_back(static_cast<std::int64_t>(i));
  }
  blocks.push_back(way.blocks);
  return blocks;
}

RegionLayout counted(const ServingGround& ground, const TileGrid& region, std::int64_t blocks) {
  RegionLayout layout;
  layout.region = region;
  layout.layers_each = parts_of(ground.model.layers, blocks);
  layout.regions = parts_of(ground.model.layers, layout.layers_each);
  return layout;
}

void check_places(const ServingGround& ground, const ResidentPlan& plan) {
  const Rectangle mesh{0, 0, ground.hardware.wafer.width, ground.hardware.wafer.height};
  if (static_cast<std::int64_t>(plan.places.size()) != plan.regions) {
    throw RequestError(fmt::format("the plan has places of {} regions, not of {}",
                                   plan.places.size(), plan.regions));
  }
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    const Rectangle& place = plan.places[i];
    const std::string region = fmt::format("region {} of the plan ", i + 1);
    if (place.width != plan.region_columns || place.height != plan.region_rows + plan.spare_rows) {
      throw RequestError(region + "is not of the plan's size");
    }
    if (!contains(mesh, place)) throw RequestError(region + "leaves " + ground.hardware.name);
    if (ground.sites->lost_in_column(place) > plan.spare_rows) {
      throw InfeasibleError(region + "needs " + ground.sites->lost_text(place));
    }
  }
  const std::vector<RectanglePair> shared = overlapping_pairs(plan.places, 1);
  if (!shared.empty()) {
    throw RequestError(fmt::format("regions {} and {} of the plan share tiles",
                                   shared.front().first + 1, shared.front().second + 1));
  }
}

}  // namespace

ServingGround whole_ground(const TileTransformer& model, const Hardware& hardware,
                           const std::string& data_type, const ServingFreedom& freedom) {
  const TileFabric fabric = tile_fabric(hardware, data_type, model.kept);
  auto sites = std::make_shared<const RegionSites>(hardware);
  const Rectangle box = sites->box();
  return {model,
          hardware,
          data_type,
          fabric,
          std::move(sites),
          {box.y, box.height},
          freedom,
          std::make_shared<KnownLayouts>()};
}

std::vector<RegionLayout> region_layouts(const ServingGround& ground, const TileGrid& region) {
  const RegionSites& sites = *ground.sites;
  const std::int64_t across = ground.columns() / region.columns;
  if (sites.is_plain()) {
    const std::int64_t blocks = ground.rows.count / region.rows * across;
    if (blocks < 1) return {};
    RegionLayout layout = counted(ground, region, blocks);
    const std::int64_t beside = std::min(layout.regions, across);
    layout.whole = {region.rows * parts_of(layout.regions, beside), region.columns * beside};
    layout.end_tiles = layout.tiles();
    return {layout};
  }
  const std::int64_t most = ground.rows.count * ground.columns() / (region.rows * region.columns);
  if (!may_fit(ground, region, most)) return {};
  const KnownLayouts::Key key{ground.rows.first, ground.rows.count, region.rows, region.columns,
                              ground.freedom.enforced ? 1 : 0};
  {
    const std::lock_guard lock(ground.known->mutex);
    const auto known = ground.known->layouts.find(key);
    if (known != ground.known->layouts.end()) return known->second;
  }
  std::vector<RegionLayout> layouts;
  for (const RegionWay& way : sites.ways(region, ground.rows, ground.model.layers)) {
    for (const std::int64_t blocks : blocks_of_groups(ground, region, way)) {
      ground.control.end_if_cut();
      if (!may_fit(ground, region, blocks)) continue;
      RegionLayout layout = counted(ground, region, blocks);
      layout.spare_rows = way.spare_rows;
      layout.spans_groups = way.spans;
      settle(layout, sites, places_of(ground, layout), blocks);
      layouts.push_back(std::move(layout));
    }
  }
  const std::lock_guard lock(ground.known->mutex);
  ground.known->layouts.emplace(key, layouts);
  return layouts;
}

std::vector<Rectangle> places_of(const ServingGround& ground, const RegionLayout& layout) {
  return ground.sites->places(layout.region,
                              {layout.spare_rows, layout.regions, layout.spans_groups}, ground.rows,
                              layout.regions);
}

RegionLayout planned_layout(const ServingGround& ground, const ResidentPlan& plan) {
  const TileGrid region{plan.region_rows, plan.region_columns};
  if (plan.places.empty()) {
    for (RegionLayout& layout : region_layouts(ground, region)) {
      if (layout.regions != plan.regions || layout.spare_rows != plan.spare_rows) continue;
      layout.places = places_of(ground, layout);
      return layout;
    }
    const std::string lost = ground.sites->living().text();
    const std::string text =
        fmt::format("{} does not have the plan's {} regions", ground.hardware.name, plan.regions);
    if (!lost.empty()) throw InfeasibleError(text + ": " + lost);
    throw RequestError(text);
  }
  check_places(ground, plan);
  RegionLayout layout = counted(ground, region, plan.regions);
  if (layout.regions != plan.regions) {
    throw RequestError(fmt::format("the plan has {} regions, and the model {} layers", plan.regions,
                                   ground.model.layers));
  }
  layout.spare_rows = plan.spare_rows;
  const GroupBorders& borders = ground.sites->borders();
  layout.spans_groups =
      std::any_of(plan.places.begin(), plan.places.end(), [&](const Rectangle& place) {
        return !contains(borders.tiles(borders.group({place.x, place.y})), place);
      });
  settle(layout, *ground.sites, plan.places, plan.regions);
  layout.places = plan.places;
  return layout;
}

TileFabric region_fabric(const ServingGround& ground, const RegionLayout& layout) {
  const Detours detours{0, 0, layout.detour_hops, layout.link_load};
  return detoured(ground.hardware, ground.fabric, layout.stretch, detours, layout.spans_groups);
}

TileFabric end_fabric(const ServingGround& ground, const RegionLayout& layout) {
  const Detours detours{0, 0, layout.detour_hops, layout.link_load};
  return detoured(ground.hardware, ground.fabric, layout.end_stretch, detours, layout.spans_groups);
}

double border_cycles(const ServingGround& ground, const BorderWay& way, double bytes) {
  return way.crossings == 0 ? 0 : way.picoseconds(bytes) * ground.clock() / kSecondPs;
}

double token_border_cycles(const ServingGround& ground, const RegionLayout& layout,
                           std::int64_t samples) {
  const double vectors =
      as_double(samples * ground.model.layer.hidden * ground.fabric.element_bytes);
  return border_cycles(ground, layout.onward, vectors) +
         border_cycles(ground, layout.back, as_double(samples * ground.fabric.word_bytes));
}

}  // namespace waferloom::planner
