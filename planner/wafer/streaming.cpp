#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "planner/tile_operators.h"
#include "planner/wafer/serving_layouts.h"
#include "planner/wafer/streaming_parts.h"
#include "planner/wafer_streaming.h"

// Problem: train or run a model whose weights are larger than a wafer's memories.
// Idea: tiles keep activations: tokens of the batch over rows of tiles, features over columns.
// Weights come through the host ports, layer by layer, and stream past the activations; gradients
// of weights leave row by row. A product is the weight-stationary one with activations as the
// operand that stays. A layer takes the longest of what tiles compute, of its weights through the
// ports and over the busiest link. Batches, what is computed again, and rectangles are tried.
// Source: weight streaming as Cerebras describes it for its clusters; the layout and times are
// ours. Cost: rectangles times batches, some ten microseconds each.
namespace waferloom::planner {
namespace {

constexpr double kLongestSide = 2;  ///< of a rectangle's longer to its shorter side
constexpr std::int64_t kBatches[] = {1,  2,  3,  4,  5,  6,  8,  10,  12,  14,  16,
                                     20, 24, 28, 32, 48, 64, 96, 128, 192, 256, 512};
/// Of inference, which keeps little, so that many fit: steps of an eighth.
constexpr std::int64_t kPromptBatches[] = {
    1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  14,  16,  18,  20,  22,
    24,  26,  28,  32,  36,  40,  44,  48,  56,  64,  72,  80,  88,  96,  112, 128, 144,
    160, 176, 192, 224, 256, 288, 320, 352, 384, 448, 512, 576, 640, 704, 768, 896};
/// A batch as so many micro-batches, as even as can be.
struct SplitBatch {
  std::int64_t batch = 1;
  std::int64_t micro_batches = 1;
  std::int64_t largest() const { return parts_of(batch, micro_batches); }
};

constexpr Recompute kRecomputes[] = {Recompute::none, Recompute::selective, Recompute::full};

/// A batch in micro-batches, `work` the largest of them.
StreamingChoice choice_on(const StreamingGround& ground, double peak, Recompute recompute,
                          const SplitBatch& split, BatchWork& work, const ModelCycles& cycles) {
  const StreamSite& site = work.site();
  StreamingChoice choice{split.batch, split.micro_batches, recompute, site.tiles};
  choice.place = site.place;
  choice.spare_rows = site.spare_rows;
  choice.port_words_per_cycle = site.ports.words_per_cycle;
  const auto pieces_of = [&](const SequenceTurns& turns) {
    return ground.trains ? head_pieces_of(ground, work, turns, recompute) : 1;
  };
  const auto bytes_of = [&](const SequenceTurns& turns) {
    return ground.trains ? bytes_of_batch(ground, work, turns, recompute, pieces_of(turns))
                         : bytes_of_prompts(ground, work, turns);
  };
  const SequenceTurns turns = best_turns(cycles.turns, bytes_of);
  choice.attention_sequences = turns.at_once;
  choice.head_pieces = pieces_of(turns);
  choice.bytes = bytes_of(turns);
  choice.parts = parts_of_model(ground, work, cycles, turns, choice);
  choice.fill_s =
      (site.fabric.way(as_double(site.tiles.rows + site.tiles.columns)) + site.ports.entry_cycles) /
      ground.clock();
  // The first weights in, the last gradients out.
  double micro_batch_s = (ground.trains ? 2 : 1) * choice.fill_s;
  for (const StreamedPart& part : choice.parts) {
    micro_batch_s += as_double(part.repeat) * (part.forward_s + part.backward_s);
  }
  choice.step_s = as_double(split.micro_batches) * micro_batch_s;
  choice.tokens_per_s = as_double(split.batch * ground.model.layer.sequence) / choice.step_s;
  choice.share_of_peak = choice.tokens_per_s * multiply_adds(ground) / peak;
  return choice;
}

/// The rectangles that are tried, the largest first: sides of the lattice, the same on every wafer.
/// With `with_box` the whole box as well: where time is a share of the peak no rounding makes more
/// tiles slower.
std::vector<TileGrid> rectangles_of(const Rectangle& box, bool with_box) {
  std::vector<TileGrid> grids;
  if (with_box) grids.push_back({box.height, box.width});
  for (const std::int64_t rows : region_sides(box.height)) {
    for (const std::int64_t columns : region_sides(box.width)) {
      const double ratio = as_double(rows) / as_double(columns);
      if (std::max(ratio, 1 / ratio) <= kLongestSide) grids.push_back({rows, columns});
    }
  }
  std::stable_sort(grids.begin(), grids.end(), [](const TileGrid& a, const TileGrid& b) {
    return a.rows * a.columns > b.rows * b.columns;
  });
  return grids;
}

/// No batch makes more tokens a second on that rectangle: its multiply-adds alone.
double most_tokens_per_s(const StreamingGround& ground, const TileGrid& tiles) {
  return as_double(tiles.rows * tiles.columns) * most_multiply_adds_per_cycle(ground) *
         ground.clock() / multiply_adds(ground);
}

/// Batches on the rectangles of a wafer that live.
class BatchSearch {
 public:
  BatchSearch(const StreamingGround& ground, const RunControl& control)
      : ground_(ground),
        control_(control),
        sites_(ground.hardware, ground.fabric, ports_share(ground.training)),
        grids_(rectangles_of(sites_.sites().box(), ground.training.has_value())),
        known_(grids_.size()),
        peak_(as_double(sites_.sites().living().joined_tiles()) * ground.fabric.lanes *
              ground.clock()) {
    const std::string lost = sites_.sites().living().text();
    if (sites_.words_per_cycle() > 0) return;
    throw InfeasibleError("no host port of " + ground.hardware.name + " stands on a tile that " +
                          "weights can come from: " + lost);
  }

