#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "model/errors.h"
#include "model/workload.h"
#include "planner/tile_operators.h"
#include "planner/wafer/serving_layouts.h"
#include "planner/wafer_serving.h"
#include "tests/planner/wafer/small_serving.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
#include "tests/support/cut_run.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

using test::close_to;
using test::serving_wafer;
using test::small_model;

/// The layout that keeps clear of what is dead.
std::optional<RegionLayout> clear_layout(const ServingGround& ground, const TileGrid& region) {
  for (RegionLayout& layout : region_layouts(ground, region)) {
    if (layout.spare_rows == 0) return std::move(layout);
  }
  return std::nullopt;
}

WaferServingJob small_job(std::int64_t columns, std::int64_t rows) {
  WaferServingJob job;
  job.workload = small_model();
  job.hardware = serving_wafer(columns, rows);
  job.prompt = 16;
  job.output = 8;
  return job;
}

TEST_CASE("a model's matrices, ends and caches are counted") {
  const TileTransformer model = tile_transformer(small_model(), NetworkUser::serve);
  CHECK(model.layers == 4);
  // Queries and output 64x64, keys and values 64x32 each, three products of 64x128.
  CHECK(model.layer_parameters() == 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128);
  CHECK(model.end_parameters() == 2 * 100 * 64);
  CHECK(model.cache_elements() == 4 * 2 * 32);
  CHECK(as_waferllm(model).cache_elements() == 4 * 2 * 64);
}

TEST_CASE("networks that are no stack of equal layers are refused") {
  Workload workload = small_model();
  std::get<TransformerOperator>(workload.operators[2].kind).feed_forward = 64;
  const auto complaint = [&] {
    return test::complaint_of<RequestError>(
        [&] { tile_transformer(workload, NetworkUser::serve); });
  };
  CHECK(complaint().find("layers that differ") != std::string::npos);
  workload = small_model();
  workload.operators.push_back({"pool", PoolOperator{}, {5}});
  CHECK(complaint().find("pool is no layer") != std::string::npos);
}

TEST_CASE("a token goes through all regions, and a pass is the sum of its layers") {
  const Hardware hardware = serving_wafer(16, 16);
  const ServingGround ground =
      whole_ground(tile_transformer(small_model(), NetworkUser::serve), hardware, "fp16");
  const std::optional<RegionLayout> whole = clear_layout(ground, {16, 16});
  REQUIRE(whole);
  CHECK(whole->regions == 1);
  CHECK(whole->layers_each == 4);
  // A tile adds its four features, twice a layer; the fixed program spreads them over all tiles.
  const double issue = ground.fabric.of(TileProgram::waferllm_decode).cycles.issue;
  const double layer = decode_layer(ground.fabric, ground.model, 20, 1, {16, 16}).parts.total() +
                       2 * (4 - 1) * issue;
  const double ends = model_ends(ground.fabric, ground.model, 1, {16, 16}).parts.total();
  CHECK(decode_pass_cycles(ground, *whole, {16, 8, 1}, 20).total() == close_to(4 * layer + ends));
  // Four regions of a layer each: three moves of 32 words over a border of 8 links, 12 cycles away.
  const std::optional<RegionLayout> quarters = clear_layout(ground, {8, 8});
  REQUIRE(quarters);
  CHECK(quarters->regions == 4);
  // Of 8x8 tiles eight features.
  const double near =
      decode_layer(ground.fabric, ground.model, 20, 1, {8, 8}).parts.total() + 2 * (8 - 1) * issue;
  CHECK(decode_pass_cycles(ground, *quarters, {16, 8, 1}, 20).total() ==
        close_to(4 * near + 3 * (8 + 4 + 4) + ends));
  // Four requests go through four regions one behind the other: a tile has four layers and ends.
  CHECK(decode_pass_cycles(ground, *quarters, {16, 8, 4}, 20).total() ==
        close_to(4 * (near + ends)));
}

