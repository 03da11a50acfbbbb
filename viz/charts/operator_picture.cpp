#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/text.h"
#include "viz/tile_picture.h"

namespace waferloom::viz {
namespace {

using Move = TilePicture::Move;

/// The same operator, small enough to be seen.
TileJob small_job(const TileJob& job, const std::string& algorithm) {
  constexpr std::int64_t kMostExtent = 16;
  TileJob small = job;
  small.algorithm = algorithm;
  small.groups = 0;
  const bool is_line = job.tiles.rows == 1 || job.tiles.columns == 1;
  const std::int64_t side = is_line ? 8 : 4;
  small.tiles = {std::min(job.tiles.rows, side), std::min(job.tiles.columns, side)};
  for (const TileExtent& extent : kTileExtents) {
    small.extents.*extent.extent = std::min(job.extents.*extent.extent, kMostExtent);
  }
  small.extents.heads = std::min<std::int64_t>(small.extents.heads, 2);
  small.extents.experts = std::min<std::int64_t>(small.extents.experts, 4);
  small.extents.chosen = std::min(small.extents.chosen, small.extents.experts);
  small.kv_heads = 0;
  small.extents.distance =
      std::clamp<std::int64_t>(small.tiles.columns - 1, 1, small.extents.distance);
  return small;
}

/// Messages by the number of messages that are sent before them, one behind the other.
std::vector<std::vector<Move>> rounds_of(const MessageSet& set) {
  std::vector<std::size_t> depth(set.messages.size(), 0);
  std::vector<std::vector<Move>> rounds;
  for (std::size_t i = 0; i < set.messages.size(); ++i) {
    const Message& message = set.messages[i];
    for (const auto& before : {message.after, message.adds}) {
      for (const std::size_t at : before) {
        depth[i] = std::max(depth[i], depth[at] + (set.messages[at].flits > 0 ? 1 : 0));
      }
    }
    if (message.flits == 0) continue;
    if (depth[i] >= rounds.size()) rounds.resize(depth[i] + 1);
    for (const TilePlace& to : message.destinations) {
      rounds[depth[i]].push_back({message.source.y, message.source.x, to.y, to.x});
    }
  }
  return rounds;
}

void add_new(std::vector<Move>& moves, const std::vector<Move>& more) {
  for (const Move& move : more) {
    if (std::find(moves.begin(), moves.end(), move) == moves.end()) moves.push_back(move);
  }
}

/// Nothing for an operator that moves no words.
std::optional<TilePicture::Panel> panel_of(const TileJob& job, const std::string& algorithm,
                                           const MessagesOf& messages_of) {
  constexpr std::size_t kMostMoves = 64;
  const TileJob small = small_job(job, algorithm);
  const auto rounds = rounds_of(messages_of(small, algorithm));
  if (rounds.empty()) return std::nullopt;
  TilePicture::Panel panel{algorithm, "all steps", small.tiles.rows, small.tiles.columns, {}};
  for (const auto& round : rounds) add_new(panel.moves, round);
  if (panel.moves.size() <= kMostMoves) return panel;
  const auto largest =
      std::max_element(rounds.begin(), rounds.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  panel.moves.clear();
  add_new(panel.moves, *largest);
  panel.which = "one step";
  return panel;
}

}  // namespace

TilePicture tile_picture(const TileJob& job, const TileResults& found,
                         const MessagesOf& messages_of) {
  TilePicture picture;
  picture.title = fmt::format("{} on {} × {} tiles of {}", tile_operator_name(job.kind),
                              job.tiles.rows, job.tiles.columns, found.hardware);
  picture.facts = fixed_text(found.choices.front().cost.parts.total(), 0) + " cycles by " +
                  found.choices.front().algorithm + ", " + found.data_type +
                  "; below, who sends words to whom, on few tiles";
  picture.is_bound = found.bound_cycles.has_value();
  picture.roofline_cycles = found.bound_cycles.value_or(found.roofline_cycles);
  for (const TileChoice& choice : found.choices) {
    const OperatorParts& parts = choice.cost.parts;
    picture.bars.push_back({choice.algorithm, parts.start, parts.local, parts.words, parts.hops,
                            choice.lacks.empty()});
    auto panel = panel_of(job, choice.algorithm, messages_of);
    if (panel) picture.panels.push_back(std::move(*panel));
  }
  return picture;
}

}  // namespace waferloom::viz
