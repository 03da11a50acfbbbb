#include "router/buffers/edge_buffers.h"

#include <doctest/doctest.h>

#include "tests/support/close_to.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::byte_fabric;
using test::close_to;

/// a → b → c with a skip a → c, on one row without latency: blocks of a tile at x = 0, 2 and 4. The
/// skip is a lane above them. Work of 100, 100 and 100 ps, tensors of 10 bytes, and 20 bytes skip.
struct Chain {
  Chain() {
    for (std::int64_t i = 0; i < 3; ++i) {
      traffic.blocks.push_back({std::string(1, static_cast<char>('a' + i)), {2 * i, 0, 1, 1}, 100});
    }
    traffic.tensors = {test::edge("ab", 0, 1, 10), test::edge("bc", 1, 2, 10),
                       test::edge("ac", 0, 2, 20)};
    traffic.period_ps = 100;
    routes = {"bytes",
              5,
              2,
              {{"ab", 10, {{{0, 0}, {2, 0}, 10, {{Direction::east, 2}}, 0, {}}}, {}},
               {"bc", 10, {{{2, 0}, {4, 0}, 10, {{Direction::east, 2}}, 0, {}}}, {}},
               {"ac",
                20,
                {{{0, 0},
                  {4, 0},
                  20,
                  {{Direction::north, 1}, {Direction::east, 4}, {Direction::south, 1}},
                  1,
                  {}}},
                {}}}};
  }
  EdgeBuffers choose() const { return edge_buffers(traffic, hardware, Mesh(hardware), routes); }

  Hardware hardware = byte_fabric(5, 2);
  Traffic traffic;
  Routes routes;
};

TEST_CASE("an edge holds samples from its producer's begin to its consumer's end") {
  // ab and ac share the way out of a's tile, bc and ac the way into c's: 30 bytes, 30 ps each. b
  // begins at 100 + 30 = 130, c at 130 + 100 + 30 = 260. Held: ab 230, bc 230, ac 360 ps. a may not
  // begin later: b could not either. At 100 ps a sample: 3, 3 and 4 places.
  const Chain chain;
  const EdgeBuffers buffers = chain.choose();
  CHECK(buffers.period_ps == close_to(100));
  CHECK(buffers.unlimited_ps == close_to(100));
  CHECK(buffers.samples == std::vector<std::int64_t>{3, 3, 4});
  CHECK(buffers.bytes == 3 * 10 + 3 * 10 + 4 * 20);
  CHECK(buffers.fits);
  CHECK_FALSE(buffers.short_edge);
}

TEST_CASE("latency, the endpoints' and adapters' passes are part of a tensor's way") {
  Chain chain;
  chain.hardware.link.latency_ps = 5;
  chain.hardware.group_link = chain.hardware.link;
  chain.hardware.endpoint_latency_ps = 30;
  chain.hardware.adapter_setup_ps = 40;
  chain.traffic.tensors[0].adapters = 2;
  // ab: 2 hops of 5, 30 bytes on the way out of a's tile, 30, and two passes of 40 + 10: 170. bc:
  // 10
  // + 30 + 30 = 70. b begins at 270, c at 440. Held: 370, 270 and 540 ps; 100 ps a sample.
  const EdgeBuffers buffers = chain.choose();
  CHECK(buffers.samples == std::vector<std::int64_t>{4, 3, 6});
  CHECK(buffers.period_ps == close_to(100));
}

TEST_CASE("the period is at least that of the busiest tile's way and of the slowest adapter") {
  Chain chain;
  chain.traffic.period_ps = 15;
  for (TrafficBlock& block : chain.traffic.blocks) block.work_ps = 15;
  CHECK(chain.choose().period_ps == close_to(30));  // 10 + 20 bytes out of a's tile
  chain.hardware.adapter_setup_ps = 40;
  chain.traffic.tensors[0].adapters = 1;
  CHECK(chain.choose().period_ps == close_to(50));
}