TEST_CASE("regions with dead tiles hold no layers") {
  Hardware hardware = serving_wafer(16, 16);
  hardware.wafer.dead.push_back({0, 0, 1, 1});
  const ServingGround ground =
      whole_ground(tile_transformer(small_model(), NetworkUser::serve), hardware, "fp16");
  CHECK(!clear_layout(ground, {16, 16}));
  const std::optional<RegionLayout> quarters = clear_layout(ground, {8, 8});
  REQUIRE(quarters);
  CHECK(quarters->regions == 2);  // three live ones, two layers each
  CHECK(quarters->layers_each == 2);
}

TEST_CASE("a dead tile in the middle costs a region a spare row, not itself") {
  Hardware hardware = serving_wafer(17, 17);
  hardware.wafer.dead.push_back({8, 8, 1, 1});
  const ServingGround ground =
      whole_ground(tile_transformer(small_model(), NetworkUser::serve), hardware, "fp16");
  const std::vector<RegionLayout> layouts = region_layouts(ground, {16, 16});
  REQUIRE(layouts.size() == 1);
  CHECK(layouts.front().spare_rows == 1);
  CHECK(layouts.front().regions == 1);
  // A column is three hops longer (region_sites_test.cpp), and links around the tile carry two.
  CHECK(layouts.front().stretch == close_to((16 + 3) / 16.0));
  CHECK(region_fabric(ground, layouts.front()).word_cycles == 2);
}

TEST_CASE("a plan whose regions need what is dead is refused, and the tile is named") {
  WaferServingJob job = small_job(40, 40);
  ResidentPlan plan;
  plan.workload = "small";
  plan.data_type = "fp16";
  plan.prompt = job.prompt;
  plan.output = job.output;
  plan.regions = 2;
  plan.region_rows = plan.region_columns = 10;
  plan.places = {{0, 0, 10, 10}, {10, 0, 10, 10}};
  CHECK(resident_pass(plan, job.workload, job.hardware).regions == plan.places);
  job.hardware.wafer.dead = {{13, 4, 1, 1}};
  const std::string complaint =
      test::complaint_of<InfeasibleError>([&] { resident_pass(plan, job.workload, job.hardware); });
  CHECK(complaint.find("region 2 of the plan needs tile (13, 4)") != std::string::npos);
  // A dead row between both cuts the smaller part off.
  job.hardware.wafer.dead = {{0, 12, 40, 1}};
  CHECK_THROWS_AS(resident_pass(plan, job.workload, job.hardware), InfeasibleError);
}

TEST_CASE("regions of a plan are a case, bound to their tiles, around a dead one too") {
  WaferServingJob job = small_job(40, 40);
  ResidentPlan plan;
  plan.workload = "small";
  plan.data_type = "fp16";
  plan.requests = plan.at_once = 2;
  plan.regions = 2;
  plan.region_rows = plan.region_columns = 10;
  plan.spare_rows = 1;
  plan.places = {{0, 0, 10, 11}, {10, 0, 10, 11}};
  // One is inside of a region, one reaches beyond it, one is in the way of nobody.
  job.hardware.wafer.dead = {{13, 4, 1, 1}, {19, 7, 3, 1}, {30, 30, 1, 1}};
  const Problem regions = resident_case(plan, job.workload, job.hardware);
  REQUIRE(regions.kernel_count() == 2);
  CHECK(regions.kernels()[1].name == "region2");
  REQUIRE(regions.constraints().fixed.size() == 2);
  CHECK(regions.constraints().fixed[1].x == 10);
  // Lines step around what is dead in a region; the rest stays dead.
  CHECK(regions.wafer().dead == std::vector<Rectangle>{{20, 7, 2, 1}, {30, 30, 1, 1}});
  CHECK(regions.kernels()[1].spans_dead);
  // Two requests of 64 features.
  REQUIRE(regions.connections().size() == 1);
  CHECK(regions.connections().front().tensor.elements() == 2 * 64);
  CHECK(regions.terminals().size() == 2);
  plan.workload = "large";
  CHECK_THROWS_AS(resident_case(plan, job.workload, job.hardware), RequestError);
}

