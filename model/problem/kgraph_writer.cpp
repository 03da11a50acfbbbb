#include <algorithm>

#include "model/problem.h"

namespace waferloom {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string header_text(const Problem& problem) {
  std::string text = "(*\n";
  if (!problem.name().empty()) {
    const bool plain = problem.name().find_first_of(" ,;") == std::string::npos;
    text += "test=" + (plain ? problem.name() : "'" + problem.name() + "'") + "\n";
  }
  text += "width=" + number(problem.wafer().width) + "\n";
  text += "height=" + number(problem.wafer().height) + "\n";
  text += "wdeltat=" + to_string(problem.weights().time) + "\n";
  text += "wlength=" + to_string(problem.weights().distance) + "\n";
  text += "wadapter=" + to_string(problem.weights().adapter) + "\n";
  text += "memlimit=" + number(problem.memory_limit()) + "\n";
  if (problem.replicas() > 1) text += "replicas=" + number(problem.replicas()) + "\n";
  for (const Rectangle& dead : problem.wafer().dead) {
    text += "dead=" + number(dead.width) + "x" + number(dead.height) + ":" + number(dead.x) + ":" +
            number(dead.y) + "\n";
  }
  return text + "*)\n";
}

std::string node_name(std::string_view type, std::int64_t id) {
  return std::string(type) + "[" + number(id) + "]";
}

std::string terminal_node(const Terminal& terminal) {
  return node_name(terminal.kind == Terminal::Kind::input ? "input" : "output", terminal.id);
}

std::string kernel_node(const ProblemKernel& kernel) {
  return node_name(type_name(kernel.kernel.formal), kernel.id);
}

std::string attribute(std::string_view key, std::int64_t value) {
  return " " + std::string(key) + "=" + number(value);
}

std::string option_text(const ShapeOption& option) {
  std::string text = number(option.width) + "x" + number(option.height) + ":" +
                     to_string(Decimal6{option.time_millionths});
  if (option.memory_words != 0) text += ":" + number(option.memory_words);
  const Signature& shown = option.signature;
  if (!shown.shown()) return text;
  return text + "@" + number(shown.h) + "," + number(shown.w) + "," + number(shown.c_in);
}

std::string options_text(const ShapesFormal& shapes) {
  std::string text;
  for (const ShapeOption& option : shapes.list()) {
    text += (text.empty() ? "" : " ") + option_text(option);
  }
  return " options=[" + text + "]";
}

std::string formal_text(const KernelFormal& formal) {
  if (const auto* conv = std::get_if<ConvFormal>(&formal)) {
    return attribute("W", conv->width) + attribute("H", conv->height) +
           attribute("R", conv->field_height) + attribute("S", conv->field_width) +
           attribute("C", conv->channels_in) + attribute("K", conv->channels_out) +
           attribute("T", conv->stride_y) + attribute("U", conv->stride_x);
  }
  if (const auto* shapes = std::get_if<ShapesFormal>(&formal)) return options_text(*shapes);
  const auto block = [](const auto& shape) {
    return attribute("f", shape.features) + attribute("h", shape.height) +
           attribute("w", shape.width);
  };
  if (const auto* dblock = std::get_if<DblockFormal>(&formal)) return block(*dblock);
  return block(std::get<CblockFormal>(formal));
}

std::string terminal_line(const Terminal& terminal) {
  return terminal_node(terminal) + " n=[" + number(terminal.shape.height) + " " +
         number(terminal.shape.width) + " " + number(terminal.shape.channels) + "] name='" +
         terminal.name + "'\n";
}

std::string kernel_line(const ProblemKernel& kernel) {
  return kernel_node(kernel) + formal_text(kernel.kernel.formal) + " name='" + kernel.name + "'\n";
}

std::string tensor_text(const TensorShape& tensor) {
  if (tensor == TensorShape{}) return "";
  return ", shape:[" + number(tensor.height) + "][" + number(tensor.width) + "][" +
         number(tensor.channels) + "]";
}

std::string weight_text(Decimal6 weight) {
  return weight == decimal6(1) ? "" : ", weight=" + to_string(weight);
}

std::string connection_line(const Problem& problem, const Connection& edge) {
  return kernel_node(problem.kernels()[edge.producer]) + ":y -> " +
         kernel_node(problem.kernels()[edge.consumer]) + ":x" + tensor_text(edge.tensor) +
         weight_text(edge.weight) + "\n";
}

std::string connection_line(const Problem& problem, const TerminalConnection& edge) {
  const Terminal& terminal = problem.terminals()[edge.terminal];
  const std::string kernel = kernel_node(problem.kernels()[edge.kernel]);
  const std::string ends = terminal.kind == Terminal::Kind::input
                               ? terminal_node(terminal) + ":_ -> " + kernel + ":x"
                               : kernel + ":y -> " + terminal_node(terminal) + ":_";
  return ends + tensor_text(edge.tensor) + "\n";
}

}  // namespace

// Inputs come first and outputs last, as in the contest's files, as far as the order within each
// list of the problem allows; so reading gives the same problem again.
std::string write_kgraph(const Problem& problem) {
  const auto is_output = [](const Terminal& terminal) {
    return terminal.kind == Terminal::Kind::output;
  };
  const auto leads_out = [&](const TerminalConnection& edge) {
    return is_output(problem.terminals()[edge.terminal]);
  };
  std::string text = header_text(problem) + "\n(* Node Definitions *)\n";
  const auto& terminals = problem.terminals();
  const auto first_output = std::find_if(terminals.begin(), terminals.end(), is_output);
  for (auto it = terminals.begin(); it != first_output; ++it) text += terminal_line(*it);
  for (const ProblemKernel& kernel : problem.kernels()) text += kernel_line(kernel);
  for (auto it = first_output; it != terminals.end(); ++it) text += terminal_line(*it);
  text += "\n(* Connectivity *)\n";
  const auto& ends = problem.terminal_connections();
  const auto first_out = std::find_if(ends.begin(), ends.end(), leads_out);
  for (auto it = ends.begin(); it != first_out; ++it) text += connection_line(problem, *it);
  for (const Connection& edge : problem.connections()) text += connection_line(problem, edge);
  for (auto it = first_out; it != ends.end(); ++it) text += connection_line(problem, *it);
  return text;
}

}  // namespace waferloom