TEST_CASE("a block with little to read and much to write begins later") {
  // c has two inputs: one from b, at 300, and one from a lone d, of 50 bytes and no input. d might
  // begin at 0; later, its samples wait for less time: c's begin 270 less 60 on the way (bc and dc
  // share the way into c's tile) less its work of 100, at 110.
  Chain chain;
  chain.hardware.wafer.height = 3;
  chain.traffic.blocks.push_back({"d", {4, 2, 1, 1}, 100});
  chain.traffic.tensors[2] = test::edge("dc", 3, 2, 50);
  chain.routes.rows = 3;
  chain.routes.tensors[2] = {"dc", 50, {{{4, 2}, {4, 0}, 50, {{Direction::south, 2}}, 0, {}}}, {}};
  const EdgeBuffers buffers = chain.choose();
  // Held 370 - 110 = 260 ps.
  CHECK(buffers.samples == std::vector<std::int64_t>{3, 3, 3});
}

TEST_CASE("samples wait at the consumer, then at the producer, then on open tiles") {
  Chain chain;
  // 3 · 10 at b, 3 · 10 and 4 · 20 at c.
  chain.traffic.blocks[0].free_bytes = 0;
  chain.traffic.blocks[1].free_bytes = 30;
  chain.traffic.blocks[2].free_bytes = 110;
  chain.traffic.free_bytes = 0;
  CHECK_FALSE(chain.choose().short_edge);
  chain.traffic.blocks[2].free_bytes = 109;
  CHECK(chain.choose().short_edge == std::optional<std::size_t>{2});
  chain.traffic.blocks[0].free_bytes = 1;
  CHECK_FALSE(chain.choose().short_edge);
  chain.traffic.blocks[0].free_bytes = 0;
  chain.traffic.free_bytes = 1;
  CHECK_FALSE(chain.choose().short_edge);
  chain.traffic.free_bytes = std::nullopt;
  chain.traffic.blocks[2].free_bytes = 0;
  CHECK_FALSE(chain.choose().short_edge);
}

TEST_CASE("where memory is short, the period is the least at which samples fit") {
  Chain chain;
  // 2 · 10 at b, and 2 · 10 and 2 · 20 at c: places for two samples of each. ac is held for 360 ps,
  // so two are enough from 180 ps on; for the others from 115 ps on.
  chain.traffic.blocks[0].free_bytes = 0;
  chain.traffic.blocks[1].free_bytes = 20;
  chain.traffic.blocks[2].free_bytes = 60;
  chain.traffic.free_bytes = 0;
  const EdgeBuffers buffers = chain.choose();
  CHECK(buffers.unlimited_ps == close_to(100));
  CHECK(buffers.period_ps == close_to(180).within(1e-5));
  CHECK(buffers.period_ps >= 180 - 1e-3);
  CHECK(buffers.samples == std::vector<std::int64_t>{2, 2, 2});
  CHECK(buffers.bytes == 2 * 40);
  REQUIRE(buffers.short_edge);
  CHECK(*buffers.short_edge == 0);
  CHECK(buffers.fits);
}

TEST_CASE("where not even a sample an edge fits, that is told") {
  Chain chain;
  chain.traffic.blocks[0].free_bytes = 0;
  chain.traffic.blocks[1].free_bytes = 10;
  chain.traffic.blocks[2].free_bytes = 29;
  chain.traffic.free_bytes = 0;
  const EdgeBuffers buffers = chain.choose();
  CHECK_FALSE(buffers.fits);
  CHECK(buffers.samples == std::vector<std::int64_t>{1, 1, 1});
  CHECK(buffers.period_ps == close_to(360));
  chain.traffic.blocks[2].free_bytes = 30;
  CHECK(chain.choose().fits);
}

TEST_CASE("an edge holds no more samples than a file of routes may say, whatever they add up to") {
  Chain chain;
  chain.hardware.link = {std::nullopt, 1'000'000'000'000};
  chain.hardware.group_link = chain.hardware.link;
  for (const std::int64_t work : {0, 1}) {
    for (TrafficBlock& block : chain.traffic.blocks) block.work_ps = work;
    chain.traffic.period_ps = work;
    chain.traffic.tensors[0].bytes = 1'000'000'000'000'000;
    const EdgeBuffers buffers = chain.choose();
    CHECK(buffers.samples == std::vector<std::int64_t>(3, 1'000'000));
    CHECK(buffers.bytes >= 1'000'000'000'000'000'000);
  }
}

}  // namespace
}  // namespace waferloom::router