TEST_CASE("what does not fit on dead tiles says so") {
  WaferServingJob job = small_job(40, 40);
  for (std::int64_t y = 0; y < 40; y += 2) job.hardware.wafer.dead.push_back({0, y, 39, 1});
  const std::string complaint =
      test::complaint_of<InfeasibleError>([&] { plan_wafer_serving(job); });
  CHECK(complaint.find("of its 1600 tiles are dead") != std::string::npos);
}

// Three groups of 8x8 tiles, of which two hold the model. A token's vector of 64 features, 128
// bytes, crosses a border of 8 links of 1,000 bytes a second, 1 s a hop: 1 s + 128 / 8,000 s. Its
// number, a word of 4 bytes, comes back: 1 s + 4 / 8,000 s. All else takes less than a millisecond.
TEST_CASE("a token crosses slow links between groups once, and its number comes back") {
  WaferServingJob job = small_job(24, 8);
  job.hardware.group_columns = 8;
  job.hardware.group_rows = 8;
  job.hardware.sram_bytes_per_tile = job.hardware.program_bytes_per_tile + 4'500;
  const double fast = plan_wafer_serving(job).asked.tpot_s;
  job.hardware.group_link = {1'000, 1'000'000'000'000};
  const ServingLevel asked = plan_wafer_serving(job).asked;
  CHECK(asked.decode.groups == 2);
  CHECK(asked.tpot_s == close_to(2 + (128 + 4) / 8'000.0 + fast).within(0.001));
  // 16 tokens of the prompt cross as well.
  CHECK(asked.ttft_s >= 1 + 16 * 128 / 8'000.0);
  // With room for all in a group nothing crosses.
  job.hardware.sram_bytes_per_tile = job.hardware.program_bytes_per_tile + 40'000;
  CHECK(plan_wafer_serving(job).asked.decode.groups == 1);
  CHECK(plan_wafer_serving(job).asked.tpot_s < 1e-3);
}

TEST_CASE("[long] what is planned fits the tiles, and rates follow from its times") {
  WaferServingJob job = small_job(40, 40);
  for (const std::int64_t requests : {1, 2, 5, 16}) {
    CAPTURE(requests);
    job.requests = requests;
    const WaferServing found = plan_wafer_serving(job);
    const ServingLevel& asked = found.asked;
    CHECK(asked.decode_bytes.fits());
    CHECK(asked.prefill_bytes.fits());
    CHECK(asked.requests == requests);
    const double decoding = 8 * asked.tpot_s;
    if (requests == 1) {
      CHECK(asked.user_tokens_per_s == close_to(8 / (asked.ttft_s + decoding)));
    } else {
      CHECK(asked.total_tokens_per_s ==
            close_to(static_cast<double>(requests) * asked.user_tokens_per_s));
    }
    // No request is faster than the pass through all layers, and the roof is above all.
    CHECK(asked.user_tokens_per_s < 1 / asked.tpot_s);
    CHECK(asked.user_tokens_per_s < found.roof_tokens_per_s);
    CHECK(asked.total_tokens_per_s <= found.roof_tokens_per_s);
    CHECK(asked.total_tokens_per_s >= 0.9 * asked.user_tokens_per_s);
    CHECK(found.most_requests >= requests);
    CHECK(found.decode_share_of_peak < 1);
  }
}

// On one region nothing moves between regions: all of a token's time are its parts, and what is
// left is only the mean over contexts against the middle one.
/// The small model whose layers look back so far, one behind the other.
WaferServingJob windowed_job(const std::vector<std::int64_t>& windows) {
  WaferServingJob job = small_job(24, 24);
  job.prompt = 256;
  job.output = 64;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::get<TransformerOperator>(job.workload.operators[i + 1].kind).attention_window = windows[i];
  }
  return job;
}

TEST_CASE("windows that hold all tokens change nothing, shorter ones save time and memory") {
  const WaferServing all = plan_wafer_serving(windowed_job({0, 0, 0, 0}));
  const WaferServing held = plan_wafer_serving(windowed_job({320, 0, 400, 1'000}));
  CHECK(held.asked.tpot_s == close_to(all.asked.tpot_s));
  CHECK(held.asked.ttft_s == close_to(all.asked.ttft_s));
  CHECK(held.most_requests == all.most_requests);
  const WaferServing half = plan_wafer_serving(windowed_job({64, 0, 64, 0}));
  const WaferServing cut = plan_wafer_serving(windowed_job({64, 64, 64, 64}));
  CHECK(half.asked.tpot_s < all.asked.tpot_s);
  CHECK(cut.asked.tpot_s < half.asked.tpot_s);
  CHECK(cut.asked.ttft_s < half.asked.ttft_s);
  CHECK(half.asked.ttft_s < all.asked.ttft_s);
  CHECK(cut.most_requests > 2 * all.most_requests);
  // Caches that do not grow hold an output of any length.
  CHECK(cut.longest_context > 100 * all.longest_context);
}

TEST_CASE("a region of layers with windows keeps what they see, by hand") {
  const WaferServingJob job = windowed_job({64, 0, 64, 0});
  const TileTransformer model = tile_transformer(job.workload, NetworkUser::serve);
  CHECK(model.cache_elements(320) == 2 * (64 + 320) * 2 * 32);
  const ServingGround ground = whole_ground(model, job.hardware, "fp16");
  const auto layout = clear_layout(ground, {12, 12});
  REQUIRE(layout);
  REQUIRE(layout->layers_each == 1);
  // A region has one layer: the fullest has all 320 tokens, 27 a row of 12, and 3 features of keys.
  const auto bytes = fitting_decode_bytes(ground, *layout, {256, 64, 1});
  REQUIRE(bytes);
  CHECK(bytes->caches == 2 * 27 * 3 * 2);
  // What binds is the layer without a window; a token's way is two of either kind.
  const ServingLoad load{256, 64, 8, CacheWay::balanced, 1};
  const WindowCosts layers = decode_stack_cycles(ground, *layout, load, 288).layers;
  const double wide = layers.at(0);
  const double narrow = layers.at(64);
  CHECK(narrow < wide);
  const PassCycles mixed = decode_pass_cycles(ground, *layout, load, 288);
  TileTransformer plain = model;
  plain.windows.clear();
  const PassCycles wide_pass =
      decode_pass_cycles(whole_ground(plain, job.hardware, "fp16"), *layout, load, 288);
  CHECK(wide_pass.way - mixed.way == close_to(2 * (wide - narrow)));
  CHECK(wide_pass.tile == close_to(mixed.tile));
}

TEST_CASE("weights and caches of fewer bits take less of a tile and no more time, by hand") {
  WaferServingJob job = windowed_job({0, 0, 0, 0});
  const ServingGround wide =
      whole_ground(tile_transformer(job.workload, NetworkUser::serve), job.hardware, "fp16");
  job.workload.kept = {NumberFormat{4, 32}, NumberFormat{8, 0}};
  const TileTransformer model = tile_transformer(job.workload, NetworkUser::serve);
  const ServingGround ground = whole_ground(model, job.hardware, "fp16");
  const auto layout = clear_layout(ground, {12, 12});
  REQUIRE(layout);
  REQUIRE(layout->layers_each == 1);
  const auto bytes = fitting_decode_bytes(ground, *layout, {256, 64, 1});
  const auto wide_bytes = fitting_decode_bytes(wide, *layout, {256, 64, 1});
  REQUIRE(bytes);
  REQUIRE(wide_bytes);
  // Blocks of 6 x 11, 6 x 6, 6 x 22 and 11 x 6 numbers: 300 in 4 bits, and 10 scales. Embedding and
  // head, 2 · 100 · 64 numbers of two bytes, stay wide.
  constexpr std::int64_t kEnds = 25'600;
  CHECK(bytes->weights == 150 + 20 + parts_of(kEnds, layout->end_tiles));
  CHECK(wide_bytes->weights == 600 + parts_of(kEnds, layout->end_tiles));
  CHECK(bytes->caches == 2 * 27 * 3);
  CHECK(wide_bytes->caches == 2 * 27 * 3 * 2);
  CHECK(bytes->blocks == wide_bytes->blocks);
  const ServingLoad load{256, 64, 8, CacheWay::balanced, 1};
  CHECK(decode_pass_cycles(ground, *layout, load, 288).way ==
        close_to(decode_pass_cycles(wide, *layout, load, 288).way));
  // Four layers of 2 · 64 · 64, 2 · 64 · 32 and 3 · 64 · 128.
  constexpr double kNumbers = 4 * 36'864.0;
  const MemoryNeed need = memory_need(ground, load);
  CHECK(need.weights == close_to(kNumbers / 2 + kNumbers / 16 + kEnds));
  CHECK(need.caches == close_to(8 * 320 * 4 * 2 * 32.0));
  // Caches of half the bytes hold nearly twice as many requests. WaferLLM's programs, the first
  // step of the ladder, have wide ones.
  const WaferServing narrow_plan = plan_wafer_serving(job);
  const WaferServing plain = plan_wafer_serving(windowed_job({0, 0, 0, 0}));
  CHECK(10 * narrow_plan.most_requests > 18 * plain.most_requests);
  CHECK(narrow_plan.ladder.front().total_tokens_per_s ==
        close_to(plain.ladder.front().total_tokens_per_s));
  CHECK(narrow_plan.ladder.front().ttft_s == close_to(plain.ladder.front().ttft_s));
  CHECK(narrow_plan.trust.front().kind == "upper bound");
  CHECK(plain.trust.front().part == "decode");
}

TEST_CASE("a request has two operations for each multiply-add of its products, by hand") {
  const ServingFlop flop = plan_wafer_serving(small_job(64, 64)).flop;
  // Queries and output, keys and values of two heads of four, three matrices of the gated network.
  const double matrices = 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128;
  // A token looks on the prompt and half of the output, one of the prompt on all of that.
  const auto layer = [&](double tokens) { return 2 * matrices + 2 * 2 * 64 * tokens; };
  CHECK(flop.token_layer == close_to(layer(20)));
  CHECK(flop.token == close_to(4 * layer(20) + 2 * 100 * 64));
  CHECK(flop.prompt_layer == close_to(16 * layer(16)));
  CHECK(flop.prompt == close_to(4 * 16 * layer(16)));
}

TEST_CASE("no part of a token takes longer than the token") {
  for (const std::int64_t requests : {1, 3}) {
    WaferServingJob job = small_job(8, 8);
    job.requests = requests;
    const WaferServing found = plan_wafer_serving(job);
    REQUIRE(found.asked.decode.regions == 1);
    const std::optional<Bottleneck> bottleneck = serving_bottleneck(job, found);
    REQUIRE(bottleneck);
    CHECK(bottleneck->binds.seconds > 0);
    CHECK(bottleneck->binds.seconds < found.asked.tpot_s);
    CHECK(bottleneck->binds.name != "vectors between regions, and requests before it");
  }
}

TEST_CASE("[long] no request is faster among more") {
  // Of 40 x 40 tiles a plan takes a second.
  for (const auto& [tiles, most] : std::map<std::int64_t, int>{{17, 16}, {24, 12}, {40, 4}}) {
    const std::int64_t side = tiles;
    WaferServingJob job = small_job(side, side);
    job.hardware.sram_bytes_per_tile = 1 << 16;
    double among_fewer = plan_wafer_serving(job).asked.user_tokens_per_s;
    for (job.requests = 2; job.requests <= most; ++job.requests) {
      CAPTURE(side);
      CAPTURE(job.requests);
      const double rate = plan_wafer_serving(job).asked.user_tokens_per_s;
      CHECK(rate <= among_fewer * (1 + 1e-12));
      among_fewer = rate;
    }
  }
}

TEST_CASE("fewer groups of more requests go where a tile's work for all groups binds") {
  // Four regions of one layer each: of five requests at least two go at once. Of a layout the best
  // number at once is that of the least pass, tried one by one.
  const WaferServingJob job = small_job(24, 24);
  const ServingGround ground =
      whole_ground(tile_transformer(job.workload, NetworkUser::serve), job.hardware, "fp16");
  const auto layout = clear_layout(ground, {12, 12});
  REQUIRE(layout);
  REQUIRE(layout->regions == 4);
  for (std::int64_t requests = 1; requests <= 24; ++requests) {
    CAPTURE(requests);
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t at_once = (requests + 3) / 4; at_once <= requests; ++at_once) {
      const ServingLoad load{16, 8, requests, CacheWay::balanced, at_once};
      least = std::min(least, decode_pass_cycles(ground, *layout, load, load.context()).total());
    }
    const auto choice = decode_on(ground, *layout, {16, 8, requests});
    REQUIRE(choice);
    CHECK(choice->cycles == close_to(least));
  }
}

TEST_CASE("the fastest layout of decode is the first of the fastest, tried one by one") {
  WaferServingJob worn = small_job(26, 22);
  worn.hardware.wafer.dead = {{5, 5, 1, 1}, {17, 9, 2, 1}};
  for (const WaferServingJob& job : {small_job(24, 24), small_job(13, 30), worn}) {
    const ServingGround ground =
        whole_ground(tile_transformer(job.workload, NetworkUser::serve), job.hardware, "fp16");
    const ServingLayouts layouts(ground, 16);
    for (const std::int64_t requests : {1, 2, 5, 17, 64}) {
      CAPTURE(requests);
      const ServingLoad load{16, 8, requests};
      std::optional<DecodeChoice> best;
      for (const std::int64_t rows : region_sides(ground.rows.count)) {
        for (const std::int64_t columns : region_sides(ground.columns())) {
          if (std::max(rows, columns) > 4 * std::min(rows, columns)) continue;
          for (const RegionLayout& layout : region_layouts(ground, {rows, columns})) {
            const auto choice = decode_on(ground, layout, load);
            if (choice && (!best || choice->cycles < best->cycles)) best = choice;
          }
        }
      }
      const auto found = layouts.fastest_decode(load);
      REQUIRE(found.has_value() == best.has_value());
      if (!best) continue;
      CHECK(found->cycles == best->cycles);
      CHECK(found->at_once == best->at_once);
      CHECK(found->layout.region.rows == best->layout.region.rows);
      CHECK(found->layout.region.columns == best->layout.region.columns);
      CHECK(found->layout.spare_rows == best->layout.spare_rows);
      CHECK(found->layout.regions == best->layout.regions);
    }
  }
}

TEST_CASE("a pass takes no fewer cycles than the least of it") {
  const WaferServingJob job = small_job(24, 24);
  const ServingGround ground =
      whole_ground(tile_transformer(job.workload, NetworkUser::serve), job.hardware, "fp16");
  for (const TileGrid region : {TileGrid{4, 12}, TileGrid{12, 12}, TileGrid{24, 7}}) {
    const auto layout = clear_layout(ground, region);
    REQUIRE(layout);
    for (const std::int64_t requests : {1, 4, 19}) {
      const ServingLoad load{16, 8, requests};
      const PassCycles least = least_pass_cycles(ground, *layout, load, load.context());
      const PassCycles pass = decode_pass_cycles(ground, *layout, load, load.context());
      CHECK(least.way <= pass.way);
      CHECK(least.tile <= pass.tile);
      CHECK(least.way >= pass.way / 2);
      CHECK(least.borders == pass.borders);
    }
  }
}

TEST_CASE("[long] Cerebras-GPT 1.3B on a WSE-2: each of more requests is slower") {
  WaferServingJob job{test::preset_workload("cerebras_gpt_1_3b"), test::preset_hardware("wse2")};
  const WaferServing found = plan_wafer_serving(job);
  REQUIRE(found.levels.size() >= 5);
  for (std::size_t i = 1; i < found.levels.size(); ++i) {
    CHECK(found.levels[i].user_tokens_per_s <= found.levels[i - 1].user_tokens_per_s);
  }
}

TEST_CASE("levels have the requests asked for, the most that fit, and the best number") {
  WaferServingJob job = small_job(24, 24);
  job.hardware.sram_bytes_per_tile = 1 << 14;
  job.requests = 3;
  const WaferServing found = plan_wafer_serving(job);
  REQUIRE(found.most_requests > 16);
  const auto has = [&](std::int64_t requests) {
    return std::any_of(found.levels.begin(), found.levels.end(),
                       [&](const ServingLevel& level) { return level.requests == requests; });
  };
  CHECK(has(3));
  CHECK(has(found.most_requests));
  double best = 0;
  for (const ServingLevel& level : found.levels) best = std::max(best, level.total_tokens_per_s);
  // One more or one fewer than the best level has is no better.
  for (const ServingLevel& level : found.levels) {
    if (level.total_tokens_per_s < best) continue;
    for (const std::int64_t beside : {level.requests - 1, level.requests + 1}) {
      if (beside < 1 || beside > found.most_requests) continue;
      job.requests = beside;
      CHECK(plan_wafer_serving(job).asked.total_tokens_per_s <= best * (1 + 1e-12));
    }
  }
}

TEST_CASE("appended caches pile up on a region's last row, and hold less") {
  WaferServingJob job = small_job(40, 40);
  const WaferServing balanced = plan_wafer_serving(job);
  job.caches = CacheWay::appended;
  const WaferServing appended = plan_wafer_serving(job);
  CHECK(appended.longest_appended == balanced.longest_appended);
  CHECK(appended.longest_context == balanced.longest_context);
  CHECK(appended.longest_appended < balanced.longest_context / 2);
  CHECK(appended.asked.tpot_s >= balanced.asked.tpot_s);
  CHECK(appended.most_requests < balanced.most_requests);
  // By hand: 16 tokens over 8 rows are two a row, eight new ones lie on the last.
  const Hardware hardware = serving_wafer(16, 16);
  const ServingGround ground =
      whole_ground(tile_transformer(small_model(), NetworkUser::serve), hardware, "fp16");
  const std::optional<RegionLayout> quarters = clear_layout(ground, {8, 8});
  REQUIRE(quarters);
  const auto bytes = fitting_decode_bytes(ground, *quarters, {16, 8, 1, CacheWay::appended});
  REQUIRE(bytes);
  // Keys and values of 32 features over eight columns, two bytes each, one layer.
  CHECK(bytes->caches == 2 * (2 + 8) * 4 * 2);
}

TEST_CASE("many requests are faster with layouts of their own") {
  WaferServingJob job = small_job(24, 24);
  job.requests = 64;
  job.hardware.sram_bytes_per_tile = 1 << 20;
  const WaferServing found = plan_wafer_serving(job);
  REQUIRE(found.ladder.size() == 6);
  CHECK(found.ladder.back().user_tokens_per_s >= found.ladder[4].user_tokens_per_s);
  REQUIRE(found.token_layer.operators.size() == 10);
  REQUIRE(found.prompt_layer.operators.size() == 10);
}

TEST_CASE("more tiles never make a request slower") {
  double before = 0;
  for (const std::int64_t side : {12, 13, 16, 17, 24, 25, 31, 40}) {
    CAPTURE(side);
    const double rate = plan_wafer_serving(small_job(side, side)).asked.user_tokens_per_s;
    CHECK(rate >= before * (1 - 1e-12));
    before = rate;
  }
}

TEST_CASE("what does not fit says bytes and what would fit") {
  WaferServingJob job = small_job(16, 16);
  job.requests = 1'000'000;
  const auto complaint = [&] {
    return test::complaint_of<InfeasibleError>([&] { plan_wafer_serving(job); });
  };
  CHECK(complaint().find("requests would fit") != std::string::npos);
  job.requests = 1;
  job.prompt = 1'000'000'000;
  CHECK(complaint().find("tokens would fit") != std::string::npos);
  job = small_job(16, 16);
  job.hardware.sram_bytes_per_tile = job.hardware.program_bytes_per_tile + 100;
  CHECK(complaint().find("have to be streamed") != std::string::npos);
  job.hardware.sram_bytes_per_tile.reset();
  CHECK_THROWS_AS(plan_wafer_serving(job), RequestError);
}

TEST_CASE("[long] no plan is slower than the programs that were measured on its wafer") {
  for (const char* hardware : {"wse2", "wse3"}) {
    for (const char* model : {"llama3_8b", "cerebras_gpt_6_7b"}) {
      for (const std::int64_t prompt : {128, 2048, 4096}) {
        if (std::string_view(hardware) == "wse3" && prompt != 2048) continue;
        CAPTURE(hardware);
        CAPTURE(model);
        CAPTURE(prompt);
        WaferServingJob job{test::preset_workload(model), test::preset_hardware(hardware)};
        job.prompt = prompt;
        job.output = prompt == 4096 ? prompt : 2176 - prompt;
        const WaferServing found = plan_wafer_serving(job);
        CHECK(found.asked.user_tokens_per_s >= found.measured_program.user_tokens_per_s);
      }
    }
  }
}

TEST_CASE("Llama 3 8B on a WSE-2 is at least as fast as measured, and not faster than the links") {
  WaferServingJob job;
  job.workload = read_workload(*workload_preset("llama3_8b"), "llama3_8b");
  job.hardware = test::preset_hardware("wse2");
  job.output = 4096;
  const WaferServing found = plan_wafer_serving(job);
  CHECK(found.asked.user_tokens_per_s >= 2459);
  CHECK(4096 / found.asked.ttft_s >= 25037);
  // Ten all-reduces a layer take no less than the hops of one of them to the middle and back.
  const RegionLayout& layout = found.asked.decode;
  const double hops = 32 * 10 * static_cast<double>(layout.region.rows) / 2;
  CHECK(found.asked.tpot_s * 1.1e9 > hops);
  // The first step of the ladder is WaferLLM's program, measured at 2,459.
  REQUIRE(found.ladder.size() == 6);
  CHECK(found.ladder.front().user_tokens_per_s == close_to(2459).within(0.05));
  CHECK(found.ladder.back().user_tokens_per_s == close_to(found.asked.user_tokens_per_s));
}

TEST_CASE("a plan to serve, and one of a prompt, end at the first question that cuts them") {
  const WaferServingJob job = small_job(40, 30);
  test::check_cut([&](const RunControl& control) { plan_wafer_serving(job, control); }, 1'000);
  test::check_cut([&](const RunControl& control) { plan_resident_prompt(job, control); }, 100);
}

TEST_CASE("a model without room is told before or after a cut, never in between") {
  WaferServingJob job = small_job(40, 30);
  job.requests = 1'000'000;
  const test::CutRun whole;
  CHECK_THROWS_AS(plan_wafer_serving(job, whole.control()), InfeasibleError);
  const test::CutRun cut(whole.questions() - 1);
  CHECK_THROWS_AS(plan_wafer_serving(job, cut.control()), RunCut);
}

}  // namespace
}  // namespace waferloom::planner
