#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/mesh_collectives.h"
#include "kernels/tile_job.h"
#include "model/mesh.h"
#include "sim/network/message_writer.h"

namespace waferloom::sim {

/// A tile of the rectangle.
struct Tile {
  std::int64_t row = 0;
  std::int64_t column = 0;
  bool operator==(const Tile&) const = default;
};
using Line = std::vector<Tile>;

/// Writes messages of a rectangle of tiles, one operator behind the other: of each tile it knows
/// what has to be complete before the tile goes on.
class WordProgram {
 public:
  using Step = MessageWriter::Step;
  using Steps = MessageWriter::Steps;

  WordProgram(const TileGrid& tiles, const TileFabric& fabric);

  const TileGrid& tiles() const { return tiles_; }
  /// From here on the operators have the first corner's part of the rectangle, or all of it.
  void work_on(const TileGrid& part) { tiles_ = part; }
  const TileFabric& fabric() const { return fabric_; }
  std::int64_t words(std::int64_t elements) const { return words_of(fabric_, elements); }

  /// What the tile waits for before it goes on.
  Steps& ready(const Tile& tile) { return ready_[place(tile)]; }
  /// Words from a tile to others, after steps at that tile.
  Step send(const Tile& from, const std::vector<Tile>& to, std::int64_t words, Steps after);
  /// Words to each of which words of other steps are added; a cycle for each addition.
  Step send_sum(const Tile& from, const Tile& to, std::int64_t words, Steps after, Steps adds);
  /// The tile computes.
  Step compute(const Tile& at, double cycles, Steps after);
  /// From here on every tile waits for all.
  void wait_for_all();
  /// All tiles compute, each after what it waits for.
  void compute_all(double cycles);
  /// All tiles of a line but one.
  static std::vector<Tile> others(const Line& line, const Tile& tile);
  Line row(std::int64_t row) const;
  Line column(std::int64_t column) const;
  Line snake() const;

  MessageSet take() { return writer_.take(); }

 private:
  std::size_t place(const Tile& tile) const {
    return static_cast<std::size_t>(tile.row * writer_.set().columns + tile.column);
  }
  /// Throws RequestError where one message more would be too many.
  void check_room() const;

  TileGrid tiles_;  // on which operators work
  TileFabric fabric_;
  MessageWriter writer_;
  std::vector<Steps> ready_;
};

// Collectives. Each line's result is there when what ready() of its tiles says is complete.

/// Adds up all tiles' words along a line, on its first tile.
void reduce_line(WordProgram& program, const Line& line, std::int64_t words,
                 LineReduction reduction, std::int64_t group);
/// From one tile to all tiles of some others.
void broadcast(WordProgram& program, const Tile& from, const std::vector<Tile>& to,
               std::int64_t words);
/// The two-way chain (mesh_collectives.h) on a line, the sum on all tiles.
void all_reduce_line(WordProgram& program, std::int64_t words, const Line& line,
                     std::int64_t groups);
/// A ring folded on a line.
void ring_line(WordProgram& program, const Line& line, std::int64_t words);
/// A collective by the name of its way (collective_ways).
void write_collective(WordProgram& program, MeshCollective collective, const std::string& way,
                      std::int64_t words, std::int64_t group);

// Products.

void write_gemm(WordProgram& program, GemmAlgorithm algorithm, const GemmShape& shape,
                std::int64_t groups);

/// Scores of a prompt (mesh_scores).
void write_scores(WordProgram& program, const GemmShape& shape);

/// The tiles of a line in the order in which a ring folded on it visits them.
Line folded(const Line& line);

}  // namespace waferloom::sim
