#pragma once

#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"

namespace waferloom::planner {

// How long collectives take on composed networks: alpha-beta models in closed form (Thakur,
// Rabenseifner, Gropp 2005, which DFModel adapts; composition as ASTRA-sim has it, section IV-C).
//
// D bytes are what a chip holds in the beginning or in the end, whichever is more; P chips, P > 1;
// a the latency of a step; B the rate of a link in one direction. RS reduce-scatter, AG all-gather,
// A2A all-to-all. On one dimension:
//
//              RS, AG                              A2A                            broadcast, reduce
//     ring     (P-1) a + (P-1)/P D/B               floor(P/2) a + max(s, r) D/B   (P-1) a + D/B
//     line     (P-1) a + 2 (P-1)/P D/B             (P-1) a + max(s, l) D/B        (P-1) a + D/B
//     full     a + D/(P B)                         a + D/(P B)                    2 a + 2 D/(P B)
//     switch   ceil(log2 P) a + (P-1)/P D/B        a + (P-1)/P D/B                (P-1) a + D/B
//
//     s = (P-1)/P   what a chip sends itself, at the rate of one link
//     r = P/8, (P^2-1)/(8P) for odd P: the load of a ring's link, everything by the shorter way
//     l = P/4, (P^2-1)/(4P) for odd P: the load of the link in a line's middle
//
// An all-reduce is RS and then AG: on a ring 2 (P-1)/P D/B, DFModel's. Rings go one way round, at
// the rate of a link: what a chip has for one dimension. A line has no way back beside the way
// there: half the rate. Where all are connected every pair has its link: a broadcast scatters, then
// everyone passes his part to everyone. A broadcast along a ring, a line or through a switch is a
// chain in so many parts that its steps overlap. Two chips in a line are a ring.
//
// Dimensions, innermost first: RS on the first with D, on the next with D / P1, and so on; AG
// backwards; A2A, broadcast and reduce on every one with D. They go on one after another.

/// Seconds for D bytes: latency_s + D · seconds_per_byte.
struct CollectiveRate {
  double latency_s = 0;
  double seconds_per_byte = 0;
  double seconds(double bytes) const { return latency_s + bytes * seconds_per_byte; }
  bool operator==(const CollectiveRate&) const = default;
};

/// ⌈log2 chips⌉: rounds until all of them have what one had, when every round doubles those that
/// have it. 0 for one chip.
double doubling_rounds(double chips);

/// On one dimension; nothing where it has one chip. Throws std::logic_error for a size below
/// 1, RequestError for a rate of no more than 0. O(log P).
CollectiveRate collective_rate(CollectiveKind kind, const NetworkDimension& dimension);

/// On a composition of dimensions, innermost first; none: one chip.
CollectiveRate collective_rate(CollectiveKind kind,
                               const std::vector<NetworkDimension>& dimensions);

/// One chip to its neighbour along the dimension: a + D/B.
CollectiveRate point_to_point_rate(const NetworkDimension& dimension);

struct MeshLink {
  double bytes_per_s = 0;
  double latency_s = 0;
};
/// The chips of a group of width x height on a mesh as one dimension: a ring if they have a
/// Hamiltonian cycle (both sides at least 2 and one of them even, or two chips), otherwise a line.
/// Never more than the mesh has: a ring and its neighbours share no link.
NetworkDimension mesh_group(std::int64_t width, std::int64_t height, const MeshLink& link);

}  // namespace waferloom::planner
