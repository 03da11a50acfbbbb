#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/text.h"
#include "planner/tile_operators.h"
#include "planner/wafer/serving_layouts.h"

// Problem: serve a language model from the memories of a wafer's tiles: choose layouts of prefill
// and decode, and how both share the wafer, and tell rates for one request and for many. Idea:
// three ways. (1) One layout for both. (2) The best layout of each; weights are laid anew in
// between. (3) Prefill and decode have rows of their own, and weights twice. A request's own rate
// is its output over its whole time: a pipeline does not make it faster. Many requests share
// passes: they go through the regions one behind the other, and several at once where there are
// more of them than regions. So many requests are always there: one comes as another ends. Then
// each one's rate times their number is the rate of all, and one search is for both. Source:
// WaferLLM (OSDI'25) for prefill and decode on meshes of their own. Cost: a few thousand layouts a
// way.
namespace waferloom::planner {
namespace {

constexpr double kShares[] = {0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75};

double clock_of(const ServingGround& ground) { return ground.clock(); }

/// Seconds in which all weights are laid anew from one layout to another: half of the words go over
/// the cut in the middle, and where either has several groups of tiles, over their borders.
double relay_seconds(const ServingGround& ground, const RegionLayout& from,
                     const RegionLayout& to) {
  const std::int64_t cut = ground.sites->narrowest_middle();
  double cycles = relayout_cycles(ground.fabric, ground.model, ground.sites->together(), cut);
  if (from.groups > 1 || to.groups > 1) {
    const RegionLayout& more = from.groups > to.groups ? from : to;
    const double bytes = as_double(parameter_bytes(ground.fabric, ground.model)) / 4;
    cycles += border_cycles(ground, more.back, bytes);
  }
  return cycles / clock_of(ground);
}

/// Sets rates of requests that take turns with the prompts of others on the same tiles.
void set_shared_rates(ServingLevel& level, const ServingLoad& load) {
  const double output = as_double(load.output);
  const double requests = as_double(load.requests);
  const double decoding = output * level.tpot_s;
  // With one request nothing goes back to the layout of prefill before it ends.
  const double alone = level.ttft_s + decoding;
  const double prompts = requests * (level.ttft_s + level.relay_s);
  level.total_tokens_per_s = requests * output / (prompts + decoding);
  level.user_tokens_per_s = output / (load.requests > 1 ? prompts + decoding : alone);
}

ServingLevel level_of(const ServingLayouts& layouts, ServingLoad load, const DecodeChoice& decode,
                      const PrefillChoice& prefill, bool relays) {
  const ServingGround& ground = layouts.ground();
  ServingLevel level;
  level.requests = load.requests;
  level.at_once = load.at_once = decode.at_once;
  level.decode = decode.layout;
  level.prefill = prefill.layout;
  level.prefill_room = prefill.room;
  level.decode_bytes = decode.bytes;
  level.prefill_bytes = layouts.prefill_bytes(prefill, load);
  level.relays = relays;
  if (relays) level.relay_s = relay_seconds(ground, prefill.layout, decode.layout);
  level.ttft_s = prefill.cycles / clock_of(ground) + level.relay_s;
  level.tpot_s =
      mean_over_output(load.prompt, load.output,
                       [&](std::int64_t context) {
                         return decode_pass_cycles(ground, decode.layout, load, context).total();
                       }) /
      clock_of(ground);
  set_shared_rates(level, load);
  return level;
}

/// A wafer cut in two: prefill on the first rows, decode on the others.
struct SplitWafer {
  double share = 0;
  ServingLayouts prefill;
  ServingLayouts decode;
};

/// Rows of prefill, the first, and those of decode.
std::pair<RowRange, RowRange> split_rows(const RowRange& rows, double share) {
  const auto first = static_cast<std::int64_t>(std::floor(as_double(rows.count) * share));
  return {{rows.first, first}, {rows.first + first, rows.count - first}};
}

SplitWafer split_at(const ServingGround& ground, std::int64_t prompt, double share) {
  ServingGround first = ground;
  ServingGround second = ground;
  std::tie(first.rows, second.rows) = split_rows(ground.rows, share);
  SplitWafer split{share, ServingLayouts(std::move(first), prompt),
                   ServingLayouts(std::move(second), prompt)};
  split.prefill.price_prompts();
  return split;
}

std::optional<ServingLevel> on_split(const SplitWafer& split, const ServingLoad& load) {
  const ServingGround& ground = split.decode.ground();
  const auto prefill = split.prefill.fastest_prefill({load.prompt, 0, 1});
  if (!prefill) return std::nullopt;
  const auto decode = split.decode.fastest_decode(load);
  if (!decode) return std::nullopt;
  ServingLevel level = level_of(split.decode, load, *decode, *prefill, false);
  level.prefill_bytes = split.prefill.prefill_bytes(*prefill, {load.prompt, 0, 1});
  level.prefill_share = split.share;
  // The caches of a prompt go over the border between both parts.
  const std::int64_t bytes = ground.fabric.cache_bytes(ground.model.cache_elements(load.prompt));
  const double words = as_double(parts_of(bytes, ground.fabric.word_bytes));
  const std::int64_t lanes = std::clamp<std::int64_t>(ground.sites->links_below(ground.rows.first),
                                                      1, ground.sites->together().columns);
  double moving = words / as_double(lanes) + ground.fabric.way(as_double(ground.rows.count));
  if (decode->layout.groups > 1 || prefill->layout.groups > 1) {
    const RegionLayout& more =
        decode->layout.groups > prefill->layout.groups ? decode->layout : prefill->layout;
    moving += border_cycles(ground, more.back, as_double(bytes));
  }
  const double output = as_double(load.output);
  const double decoding = output * level.tpot_s;
  level.relay_s = moving / clock_of(ground);
  const double prompt = prefill->cycles / clock_of(ground);
  level.ttft_s = prompt + level.relay_s;
  // A request's own time, or that of all prompts, one behind the other, where it waits for them.
  const double round = std::max(as_double(load.requests) * prompt, level.ttft_s + decoding);
  level.user_tokens_per_s = output / round;
  level.total_tokens_per_s = as_double(load.requests) * level.user_tokens_per_s;
  return level;
}

/// All ways to share a wafer between prefill and decode.
class ServingSearch {
 public:
  ServingSearch(const ServingGround& ground, std::int64_t prompt, int threads = 1)
      : whole_(ground, prompt, threads) {
    whole_.price_prompts();
  }

