#include "sim/inside/word_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "sim/wafer_runs.h"

namespace waferloom::sim {
namespace {

TilePlace tile_place(const Tile& tile) { return {tile.column, tile.row}; }

}  // namespace

WordProgram::WordProgram(const TileGrid& tiles, const TileFabric& fabric)
    : tiles_(tiles),
      fabric_(fabric.without_program()),
      writer_(tiles, {std::llround(fabric.hop_cycles), std::llround(fabric.ramp_cycles)}),
      ready_(static_cast<std::size_t>(tiles.rows * tiles.columns)) {}

void WordProgram::check_room() const {
  if (writer_.set().messages.size() < kMostInsideMessages) return;
  throw RequestError(fmt::format("the operator has more than {} messages to move one by one",
                                 kMostInsideMessages));
}

WordProgram::Step WordProgram::send(const Tile& from, const std::vector<Tile>& to,
                                    std::int64_t words, Steps after) {
  check_room();
  std::vector<TilePlace> places;
  places.reserve(to.size());
  for (const Tile& tile : to) places.push_back(tile_place(tile));
  return writer_.send(tile_place(from), std::move(places), words, std::move(after));
}

WordProgram::Step WordProgram::send_sum(const Tile& from, const Tile& to, std::int64_t words,
                                        Steps after, Steps adds) {
  check_room();
  return writer_.send(tile_place(from), {tile_place(to)}, words, std::move(after), std::move(adds));
}

WordProgram::Step WordProgram::compute(const Tile& at, double cycles, Steps after) {
  check_room();
  return writer_.compute(tile_place(at), cycles, std::move(after));
}

void WordProgram::wait_for_all() {
  Steps all;
  for (const Steps& steps : ready_) all.insert(all.end(), steps.begin(), steps.end());
  if (all.empty()) return;
  const Step last = compute({0, 0}, 0, std::move(all));
  for (Steps& steps : ready_) steps = {last};
}

void WordProgram::compute_all(double cycles) {
  for (std::int64_t r = 0; r < tiles_.rows; ++r) {
    for (const Tile& tile : row(r)) ready(tile) = {compute(tile, cycles, ready(tile))};
  }
}

std::vector<Tile> WordProgram::others(const Line& line, const Tile& tile) {
  std::vector<Tile> rest;
  for (const Tile& other : line) {
    if (!(other == tile)) rest.push_back(other);
  }
  return rest;
}

Line WordProgram::row(std::int64_t row) const {
  Line line;
  for (std::int64_t c = 0; c < tiles_.columns; ++c) line.push_back({row, c});
  return line;
}

Line WordProgram::column(std::int64_t column) const {
  Line line;
  for (std::int64_t r = 0; r < tiles_.rows; ++r) line.push_back({r, column});
  return line;
}

Line WordProgram::snake() const {
  Line line;
  for (std::int64_t r = 0; r < tiles_.rows; ++r) {
    Line next = row(r);
    if (r % 2 == 1) std::reverse(next.begin(), next.end());
    line.insert(line.end(), next.begin(), next.end());
  }
  return line;
}

}  // namespace waferloom::sim
