#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "planner/tile_operators.h"
#include "planner/wafer/serving_layouts.h"
#include "planner/wafer/streaming_work.h"
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
constexpr Recompute kRecomputes[] = {Recompute::none, Recompute::selective, Recompute::full};

/// Sets a part's times from its bytes and cycles.
void time_part(StreamedPart& part, const StreamingGround& ground, const BatchWork& work) {
  const double word = as_double(ground.fabric.word_bytes);
  const auto stream_cycles = [&](double bytes) {
    return std::max(work.port_cycles(bytes), work.link_cycles(bytes / word));
  };
  part.port_cycles = work.port_cycles(part.weight_bytes);
  part.link_cycles = work.link_cycles(part.weight_bytes / word);
  part.ports_s = work.port_cycles(part.streamed_bytes()) / ground.clock();
  part.links_s = work.link_cycles(part.streamed_bytes() / word) / ground.clock();
  part.forward_s = std::max(part.forward_cycles, stream_cycles(part.weight_bytes)) / ground.clock();
  part.backward_s = std::max({part.backward_cycles, stream_cycles(part.backward_weight_bytes),
                              stream_cycles(part.gradient_bytes)}) /
                    ground.clock();
}

/// What tiles compute of a layer and of the head.
struct ModelCycles {
  double products = 0;         ///< of a layer, forward
  double products_behind = 0;  ///< backward
  SequenceTurns attention;
  double small = 0;
  double head = 0;
  double head_behind = 0;
};

ModelCycles cycles_of(const StreamingGround& ground, BatchWork& work) {
  const TileTransformer& model = ground.model;
  const TransformerOperator& layer = model.layer;
  const std::int64_t hidden = layer.hidden;
  const std::int64_t keys = key_value_elements(layer);
  const std::int64_t inner = (layer.gated ? 2 : 1) * layer.feed_forward;
  ModelCycles cycles;
  const std::pair<std::int64_t, std::int64_t> matrices[] = {
      {hidden, hidden + keys}, {hidden, hidden}, {hidden, inner}, {layer.feed_forward, hidden}};
  for (const auto& [in, out] : matrices) {
    cycles.products += work.forward(in, out);
    if (ground.trains) cycles.products_behind += work.backward(in, out);
  }
  cycles.small = work.small();
  if (!ground.trains) {
    if (model.vocabulary > 0) cycles.head = work.forward_of_last(hidden, model.vocabulary);
    cycles.attention = turns_of_prompts(ground, work);
    return cycles;
  }
  cycles.attention = work.attention(work.batch());
  if (model.vocabulary == 0) return cycles;
  cycles.head = work.forward(hidden, model.vocabulary);
  cycles.head_behind = work.backward(hidden, model.vocabulary);
  return cycles;
}

std::vector<StreamedPart> parts_of_model(const StreamingGround& ground, const BatchWork& work,
                                         const ModelCycles& cycles, Recompute recompute) {
  const TileTransformer& model = ground.model;
  const double bytes = as_double(ground.fabric.element_bytes);
  const double hidden = as_double(model.layer.hidden);
  const double forward = cycles.products + cycles.attention.cycles + cycles.small;
  const double again = recompute == Recompute::full        ? forward
                       : recompute == Recompute::selective ? cycles.attention.cycles
                                                           : 0;
  StreamedPart layers{"layer", model.layers};
  layers.weight_bytes = layers.gradient_bytes = as_double(model.layer_parameters()) * bytes;
  // A layer that is computed again needs its weights for that, and then for its gradients.
  layers.backward_weight_bytes = (recompute == Recompute::full ? 2 : 1) * layers.weight_bytes;
  layers.forward_cycles = forward;
  layers.backward_cycles =
      cycles.products_behind + 2 * (cycles.attention.cycles + cycles.small) + again;
  // Rows of the table come in for the tokens, and their gradients leave.
  StreamedPart embedding{"embedding", 1};
  embedding.weight_bytes = embedding.gradient_bytes = work.tokens() * hidden * bytes;
  embedding.backward_weight_bytes = 0;
  StreamedPart head{"head", 1};
  head.weight_bytes = head.gradient_bytes = as_double(model.vocabulary) * hidden * bytes;
  head.backward_weight_bytes = head.weight_bytes;
  head.forward_cycles = cycles.head;
  head.backward_cycles = cycles.head_behind;
  std::vector<StreamedPart> parts{embedding, layers, head};
  if (model.vocabulary == 0) parts = {layers};
  for (StreamedPart& part : parts) {
    if (!ground.trains) part.backward_weight_bytes = part.gradient_bytes = part.backward_cycles = 0;
    time_part(part, ground, work);
  }
  return parts;
}

