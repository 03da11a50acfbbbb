#include "interchange/onnx/streams.h"

#include <algorithm>

#include "interchange/onnx/inference.h"

namespace waferloom::interchange {
namespace {

/// Moves rows into columns until both are few enough, in as few parts as do. Numbers of parts that
/// are tried are few: rows that have no small divisor are not worth the time.
bool fold(TensorShape& tensor) {
  if (tensor.channels > kMaxParameter || tensor.width > kMaxParameter) return false;
  if (tensor.height <= kMaxParameter) return true;
  constexpr std::int64_t kMostTries = 1 << 14;
  const std::int64_t least = (tensor.height - 1) / kMaxParameter + 1;
  const std::int64_t most = std::min(least + kMostTries, kMaxParameter / tensor.width);
  for (std::int64_t parts = least; parts <= most; ++parts) {
    if (tensor.height % parts != 0) continue;
    tensor.height /= parts;
    tensor.width *= parts;
    return true;
  }
  return false;
}

/// Writes down the tensor of each part, for a stream whose axis is lost.
Stream frozen(const Stream& stream, const Sizes& sizes, std::int64_t batch) {
  Stream made = stream;
  for (StreamPart& part : made.parts) {
    part.tensor = tensor_of(stream, part, sizes, batch).value_or(TensorShape{});
  }
  made.axis.reset();
  return made;
}

}  // namespace

std::optional<TensorShape> tensor_shape(const Sizes& sizes, std::int64_t batch) {
  if (elements_of(sizes) == 0) return TensorShape{};
  Sizes own = sizes;
  // Samples are what is outermost; where they were moved, they are taken off the first size that
  // they divide.
  for (std::int64_t& size : own) {
    if (size % batch != 0) continue;
    size /= batch;
    break;
  }
  constexpr std::size_t kImage = 4;
  TensorShape tensor{1, 1, 1};
  if (own.size() >= kImage) {
    tensor = {own[0] * elements_of({own.begin() + 2, own.end() - 1}), own.back(), own[1]};
  } else if (!own.empty()) {
    tensor = {elements_of({own.begin(), own.end() - 1}), 1, own.back()};
  }
  if (!fold(tensor)) return std::nullopt;
  return tensor;
}

std::optional<TensorShape> tensor_of(const Stream& stream, const StreamPart& part,
                                     const Sizes& sizes, std::int64_t batch) {
  if (stream.parts.size() == 1) return tensor_shape(sizes, batch);
  if (!stream.axis) return part.tensor;
  Sizes own = sizes;
  own[*stream.axis] = part.extent;
  return tensor_shape(own, batch);
}

Stream passed(const Stream& stream, const Sizes& from, const Sizes& to, std::int64_t batch) {
  if (stream.parts.size() <= 1 || !stream.axis) return stream;
  const bool keeps_axis = from.size() == to.size() && from[*stream.axis] == to[*stream.axis];
  return keeps_axis ? stream : frozen(stream, from, batch);
}

Stream concatenated(const std::vector<SizedStream>& inputs, std::size_t axis, std::int64_t batch) {
  const bool is_side_by_side = std::all_of(inputs.begin(), inputs.end(), [&](const auto& input) {
    return input.stream.parts.size() <= 1 || input.stream.axis == axis;
  });
  Stream made;
  std::int64_t begin = 0;
  for (const SizedStream& input : inputs) {
    if (!is_side_by_side) {
      const Stream still = frozen(input.stream, input.sizes, batch);
      made.parts.insert(made.parts.end(), still.parts.begin(), still.parts.end());
      continue;
    }
    for (StreamPart part : input.stream.parts) {
      if (input.stream.parts.size() == 1) {
        part.begin = 0;
        part.extent = input.sizes[axis];
      }
      part.begin += begin;
      made.parts.push_back(part);
    }
    begin += input.sizes[axis];
  }
  if (is_side_by_side) made.axis = axis;
  return made;
}

Stream cut_out(const Stream& stream, const StreamRange& range, std::size_t cut) {
  Stream made = stream;
  if (stream.parts.size() > 1 && stream.axis == range.axis) {
    made.parts.clear();
    for (StreamPart part : stream.parts) {
      const std::int64_t first = std::max(part.begin, range.begin);
      const std::int64_t last = std::min(part.begin + part.extent, range.end);
      if (first >= last) continue;
      part.begin = first - range.begin;
      part.extent = last - first;
      made.parts.push_back(part);
    }
  }
  for (StreamPart& part : made.parts) part.cut = cut;
  return made;
}

}  // namespace waferloom::interchange