  /// Multiply-adds a second of all tiles that live.
  double peak() const { return peak_; }
  std::int64_t most_rows() const { return sites_.sites().box().height; }
  std::string lost_text() const { return sites_.sites().living().text(); }

  /// The most tokens a second of a batch, of all that fit; the one with the fewest bytes if none
  /// does; nothing if no rectangle lies anywhere.
  std::optional<StreamingChoice> best(const SplitBatch& split) {
    std::optional<StreamingChoice> best;
    const auto is_better = [&](const StreamingChoice& choice) {
      if (!best) return true;
      if (choice.bytes.fits() != best->bytes.fits()) return choice.bytes.fits();
      if (!choice.bytes.fits()) return choice.bytes.total() < best->bytes.total();
      return choice.tokens_per_s > best->tokens_per_s;
    };
    for (std::size_t i = 0; i < grids_.size(); ++i) {
      if (!ground_.trains && split.largest() > grids_[i].rows) continue;
      const bool fits = best && best->bytes.fits();
      if (fits && most_tokens_per_s(ground_, grids_[i]) <= best->tokens_per_s) break;
      control_.end_if_cut();
      for (const StreamSite& site : sites_of(i)) {
        control_.end_if_cut();
        BatchWork work(ground_, site, split.largest());
        if (best && needs_more_than(work, best->bytes)) continue;
        const ModelCycles cycles = cycles_of(ground_, work);
        for (const Recompute recompute : kRecomputes) {
          if (!ground_.trains && recompute != Recompute::none) break;
          StreamingChoice choice = choice_on(ground_, peak_, recompute, split, work, cycles);
          if (is_better(choice)) best = std::move(choice);
        }
      }
    }
    return best;
  }

 private:
  /// Whether a micro-batch in training needs more than is there, and than the best so far, whatever
  /// attention takes.
  bool needs_more_than(const BatchWork& work, const StreamingBytes& best) const {
    if (!ground_.trains) return false;
    const std::int64_t pieces = std::max<std::int64_t>(1, work.head_tokens());
    const StreamingBytes least = bytes_of_batch(ground_, work, {}, Recompute::full, pieces);
    return !least.fits() && least.total() >= best.total();
  }

  const std::vector<StreamSite>& sites_of(std::size_t grid) {
    if (!known_[grid]) known_[grid] = sites_.of(grids_[grid]);
    return *known_[grid];
  }

