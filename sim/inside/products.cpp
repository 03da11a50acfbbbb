#include <algorithm>

#include "kernels/tile_parts.h"
#include "sim/inside/word_program.h"

// Problem: write down the messages of products of matrices, so that their closed forms can be
// checked.
// Idea: a tile begins a step once the product before is done and its blocks are there. MeshGEMM and
// Cannon send the blocks on as the step begins; SUMMA's owners send theirs after the product
// before, or, pipelined, after the one before that; weight-stationary sources stay one row of A
// ahead. Sums of scores stream along a row to a tile that goes on without waiting for them. Source:
// as in kernels/mesh_operators.h. Cost: O(tiles · steps) messages.
namespace waferloom::sim {
namespace {

using Step = WordProgram::Step;
using Steps = WordProgram::Steps;

/// Steps by place on the rectangle.
class Places {
 public:
  explicit Places(const TileGrid& tiles)
      : columns_(tiles.columns), steps_(static_cast<std::size_t>(tiles.rows * tiles.columns)) {}
  Steps& at(const Tile& tile) {
    return steps_[static_cast<std::size_t>(tile.row * columns_ + tile.column)];
  }

 private:
  std::int64_t columns_;
  std::vector<Steps> steps_;
};

void append(Steps& to, const Steps& more) { to.insert(to.end(), more.begin(), more.end()); }

/// The tiles of a square's row or column in the order of its ring.
Line ring_of(const Line& line, bool is_folded) { return is_folded ? folded(line) : line; }

Line first_of(Line line, std::int64_t count) {
  line.resize(static_cast<std::size_t>(count));
  return line;
}

/// All blocks of a ring move to the next tile, or back.
void rotate(WordProgram& program, const Line& ring, bool backwards, std::int64_t words,
            Places& begun, Places& arrived) {
  const std::size_t count = ring.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Tile& to = ring[(backwards ? i + count - 1 : i + 1) % count];
    arrived.at(to) = {program.send(ring[i], {to}, words, begun.at(ring[i]))};
  }
}

void shifted_gemm(WordProgram& program, const GemmShape& shape, bool is_folded) {
  const std::int64_t side = std::min(program.tiles().rows, program.tiles().columns);
  const std::int64_t m = parts_of(shape.m, side);
  const std::int64_t k = parts_of(shape.k, side);
  const std::int64_t n = parts_of(shape.n, side);
  const double local = product_cycles(program.fabric(), {.m = m, .k = k, .n = n});
  std::vector<Line> rows;
  std::vector<Line> columns;
  Places begun(program.tiles());
  Places a(program.tiles());
  Places b(program.tiles());
  Places product(program.tiles());
  for (std::int64_t i = 0; i < side; ++i) {
    rows.push_back(ring_of(first_of(program.row(i), side), is_folded));
    columns.push_back(ring_of(first_of(program.column(i), side), is_folded));
    for (const Tile& tile : rows.back()) {
      a.at(tile) = program.ready(tile);
      product.at(tile) = program.ready(tile);
    }
  }
  // Row i of A moves i tiles on, by the shorter way round.
  for (std::int64_t step = 1; side > 1 && step <= side / 2; ++step) {
    for (std::int64_t i = 0; i < side; ++i) {
      if (std::min(i, side - i) < step) continue;
      Places before = a;
      rotate(program, rows[static_cast<std::size_t>(i)], i > side / 2, program.words(m * k), before,
             a);
    }
  }
  for (std::int64_t step = 0; step < side; ++step) {
    for (const Line& row : rows) {
      for (const Tile& tile : row) {
        begun.at(tile) = product.at(tile);
        append(begun.at(tile), a.at(tile));
        append(begun.at(tile), b.at(tile));
        product.at(tile) = {program.compute(tile, local, begun.at(tile))};
      }
    }
    if (side == 1) break;
    for (const Line& row : rows) rotate(program, row, false, program.words(m * k), begun, a);
    for (const Line& column : columns) {
      rotate(program, column, false, program.words(k * n), begun, b);
    }
  }
  for (const Line& row : rows) {
    for (const Tile& tile : row) {
      program.ready(tile) = product.at(tile);
      append(program.ready(tile), a.at(tile));
      append(program.ready(tile), b.at(tile));
    }
  }
}

/// `ahead`: a step's blocks go into a second buffer while the last product is under way.
void summa(WordProgram& program, const GemmShape& shape, bool ahead) {
  const TileGrid& tiles = program.tiles();
  const std::int64_t steps = std::max(tiles.rows, tiles.columns);
  const std::int64_t m = parts_of(shape.m, tiles.rows);
  const std::int64_t k = parts_of(shape.k, steps);
  const std::int64_t n = parts_of(shape.n, tiles.columns);
  const double local = product_cycles(program.fabric(), {.m = m, .k = k, .n = n});
  Places before(tiles);  // the product before the last
  for (std::int64_t step = 0; step < steps; ++step) {
    Places after(tiles);
    for (std::int64_t r = 0; r < tiles.rows; ++r) {
      for (const Tile& tile : program.row(r)) after.at(tile) = program.ready(tile);
    }
    const auto spread = [&](std::int64_t owner, const Line& line, std::int64_t words) {
      const Tile& from = line[static_cast<std::size_t>(owner)];
      const std::vector<Tile> to = WordProgram::others(line, from);
      if (to.empty()) return;
      const Step sent =
          program.send(from, to, words, ahead ? before.at(from) : program.ready(from));
      for (const Tile& tile : to) after.at(tile).push_back(sent);
    };
    for (std::int64_t r = 0; r < tiles.rows; ++r) {
      spread(step * tiles.columns / steps, program.row(r), program.words(m * k));
    }
    for (std::int64_t c = 0; c < tiles.columns; ++c) {
      spread(step * tiles.rows / steps, program.column(c), program.words(k * n));
    }
    for (std::int64_t r = 0; r < tiles.rows; ++r) {
      for (const Tile& tile : program.row(r)) {
        before.at(tile) = program.ready(tile);
        program.ready(tile) = {program.compute(tile, local, after.at(tile))};
      }
    }
  }
}

void weight_stationary(WordProgram& program, const GemmShape& shape) {
  const TileGrid& tiles = program.tiles();
  const std::int64_t k = parts_of(shape.k, tiles.rows);
  const std::int64_t n = parts_of(shape.n, tiles.columns);
  const TileFabric& fabric = program.fabric();
  const double local = fabric.cycles.update + vector_cycles(k, fabric, n);
  Places before(tiles);  // the product of the row of A before the last
  for (std::int64_t i = 0; i < shape.m; ++i) {
    Places after(tiles);
    for (std::int64_t r = 0; r < tiles.rows; ++r) {
      const Line row = program.row(r);
      for (const Tile& tile : row) after.at(tile) = program.ready(tile);
      const std::vector<Tile> to = WordProgram::others(row, row[0]);
      if (to.empty()) continue;
      const Step sent = program.send(row[0], to, program.words(k), before.at(row[0]));
      for (const Tile& tile : to) after.at(tile).push_back(sent);
    }
    for (std::int64_t c = 0; c < tiles.columns; ++c) {
      Steps sums;
      for (const Tile& tile : program.column(c)) {
        before.at(tile) = program.ready(tile);
        const Step product = program.compute(tile, local, after.at(tile));
        program.ready(tile) = {product};
        if (tile.row + 1 < tiles.rows) {
          sums = {program.send_sum(tile, {tile.row + 1, c}, program.words(n), {product}, sums)};
        } else if (!sums.empty()) {
          sums.push_back(product);
          const Step whole = program.compute(tile, 1, sums);
          if (i + 1 == shape.m) program.ready(tile) = {whole};
        }
      }
    }
  }
}

/// Sums stream from both ends of a row to a tile of it, which goes on meanwhile.
void add_along(WordProgram& program, std::int64_t words, const Line& row, std::int64_t root,
               Places& arrived) {
  const auto count = static_cast<std::int64_t>(row.size());
  const auto stream = [&](std::int64_t from, std::int64_t onward) {
    Steps sums;
    for (std::int64_t i = from; i != root; i += onward) {
      const Tile& tile = row[static_cast<std::size_t>(i)];
      sums = {program.send_sum(tile, row[static_cast<std::size_t>(i + onward)], words,
                               program.ready(tile), sums)};
    }
    append(arrived.at(row[static_cast<std::size_t>(root)]), sums);
  };
  stream(0, 1);
  stream(count - 1, -1);
}

}  // namespace

