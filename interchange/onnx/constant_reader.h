#pragma once

#include <onnx.pb.h>

#include <optional>

#include "interchange/onnx/graph.h"

namespace waferloom::interchange {

/// The numbers of a tensor; nothing where they are not in the file, are no numbers, or are more
/// than kMostConstant.
std::optional<Constant> constant_of(const format::Tensor& tensor);

}  // namespace waferloom::interchange
