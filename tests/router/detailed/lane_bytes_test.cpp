#include "router/detailed/lane_bytes.h"

#include <doctest/doctest.h>

#include <numeric>

#include "tests/support/close_to.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::byte_fabric;

LanePath lane(std::size_t tensor, const TilePlace& from, const TilePlace& to, std::int64_t bytes,
              std::vector<PathLeg> legs) {
  return {{{from}, {to}, bytes}, tensor, 0.1F, std::move(legs), 0};
}

struct BalanceCase {
  Hardware hardware = byte_fabric(6, 6);
  Traffic traffic{{}, {}, {test::edge("a", 0, 1, 0), test::edge("b", 0, 1, 0)}};
  LinkReserve reserve{};
  std::vector<LanePath> lanes;

  double balance() {
    const Mesh mesh(hardware, reserve);
    balance_lane_bytes(lanes, traffic, hardware, mesh, 64);
    return busiest_of(lanes, mesh);
  }
};

TEST_CASE("a lane on slow links carries less") {
  // Rows 0 and 1, and the kernel keeps half of row 1: bytes go 2 to 1, 90 in 60.
  BalanceCase slow;
  slow.reserve = {{{0, 1, 6, 1}}, 50};
  slow.lanes = {lane(0, {0, 0}, {5, 0}, 45, {{Direction::east, 5}}),
                lane(0, {0, 1}, {5, 1}, 45, {{Direction::east, 5}})};
  CHECK(slow.balance() <= 61);
  CHECK(slow.lanes[0].task.bytes >= 59);
  CHECK(slow.lanes[0].task.bytes + slow.lanes[1].task.bytes == 90);
}

TEST_CASE("lanes that share a link carry less than one that does not") {
  // Three lanes, two of them through (1, 0) -> (2, 0): 60 bytes in 30, not in 40.
  BalanceCase shared;
  shared.lanes = {lane(0, {0, 0}, {3, 0}, 20, {{Direction::east, 3}}),
                  lane(0, {1, 0}, {2, 0}, 20, {{Direction::east, 1}}),
                  lane(0, {0, 2}, {3, 2}, 20, {{Direction::east, 3}})};
  CHECK(shared.balance() <= 31);
}

TEST_CASE("other tensors on a lane's links move its bytes away") {
  // b's one lane, of 30, goes over a's first: a's 50 go 10 and 40.
  BalanceCase other;
  other.lanes = {lane(0, {0, 0}, {3, 0}, 25, {{Direction::east, 3}}),
                 lane(0, {0, 1}, {3, 1}, 25, {{Direction::east, 3}}),
                 lane(1, {1, 0}, {2, 0}, 30, {{Direction::east, 1}})};
  CHECK(other.balance() <= 41);
  CHECK(other.lanes[2].task.bytes == 30);
  CHECK(other.lanes[0].task.bytes + other.lanes[1].task.bytes == 50);
}

TEST_CASE("an adapter does not take longer than the busiest link it spares") {
  // Uneven lanes make the pass longer: with 25 to set up, even lanes are best.
  BalanceCase adapter;
  adapter.traffic.tensors[0].adapters = 1;
  adapter.hardware.adapter_setup_ps = 25;
  adapter.reserve = {{{0, 1, 6, 1}}, 50};
  adapter.lanes = {lane(0, {0, 0}, {5, 0}, 45, {{Direction::east, 5}}),
                   lane(0, {0, 1}, {5, 1}, 45, {{Direction::east, 5}})};
  adapter.balance();
  const std::int64_t most = std::max(adapter.lanes[0].task.bytes, adapter.lanes[1].task.bytes);
  // Best of max(25 + most, 2 (90 - most)): most = 52, 77 against 90 of even lanes.
  CHECK(most >= 50);
  CHECK(most <= 54);
}

TEST_CASE("every lane keeps a byte, and lanes that are even and alone stay as they are") {
  BalanceCase small;
  small.lanes = {lane(0, {0, 0}, {3, 0}, 1, {{Direction::east, 3}}),
                 lane(0, {0, 1}, {3, 1}, 1, {{Direction::east, 3}}),
                 lane(1, {1, 0}, {2, 0}, 1'000, {{Direction::east, 1}})};
  small.balance();
  CHECK(small.lanes[0].task.bytes == 1);
  CHECK(small.lanes[1].task.bytes == 1);

  BalanceCase even;
  even.lanes = {lane(0, {0, 0}, {3, 0}, 8, {{Direction::east, 3}}),
                lane(0, {0, 1}, {3, 1}, 7, {{Direction::east, 3}})};
  CHECK(even.balance() <= 8);
  CHECK(even.lanes[0].task.bytes == 8);
}

}  // namespace
}  // namespace waferloom::router
