#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/shapes/kernel_cut.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// A kernel under a row's signature.
struct TypeUnder {
  Execution execution;
  Extent tiles;  ///< 0 × 0 where time, memory or wafer allow none
  Signature shown;
};

/// The kernel cut by `bands`, or to what it has; nothing where the limits allow none.
std::optional<TypeUnder> type_under(const Kernel& kernel, const ImageSplit& bands,
                                    const KernelLimits& limits);

/// All kernel types of a problem under one signature and time cap.
struct TypesUnder {
  ImageSplit bands;
  std::int64_t height = 0;  ///< of the highest type
  std::vector<TypeUnder> types;
};

/// O(types).
TypesUnder types_under(const ShapeLibrary& library, const ImageSplit& bands, std::int64_t time);

/// Cuts of an image's side that leave some kernel a different number of parts, up to `most`.
std::vector<std::int64_t> image_cuts(const ShapeLibrary& library, std::int64_t Kernel::*side,
                                     std::int64_t most);

/// In how many of h, w and c two signatures differ.
int mismatches_between(const ImageSplit& a, const ImageSplit& b);

/// The signatures of rows worth a look: all image cuts with every c that leaves some convolution a
/// different number of parts, or that the height of an eighth to a whole of the wafer allows. Where
/// these times the types are more than kMostTypesUnder, only evenly many of them.
inline constexpr std::size_t kMostTypesUnder = 500'000;
std::vector<ImageSplit> row_signatures(const ShapeLibrary& library);

}  // namespace waferloom::placer
