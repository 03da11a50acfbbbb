#include <algorithm>
#include <stdexcept>

#include "kernels/tile_parts.h"
#include "sim/inside/word_program.h"

// Problem: write down the messages of collectives, so that their closed forms can be checked.
// Idea: sums stream: a tile sends a word of its sum as soon as the words that it adds are there. A
// tree and a chain differ in who sends to whom. Phases wait for one another: groups and their
// roots, a sum and its broadcast. Source: Luczynski et al. (HPDC'24), Section 4; the two-way chain
// as in WaferLLM (OSDI'25). Cost: O(tiles) messages a reduction, O(tiles²) of a ring.
namespace waferloom::sim {
namespace {

using Step = WordProgram::Step;
using Steps = WordProgram::Steps;

/// Adds what comes to a tile to its own: what waits for the sum waits for that.
void add_up(WordProgram& program, const Tile& tile, const Steps& sums) {
  if (sums.empty()) return;
  Steps after = program.ready(tile);
  after.insert(after.end(), sums.begin(), sums.end());
  program.ready(tile) = {program.compute(tile, 1, std::move(after))};
}

/// A chain from the last of some tiles to the first; gives what arrives there, if anything.
Steps chain(WordProgram& program, const Line& tiles, std::int64_t words) {
  Steps arriving;
  for (std::size_t i = tiles.size() - 1; i > 0; --i) {
    arriving = {program.send_sum(tiles[i], tiles[i - 1], words, program.ready(tiles[i]), arriving)};
  }
  return arriving;
}

void reduce_tree(WordProgram& program, const Line& line, std::int64_t words) {
  std::vector<Steps> taken(line.size());
  for (std::size_t half = 1; half < line.size(); half *= 2) {
    for (std::size_t i = half; i < line.size(); i += 2 * half) {
      taken[i - half].push_back(
          program.send_sum(line[i], line[i - half], words, program.ready(line[i]), taken[i]));
    }
  }
  add_up(program, line[0], taken[0]);
}

void reduce_two_phase(WordProgram& program, std::int64_t words, const Line& line,
                      std::int64_t group) {
  std::size_t size = 1;
  while (size * size < line.size()) ++size;
  if (group > 0) size = std::min(static_cast<std::size_t>(group), line.size());
  // Groups are as even as can be, smaller ones last.
  const std::size_t groups = (line.size() + size - 1) / size;
  Line roots;
  auto at = line.begin();
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t count = line.size() / groups + (g < line.size() % groups ? 1 : 0);
    const auto end = at + static_cast<std::ptrdiff_t>(count);
    roots.push_back(*at);
    add_up(program, *at, chain(program, Line(at, end), words));
    at = end;
  }
  add_up(program, line[0], chain(program, roots, words));
}

/// Chains from both ends of a line to the tile at a place, which adds them up.
void chains_to(WordProgram& program, const Line& line, std::size_t root, std::int64_t words) {
  const auto middle = line.begin() + static_cast<std::ptrdiff_t>(root);
  Line left(line.begin(), middle + 1);
  std::reverse(left.begin(), left.end());
  Steps sums = chain(program, left, words);
  const Steps right = chain(program, Line(middle, line.end()), words);
  sums.insert(sums.end(), right.begin(), right.end());
  add_up(program, *middle, sums);
}

void reduce_grid(WordProgram& program, LineReduction reduction, std::int64_t words,
                 std::int64_t group) {
  for (std::int64_t r = 0; r < program.tiles().rows; ++r) {
    reduce_line(program, program.row(r), words, reduction, group);
  }
  reduce_line(program, program.column(0), words, reduction, group);
}

LineReduction reduction_named(std::string name) {
  if (name.starts_with("2-d ")) name.erase(0, 4);
  const auto at = std::find(kLineReductionNames.begin(), kLineReductionNames.end(), name);
  if (at == kLineReductionNames.end()) throw std::logic_error("no way of a collective: " + name);
  return static_cast<LineReduction>(at - kLineReductionNames.begin());
}

}  // namespace

