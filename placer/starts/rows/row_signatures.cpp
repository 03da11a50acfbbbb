#include "placer/starts/rows/row_signatures.h"

#include <algorithm>
#include <set>

namespace waferloom::placer {

std::optional<TypeUnder> type_under(const Kernel& kernel, const ImageSplit& bands,
                                    const KernelLimits& limits) {
  const ImageSplit own{std::min(bands.h, kernel.height), std::min(bands.w, kernel.width), bands.c};
  const KernelCut cut = widest_cut(kernel, own);
  if (!within_limits(kernel, cut)) return std::nullopt;
  const auto execution = execute(kernel, cut, limits);
  if (!execution) return std::nullopt;
  return TypeUnder{*execution, extent(kernel, *execution), signature(kernel, *execution)};
}

TypesUnder types_under(const ShapeLibrary& library, const ImageSplit& bands, std::int64_t time) {
  TypesUnder result{bands, 0, {}};
  for (std::size_t type = 0; type < library.type_count(); ++type) {
    const auto under = type_under(library.type(type), bands, library.limits(type, time));
    const bool fits = under && under->tiles.height <= library.problem().wafer().height;
    result.types.push_back(fits ? *under : TypeUnder{});
    result.height = std::max(result.height, result.types.back().tiles.height);
  }
  return result;
}

int mismatches_between(const ImageSplit& a, const ImageSplit& b) {
  return (a.h != b.h ? 1 : 0) + (a.w != b.w ? 1 : 0) + (a.c != b.c ? 1 : 0);
}

std::vector<std::int64_t> image_cuts(const ShapeLibrary& library, std::int64_t Kernel::*side,
                                     std::int64_t most) {
  std::set<std::int64_t> cuts;
  for (std::size_t type = 0; type < library.type_count(); ++type) {
    for (const std::int64_t cut : distinct_cuts(library.type(type).*side)) {
      if (cut <= most) cuts.insert(cut);
    }
  }
  return {cuts.begin(), cuts.end()};
}

std::vector<ImageSplit> row_signatures(const ShapeLibrary& library) {
  constexpr std::int64_t kMostRows = 8;
  const std::int64_t wafer_height = library.problem().wafer().height;
  const std::int64_t most_bands = wafer_height / 2;
  std::set<std::int64_t> features;
  for (std::size_t type = 0; type < library.type_count(); ++type) {
    const Kernel& kernel = library.type(type);
    for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
      const std::int64_t channels = kernel.convolutions[i].in4 / 4;
      if (channels < 1) continue;
      for (const std::int64_t cut : distinct_cuts(channels)) features.insert(cut);
    }
  }
  std::vector<ImageSplit> result;
  const std::vector<std::int64_t> cuts_of_width = image_cuts(library, &Kernel::width, most_bands);
  for (const std::int64_t h : image_cuts(library, &Kernel::height, most_bands)) {
    for (const std::int64_t w : cuts_of_width) {
      const std::int64_t most_c = wafer_height / (h * w) - 1;
      if (most_c < 1) break;
      std::set<std::int64_t> cuts(features.begin(), features.upper_bound(most_c));
      for (std::int64_t rows = 1; rows <= kMostRows; ++rows) {
        const std::int64_t c = wafer_height / rows / (h * w) - 1;
        if (c >= 1 && c <= *features.rbegin()) cuts.insert(c);
      }
      for (const std::int64_t c : cuts) result.push_back(ImageSplit{h, w, c});
    }
  }
  const std::size_t most = std::max<std::size_t>(1, kMostTypesUnder / library.type_count());
  if (result.size() <= most) return result;
  std::vector<ImageSplit> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(result[i * result.size() / most]);
  return some;
}

}  // namespace waferloom::placer