/// Wanted multiply-adds of a token: forward and backward in training; else forward, and the head's
/// for the last token of a sequence alone.
double multiply_adds(const StreamingGround& ground) {
  const TileTransformer& model = ground.model;
  const double passes = ground.trains ? 3 : 1;
  const double attention =
      2 * as_double(model.layer.sequence) * as_double(model.layer.hidden) * as_double(model.layers);
  const double head = as_double(model.vocabulary * model.layer.hidden) /
                      (ground.trains ? 1 : as_double(model.layer.sequence));
  return passes * (as_double(model.layers * model.layer_parameters()) + head + attention);
}

StreamingChoice choice_on(const StreamingGround& ground, double peak, Recompute recompute,
                          const BatchWork& work, const ModelCycles& cycles) {
  const StreamSite& site = work.site();
  StreamingChoice choice{work.batch(), recompute, site.tiles};
  choice.place = site.place;
  choice.spare_rows = site.spare_rows;
  choice.port_words_per_cycle = site.ports.words_per_cycle;
  choice.parts = parts_of_model(ground, work, cycles, recompute);
  const SequenceTurns& attention = cycles.attention;
  choice.attention_sequences = attention.at_once;
  choice.bytes =
      ground.trains
          ? bytes_of_batch(ground, work, std::max(work.blocks(), attention.blocks), recompute)
          : bytes_of_prompts(ground, work, attention);
  choice.fill_s =
      (site.fabric.way(as_double(site.tiles.rows + site.tiles.columns)) + site.ports.entry_cycles) /
      ground.clock();
  // The first weights in, the last gradients out.
  choice.step_s = (ground.trains ? 2 : 1) * choice.fill_s;
  for (const StreamedPart& part : choice.parts) {
    choice.step_s += as_double(part.repeat) * (part.forward_s + part.backward_s);
  }
  choice.tokens_per_s = work.tokens() / choice.step_s;
  choice.share_of_peak = choice.tokens_per_s * multiply_adds(ground) / peak;
  return choice;
}

/// The rectangles that are tried, the largest first: sides of the lattice, the same on every wafer.
std::vector<TileGrid> rectangles_of(const Rectangle& box) {
  std::vector<TileGrid> grids;
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

/// No batch makes more tokens a second on that rectangle: its multiply-adds at the rate of issues.
double most_tokens_per_s(const StreamingGround& ground, const TileGrid& tiles) {
  return as_double(tiles.rows * tiles.columns) * ground.fabric.lanes * ground.clock() /
         ground.fabric.cycles.issue / multiply_adds(ground);
}

/// Batches on the rectangles of a wafer that live.
class BatchSearch {
 public:
  explicit BatchSearch(const StreamingGround& ground)
      : ground_(ground),
        sites_(ground.hardware, ground.fabric),
        grids_(rectangles_of(sites_.sites().box())),
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
  std::optional<StreamingChoice> best(std::int64_t batch) {
    std::optional<StreamingChoice> best;
    const auto is_better = [&](const StreamingChoice& choice) {
      if (!best) return true;
      if (choice.bytes.fits() != best->bytes.fits()) return choice.bytes.fits();
      if (!choice.bytes.fits()) return choice.bytes.total() < best->bytes.total();
      return choice.tokens_per_s > best->tokens_per_s;
    };
    for (std::size_t i = 0; i < grids_.size(); ++i) {
      if (batch > grids_[i].rows) continue;
      const bool fits = best && best->bytes.fits();
      if (fits && most_tokens_per_s(ground_, grids_[i]) <= best->tokens_per_s) break;
      for (const StreamSite& site : sites_of(i)) {
        BatchWork work(ground_, site, batch);
        const ModelCycles cycles = cycles_of(ground_, work);
        for (const Recompute recompute : kRecomputes) {
          if (!ground_.trains && recompute != Recompute::none) break;
          StreamingChoice choice = choice_on(ground_, peak_, recompute, work, cycles);
          if (is_better(choice)) best = std::move(choice);
        }
      }
    }
    return best;
  }

 private:
  const std::vector<StreamSite>& sites_of(std::size_t grid) {
    if (!known_[grid]) known_[grid] = sites_.of(grids_[grid]);
    return *known_[grid];
  }

  const StreamingGround& ground_;
  StreamSites sites_;
  std::vector<TileGrid> grids_;
  std::vector<std::optional<std::vector<StreamSite>>> known_;
  double peak_;
};

[[noreturn]] void throw_no_sequence(const WaferStreamingJob& job, const StreamingChoice& least,
                                    const std::string& lost) {
  throw InfeasibleError(
      job.workload.name + (job.trains ? " does not train on " : " does not run on ") +
      job.hardware.name + " with " + std::to_string(least.batch) +
      (least.batch == 1 ? " sequence" : " sequences") + ": a tile needs " +
      std::to_string(least.bytes.total()) + " bytes of " + std::to_string(least.bytes.there) +
      ", " + std::to_string(least.bytes.activations) + " of them for activations; " +
      (lost.empty() ? "" : lost + "; ") +
      (least.batch == 1 ? "shorter sequences would fit" : "a smaller batch may fit"));
}

[[noreturn]] void throw_no_rectangle(const WaferStreamingJob& job, const std::string& lost) {
  throw InfeasibleError(job.hardware.name +
                        " has no rectangle of tiles that host ports lead to for " +
                        std::to_string(std::max<std::int64_t>(1, job.batch)) + " sequences of " +
                        job.workload.name + (lost.empty() ? "" : ": " + lost));
}

}  // namespace

