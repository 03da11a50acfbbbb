#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "interchange/onnx/graph.h"
#include "model/problem.h"

namespace waferloom::interchange {

/// What one maker, a kernel or an input, has made of a value.
struct StreamPart {
  std::size_t maker = 0;
  std::size_t cut = 0;      ///< tells parts of one maker's tensor apart; 0: all of it
  std::int64_t begin = 0;   ///< along the stream's axis
  std::int64_t extent = 0;  ///< along the stream's axis
  TensorShape tensor{};     ///< where several parts lie along no axis
};

/// Who makes a value: parts that lie side by side along an axis, or several that are mixed.
struct Stream {
  std::vector<StreamPart> parts;
  std::optional<std::size_t> axis{};  ///< of several parts
};

/// A value of a sample as height, width and channels, of so many samples in a batch. A tensor with
/// more than kMaxParameter rows is folded into columns; nothing where that does not help. 0 × 0 × 0
/// without elements.
std::optional<TensorShape> tensor_shape(const Sizes& sizes, std::int64_t batch);

/// The tensor of a part of a value; nothing as above.
std::optional<TensorShape> tensor_of(const Stream& stream, const StreamPart& part,
                                     const Sizes& sizes, std::int64_t batch);

/// The stream of a value that is made of another one number by number, or by moving numbers.
Stream passed(const Stream& stream, const Sizes& from, const Sizes& to, std::int64_t batch);

/// Streams with their sizes side by side along an axis.
struct SizedStream {
  Stream stream;
  Sizes sizes;
};
Stream concatenated(const std::vector<SizedStream>& inputs, std::size_t axis, std::int64_t batch);

/// What lies in [begin, end) along the axis of a stream; all parts are cut off, as `cut`.
struct StreamRange {
  std::size_t axis = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
Stream cut_out(const Stream& stream, const StreamRange& range, std::size_t cut);

}  // namespace waferloom::interchange
