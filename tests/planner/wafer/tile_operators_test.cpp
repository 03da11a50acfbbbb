#include "planner/tile_operators.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

using test::close_to;

TileJob gemm(std::int64_t extent, TileGrid tiles) {
  TileJob job;
  job.extents.m = job.extents.k = job.extents.n = extent;
  job.tiles = tiles;
  return job;
}

TEST_CASE("wafers of small tiles are told from racks and from wafers with memory behind") {
  CHECK(is_wafer_of_tiles(test::preset_hardware("wse2")));
  CHECK(is_wafer_of_tiles(test::preset_hardware("wse3")));
  CHECK(is_wafer_of_tiles(test::preset_hardware("palm_wafer")));
  CHECK(!is_wafer_of_tiles(test::preset_hardware("a100_cluster")));
  Hardware behind = test::preset_hardware("wse3");
  behind.dram_bytes_per_tile = 1'000'000'000;
  CHECK(!is_wafer_of_tiles(behind));
}

TEST_CASE("a fabric has the figures of its hardware, in cycles") {
  Hardware hardware = test::preset_hardware("wse3");
  const TileFabric fabric = tile_fabric(hardware, "fp16");
  CHECK(fabric.hop_cycles == close_to(2));
  CHECK(fabric.lanes == 8);
  CHECK(fabric.cycles.lanes == 4);
  CHECK(fabric.element_bytes == 2);
  CHECK(tile_fabric(test::preset_hardware("wse2"), "fp32").element_bytes == 4);
  // Without hop_cycles the link's latency counts: 3 ns at 1.1 GHz.
  hardware.hop_cycles.reset();
  hardware.link.latency_ps = 3000;
  CHECK(tile_fabric(hardware, "fp16").hop_cycles == close_to(3.3));
}

