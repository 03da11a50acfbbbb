#include "sim/inside/word_program.h"

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "sim/inside.h"

namespace waferloom::sim {

WordProgram::WordProgram(const TileGrid& tiles, const TileFabric& fabric)
    : tiles_(tiles),
      fabric_(fabric.without_program()),
      ready_(static_cast<std::size_t>(tiles.rows * tiles.columns)) {
  set_.columns = tiles.columns;
  set_.rows = tiles.rows;
  set_.fabric = MessageFabric{std::llround(fabric.hop_cycles), std::llround(fabric.ramp_cycles)};
}

WordProgram::Step WordProgram::add(const Tile& from, const std::vector<Tile>& to,
                                   std::int64_t words, Steps after) {
  const Step step = set_.messages.size();
  if (step >= kMostInsideMessages) {
    throw RequestError("the operator has more than " + std::to_string(kMostInsideMessages) +
                       " messages to move one by one");
  }
  Message message;
  message.id = static_cast<std::int64_t>(step);
  message.source = {from.column, from.row};
  for (const Tile& tile : to) message.destinations.push_back({tile.column, tile.row});
  message.flits = words;
  message.after = std::move(after);
  set_.messages.push_back(std::move(message));
  return step;
}

WordProgram::Step WordProgram::send(const Tile& from, const std::vector<Tile>& to,
                                    std::int64_t words, Steps after) {
  return add(from, to, words, std::move(after));
}

WordProgram::Step WordProgram::send_sum(const Tile& from, const Tile& to, std::int64_t words,
                                        Steps after, Steps adds) {
  const Step step = add(from, {to}, words, std::move(after));
  set_.messages[step].adds = std::move(adds);
  return step;
}

WordProgram::Step WordProgram::compute(const Tile& at, double cycles, Steps after) {
  const Step step = add(at, {at}, 0, std::move(after));
  set_.messages[step].delay_cycles = std::llround(std::ceil(cycles));
  return step;
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