  const ServingLayouts& whole() const { return whole_; }

  /// Cuts the wafer in two in all ways, before anything is asked.
  void split(std::int64_t prompt, int threads) {
    std::vector<std::optional<SplitWafer>> made(std::size(kShares));
    parallel_tasks(made.size(), threads, whole_.ground().control, [&](std::size_t i) {
      made[i].emplace(split_at(whole_.ground(), prompt, kShares[i]));
    });
    for (std::optional<SplitWafer>& wafer : made) splits_.push_back(std::move(*wafer));
  }

  /// The way in which each request is fastest, and so all together: with the requests fixed, one
  /// rate is in proportion to the other. More requests make no way faster, so none is left out for
  /// one.
  std::optional<ServingLevel> best(const ServingLoad& load) const {
    std::optional<ServingLevel> best;
    const auto offer = [&](const std::optional<ServingLevel>& level) {
      if (level && (!best || level->user_tokens_per_s > best->user_tokens_per_s)) best = level;
    };
    if (const auto both = whole_.fastest_both(load)) {
      offer(level_of(whole_, load, both->first, both->second, false));
    }
    const auto decode = whole_.fastest_decode(load);
    const auto prefill = whole_.fastest_prefill(load);
    if (decode && prefill) offer(level_of(whole_, load, *decode, *prefill, true));
    for (const SplitWafer& split : splits_) offer(on_split(split, load));
    const auto& power = whole_.ground().hardware.power_w;
    if (best && power) best->joules_per_token = as_double(*power) / best->total_tokens_per_s;
    return best;
  }

