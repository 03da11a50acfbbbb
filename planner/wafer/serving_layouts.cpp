#include "planner/wafer/serving_layouts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/mesh_layers.h"
#include "kernels/tile_parts.h"
#include "model/run_control.h"
#include "model/wafer.h"
#include "planner/tile_operators.h"

// Problem: find the regions of a wafer over which a model's layers lie best: few hops want small
// regions, little memory and few cycles of products want large ones.
// Idea: equal regions in rows and columns of a block. Their sides are those of a fixed lattice, so
// that a larger wafer has all layouts of a smaller one. A tile keeps its part of
// all layers of its region, and of their caches; what the largest operator needs is kept free.
// Source: WaferLLM (OSDI'25) for a mesh each of prefill and decode; the regions are ours.
// Cost: a layout takes a few all-reduces, O(√side) each.
namespace waferloom::planner {
namespace {

constexpr std::int64_t kLeastSide = 4;
constexpr double kDecodeAspect = 4;     ///< of a region's longer to its shorter side
constexpr double kPrefillAspect = 1.5;  ///< products want squares

double aspect_of(const TileGrid& region) {
  const double ratio = as_double(region.rows) / as_double(region.columns);
  return std::max(ratio, 1 / ratio);
}

/// Tokens of a sequence on the fullest row of a region, with `context` behind it, of which a layer
/// sees the last ones.
std::int64_t row_tokens(std::int64_t rows, const ServingLoad& load, std::int64_t context,
                        std::int64_t window) {
  const std::int64_t seen = seen_tokens({context, window});
  if (load.caches == CacheWay::balanced) return parts_of(seen, rows);
  const std::int64_t appended = std::min(seen, context - std::min(load.prompt, context));
  return parts_of(seen - appended, rows) + appended;
}

/// Program, layers and embedding, caches; without blocks of operators.
TileBytes kept_bytes(const ServingGround& ground, const RegionLayout& layout,
                     const ServingLoad& load) {
  const TileFabric& fabric = ground.fabric;
  const TileTransformer& model = ground.model;
  TileBytes bytes;
  bytes.there = ground.freedom.enforced ? ground.hardware.sram_bytes_per_tile.value_or(0)
                                        : std::numeric_limits<std::int64_t>::max();
  bytes.program = fabric.program_bytes;
  // In several groups of tiles the first has the embedding, and the last the head.
  const std::int64_t ends =
      layout.groups > 1 ? model.vocabulary * model.layer.hidden : model.end_parameters();
  bytes.weights = layout.layers_each * layer_weight_bytes(fabric, model, layout.region) +
                  parts_of(ends * fabric.element_bytes, layout.end_tiles);
  const std::int64_t rows = layout.region.rows;
  const WindowCosts caches = model.costs([&](std::int64_t window) {
    const std::int64_t tokens = rows * row_tokens(rows, load, load.tokens(), window);
    return as_double(layer_cache_bytes(fabric, model, tokens, layout.region));
  });
  bytes.caches =
      load.requests * static_cast<std::int64_t>(model.fullest(
                          caches, {.layers = layout.layers_each, .step = layout.layers_each}));
  return bytes;
}

/// Whether a part of a model on a region was measured, or need not be.
bool may_run(const ServingGround& ground, const char* part, const TrustReach& reach) {
  if (ground.freedom.beyond) return true;
  const MeasuredBacking* backing =
      find_backing(ground.hardware, {.what = part, .algorithm = "", .data_type = ground.data_type});
  return backing != nullptr && is_inside(*backing, reach).value_or(false);
}

/// Bytes of what is left that an operator may take, most first: fast ways take more. The last
/// leaves but the ways that take least.
std::array<std::int64_t, 4> rooms_of(std::int64_t left) { return {left, left / 4, left / 16, 0}; }

/// A layer's block as kernels see it; all rows of a region have as many tokens as the fullest.
DecodeBlock region_block(const ServingGround& ground, const RegionLayout& layout,
                         const ServingLoad& load, const DecodedLayer& at) {
  const std::int64_t rows = layout.region.rows;
  return decode_block(ground.model, rows * row_tokens(rows, load, at.context, at.window),
                      samples_of(layout, load));
}

}  // namespace

std::vector<std::int64_t> region_sides(std::int64_t most) {
  constexpr std::int64_t kAllTo = 64;
  constexpr double kStep = 1.025;
  std::vector<std::int64_t> sides;
  for (std::int64_t side = kLeastSide; side <= most;) {
    sides.push_back(side);
    const auto next = static_cast<std::int64_t>(std::floor(as_double(side) * kStep));
    side = side < kAllTo ? side + 1 : std::max(side + 1, next);
  }
  return sides;
}

MeshOperator to_head(const ServingGround& ground, const LaidBlock& layer, std::int64_t samples,
                     const RegionLayout& layout) {
  MeshOperator moved;
  if (ground.model.vocabulary == 0 || layer.start == MatrixLayout::down_copied) return moved;
  const TileFabric fabric = end_fabric(ground, layout);
  follow_in_program(moved, fabric,
                    mesh_convert(fabric, layer.start, MatrixLayout::down_copied,
                                 {ground.model.layer.hidden, samples}, layout.whole),
                    1);
  return moved;
}

std::int64_t samples_of(const RegionLayout& layout, const ServingLoad& load) {
  if (load.at_once > 0) return load.at_once;
  return parts_of(load.requests, std::min(load.requests, layout.regions));
}

LaidBlock decode_block_on(const ServingGround& ground, const RegionLayout& layout,
                          const ServingLoad& load, const DecodedLayer& at) {
  const TileBytes kept = kept_bytes(ground, layout, load);
  const std::int64_t left = std::max<std::int64_t>(0, kept.there - kept.total());
  LaidBlock block;
  for (const std::int64_t room : rooms_of(left)) {
    block = laid_decode_block(region_fabric(ground, layout), region_block(ground, layout, load, at),
                              layout.region, room);
    if (block.vectors <= left) break;
  }
  return block;
}

namespace {

/// Bytes of a tile for what a decoded token leaves between operators.
std::int64_t decode_vectors(const ServingGround& ground, const RegionLayout& layout,
                            const ServingLoad& load) {
  if (ground.freedom.layouts) {
    const DecodedLayer widest{load.tokens(), ground.model.widest_window()};
    return decode_block_on(ground, layout, load, widest).vectors;
  }
  return decode_vector_bytes(region_fabric(ground, layout), ground.model, samples_of(layout, load),
                             layout.region);
}

}  // namespace

std::optional<TileBytes> fitting_decode_bytes(const ServingGround& ground,
                                              const RegionLayout& layout, const ServingLoad& load) {
  // Vectors take as long as a layer's cost, and are asked for last.
  TileBytes bytes = kept_bytes(ground, layout, load);
  if (!bytes.fits()) return std::nullopt;
  ground.control.end_if_cut();
  bytes.blocks = decode_vectors(ground, layout, load);
  return bytes.fits() ? std::optional(bytes) : std::nullopt;
}

StackCycles decode_stack_cycles(const ServingGround& ground, const RegionLayout& layout,
                                const ServingLoad& load, std::int64_t context) {
  StackCycles stack;
  const std::int64_t widest = ground.model.widest_window();
  stack.layers = ground.model.costs([&](std::int64_t window) {
    const DecodedLayer at{context, window};
    if (!ground.freedom.layouts) {
      return mesh_decode_block(region_fabric(ground, layout),
                               region_block(ground, layout, load, at), layout.region)
          .whole.parts.total();
    }
    const LaidBlock block = decode_block_on(ground, layout, load, at);
    if (window == widest) {
      stack.to_head = to_head(ground, block, samples_of(layout, load), layout).parts.total();
    }
    return block.parts.total();
  });
  return stack;
}

double move_cycles(const ServingGround& ground, const RegionLayout& layout, std::int64_t samples) {
  const TileFabric fabric = region_fabric(ground, layout);
  // Its vectors go side by side over the border that both share.
  const double words = as_double(words_of(fabric, samples * ground.model.layer.hidden)) /
                       as_double(std::min(layout.region.rows, layout.region.columns));
  const std::int64_t side = std::max(layout.region.rows + layout.spare_rows, layout.region.columns);
  return fabric.way(as_double(side + layout.gap_hops)) + std::ceil(words);
}

namespace {

/// A pass whose layers take so long.
PassCycles pass_of(const ServingGround& ground, const RegionLayout& layout, const ServingLoad& load,
                   const StackCycles& stack) {
  const TileFabric fabric = region_fabric(ground, layout);
  const TileTransformer& model = ground.model;
  const std::int64_t samples = samples_of(layout, load);
  const std::int64_t groups = parts_of(load.requests, samples);
  const auto& [layers, to_head] = stack;
  const double ends =
      model_ends(end_fabric(ground, layout), model, samples, layout.whole).parts.total() + to_head;
  const double move = move_cycles(ground, layout, samples);
  const double borders = token_border_cycles(ground, layout, samples);
  const double bytes = as_double(samples * model.layer.hidden * fabric.element_bytes);
  // A tile works on its region's layers, the embedding and the head of each group.
  const double path = model.sum(layers) + as_double(layout.regions - 1) * move + ends + borders;
  // Nor do the vectors of several groups cross a border at once.
  const double crossed = borders == 0 ? 0
                                      : (border_cycles(ground, layout.onward, bytes) -
                                         border_cycles(ground, layout.onward, 0)) /
                                            as_double(layout.onward.crossings);
  return {path,
          as_double(groups) *
              (model.fullest(layers, {.layers = layout.layers_each, .step = layout.layers_each}) +
               ends),
          as_double(groups) * crossed};
}

/// least_decode_cycles of a region's block.
double least_block_cycles(const ServingGround& ground, const RegionLayout& layout,
                          const ServingLoad& load, const DecodedLayer& at) {
  const DecodeBlock block = region_block(ground, layout, load, at);
  const KnownLayouts::BlockKey key{
      layout.region.rows, layout.region.columns, layout.stretch,          layout.detour_hops,
      layout.link_load,   layout.spans_groups,   block.attention.samples, block.attention.tokens};
  {
    const std::lock_guard lock(ground.known->mutex);
    const auto known = ground.known->least_cycles.find(key);
    if (known != ground.known->least_cycles.end()) return known->second;
  }
  // Sums of the same numbers in another order may differ in their last digits.
  constexpr double kRounding = 1 - 1e-12;
  const double cycles =
      kRounding * least_decode_cycles(region_fabric(ground, layout), block, layout.region);
  const std::lock_guard lock(ground.known->mutex);
  ground.known->least_cycles.emplace(key, cycles);
  return cycles;
}

}  // namespace

PassCycles decode_pass_cycles(const ServingGround& ground, const RegionLayout& layout,
                              const ServingLoad& load, std::int64_t context) {
  return pass_of(ground, layout, load, decode_stack_cycles(ground, layout, load, context));
}

PassCycles least_pass_cycles(const ServingGround& ground, const RegionLayout& layout,
                             const ServingLoad& load, std::int64_t context) {
  if (!ground.freedom.layouts) return decode_pass_cycles(ground, layout, load, context);
  StackCycles stack;
  stack.layers = ground.model.costs([&](std::int64_t window) {
    return least_block_cycles(ground, layout, load, {context, window});
  });
  return pass_of(ground, layout, load, stack);
}

std::optional<DecodeChoice> decode_on(const ServingGround& ground, const RegionLayout& layout,
                                      const ServingLoad& load, double below) {
  const std::int64_t hidden = ground.model.layer.hidden;
  if (!may_run(ground, "decode", reach_of(layout.region, {hidden, hidden}))) return std::nullopt;
  ground.control.end_if_cut();
  // What most often rules a layout out, and takes the least, is asked first.
  if (!kept_bytes(ground, layout, load).fits()) return std::nullopt;
  std::optional<DecodeChoice> best;
  ServingLoad grouped = load;
  for (std::int64_t groups = parts_of(load.requests, samples_of(layout, load));;) {
    grouped.at_once = parts_of(load.requests, groups);
    const double least = best ? best->cycles : below;
    PassCycles pass = least_pass_cycles(ground, layout, grouped, load.context());
    if (ground.freedom.layouts && pass.total() < least) {
      pass = decode_pass_cycles(ground, layout, grouped, load.context());
    }
    if (pass.total() < least) {
      const auto bytes = fitting_decode_bytes(ground, layout, grouped);
      if (!bytes) break;  // more at once take no less
      best = {layout, grouped.at_once, *bytes, pass.total()};
    }
    // Fewer groups have more requests each, and no shorter way.
    groups = parts_of(load.requests, grouped.at_once) - 1;
    if (groups == 0 || pass.way >= std::min(least, pass.total())) break;
  }
  return best;
}

ServingLayouts::ServingLayouts(ServingGround ground, std::int64_t prompt, int threads)
    : ground_(std::move(ground)), prompt_(prompt) {
  const std::vector<std::int64_t> widths = region_sides(ground_.columns());
  std::vector<TileGrid> regions;
  for (const std::int64_t rows : region_sides(ground_.rows.count)) {
    for (const std::int64_t columns : widths) {
      if (rows != columns && !ground_.freedom.rectangles) continue;
      if (aspect_of({rows, columns}) > kDecodeAspect) continue;
      regions.push_back({rows, columns});
    }
  }
  std::vector<std::vector<RegionLayout>> layouts(regions.size());
  parallel_tasks(regions.size(), threads, ground_.control,
                 [&](std::size_t i) { layouts[i] = region_layouts(ground_, regions[i]); });
  for (std::vector<RegionLayout>& of_region : layouts) {
    for (RegionLayout& layout : of_region) regions_.push_back(std::move(layout));
  }
}

void ServingLayouts::price_prompts() {
  if (!prefills_.empty()) return;
  for (const RegionLayout& layout : regions_) {
    if (aspect_of(layout.region) > kPrefillAspect) continue;
    const std::int64_t hidden = ground_.model.layer.hidden;
    if (!may_run(ground_, "prefill", reach_of(layout.region, {prompt_, hidden}))) continue;
    const TileBytes kept = kept_bytes(ground_, layout, {0, 0, 0});
    const std::int64_t left = kept.there - kept.total();
    if (left <= 0) continue;
    double before = 0;
    std::int64_t needs = std::numeric_limits<std::int64_t>::max();  // of the last choice
    for (const std::int64_t room : rooms_of(left)) {
      ground_.control.end_if_cut();
      if (needs <= room) continue;  // the same ways have room
      const PrefillChoice choice = prefill_on(layout, room);
      // With less room an operator may take the same ways, where no others take less.
      if (choice.cycles != before) prefills_.push_back(choice);
      before = choice.cycles;
      needs = choice.blocks;
      if (!ground_.freedom.layouts) break;
    }
  }
  std::stable_sort(
      prefills_.begin(), prefills_.end(),
      [](const PrefillChoice& a, const PrefillChoice& b) { return a.cycles < b.cycles; });
}

PrefillChoice ServingLayouts::prefill_on(const RegionLayout& layout, std::int64_t room) const {
  const TileFabric fabric = region_fabric(ground_, layout);
  const TileTransformer& model = ground_.model;
  const double ends =
      model_ends(end_fabric(ground_, layout), model, 1, layout.whole).parts.total() +
      border_cycles(ground_, layout.onward,
                    as_double(prompt_ * model.layer.hidden * fabric.element_bytes));
  PrefillChoice choice{layout, room};
  if (ground_.freedom.layouts) {
    const std::int64_t widest = model.widest_window();
    double behind = 0;  // to the head
    const WindowCosts layers = model.costs([&](std::int64_t window) {
      const LaidBlock block =
          laid_prefill_block(fabric, prefill_block(model, prompt_, window), layout.region, room);
      choice.blocks = std::max(choice.blocks, block.largest);
      if (window == widest) behind = to_head(ground_, block, 1, layout).parts.total();
      return block.parts.total();
    });
    choice.cycles = model.sum(layers) + ends + behind;
    return choice;
  }
  const std::int64_t kept = parts_of(model.layer_parameters() * fabric.element_bytes,
                                     layout.region.rows * layout.region.columns);
  const WindowCosts layers = model.costs([&](std::int64_t window) {
    const MeshOperator layer =
        prefill_layer(fabric, model, prompt_, GemmAlgorithm::meshgemm, layout.region, window);
    choice.blocks = std::max(choice.blocks, layer.bytes_per_tile - fabric.program_bytes - kept);
    return layer.parts.total();
  });
  choice.cycles = model.sum(layers) + ends;
  return choice;
}

TileBytes ServingLayouts::prefill_bytes(const PrefillChoice& choice,
                                        const ServingLoad& load) const {
  TileBytes bytes = kept_bytes(ground_, choice.layout, load);
  bytes.blocks = choice.blocks;
  return bytes;
}

std::optional<DecodeChoice> ServingLayouts::fastest_decode(const ServingLoad& load) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  // The way of a pass takes at least so long, and no less with more requests at once. The pass that
  // may be the shortest is asked first, so that most others need not be.
  std::vector<double> ways(regions_.size(), kFar);
  std::size_t likely = 0;
  double least = kFar;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (!kept_bytes(ground_, regions_[i], load).fits()) continue;
    ground_.control.end_if_cut();
    const PassCycles pass = least_pass_cycles(ground_, regions_[i], load, load.context());
    ways[i] = pass.way;
    if (pass.total() < least) likely = i;
    least = std::min(least, pass.total());
  }
  if (least == kFar) return std::nullopt;
  std::optional<DecodeChoice> best = decode_on(ground_, regions_[likely], load);
  bool is_first = !best;  // no region before the best one takes as few cycles
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    double below = best ? best->cycles : kFar;
    if (!is_first) below = std::nextafter(below, kFar);
    if (ways[i] >= below) continue;
    const auto choice = decode_on(ground_, regions_[i], load, below);
    if (!choice) continue;
    best = choice;
    is_first = true;
  }
  return best;
}

