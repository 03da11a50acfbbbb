#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "model/problem.h"
#include "model/text.h"

namespace waferloom {

/// The lines of a .kgraph file as written, before ids are resolved. Of kgraph_reader.cpp alone.

/// `type[id] key=value …`
struct RawNode {
  std::string type;  ///< input, output, conv, cblock, dblock or shapes
  std::int64_t id = 0;
  std::string name;     ///< empty if the line gives none
  KernelFormal formal;  ///< of a kernel
  TensorShape shape;    ///< of a terminal
  TextPosition position;
};

/// One end of an edge: `type[id]:port`.
struct RawEnd {
  std::string type;
  std::int64_t id = 0;
  TextPosition position;
};

/// `type[id]:port -> type[id]:port, shape:[H][W][C], weight=D`
struct RawEdge {
  RawEnd producer;
  RawEnd consumer;
  TensorShape tensor;
  std::optional<Decimal6> weight;
  TextPosition weight_position;
};

/// Whether a node of this type is the network's input or output.
bool is_terminal_type(std::string_view type);

/// Reads a line that is not blank. Throws InputProblem.
std::variant<RawNode, RawEdge> read_kgraph_line(LineCursor line);

}  // namespace waferloom