 private:
  ServingLayouts whole_;
  std::vector<SplitWafer> splits_;
};

/// The most for which `fits` holds; it holds for fewer than any for which it holds. 0: none.
std::int64_t most_that_fit(const std::function<bool(std::int64_t)>& holds) {
  if (!holds(1)) return 0;
  std::int64_t good = 1;
  std::int64_t bad = 2;
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  while (bad < kMost && holds(bad)) {
    good = bad;
    bad *= 2;
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

/// What a tile lacks in the layout that comes nearest. All layouts are looked at, for those that
/// have no room for weights are not among `layouts`.
std::string nearest_text(const ServingLayouts& layouts, const ServingLoad& load) {
  ServingGround open = layouts.ground();
  open.freedom.enforced = false;
  const auto loose = ServingLayouts(open, load.prompt).nearest(load);
  const auto strict = layouts.nearest(load);
  if (!strict && !loose) return "";
  const auto& [layout, bytes] = strict ? *strict : *loose;
  const auto there = layouts.ground().hardware.sram_bytes_per_tile.value_or(0);
  return fmt::format(
      "; in the layout that comes nearest, {} of {} tiles with {} each, a tile needs {} bytes of "
      "{}: {} of weights, {} of caches, {} of its program{}",
      counted_text(layout.regions, "region"), grid_text(layout.region),
      counted_text(layout.layers_each, "layer"), bytes.total(), there, bytes.weights, bytes.caches,
      bytes.program,
      bytes.blocks > 0 ? fmt::format(", {} of operators' blocks", bytes.blocks) : "");
}

[[noreturn]] void throw_no_room(const WaferServingJob& job, const ServingLayouts& layouts,
                                const ServingLoad& load) {
  const MemoryNeed need = memory_need(layouts.ground(), load);
  const std::string lost = layouts.ground().sites->living().text();
  std::string text = fmt::format(
      "{} with {} of {} tokens (a prompt of {}, an output of {}) needs {} of weights, {} of caches "
      "and {} of programs, beside the blocks of operators; {} has {}{}{}",
      job.workload.name, counted_text(load.requests, "request"), load.tokens(), load.prompt,
      load.output, bytes_text(need.weights), bytes_text(need.caches), bytes_text(need.programs),
      job.hardware.name, bytes_text(need.there), lost.empty() ? "" : ", " + lost,
      nearest_text(layouts, load));
  const std::int64_t requests = layouts.most_that_fit([&](std::int64_t count) {
    return ServingLoad{load.prompt, load.output, count, load.caches};
  });
  if (requests > 0) {
    throw InfeasibleError(text + "; " + counted_text(requests, "request") + " would fit");
  }
  const std::int64_t output = layouts.most_that_fit([&](std::int64_t tokens) {
    return ServingLoad{load.prompt, tokens, 1, load.caches};
  });
  if (output > 0) {
    throw InfeasibleError(
        fmt::format("{}; one request with an output of {} tokens would fit", text, output));
  }
  const std::int64_t prompt = most_that_fit([&](std::int64_t tokens) {
    if (tokens > load.prompt) return false;
    ServingLayouts shorter(layouts.ground(), tokens);
    shorter.price_prompts();
    return shorter.fits({tokens, 1, 1});
  });
  if (prompt > 0) {
    throw InfeasibleError(
        fmt::format("{}; one request with a prompt of {} tokens would fit", text, prompt));
  }
  throw InfeasibleError(
      text + "; no request fits: weights have to be streamed (--way streaming --inference)");
}

/// A model and machine that can be planned for. Throws RequestError.
ServingGround ground_of(const WaferServingJob& job, const RunControl& control) {
  ServingGround ground =
      whole_ground(tile_transformer(job.workload, NetworkUser::serve), job.hardware, job.data_type);
  if (!job.hardware.sram_bytes_per_tile) {
    throw RequestError(job.hardware.name + " does not tell its sram_bytes_per_tile");
  }
  ground.control = control;
  return ground;
}

/// The same ground for a search that is less free.
ServingGround with_freedom(ServingGround ground, const ServingFreedom& freedom) {
  if (!freedom.apart) {
    ground.known = std::make_shared<KnownLayouts>();  // those of another model
    ground.model = as_waferllm(ground.model);
    // Its programs were measured with wide numbers alone.
    ground.model.kept = {};
    ground.fabric = ground.fabric.wide();
  }
  ground.model.joined = freedom.joined;
  ground.freedom = freedom;
  return ground;
}

double share_of_peak(const ServingGround& ground, double multiply_adds, double cycles,
                     std::int64_t tiles) {
  return multiply_adds / (cycles * as_double(tiles) * ground.fabric.lanes);
}

/// The layer that looks back farthest, and the parts of all.
struct LaidStack {
  LaidBlock widest{};
  OperatorParts parts{};
};

/// `of_a_layer` lays one of each kind.
LaidStack laid_stack(const TileTransformer& model,
                     const std::function<LaidBlock(std::int64_t window)>& of_a_layer) {
  LaidStack stack;
  const std::int64_t widest = model.widest_window();
  for (const auto& [window, count] : model.kinds()) {
    LaidBlock block = of_a_layer(window);
    const OperatorParts& parts = block.parts;
    const double all = as_double(count);
    stack.parts += {all * parts.start, all * parts.local, all * parts.words, all * parts.hops};
    if (window == widest) stack.widest = std::move(block);
  }
  return stack;
}

ServingFlop flop_of(const TileTransformer& model, const ServingLoad& load) {
  const double matrices = 2 * as_double(model.layer_parameters());
  // Scores, and their product with values.
  const double a_token_seen = 2 * 2 * as_double(model.layer.query_features());
  const auto layer = [&](std::int64_t tokens, std::int64_t window) {
    return matrices + a_token_seen * as_double(seen_tokens({tokens, window}));
  };
  const auto all = [&](std::int64_t tokens) {
    return model.sum(model.costs([&](std::int64_t window) { return layer(tokens, window); }));
  };
  const double head = 2 * as_double(model.vocabulary) * as_double(model.layer.hidden);
  const double prompt = as_double(load.prompt);
  const std::int64_t widest = model.widest_window();
  return {all(load.context()) + head, layer(load.context(), widest), prompt * all(load.prompt),
          prompt * layer(load.prompt, widest)};
}

/// Where the cycles of a token and of a prompt go, and how far from the peak.
void break_down(WaferServing& found, const ServingGround& ground, ServingLoad load) {
  const ServingLevel& level = found.asked;
  load.at_once = level.at_once;
  const TileTransformer& model = ground.model;
  const std::int64_t samples = level.at_once;
  const auto token_layer = [&](std::int64_t window) {
    return decode_block_on(ground, level.decode, load, {load.context(), window});
  };
  const auto prompt_layer = [&](std::int64_t window) {
    return laid_prefill_block(region_fabric(ground, level.prefill),
                              prefill_block(model, load.prompt, window), level.prefill.region,
                              level.prefill_room);
  };
  LaidStack token = laid_stack(model, token_layer);
  found.token_layer = std::move(token.widest);
  found.token_parts = token.parts;
  found.token_parts +=
      model_ends(end_fabric(ground, level.decode), model, samples, level.decode.whole).parts;
  found.token_parts += to_head(ground, found.token_layer, samples, level.decode).parts;
  found.token_parts.hops += token_border_cycles(ground, level.decode, samples);
  LaidStack prompt = laid_stack(model, prompt_layer);
  found.prompt_layer = std::move(prompt.widest);
  found.prompt_parts = prompt.parts;
  found.flop = flop_of(model, load);
  const double per_token = found.flop.token / 2;
  const double per_prompt = found.flop.prompt / 2;
  const double clock = clock_of(ground);
  found.decode_share_of_peak = share_of_peak(ground, as_double(load.requests) * per_token,
                                             level.tpot_s * clock, level.decode.tiles());
  found.prefill_share_of_peak =
      share_of_peak(ground, per_prompt, found.prompt_parts.total(), level.prefill.tiles());
  const double peak = as_double(live_tiles(ground)) * ground.fabric.lanes * clock;
  found.roof_tokens_per_s = peak / per_token;
  found.roof_prefill_tokens_per_s = as_double(load.prompt) * peak / per_prompt;
}

/// Parts that follow one another, by what they are; `rest` are seconds beside them.
std::optional<Bottleneck> parts_bottleneck(const OperatorParts& parts, double clock, double rest,
                                           const std::string& of) {
  return longest_part_of({{"compute", "local products", parts.local / clock},
                          {"program", "steps of programs", parts.start / clock},
                          {"link", "words between tiles", parts.words / clock},
                          {"latency", "hops through routers", parts.hops / clock},
                          {"schedule", "vectors between regions, and requests before it", rest}},
                         of);
}

/// Levels of so many requests, by their number.
class LevelsByRequests {
 public:
  LevelsByRequests(const ServingSearch& search, const WaferServingJob& job)
      : search_(search), job_(job) {}

  /// Finds those that are not known.
  void find(std::vector<std::int64_t> counts) {
    std::erase_if(counts, [&](std::int64_t count) { return levels_.contains(count); });
    std::vector<std::optional<ServingLevel>> found(counts.size());
    parallel_tasks(counts.size(), job_.threads, search_.whole().ground().control,
                   [&](std::size_t i) {
                     found[i] = search_.best({job_.prompt, job_.output, counts[i], job_.caches});
                   });
    for (std::size_t i = 0; i < counts.size(); ++i) levels_[counts[i]] = std::move(found[i]);
  }

  /// The fewest requests of those found that get the most tokens a second together, once numbers
  /// half-way to its neighbours have been tried until there are none between; 0 if nothing fits.
  std::int64_t best_count() {
    for (;;) {
      auto best = levels_.end();
      for (auto at = levels_.begin(); at != levels_.end(); ++at) {
        if (at->second && (best == levels_.end() || total_of(*at) > total_of(*best))) best = at;
      }
      if (best == levels_.end()) return 0;
      std::vector<std::int64_t> between;
      if (best != levels_.begin()) add_middle(std::prev(best)->first, best->first, between);
      const auto next = std::next(best);
      if (next != levels_.end()) add_middle(best->first, next->first, between);
      if (between.empty()) return best->first;
      find(std::move(between));
    }
  }

  std::vector<ServingLevel> of(const std::set<std::int64_t>& counts) const {
    std::vector<ServingLevel> levels;
    for (const std::int64_t count : counts) {
      const auto found = levels_.find(count);
      if (found != levels_.end() && found->second) levels.push_back(*found->second);
    }
    return levels;
  }

 private:
  using Found = std::map<std::int64_t, std::optional<ServingLevel>>;
  static double total_of(const Found::value_type& entry) {
    return entry.second->total_tokens_per_s;
  }
  static void add_middle(std::int64_t below, std::int64_t above, std::vector<std::int64_t>& list) {
    if (above - below > 1) list.push_back(below + (above - below) / 2);
  }

  const ServingSearch& search_;
  const WaferServingJob& job_;
  Found levels_;
};

/// 1, 2, 4, 8 and 16 requests, then four times as many; those that are asked for, those that get
/// the most tokens a second together, and as many as fit.
std::vector<ServingLevel> levels_of(const ServingSearch& search, const WaferServingJob& job,
                                    std::int64_t most) {
  constexpr std::int64_t kEach = 16;
  std::set<std::int64_t> counts;
  for (std::int64_t count = 1; count <= most; count *= count < kEach ? 2 : 4) counts.insert(count);
  counts.insert({job.requests, most});
  LevelsByRequests levels(search, job);
  levels.find({counts.begin(), counts.end()});
  counts.insert(levels.best_count());
  return levels.of(counts);
}

/// The rate of the asked requests where the search has this freedom; no rate where nothing fits.
ServingStep step_of(const WaferServingJob& job, const ServingGround& ground,
                    const ServingLoad& load, const ServingFreedom& freedom) {
  ServingStep step;
  ServingSearch search(with_freedom(ground, freedom), job.prompt);
  search.split(job.prompt, 1);
  const auto level = search.best(load);
  if (!level) return step;
  step.user_tokens_per_s = level->user_tokens_per_s;
  step.total_tokens_per_s = level->total_tokens_per_s;
  step.ttft_s = level->ttft_s;
  step.decode = level->decode.region;
  step.prefill = level->prefill.region;
  return step;
}

/// What WaferLLM's programs do, on meshes of any size.
constexpr ServingFreedom kWaferLlm{false, false, false, false, false, true};

/// From what WaferLLM's programs do, the search becomes free, step by step.
std::vector<ServingStep> ladder_of(const WaferServingJob& job, const ServingGround& ground,
                                   const ServingLoad& load) {
  ServingFreedom freedom = kWaferLlm;
  const std::pair<const char*, bool ServingFreedom::*> steps[] = {
      {"as WaferLLM: a fused head, MeshGEMM, squares", nullptr},
      {"heads apart, caches as keys and values are", &ServingFreedom::apart},
      {"memory of tiles enforced, layers over regions", &ServingFreedom::enforced},
      {"products of one operand joined in prefill", &ServingFreedom::joined},
      {"regions of any shape", &ServingFreedom::rectangles},
      {"algorithm and layouts of each operator", &ServingFreedom::layouts}};
  std::vector<ServingStep> ladder(std::size(steps));
  std::vector<ServingFreedom> freedoms;
  for (const auto& [what, member] : steps) {
    if (member != nullptr) freedom.*member = true;
    freedoms.push_back(freedom);
  }
  parallel_tasks(ladder.size(), job.threads, ground.control, [&](std::size_t i) {
    ladder[i] = step_of(job, ground, load, freedoms[i]);
    ladder[i].what = steps[i].first;
  });
  return ladder;
}

/// What WaferLLM's programs reach on meshes that were measured.
ServingStep measured_program(const WaferServingJob& job, const ServingGround& ground,
                             const ServingLoad& load) {
  ServingFreedom freedom = kWaferLlm;
  freedom.beyond = false;
  ServingStep step = step_of(job, ground, load, freedom);
  step.what = "WaferLLM's programs";
  return step;
}

/// The most tokens of each request for which weights and caches fit, prompt and output together.
std::int64_t longest_context(const WaferServingJob& job, const ServingLayouts& layouts,
                             CacheWay caches) {
  const std::int64_t output = layouts.most_that_fit([&](std::int64_t tokens) {
    return ServingLoad{job.prompt, tokens, job.requests, caches};
  });
  return output > 0 ? job.prompt + output : 0;
}

/// Where the regions of a level lie; of a split, decode on the rows behind those of prefill.
void set_places(ServingLevel& level, const ServingGround& ground) {
  ServingGround prefill = ground;
  ServingGround decode = ground;
  if (level.prefill_share > 0) {
    std::tie(prefill.rows, decode.rows) = split_rows(ground.rows, level.prefill_share);
  }
  level.prefill.places = places_of(prefill, level.prefill);
  level.decode.places = places_of(decode, level.decode);
}

}  // namespace

ResidentPrompt plan_resident_prompt(const WaferServingJob& job, const RunControl& control) {
  const ServingLoad load{job.prompt, 0, job.requests, job.caches};
  ServingLayouts layouts(ground_of(job, control), job.prompt);
  layouts.price_prompts();
  const auto choice = layouts.fastest_prefill(load);
  if (!choice) throw_no_room(job, layouts, load);
  const ServingGround& ground = layouts.ground();
  const auto layer = [&](std::int64_t window) {
    return laid_prefill_block(region_fabric(ground, choice->layout),
                              prefill_block(ground.model, job.prompt, window),
                              choice->layout.region, choice->room);
  };
  LaidStack stack = laid_stack(ground.model, layer);
  ResidentPrompt found{choice->layout, layouts.prefill_bytes(*choice, load),
                       std::move(stack.widest), choice->cycles / clock_of(ground)};
  const OperatorParts& parts = stack.parts;
  found.bottleneck = parts_bottleneck(parts, clock_of(ground),
                                      found.seconds - parts.total() / clock_of(ground), "a prompt");
  return found;
}

std::optional<Bottleneck> serving_bottleneck(const WaferServingJob& job,
                                             const WaferServing& found) {
  const double clock = as_double(job.hardware.clock_hz);
  const double rest = found.asked.tpot_s - found.token_parts.total() / clock;
  return parts_bottleneck(found.token_parts, clock, rest, "a token");
}

ServingFlop serving_flop(const WaferServingJob& job) {
  return flop_of(tile_transformer(job.workload, NetworkUser::serve), {job.prompt, job.output});
}

bool is_stack_of_layers(const Workload& workload) {
  try {
    tile_transformer(workload, NetworkUser::serve);
    return true;
  } catch (const RequestError&) {
    return false;
  }
}

WaferServing plan_wafer_serving(const WaferServingJob& job, const RunControl& control) {
  const ServingGround ground = ground_of(job, control);
  const ServingLoad load{job.prompt, job.output, job.requests, job.caches};
  control.tell({"pricing prompts on regions", job.workload.name});
  ServingSearch search(ground, job.prompt, job.threads);
  WaferServing found;
  found.model = job.workload.name;
  found.parameters = ground.model.parameters();
  found.lost = ground.sites->living().text();
  found.most_requests = search.whole().most_that_fit([&](std::int64_t count) {
    return ServingLoad{job.prompt, job.output, count, job.caches};
  });
  control.tell({"splitting the wafer", job.workload.name});
  search.split(job.prompt, job.threads);
  const auto asked = search.best(load);
  if (!asked) throw_no_room(job, search.whole(), load);
  found.asked = *asked;
  set_places(found.asked, ground);
  found.longest_context = longest_context(job, search.whole(), CacheWay::balanced);
  found.longest_appended = longest_context(job, search.whole(), CacheWay::appended);
  control.tell({"trying numbers of requests", job.workload.name});
  found.levels = levels_of(search, job, found.most_requests);
  break_down(found, ground, load);
  control.tell({"freeing the search step by step", job.workload.name});
  found.ladder = ladder_of(job, ground, load);
  const std::int64_t hidden = ground.model.layer.hidden;
  const TileGrid& decode = found.asked.decode.region;
  const TileGrid& prefill = found.asked.prefill.region;
  found.measured_program = measured_program(job, ground, load);
  const ServingStep& program = found.measured_program;
  std::vector<TrustPart> parts{
      {"decode", "decode", "", "", reach_of(decode, {hidden, hidden})},
      {"prefill", "prefill", "", "", reach_of(prefill, {job.prompt, hidden})},
      {"request", "request", ""},
      {"caches", "longest output", ""}};
  if (program.user_tokens_per_s > 0) {
    parts.push_back(
        {"WaferLLM's decode", "decode", "", "", reach_of(program.decode, {hidden, hidden}), true});
    parts.push_back(
        {"its prefill", "prefill", "", "", reach_of(program.prefill, {job.prompt, hidden}), true});
  }
  found.trust = trust_card(job.hardware, job.data_type, parts, job.workload.kept);
  return found;
}

}  // namespace waferloom::planner
