#include "placer/gigaplacer/variants.h"

#include <array>

namespace waferloom {
namespace {

struct Part {
  const char* name;
  bool GigaPlacerParts::*field;
  const char* description;
};

constexpr std::array kParts{
    Part{"row-limit", &GigaPlacerParts::row_limit, "Algorithm 2, a fixed number of rows"},
    Part{"strips-plus-row", &GigaPlacerParts::strips_plus_row, "strips plus one row"},
    Part{"alpha-sweep", &GigaPlacerParts::alpha_sweep, "the sweep of enlarged time caps"},
    Part{"short-wire-rows", &GigaPlacerParts::short_wire_rows, "rows chosen for short wire"},
    Part{"time-tightening", &GigaPlacerParts::time_tightening, "lowering time to the step met"},
    Part{"adapter-refinement", &GigaPlacerParts::adapter_refinement, "adapter refinement"},
    Part{"distance-refinement", &GigaPlacerParts::distance_refinement, "distance refinement"},
};

}  // namespace

std::vector<GigaPlacerVariant> gigaplacer_variants() {
  std::vector<GigaPlacerVariant> variants;
  variants.push_back({"gigaplacer", "GigaPlacer (ASP-DAC 2021) with all its parts", {}});
  for (const Part& part : kParts) {
    GigaPlacerVariant variant{std::string("gigaplacer-no-") + part.name,
                              std::string("GigaPlacer without ") + part.description,
                              {}};
    variant.parts.*part.field = false;
    variants.push_back(variant);
  }
  return variants;
}

}  // namespace waferloom
