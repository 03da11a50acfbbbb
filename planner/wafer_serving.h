#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/laid_blocks.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "model/option_spec.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/tile_operators.h"

namespace waferloom::planner {

// A language model whose weights stay in the memories of a wafer's tiles: "resident". Its layers
// lie over equal regions. A token goes through all of them, operator by operator, so a request's
// rate is 1 / the latency of a pass (docs/wafer_plans.md).

/// What is served.
struct WaferServingJob {
  Workload workload;
  Hardware hardware;
  std::string data_type = "fp16";
  std::int64_t prompt = 4096;  ///< tokens of a request
  std::int64_t output = 128;   ///< tokens that it gets
  std::int64_t requests = 1;   ///< at once
  CacheWay caches = CacheWay::balanced;
  int threads = 1;  ///< never change the result
};

/// All layers of a model over equal rectangles of tiles.
struct RegionLayout {
  TileGrid region{};             ///< as it works
  std::int64_t regions = 0;      ///< that have layers
  std::int64_t layers_each = 0;  ///< the last may have fewer
  TileGrid whole{};              ///< the block of all regions, or of those that have the ends
  std::int64_t end_tiles = 0;    ///< over which an embedding and a head lie
  /// Rows of a region's rectangle beyond those that it works as: its lines step around what is
  /// dead.
  std::int64_t spare_rows = 0;
  double stretch = 1;            ///< hops inside a region over those of a whole rectangle
  double end_stretch = 1;        ///< likewise of the block of all regions
  std::int64_t detour_hops = 0;  ///< the most between two neighbours, beyond one
  std::int64_t link_load = 1;    ///< lines of tiles on the busiest link
  std::int64_t gap_hops = 0;     ///< from a region to the next, beyond a region's side
  bool spans_groups = false;     ///< regions lie over borders between groups of tiles
  std::int64_t groups = 1;       ///< of tiles, with regions
  BorderWay onward{};            ///< borders that vectors cross from region to region, all together
  BorderWay back{};              ///< that a token crosses from the last region to the first
  std::vector<Rectangle> places{};  ///< of the regions, spare rows included; of what is asked for
  std::int64_t tiles() const { return regions * region.rows * region.columns; }
};

/// Bytes of the fullest tile.
struct TileBytes {
  std::int64_t program = 0;
  std::int64_t weights = 0;
  std::int64_t caches = 0;
  std::int64_t blocks = 0;  ///< vectors of decode, or the largest operator's blocks of prefill
  std::int64_t there = 0;
  std::int64_t total() const { return program + weights + caches + blocks; }
  bool fits() const { return total() <= there; }
};

/// How many requests at once: what they see, and what the wafer gives.
struct ServingLevel {
  std::int64_t requests = 1;
  std::int64_t at_once = 1;       ///< of them, go through a region in decode
  double ttft_s = 0;              ///< to the first token, of a request that waits for no other
  double tpot_s = 0;              ///< per output token, in the mean
  double user_tokens_per_s = 0;   ///< output over the time of a whole request
  double total_tokens_per_s = 0;  ///< of all requests, new ones following as others end
  double joules_per_token = 0;    ///< 0 where the power is not known
  /// Share of the wafer's rows that prefill has for itself; 0: it takes turns with decode.
  double prefill_share = 0;
  RegionLayout decode{};
  RegionLayout prefill{};
  std::int64_t prefill_room = 0;  ///< bytes of a tile that an operator of prefill might take
  bool relays = false;            ///< weights are laid anew between prefill and decode
  double relay_s = 0;
  TileBytes decode_bytes{};
  TileBytes prefill_bytes{};
};

/// What the search was free to choose, and the rate with it.
struct ServingStep {
  std::string what;
  double user_tokens_per_s = 0;   ///< 0: nothing fits
  double total_tokens_per_s = 0;  ///< likewise; what the search looks at for more than a request
  double ttft_s = 0;
  TileGrid decode{};  ///< regions
  TileGrid prefill{};
};

/// Floating-point operations of a request, two for each multiply-add of its products. A token looks
/// on the prompt and half of the output, a token of a prompt on all of it, if no window hides them.
struct ServingFlop {
  double token = 0;         ///< all layers and the head
  double token_layer = 0;   ///< the layer that looks back farthest
  double prompt = 0;        ///< all layers
  double prompt_layer = 0;  ///< the layer that looks back farthest
};

/// Of a job's prompt and output; its hardware is not asked. Throws RequestError as
/// plan_wafer_serving.
ServingFlop serving_flop(const WaferServingJob& job);

/// Whether a network is a stack of equal layers, as serving takes it.
bool is_stack_of_layers(const Workload& workload);

/// What came of a job.
struct WaferServing {
  std::string model;
  std::int64_t parameters = 0;
  ServingLevel asked;                 ///< with the job's requests
  std::vector<ServingLevel> levels;   ///< 1, 2, 4, 8, 16, 64 … requests, as many as fit
  std::int64_t most_requests = 0;     ///< that caches hold with this prompt and output
  std::int64_t longest_context = 0;   ///< tokens that the caches hold of each of the job's requests
  std::int64_t longest_appended = 0;  ///< the same if new tokens are appended, not balanced
  /// Cycles of a token of each request that goes through a region at once: all layers, embedding
  /// and head.
  OperatorParts token_parts{};
  LaidBlock token_layer{};       ///< of these, a layer
  OperatorParts prompt_parts{};  ///< cycles of a prompt
  LaidBlock prompt_layer{};
  ServingFlop flop{};
  double decode_share_of_peak = 0;  ///< multiply-adds that are wanted over those of used tiles
  double prefill_share_of_peak = 0;
  double roof_tokens_per_s = 0;  ///< if all tiles did nothing but multiply and add, one request
  double roof_prefill_tokens_per_s = 0;
  std::vector<ServingStep> ladder;  ///< from WaferLLM's programs to ours
  /// WaferLLM's programs on the fastest squares of those that were measured, weights wherever there
  /// is room; no rate where none was.
  ServingStep measured_program{};
  std::string lost;  ///< tiles that cannot be used (Living::text)
  std::vector<TrustRow> trust;
};

/// Plans it. The layouts of prefill and decode are searched, together or each for itself with the
/// weights laid anew in between, and so is a split of the wafer where that serves more tokens a
/// second. Throws InfeasibleError where weights and caches do not fit in any way, with bytes needed
/// and there and what would fit; RequestError for a network that is no stack of equal layers, or a
/// machine without cycles of tiles or memory; RunCut. Deterministic. O(rows of the wafer) layouts
/// for each number of requests.
WaferServing plan_wafer_serving(const WaferServingJob& job, const RunControl& control = {});

/// The longest of what follows one another in a token's pass, which bounds the rate of a request,
/// and the next.
std::optional<Bottleneck> serving_bottleneck(const WaferServingJob& job, const WaferServing& found);

/// A prompt on a model whose weights stay, one operator at work after another.
struct ResidentPrompt {
  RegionLayout layout{};
  TileBytes bytes{};
  LaidBlock layer{};
  double seconds = 0;  ///< to the first token
  std::optional<Bottleneck> bottleneck{};
};
/// The fastest layout for the job's prompts alone: no output, and caches of its requests. Throws as
/// plan_wafer_serving. O(rows of the wafer) layouts.
ResidentPrompt plan_resident_prompt(const WaferServingJob& job, const RunControl& control = {});

/// A token's pass by a resident plan, at the middle of the output. Throws RequestError where the
/// model or the machine is another one than the plan's.
ResidentPass resident_pass(const ResidentPlan& plan, const Workload& workload,
                           const Hardware& hardware);

/// Its regions as kernels of one shape, region1 first, that are bound to their places; vectors of
/// the requests that go through at once pass from each to the next. Throws as resident_pass.
Problem resident_case(const ResidentPlan& plan, const Workload& workload, const Hardware& hardware);

/// What backs such a pass.
std::vector<TrustRow> resident_trust(const ResidentPlan& plan, const Workload& workload,
                                     const Hardware& hardware);

/// Rows and columns of the widest product that a token needs in a layer. Throws RequestError as
/// resident_pass.
std::pair<std::int64_t, std::int64_t> widest_product(const Workload& workload);

/// --prompt, --output, --requests, --caches.
Options<WaferServingJob> wafer_serving_options();

/// A report of schema waferloom/wafer_serving/1.
Report wafer_serving_report(const WaferServingJob& job, const WaferServing& found);
std::string wafer_serving_schema();
/// Latency against throughput: a row for each level.
TextTable serving_levels_table(const WaferServing& found);
/// The plan's file, schema waferloom/wafer_plan/1.
std::string resident_plan_text(const WaferServingJob& job, const WaferServing& found);

}  // namespace waferloom::planner
