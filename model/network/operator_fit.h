#pragma once

#include <cstddef>
#include <string>

#include "model/workload.h"

// Private to model/.
namespace waferloom {

/// Why an operator cannot take what those before it hand on, with the names and sizes of both;
/// empty where it can, and for operators that take the workload's input. It takes all that is
/// handed on, side by side, or a sum of tensors of its input's size; an operator of tokens also the
/// first or last ones of more tokens.
std::string unfitting_reason(const Workload& workload, std::size_t place);

}  // namespace waferloom
