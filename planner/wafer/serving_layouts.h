#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/laid_blocks.h"
#include "kernels/tile_parts.h"
#include "model/hardware.h"
#include "model/run_control.h"
#include "planner/wafer/region_sites.h"
#include "planner/wafer/tile_transformer.h"
#include "planner/wafer_serving.h"

namespace waferloom::planner {

/// What a search of layouts may choose, and must. All false but `beyond`: what WaferLLM's programs
/// do, on meshes of any size.
struct ServingFreedom {
  bool enforced = true;    ///< weights and caches have to fit
  bool apart = true;       ///< heads have scores of their own, and caches as wide as they need
  bool joined = true;      ///< products of the same operand are one in prefill
  bool rectangles = true;  ///< regions need not be square
  bool layouts = true;     ///< each operator by the algorithm and layouts best for its layer
  bool beyond = true;      ///< meshes and blocks that nobody measured
};

/// What searches of the same ground ask for again.
struct KnownLayouts {
  /// First row, rows, those and columns of a region, and whether they have to fit.
  using Key = std::array<std::int64_t, 5>;
  /// A region's rows, columns and detours, and the samples and tokens of the block it decodes.
  using BlockKey = std::tuple<std::int64_t, std::int64_t, double, std::int64_t, std::int64_t, bool,
                              std::int64_t, std::int64_t>;
  std::mutex mutex;
  /// Those on wafers with something dead or borders between groups.
  std::map<Key, std::vector<RegionLayout>> layouts;
  std::map<BlockKey, double> least_cycles;  ///< of decoding a block
};

/// What a search of layouts has to do with: a model on a part of a wafer.
struct ServingGround {
  TileTransformer model;
  Hardware hardware;
  std::string data_type;
  TileFabric fabric;
  std::shared_ptr<const RegionSites> sites;
  RowRange rows;  ///< of the wafer's tiles that may be used
  ServingFreedom freedom{};
  std::shared_ptr<KnownLayouts> known = std::make_shared<KnownLayouts>();
  RunControl control{};  ///< asked for each layout that is priced: RunCut ends the search
  std::int64_t columns() const { return sites->box().width; }
  double clock() const { return as_double(hardware.clock_hz); }
};
/// A model on all of a wafer that lives. Throws RequestError as tile_fabric.
ServingGround whole_ground(const TileTransformer& model, const Hardware& hardware,
                           const std::string& data_type, const ServingFreedom& freedom = {});

/// Sides of rectangles that are tried: all to 64, then steps of 2.5 %, the same on every wafer.
std::vector<std::int64_t> region_sides(std::int64_t most);

/// What the caches have to hold, and how many requests go through a region at once.
struct ServingLoad {
  std::int64_t prompt = 1;
  std::int64_t output = 1;
  std::int64_t requests = 1;
  CacheWay caches = CacheWay::balanced;
  std::int64_t at_once = 0;  ///< 0: so few that no more regions than there are have work
  std::int64_t tokens() const { return prompt + output; }
  /// The middle of the output.
  std::int64_t context() const { return prompt + output / 2; }
};

/// All layers over equal regions of the wafer, each region with as few layers as can be: without
/// spare rows first, and with as many as make room for most. None if no layer has such a region.
std::vector<RegionLayout> region_layouts(const ServingGround& ground, const TileGrid& region);
/// Where its regions are.
std::vector<Rectangle> places_of(const ServingGround& ground, const RegionLayout& layout);
/// The regions that a plan says. Throws InfeasibleError, naming the tile, where one of them needs
/// what is dead or cut off; RequestError where they leave the wafer, overlap, or are not as many
/// as the model takes.
RegionLayout planned_layout(const ServingGround& ground, const ResidentPlan& plan);

/// The fabric as lines of a layout's regions have it, and as those of its embedding and head.
TileFabric region_fabric(const ServingGround& ground, const RegionLayout& layout);
TileFabric end_fabric(const ServingGround& ground, const RegionLayout& layout);
/// Cycles in which bytes cross borders between groups; 0 where they cross none.
double border_cycles(const ServingGround& ground, const BorderWay& way, double bytes);
/// Vectors of a token of each of so many samples on their way over all borders, and the tokens that
/// come back.
double token_border_cycles(const ServingGround& ground, const RegionLayout& layout,
                           std::int64_t samples);

/// What a tile keeps in decode: a layout's layers, caches of all requests, and vectors. Nothing if
/// that does not fit. O(1) where weights and caches alone do not.
std::optional<TileBytes> fitting_decode_bytes(const ServingGround& ground,
                                              const RegionLayout& layout, const ServingLoad& load);

/// A layer that decodes a token behind so many, of which it sees the last ones.
struct DecodedLayer {
  std::int64_t context = 0;
  std::int64_t window = 0;  ///< 0: it sees all
};

/// How a region decodes a token of each of the requests that go through it at once; its freedom has
/// to have `layouts`. Operators take no more memory than weights and caches leave, where that can
/// be.
LaidBlock decode_block_on(const ServingGround& ground, const RegionLayout& layout,
                          const ServingLoad& load, const DecodedLayer& at);

/// Requests that go through a region at once.
std::int64_t samples_of(const RegionLayout& layout, const ServingLoad& load);

/// What it takes to bring the last layer's tokens into the layout of the head, all features of a
/// part on each tile of a row. The embedding is looked up in the layout that the first layer takes.
MeshOperator to_head(const ServingGround& ground, const LaidBlock& layer, std::int64_t samples,
                     const RegionLayout& layout);

/// Cycles of a layer of each kind that decodes a token of each of these, and from the last one to
/// the head.
struct StackCycles {
  WindowCosts layers{};
  double to_head = 0;
};
StackCycles decode_stack_cycles(const ServingGround& ground, const RegionLayout& layout,
                                const ServingLoad& load, std::int64_t context);

/// Cycles in which the vectors of so many samples go from a region to the next of their group.
double move_cycles(const ServingGround& ground, const RegionLayout& layout, std::int64_t samples);

/// Cycles of a token of each of the requests through all regions, with so many tokens in each
/// cache. Requests go through the regions in groups, one behind the other. The embedding and the
/// head have all regions' tiles.
struct PassCycles {
  double way = 0;      ///< of a group through all regions, embedding and head
  double tile = 0;     ///< what a tile has to do for all groups
  double borders = 0;  ///< in which the vectors of all groups cross the busiest border
  double total() const { return std::max({way, tile, borders}); }
};
PassCycles decode_pass_cycles(const ServingGround& ground, const RegionLayout& layout,
                              const ServingLoad& load, std::int64_t context);
/// What none of them is below, in a fraction of the time: operators find their operands in the
/// layouts that they want, and have all the memory that they want. The pass itself where its
/// freedom has no `layouts`.
PassCycles least_pass_cycles(const ServingGround& ground, const RegionLayout& layout,
                             const ServingLoad& load, std::int64_t context);

struct DecodeChoice {
  RegionLayout layout;
  std::int64_t at_once = 1;  ///< requests that go through a region
  TileBytes bytes;
  double cycles = 0;  ///< of a pass behind prompt and half of the output
};
/// A layout with as many requests at once as are fastest: more have a longer way, and are fewer
/// groups. Nothing if it does not fit, or takes as many cycles as `below`.
std::optional<DecodeChoice> decode_on(const ServingGround& ground, const RegionLayout& layout,
                                      const ServingLoad& load,
                                      double below = std::numeric_limits<double>::infinity());

struct PrefillChoice {
  RegionLayout layout;
  std::int64_t room = 0;    ///< bytes of a tile that an operator might take beside weights, caches
  double cycles = 0;        ///< of a prompt
  std::int64_t blocks = 0;  ///< bytes of a tile for the largest operator's blocks
};

/// All layouts of a model on a part of a wafer, and what prompts of one length take on each. The
/// sides of regions are those of a lattice, the same on every wafer, so that more tiles never leave
/// a slower best.
class ServingLayouts {
 public:
  /// O(layouts).
  ServingLayouts(ServingGround ground, std::int64_t prompt, int threads = 1);
  /// What prompts take, before anything is asked of prefill. O(layouts · √side).
  void price_prompts();
  const ServingGround& ground() const { return ground_; }

