#pragma once

#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace waferloom {

/// How numbers are kept that wait to be computed with: fewer bits than that, and scales.
struct NumberFormat {
  static constexpr std::int64_t kScaleBits = 16;
  std::int64_t bits = 8;   ///< of a number, at least 1
  std::int64_t group = 0;  ///< numbers that share a scale of 16 bits; 0: no scales

  /// Bytes of so many numbers, and of their scales, either rounded up.
  template <typename Whole>
  constexpr Whole bytes(Whole numbers) const {
    constexpr std::int64_t kByte = 8;
    const Whole scales = group > 0 ? (numbers + group - 1) / group : Whole{0};
    return (numbers * bits + kByte - 1) / kByte + scales * (kScaleBits / kByte);
  }
  /// Of a number, in the mean.
  double bytes_each() const {
    constexpr double kByte = 8;
    const double scale = group > 0 ? kScaleBits / static_cast<double>(group) : 0;
    return (static_cast<double>(bits) + scale) / kByte;
  }
  bool operator==(const NumberFormat&) const = default;
};

/// What a network keeps in fewer bits; nothing: as wide as a machine computes with.
struct KeptNumbers {
  std::optional<NumberFormat> weights{};  ///< of matrices and filters of layers
  std::optional<NumberFormat> caches{};   ///< keys and values
  bool operator==(const KeptNumbers&) const = default;
};

/// Bytes of a number that is kept so, of a machine that computes with `element_bytes`.
inline double bytes_each(const std::optional<NumberFormat>& format, double element_bytes) {
  return format ? format->bytes_each() : element_bytes;
}

/// What the program of a tile takes for its steps, in cycles, beside what the fabric takes to move
/// the words: all 0, and 1 for an issue, is a program that costs nothing. Few numbers, none of
/// which depends on the size of a matrix or a mesh; where they come from, the preset says
/// (docs/operators.md).
struct TileCycles {
  double start = 0;         ///< an operator begins
  double phase = 0;         ///< a phase of a collective begins: a reduction, a broadcast
  double exchange = 0;      ///< the exchange of a block with a neighbour begins
  double relay = 0;         ///< a tile takes a block in and hands it on
  double relay_word = 0;    ///< of that, each word
  double chain_stage = 0;   ///< a tile adds what comes to its own and hands the sum on
  double reduced_word = 0;  ///< a word of a reduction, beside its passes through ramps
  double update = 0;        ///< a rank-one update of a block begins
  double vector = 0;        ///< a vector operation begins
  double issue = 1;         ///< up to `lanes` multiply-adds of a vector operation
  double lanes = 0;         ///< that the program does in an issue; 0: as many as the tile can
  double step = 0;          ///< a program of many operators goes on to its next operator
  double exponential = 0;   ///< of a number, beside its three vector operations
  bool operator==(const TileCycles&) const = default;
};

/// Programs that were measured, whose figures algorithms name (docs/operators.md has what each of
/// them is). Where a machine has no figures of a program, those of the one around it hold.
enum class TileProgram : std::uint8_t {
  waferllm,           ///< products and collectives of WaferLLM, each on its own
  waferllm_unpacked,  ///< likewise, but a number of 16 bits takes a word of the fabric
  waferllm_decode,    ///< a decoder layer for one token, as one program
  waferllm_prefill,   ///< a decoder layer for a prompt, as one program
  summa_4colour,      ///< SUMMA whose broadcasts run behind the products
  collectives_2d,     ///< the vendor's library of collectives, products beside it
  relay               ///< blocks that each tile takes in and hands on
};
inline constexpr std::array<std::string_view, 7> kTileProgramNames{"waferllm",
                                                                   "waferllm_unpacked",
                                                                   "waferllm_decode",
                                                                   "waferllm_prefill",
                                                                   "summa_4colour",
                                                                   "collectives_2d",
                                                                   "relay"};
inline constexpr std::size_t kTilePrograms = kTileProgramNames.size();

/// The figures of a machine's programs for numbers of one data type.
struct TilePrograms {
  std::array<TileCycles, kTilePrograms> cycles{};
  std::bitset<kTilePrograms> known{};
  bool operator==(const TilePrograms&) const = default;
  bool knows(TileProgram program) const { return known[static_cast<std::size_t>(program)]; }
  /// The first that is known: what runs where nothing else is said. Needs one.
  const TileCycles& first() const {
    std::size_t at = 0;
    while (at + 1 < kTilePrograms && !known[at]) ++at;
    return cycles[at];
  }
};

/// A mesh of tiles as operators see it, for numbers of one data type.
struct TileFabric {
  TileCycles cycles{};       ///< of the program that runs
  TilePrograms programs{};   ///< that others may ask for
  double hop_cycles = 1;     ///< a word goes from router to router
  double ramp_cycles = 2;    ///< between a tile and its router, each way
  double word_cycles = 1;    ///< the slowest link takes for a word of each line of tiles on it
  double detour_cycles = 0;  ///< more of any way, where lines step around tiles that are dead
  double lanes = 1;          ///< multiply-adds that a tile can do at once
  /// How those lie is not known: all of them are at work in a block of any shape.
  bool any_shape = false;
  std::int64_t element_bytes = 2;
  std::int64_t word_bytes = 4;     ///< what a link between two tiles moves in a cycle
  std::int64_t program_bytes = 0;  ///< of a tile
  /// Of what stays on a tile. Operators widen it as they read it, which costs nothing here: their
  /// own bytes, and the words that they move, are of numbers as wide as they compute with.
  KeptNumbers kept{};

  std::int64_t weight_bytes(std::int64_t numbers) const {
    return kept.weights ? kept.weights->bytes(numbers) : numbers * element_bytes;
  }
  std::int64_t cache_bytes(std::int64_t numbers) const {
    return kept.caches ? kept.caches->bytes(numbers) : numbers * element_bytes;
  }
  /// The same tiles where all numbers are as wide as they compute with.
  TileFabric wide() const {
    TileFabric other = *this;
    other.kept = {};
    return other;
  }
  /// From a tile to one so many hops away, ramps included.
  double way(double hops) const { return hops * hop_cycles + 2 * ramp_cycles + detour_cycles; }
  /// Issues of up to so many multiply-adds as the program does at once, for a vector.
  double issues_of(std::int64_t elements) const {
    const double whole = static_cast<double>(elements) / (cycles.lanes > 0 ? cycles.lanes : lanes);
    return any_shape ? whole : std::ceil(whole);
  }
  /// The same tiles if their programs cost nothing: what fabric and multipliers allow.
  TileFabric without_program() const {
    TileFabric bare = *this;
    bare.cycles = {};
    bare.programs = {};
    return bare;
  }
  /// The same tiles as another program runs on them; as now if nothing is known of it.
  TileFabric of(TileProgram program) const {
    TileFabric other = *this;
    if (programs.knows(program)) other.cycles = programs.cycles[static_cast<std::size_t>(program)];
    return other;
  }
};

}  // namespace waferloom