Line folded(const Line& line) {
  Line ring;
  for (std::size_t i = 0; i < line.size(); i += 2) ring.push_back(line[i]);
  for (std::size_t i = line.size(); i-- > 0;) {
    if (i % 2 == 1) ring.push_back(line[i]);
  }
  return ring;
}

void reduce_line(WordProgram& program, const Line& line, std::int64_t words,
                 LineReduction reduction, std::int64_t group) {
  if (line.size() < 2) return;
  switch (reduction) {
    case LineReduction::star: {
      Steps sums;
      for (std::size_t i = 1; i < line.size(); ++i) {
        sums.push_back(program.send(line[i], {line[0]}, words, program.ready(line[i])));
      }
      return add_up(program, line[0], sums);
    }
    case LineReduction::chain:
      return add_up(program, line[0], chain(program, line, words));
    case LineReduction::tree:
      return reduce_tree(program, line, words);
    case LineReduction::two_phase:
      return reduce_two_phase(program, words, line, group);
  }
}

void broadcast(WordProgram& program, const Tile& from, const std::vector<Tile>& to,
               std::int64_t words) {
  if (to.empty()) return;
  const Step sent = program.send(from, to, words, program.ready(from));
  for (const Tile& tile : to) program.ready(tile) = {program.compute(tile, 1, {sent})};
  // Whoever sends goes on once its words are out.
  program.ready(from) = {program.compute(from, static_cast<double>(words), program.ready(from))};
}

void all_reduce_line(WordProgram& program, std::int64_t words, const Line& line,
                     std::int64_t groups) {
  if (line.size() < 2) return;
  const auto tiles = static_cast<std::int64_t>(line.size());
  const TwoWayChain shape = two_way_chain({tiles, groups});
  Line roots;
  for (std::int64_t group = 0; group * shape.size < tiles; ++group) {
    const auto begin = static_cast<std::ptrdiff_t>(group * shape.size);
    const auto end = static_cast<std::ptrdiff_t>(std::min((group + 1) * shape.size, tiles));
    const Line members(line.begin() + begin, line.begin() + end);
    const std::int64_t root = shape.root(group);
    roots.push_back(line[static_cast<std::size_t>(root)]);
    chains_to(program, members, static_cast<std::size_t>(root - begin), words);
  }
  const auto middle = static_cast<std::size_t>(shape.groups / 2);
  chains_to(program, roots, middle, words);
  broadcast(program, roots[middle], WordProgram::others(line, roots[middle]), words);
}

void ring_line(WordProgram& program, const Line& line, std::int64_t words) {
  if (line.size() < 2) return;
  const Line ring = folded(line);
  const std::int64_t part = parts_of(words, static_cast<std::int64_t>(ring.size()));
  for (std::size_t step = 0; step < 2 * (ring.size() - 1); ++step) {
    std::vector<Steps> next(ring.size());
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const std::size_t to = (i + 1) % ring.size();
      const Step sent = program.send(ring[i], {ring[to]}, part, program.ready(ring[i]));
      next[to] = {program.compute(ring[to], 1, {sent})};
    }
    for (std::size_t i = 0; i < ring.size(); ++i) program.ready(ring[i]) = next[i];
  }
}

void write_collective(WordProgram& program, MeshCollective collective, const std::string& way,
                      std::int64_t words, std::int64_t group) {
  const TileGrid& tiles = program.tiles();
  Line all = program.snake();
  if (way == "ring") return ring_line(program, all, words);
  if (way == "two-way chain" || way == "2-d two-way chain") {
    for (std::int64_t r = 0; r < tiles.rows; ++r) {
      all_reduce_line(program, words, program.row(r), group);
    }
    for (std::int64_t c = 0; c < tiles.columns; ++c) {
      all_reduce_line(program, words, program.column(c), group);
    }
    return;
  }
  if (way == "snake") {
    reduce_line(program, all, words, LineReduction::chain, 0);
  } else if (collective != MeshCollective::broadcast) {
    reduce_grid(program, reduction_named(way), words, group);
  }
  if (collective == MeshCollective::reduce) return;
  broadcast(program, all[0], WordProgram::others(all, all[0]), words);
}

}  // namespace waferloom::sim