TEST_CASE("without cycles of tiles steps cost nothing, and of multiply-adds the peak counts") {
  // 16 TFLOP/s at 1 GHz are 8,000 multiply-adds a cycle; links of 1,024 GB/s move 1,024 bytes.
  const Hardware hardware = test::preset_hardware("palm_wafer");
  const TileFabric fabric = tile_fabric(hardware, "fp16");
  CHECK(fabric.any_shape);
  CHECK(fabric.lanes == 8'000);
  CHECK(fabric.word_bytes == 1'024);
  CHECK(fabric.word_cycles == 1);
  CHECK(fabric.cycles == TileCycles{});
  // 2.9 FLOP a cycle are 1.45 multiply-adds, no more and no less.
  Hardware odd = hardware;
  odd.peak_flop_per_s_per_tile["fp16"] = 2'900'000'000;
  CHECK(tile_fabric(odd, "fp16").lanes == close_to(1.45));
  // However thin a block is, all multipliers are at work: 5 x 7 x 11 of them.
  CHECK(product_cycles(fabric, {.m = 5, .k = 7, .n = 11}) == close_to(5.0 * 7 * 11 / 8'000));
  CHECK(vector_cycles(3, fabric, 100) == close_to(3.0 * 100 / 8'000));
  // A machine that says how its lanes lie keeps most of them idle there.
  TileFabric known = fabric;
  known.any_shape = false;
  CHECK(product_cycles(known, {.m = 5, .k = 7, .n = 11}) == close_to(7.0 * 11));
  CHECK(upper_bound_note(hardware).starts_with("palm_wafer tells no programs"));
  CHECK(upper_bound_note(test::preset_hardware("wse3")).empty());
}

TEST_CASE("an operator alone is refused without cycles of tiles") {
  TileJob job;
  job.tiles = {2, 2};
  CHECK(test::complaint_of<RequestError>([&] {
          run_tile_job(job, test::preset_hardware("palm_wafer"), "fp16");
        }).find("no programs") != std::string::npos);
}

TEST_CASE("hardware that is no mesh, or without the data type, is refused") {
  const auto complaint = [](const char* preset, const char* type) {
    return test::complaint_of<RequestError>(
        [&] { tile_fabric(test::preset_hardware(preset), type); });
  };
  CHECK(complaint("palm_wafer", "fp8").find("it has fp16") != std::string::npos);
  CHECK(complaint("a100_cluster", "fp16").find("meshes") != std::string::npos);
  CHECK(complaint("wse3", "fp8").find("it has fp16, fp32") != std::string::npos);
  CHECK(complaint("wse3", "fp32") ==
        "wse3 has no figures of programs with fp32, only with other data types");
}

TEST_CASE("the fastest algorithm that fits comes first, and none is above the roofline") {
  const Hardware hardware = test::preset_hardware("wse3");
  for (const std::int64_t extent : {64, 1000, 4096}) {
    for (const TileGrid tiles : {TileGrid{16, 16}, TileGrid{100, 60}, TileGrid{660, 660}}) {
      CAPTURE(extent);
      CAPTURE(tiles.rows);
      if (extent == 4096 && tiles.rows < 660) continue;
      if (extent == 1000 && tiles.rows < 100) continue;
      const TileFindings found = run_tile_job(gemm(extent, tiles), hardware, "fp16");
      CHECK(std::is_sorted(found.choices.begin(), found.choices.end(),
                           [](const TileChoice& a, const TileChoice& b) {
                             if (a.lacks.empty() != b.lacks.empty()) return a.lacks.empty();
                             return a.cost.parts.total() < b.cost.parts.total();
                           }));
      CHECK(found.choices.front().cost.parts.total() >= found.roofline_cycles);
    }
  }
}

TEST_CASE("what does not fit says how much is needed and which square would do") {
  const Hardware hardware = test::preset_hardware("wse3");
  const std::string memory = test::complaint_of<InfeasibleError>([&] {
    run_tile_job(gemm(40960, {100, 100}), hardware, "fp16");
  });
  CHECK(memory.find("bytes a tile of 49152; ") != std::string::npos);
  const std::size_t at = memory.find("; ") + 2;
  const std::int64_t side = std::stoll(memory.substr(at));
  CHECK(memory.find(std::to_string(side) + "x" + std::to_string(side) + " would do") == at);
  CHECK_NOTHROW(run_tile_job(gemm(40960, {side, side}), hardware, "fp16"));
  CHECK_THROWS_AS(run_tile_job(gemm(40960, {side - 1, side - 1}), hardware, "fp16"),
                  InfeasibleError);
  CHECK(test::complaint_of<InfeasibleError>([&] {
          run_tile_job(gemm(64, {2000, 10}), hardware, "fp16");
        }) == "gemm: 10x2000 tiles are more than wse3 has, 755x1170");
  CHECK(test::complaint_of<InfeasibleError>([&] {
          run_tile_job(gemm(1'000'000, {700, 700}), hardware, "fp16");
        }).find("no square of wse3 would do") != std::string::npos);
}

TEST_CASE("an operator says which algorithms it has") {
  TileJob job = gemm(64, {8, 8});
  job.algorithm = "summa";
  CHECK(run_tile_job(job, test::preset_hardware("wse3"), "fp16").choices.size() == 1);
  job.algorithm = "chain";
  CHECK(test::complaint_of<RequestError>(
            [&] { run_tile_job(job, test::preset_hardware("wse3"), "fp16"); }) ==
        "gemm has no algorithm chain; it has weight-stationary, summa, pipelined-summa, cannon, "
        "meshgemm, all-reduce");
}

TEST_CASE("reductions stay above their bound") {
  TileJob job;
  job.kind = TileOperatorKind::reduce;
  job.extents.elements = 512;
  job.tiles = {1, 750};
  const TileFindings found = run_tile_job(job, test::preset_hardware("wse3"), "fp16");
  REQUIRE(found.bound_cycles.has_value());
  // 256 words, 749 links of two cycles, the first of which passes beside the words; 5 of ramps.
  CHECK(*found.bound_cycles >= 256 + 748 * 2 + 5);
  for (const TileChoice& choice : found.choices) {
    CHECK(choice.cost.parts.total() >= *found.bound_cycles);
  }
}

}  // namespace
}  // namespace waferloom::planner
