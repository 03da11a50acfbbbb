#pragma once

#include <cmath>
#include <cstdint>

namespace waferloom {

/// What the program of a tile takes for its steps, in cycles, beside what the fabric takes to move
/// the words: all 0, and 1 for an issue, is a program that costs nothing. Few numbers, for all
/// operators of a machine alike; where they come from, the preset says (docs/operators.md).
struct TileCycles {
  double start = 0;        ///< an operator begins
  double phase = 0;        ///< a phase of a collective begins: a reduction, a broadcast
  double exchange = 0;     ///< the exchange of a block with a neighbour begins
  double relay = 0;        ///< a tile takes a block in and hands it on
  double relay_word = 0;   ///< of that, each word
  double chain_stage = 0;  ///< a tile adds what comes to its own and hands the sum on
  double update = 0;       ///< a rank-one update of a block begins
  double vector = 0;       ///< a vector operation begins
  double issue = 1;        ///< up to `TileFabric::lanes` multiply-adds
  double step = 0;         ///< a program of many operators goes on to its next operator
  double exponential = 0;  ///< of a number: with it softmax and activations
  bool operator==(const TileCycles&) const = default;
};

/// A mesh of tiles as operators see it, for numbers of one data type.
struct TileFabric {
  TileCycles cycles{};
  double hop_cycles = 1;     ///< a word goes from router to router
  double ramp_cycles = 2;    ///< between a tile and its router, each way
  double word_cycles = 1;    ///< the slowest link takes for a word of each line of tiles on it
  double detour_cycles = 0;  ///< more of any way, where lines step around tiles that are dead
  double lanes = 1;          ///< multiply-adds that a tile does at once
  /// How those lie is not known: all of them are at work in a block of any shape.
  bool any_shape = false;
  std::int64_t element_bytes = 2;
  std::int64_t word_bytes = 4;     ///< what a link between two tiles moves in a cycle
  std::int64_t program_bytes = 0;  ///< of a tile

  /// From a tile to one so many hops away, ramps included.
  double way(double hops) const { return hops * hop_cycles + 2 * ramp_cycles + detour_cycles; }
  /// Issues of up to `lanes` multiply-adds for a vector.
  double issues_of(std::int64_t elements) const {
    const double whole = static_cast<double>(elements) / lanes;
    return any_shape ? whole : std::ceil(whole);
  }
  /// The same tiles if their programs cost nothing: what fabric and multipliers allow.
  TileFabric without_program() const {
    TileFabric bare = *this;
    bare.cycles = {};
    return bare;
  }
};

}  // namespace waferloom