WaferStreaming plan_wafer_streaming(const WaferStreamingJob& job) {
  const StreamingGround ground = streaming_ground(job);
  BatchSearch search(ground);
  WaferStreaming found;
  std::vector<std::int64_t> batches(std::begin(kBatches), std::end(kBatches));
  if (!job.trains) batches.assign(std::begin(kPromptBatches), std::end(kPromptBatches));
  if (job.batch > 0) batches = {job.batch};
  std::optional<StreamingChoice> best;
  for (const std::int64_t batch : batches) {
    if (batch > search.most_rows()) break;
    std::optional<StreamingChoice> choice = search.best(batch);
    if (!choice && !found.batches.empty()) break;
    if (!choice) throw_no_rectangle(job, search.lost_text());
    found.batches.push_back(*choice);
    if (!choice->bytes.fits()) break;  // larger ones need more
    if (!best || choice->tokens_per_s > best->tokens_per_s) best = std::move(choice);
  }
  if (found.batches.empty()) {
    throw RequestError("a batch of more sequences than the wafer has rows of tiles");
  }
  if (!best) throw_no_sequence(job, found.batches.front(), search.lost_text());
  found.best = *best;
  found.lost = search.lost_text();
  found.roof_tokens_per_s = search.peak() / multiply_adds(ground);
  double ports = 0;
  for (const StreamedPart& part : found.best.parts) {
    ports += as_double(part.repeat) * part.ports_s;
  }
  found.port_tokens_per_s = as_double(found.best.batch * ground.model.layer.sequence) / ports;
  found.trust = streaming_trust(job.hardware, job.data_type);
  return found;
}

std::vector<TrustRow> streaming_trust(const Hardware& hardware, const std::string& data_type) {
  return trust_card(
      hardware, data_type,
      {{"products", "gemm", "weight-stationary"}, {"ports", "ports", "", "host_bytes_per_s"}});
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
  plan.step_s = choice.step_s;
  for (const StreamedPart& part : choice.parts) {
    plan.parts.push_back({part.repeat, part.weight_bytes, part.backward_weight_bytes,
                          part.gradient_bytes, part.forward_cycles, part.backward_cycles});
  }
  return plan;
}

std::optional<Bottleneck> streaming_bottleneck(const WaferStreamingJob& job,
                                               const StreamingChoice& choice) {
  return streaming_bottleneck(streaming_step(streaming_plan(job, choice), job.hardware),
                              as_double(job.hardware.clock_hz));
}

StreamingStep streaming_step(const StreamingPlan& plan, const Hardware& hardware) {
  const TileFabric fabric = tile_fabric(hardware, plan.data_type);
  const TileGrid tiles{plan.rows, plan.columns};
  if (plan.rows > hardware.wafer.height || plan.columns > hardware.wafer.width) {
    throw RequestError(hardware.name + " has no room for the plan's " + grid_text(tiles) +
                       " tiles");
  }
  StreamSites sites(hardware, fabric);
  StreamSite site;
  if (plan.place) {
    site = sites.planned(tiles, *plan.place, plan.spare_rows);
  } else {
    const std::vector<StreamSite> found = sites.of(tiles);
    if (found.empty()) {
      throw InfeasibleError(hardware.name + " has no room for the plan's " + grid_text(tiles) +
                            " tiles: " + sites.sites().living().text());
    }
    site = found.front();
  }
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
  step.port_words_per_cycle = site.ports.words_per_cycle;
  for (const StreamingPlan::Part& part : plan.parts) {
    step.parts.push_back({part.repeat, part.weight_bytes / word, part.backward_weight_bytes / word,
                          part.gradient_bytes / word, std::llround(part.forward_cycles),
                          std::llround(part.backward_cycles)});
  }
  return step;
}

}  // namespace waferloom::planner