void write_scores(WordProgram& program, const GemmShape& shape) {
  const std::int64_t side = std::min(program.tiles().rows, program.tiles().columns);
  const std::int64_t m = parts_of(shape.m, side);
  const std::int64_t k = parts_of(shape.k, side);
  const std::int64_t n = parts_of(shape.n, side);
  const double local = product_cycles(program.fabric(), {.m = m, .k = k, .n = n});
  Places keys(program.tiles());
  Places begun(program.tiles());
  Places arrived(program.tiles());
  for (std::int64_t step = 0; step < side; ++step) {
    for (std::int64_t r = 0; r < side; ++r) {
      const Line row = first_of(program.row(r), side);
      for (const Tile& tile : row) {
        begun.at(tile) = program.ready(tile);
        append(begun.at(tile), keys.at(tile));
        program.ready(tile) = {program.compute(tile, local, begun.at(tile))};
      }
      add_along(program, program.words(m * n), row, step, arrived);
    }
    if (side == 1) break;
    for (std::int64_t c = 0; c < side; ++c) {
      const Line column = ring_of(first_of(program.column(c), side), true);
      rotate(program, column, false, program.words(k * n), begun, keys);
    }
  }
  for (std::int64_t r = 0; r < side; ++r) {
    for (const Tile& tile : first_of(program.row(r), side)) {
      append(program.ready(tile), arrived.at(tile));
      append(program.ready(tile), keys.at(tile));
    }
  }
}

void write_gemm(WordProgram& program, GemmAlgorithm algorithm, const GemmShape& shape,
                std::int64_t groups) {
  const TileGrid& tiles = program.tiles();
  switch (algorithm) {
    case GemmAlgorithm::weight_stationary:
      return weight_stationary(program, shape);
    case GemmAlgorithm::summa:
      return summa(program, shape, false);
    case GemmAlgorithm::pipelined_summa:
      return summa(program, shape, true);
    case GemmAlgorithm::cannon:
      return shifted_gemm(program, shape, false);
    case GemmAlgorithm::meshgemm:
      return shifted_gemm(program, shape, true);
    case GemmAlgorithm::all_reduce: {
      const std::int64_t n = parts_of(shape.n, tiles.columns);
      program.compute_all(
          vector_cycles(shape.m * parts_of(shape.k, tiles.rows), program.fabric(), n));
      for (std::int64_t c = 0; c < tiles.columns; ++c) {
        all_reduce_line(program, program.words(shape.m * n), program.column(c), groups);
      }
      return;
    }
  }
}

}  // namespace waferloom::sim
