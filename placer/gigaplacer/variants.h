#pragma once

#include <string>
#include <vector>

#include "placer/gigaplacer/gigaplacer.h"

namespace waferloom {

/// GigaPlacer with all its parts, or with all but one, under a name for strategy tables.
struct GigaPlacerVariant {
  std::string name;  ///< "gigaplacer" or "gigaplacer-no-<part>"
  std::string description;
  GigaPlacerParts parts;
};

/// The full placer first, then one variant for each part, in the order of GigaPlacerParts.
std::vector<GigaPlacerVariant> gigaplacer_variants();

}  // namespace waferloom