namespace {

/// The most, of at least `least`, for which something holds that holds for fewer than any for which
/// it holds. It is taken to hold for `least`.
std::int64_t most_from(std::int64_t least, const std::function<bool(std::int64_t)>& holds) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::int64_t good = least;
  std::int64_t step = 1;
  while (good + step < kMost && holds(good + step)) {
    good += step;
    step *= 2;
  }
  while (step > 1) {
    step /= 2;
    if (good + step < kMost && holds(good + step)) good += step;
  }
  return good;
}

}  // namespace

std::optional<PrefillChoice> ServingLayouts::fastest_prefill(const ServingLoad& load) const {
  for (const PrefillChoice& choice : prefills_) {
    if (prefill_bytes(choice, load).fits()) return choice;
  }
  return std::nullopt;
}

std::optional<std::pair<DecodeChoice, PrefillChoice>> ServingLayouts::fastest_both(
    const ServingLoad& load) const {
  std::optional<std::pair<DecodeChoice, PrefillChoice>> best;
  double least = 0;
  for (const PrefillChoice& prefill : prefills_) {
    const double prompts = as_double(load.requests) * prefill.cycles;
    if (best && prompts >= least) break;  // none behind has less
    if (!prefill_bytes(prefill, load).fits()) continue;
    const double output = as_double(load.output);
    const double below =
        best ? (least - prompts) / output : std::numeric_limits<double>::infinity();
    const auto decode = decode_on(ground_, prefill.layout, load, below);
    if (!decode) continue;
    least = prompts + output * decode->cycles;
    best = {*decode, prefill};
  }
  return best;
}