  /// The layout on which a pass is fastest, of all that fit.
  std::optional<DecodeChoice> fastest_decode(const ServingLoad& load) const;
  /// The layout on which a prompt is fastest, of all that fit beside caches of that load.
  std::optional<PrefillChoice> fastest_prefill(const ServingLoad& load) const;
  /// The layout on which prompts and outputs of a load together take the least, of all that fit.
  std::optional<std::pair<DecodeChoice, PrefillChoice>> fastest_both(const ServingLoad& load) const;
  /// Whether any layouts of decode and prefill fit.
  bool fits(const ServingLoad& load) const;
  /// The most for which the load of so many fits; a load fits where that of more does. 0: none.
  /// Each layout is asked for one more than those before it have room for, and searched only then.
  std::int64_t most_that_fit(const std::function<ServingLoad(std::int64_t)>& load_of) const;
  /// The layout of decode, where one fits of prefill, whose tiles lack least, and what they would
  /// keep; nothing without layouts.
  std::optional<std::pair<RegionLayout, TileBytes>> nearest(const ServingLoad& load) const;
  TileBytes prefill_bytes(const PrefillChoice& choice, const ServingLoad& load) const;

 private:
  PrefillChoice prefill_on(const RegionLayout& layout, std::int64_t room) const;

  ServingGround ground_;
  std::int64_t prompt_;
  std::vector<RegionLayout> regions_;
  std::vector<PrefillChoice> prefills_;  // the fastest first
};

/// Tiles of the ground that live.
std::int64_t live_tiles(const ServingGround& ground);

/// Bytes of all tiles that may be used, and those that weights, caches and programs need at least.
struct MemoryNeed {
  double there = 0;
  double weights = 0;
  double caches = 0;
  double programs = 0;
};
MemoryNeed memory_need(const ServingGround& ground, const ServingLoad& load);

}  // namespace waferloom::planner