  const StreamingGround& ground_;
  const RunControl& control_;
  StreamSites sites_;
  std::vector<TileGrid> grids_;
  std::vector<std::optional<std::vector<StreamSite>>> known_;
  double peak_;
};

/// Batches that are tried, ascending.
std::vector<std::int64_t> batches_of(const WaferStreamingJob& job) {
  if (job.batch > 0) return {job.batch};
  if (job.trains) return {std::begin(kBatches), std::end(kBatches)};
  return {std::begin(kPromptBatches), std::end(kPromptBatches)};
}

/// Splits a batch into the fewest micro-batches that fit, found by bisection, and into twice, four
/// times … as many, which may have less to compute again. `tried` says whether a split fits.
void try_micro_batches(std::int64_t batch, const std::function<bool(const SplitBatch&)>& tried) {
  std::int64_t fewest = 1;
  std::int64_t too_few = 0;
  while (!tried({batch, fewest})) {
    if (fewest == batch) return;
    too_few = fewest;
    fewest = std::min(batch, 2 * fewest);
  }
  while (fewest - too_few > 1) {
    const std::int64_t middle = (fewest + too_few) / 2;
    (tried({batch, middle}) ? fewest : too_few) = middle;
  }
  constexpr std::int64_t kMostTimes = 16;
  for (std::int64_t times = 2; times <= kMostTimes && times * fewest <= batch; times *= 2) {
    tried({batch, times * fewest});
  }
}

[[noreturn]] void throw_no_sequence(const WaferStreamingJob& job, const StreamingChoice& least,
                                    const std::string& lost) {
  const std::int64_t sequences = parts_of(least.batch, least.micro_batches);
  throw InfeasibleError(
      fmt::format("{}{}{} with {}{}: a tile needs {} bytes of {}, {} of them for activations; {}{}",
                  job.workload.name, job.trains ? " does not train on " : " does not run on ",
                  job.hardware.name, sequences, sequences == 1 ? " sequence" : " sequences",
                  least.bytes.total(), least.bytes.there, least.bytes.activations,
                  lost.empty() ? "" : lost + "; ",
                  sequences == 1 ? "shorter sequences would fit" : "a smaller batch may fit"));
}

[[noreturn]] void throw_no_rectangle(const WaferStreamingJob& job, const std::string& lost) {
  throw InfeasibleError(
      fmt::format("{} has no rectangle of tiles that host ports lead to for {} sequences of {}{}",
                  job.hardware.name, std::max<std::int64_t>(1, job.batch), job.workload.name,
                  lost.empty() ? "" : ": " + lost));
}

}  // namespace

WaferStreaming plan_wafer_streaming(const WaferStreamingJob& job, const RunControl& control) {
  const StreamingGround ground = streaming_ground(job);
  BatchSearch search(ground, control);
  WaferStreaming found;
  std::optional<StreamingChoice> best;
  /// Whether it fits.
  const auto tried = [&](const SplitBatch& split) {
    if (!ground.trains && split.batch > search.most_rows()) return false;
    control.tell({fmt::format("trying a batch of {}", split.batch), job.workload.name});
    std::optional<StreamingChoice> choice = search.best(split);
    if (!choice && !found.batches.empty()) return false;
    if (!choice) throw_no_rectangle(job, search.lost_text());
    found.batches.push_back(*choice);
    const bool fits = choice->bytes.fits();
    if (fits && (!best || choice->tokens_per_s > best->tokens_per_s)) best = std::move(choice);
    return fits;
  };
  if (job.batch > 0 && ground.trains) {
    try_micro_batches(job.batch, tried);
  } else {
    // Larger ones need more.
    for (const std::int64_t batch : batches_of(job)) {
      if (!tried({batch, 1})) break;
    }
  }
  if (found.batches.empty()) {
    throw RequestError("a batch of more sequences than the wafer has rows of tiles");
  }
  // Of micro-batches the last is the smallest.
  if (!best) {
    const bool asked = job.batch > 0;
    throw_no_sequence(job, asked ? found.batches.back() : found.batches.front(),
                      search.lost_text());
  }
  found.best = *best;
  found.lost = search.lost_text();
  found.roof_tokens_per_s = search.peak() / multiply_adds(ground);
  double ports = 0;
  for (const StreamedPart& part : found.best.parts) {
    ports += as_double(part.repeat) * part.ports_s;
  }
  found.port_tokens_per_s = as_double(found.best.batch * ground.model.layer.sequence) /
                            (as_double(found.best.micro_batches) * ports);
  found.trust = streaming_trust(job.hardware, job.data_type, job.trains, job.workload.kept);
  return found;
}

std::vector<TrustRow> streaming_trust(const Hardware& hardware, const std::string& data_type,
                                      bool trains, const KeptNumbers& kept) {
  if (!trains || !hardware.training.contains(data_type)) {
    return trust_card(
        hardware, data_type,
        {{"products", "gemm", "weight-stationary"}, {"ports", "ports", "", "host_bytes_per_s"}},
        kept);
  }
  const std::string figures = "programs.training." + data_type + ".";
  return trust_card(hardware, data_type,
                    {{"fixed time", "training", "", figures + "layer_seconds"},
                     {"products", "training", "", figures + "products_percent"},
                     {"ports", "training", "", figures + "ports_percent"}});
}

StreamingPlan streaming_plan(const WaferStreamingJob& job, const StreamingChoice& choice) {
  StreamingPlan plan;
  plan.workload = job.workload.name;
  plan.hardware = job.hardware.name;
  plan.data_type = job.data_type;
  plan.trains = job.trains;
  plan.rows = choice.tiles.rows;
  plan.columns = choice.tiles.columns;
  plan.spare_rows = choice.spare_rows;
  plan.place = choice.place;
  plan.micro_batches = choice.micro_batches;
  plan.step_s = choice.step_s;
  for (const StreamedPart& part : choice.parts) {
    plan.parts.push_back({part.repeat, part.weight_bytes, part.backward_weight_bytes,
                          part.gradient_bytes, part.forward_cycles, part.backward_cycles,
                          part.fixed_s});
  }
  return plan;
}

std::optional<Bottleneck> streaming_bottleneck(const WaferStreamingJob& job,
                                               const StreamingChoice& choice) {
  return streaming_bottleneck(streaming_step(streaming_plan(job, choice), job.hardware),
                              as_double(job.hardware.clock_hz));
}

namespace {

/// Where a plan says that its tiles lie, or else the best place for them.
StreamSite site_of(const StreamingPlan& plan, const Hardware& hardware) {
  const TileFabric fabric = tile_fabric(hardware, plan.data_type);
  const TileGrid tiles{plan.rows, plan.columns};
  if (plan.rows > hardware.wafer.height || plan.columns > hardware.wafer.width) {
    throw RequestError(hardware.name + " has no room for the plan's " + grid_text(tiles) +
                       " tiles");
  }
  StreamSites sites(hardware, fabric,
                    ports_share(training_figures(hardware, plan.data_type, plan.trains)));
  if (plan.place) return sites.planned(tiles, *plan.place, plan.spare_rows);
  const std::vector<StreamSite> found = sites.of(tiles);
  if (!found.empty()) return found.front();
  throw InfeasibleError(hardware.name + " has no room for the plan's " + grid_text(tiles) +
                        " tiles: " + sites.sites().living().text());
}

}  // namespace

Rectangle streaming_tiles(const StreamingPlan& plan, const Hardware& hardware) {
  return site_of(plan, hardware).place;
}

StreamingStep streaming_step(const StreamingPlan& plan, const Hardware& hardware) {
  const TileFabric fabric = tile_fabric(hardware, plan.data_type);
  const std::optional<TrainingFigures> training =
      training_figures(hardware, plan.data_type, plan.trains);
  const StreamSite site = site_of(plan, hardware);
  const double word = as_double(fabric.word_bytes);
  StreamingStep step;
  step.columns = plan.columns;
  step.rows = plan.rows;
  step.hop_cycles = std::llround(site.fabric.hop_cycles);
  step.ramp_cycles = std::llround(fabric.ramp_cycles);
  step.word_cycles = site.fabric.word_cycles;
  step.lines = stream_lines(site);
  step.entry_cycles = std::llround(site.ports.entry_cycles);
  step.trains = plan.trains;
  step.micro_batches = plan.micro_batches;
  step.weights_wait = training.has_value();
  step.port_words_per_cycle = site.ports.words_per_cycle;
  for (const StreamingPlan::Part& part : plan.parts) {
    step.parts.push_back({part.repeat, part.weight_bytes / word, part.backward_weight_bytes / word,
                          part.gradient_bytes / word, std::llround(part.forward_cycles),
                          std::llround(part.backward_cycles), part.fixed_s});
  }
  return step;
}

}  // namespace waferloom::planner