bool ServingLayouts::fits(const ServingLoad& load) const {
  const bool decodes =
      std::any_of(regions_.begin(), regions_.end(), [&](const RegionLayout& layout) {
        return fitting_decode_bytes(ground_, layout, load).has_value();
      });
  return decodes && fastest_prefill(load).has_value();
}

std::int64_t ServingLayouts::most_that_fit(
    const std::function<ServingLoad(std::int64_t)>& load_of) const {
  const std::int64_t prefills =
      most_from(0, [&](std::int64_t count) { return fastest_prefill(load_of(count)).has_value(); });
  std::int64_t most = 0;
  for (const RegionLayout& layout : regions_) {
    if (most >= prefills) break;
    most = most_from(most, [&](std::int64_t count) {
      return fitting_decode_bytes(ground_, layout, load_of(count)).has_value();
    });
  }
  return std::min(most, prefills);
}

std::optional<std::pair<RegionLayout, TileBytes>> ServingLayouts::nearest(
    const ServingLoad& load) const {
  std::optional<std::pair<RegionLayout, TileBytes>> nearest;
  const auto offer = [&](const RegionLayout& layout, const TileBytes& bytes) {
    if (!nearest || bytes.total() < nearest->second.total()) nearest = {layout, bytes};
  };
  bool decodes = false;
  for (const RegionLayout& layout : regions_) {
    TileBytes bytes = kept_bytes(ground_, layout, load);
    bytes.there = ground_.hardware.sram_bytes_per_tile.value_or(0);
    if (nearest && bytes.total() >= nearest->second.total()) continue;
    ground_.control.end_if_cut();
    // Where weights and caches are too many, vectors are not what is short.
    if (bytes.fits()) bytes.blocks = decode_vectors(ground_, layout, load);
    offer(layout, bytes);
    decodes = decodes || bytes.fits();
  }
  if (!decodes) return nearest;
  nearest.reset();
  for (const PrefillChoice& choice : prefills_) offer(choice.layout, prefill_bytes(choice, load));
  return nearest;
}

std::int64_t live_tiles(const ServingGround& ground) {
  const Rectangle& box = ground.sites->box();
  const Rectangle tiles{box.x, ground.rows.first, box.width, ground.rows.count};
  return tiles.width * tiles.height - ground.sites->living().lost_tiles(tiles);
}

MemoryNeed memory_need(const ServingGround& ground, const ServingLoad& load) {
  const TileTransformer& model = ground.model;
  const TileFabric& fabric = ground.fabric;
  const std::int64_t cached = fabric.cache_bytes(model.cache_elements(load.tokens()));
  const double tiles = as_double(live_tiles(ground));
  return {tiles * as_double(ground.hardware.sram_bytes_per_tile.value_or(0)),
          as_double(parameter_bytes(fabric, model)), as_double(load.requests) * as_double(cached),
          tiles * as_double(fabric.program_bytes)};
}

}  // namespace waferloom::planner
