#pragma once

#include <string>
#include <vector>

#include "viz/canvas.h"
#include "viz/tile_picture.h"

namespace waferloom::viz {

/// How fast a language model is served, and where a token's time goes in a layer.
struct ServingPicture {
  /// So many requests at once.
  struct Level {
    std::string name;        ///< "8"
    double user_per_s = 0;   ///< tokens a second of a request
    double total_per_s = 0;  ///< of all
    bool is_asked = false;   ///< ringed
  };
  std::string title{};
  std::string facts{};
  std::vector<Level> levels{};
  std::vector<TilePicture::Bar> operators{};  ///< of a layer, cycles
};

/// A curve of a request's rate over the rate of all, both axes logarithmic, a mark a level; below
/// it a bar for each operator of a layer, cut into its parts. Throws std::logic_error for no
/// levels, no operators, or a rate that is not above 0.
std::string draw_serving_picture(const ServingPicture& picture, PictureFormat format);

}  // namespace waferloom::viz
