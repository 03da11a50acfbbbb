#pragma once

#include <string>

#include "model/text.h"
#include "model/workload.h"

namespace waferloom {

/// Reads a graph of kernels and tensors in any order; its entries stand behind those whose tensors
/// they take, those of the file's order first. Throws as read_network.
Network read_graph(const JsonValue& file, const std::string& source);

}  // namespace waferloom
