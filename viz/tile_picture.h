#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/tile_job.h"
#include "model/mesh.h"
#include "viz/canvas.h"

namespace waferloom::viz {

/// What an operator costs on a rectangle of tiles, and who sends words to whom.
struct TilePicture {
  /// An algorithm: where its cycles go.
  struct Bar {
    std::string name;
    double start = 0;
    double local = 0;
    double words = 0;
    double hops = 0;
    bool fits = true;  ///< a tile's memory holds it
  };
  /// Words from one tile to another.
  struct Move {
    std::int64_t from_row = 0;
    std::int64_t from_column = 0;
    std::int64_t to_row = 0;
    std::int64_t to_column = 0;
    bool operator==(const Move&) const = default;
  };
  /// An algorithm on a small rectangle.
  struct Panel {
    std::string name;
    std::string which;  ///< "all steps", "one step"
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::vector<Move> moves;
  };
  std::string title{};
  std::string facts{};
  std::vector<Bar> bars{};
  double roofline_cycles = 0;  ///< the mark; 0: none
  bool is_bound = false;       ///< the mark is what no algorithm beats, not the roofline
  std::vector<Panel> panels{};
};

/// What is known of an operator on a rectangle of tiles of a hardware.
struct TileResults {
  std::vector<TileChoice> choices;  ///< at least one, the fastest that fits first
  std::string hardware;
  std::string data_type;
  double roofline_cycles = 0;
  std::optional<double> bound_cycles{};  ///< no algorithm takes fewer
};
/// The messages of an operator by an algorithm.
using MessagesOf = std::function<MessageSet(const TileJob&, const std::string& algorithm)>;
/// What to draw of it: the algorithms' cycles, and who sends words to whom on a rectangle of at
/// most four rows and columns (eight on a line).
TilePicture tile_picture(const TileJob& job, const TileResults& found,
                         const MessagesOf& messages_of);

/// Bars for the algorithms, a tile's cycles in their parts, with a mark at the roofline; below them
/// a small mesh for each panel, with arrows for what moves. Throws std::logic_error for no bars or
/// a panel without tiles.
std::string draw_tile_picture(const TilePicture& picture, PictureFormat format);

}  // namespace waferloom::viz
