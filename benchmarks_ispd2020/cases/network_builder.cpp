#include "benchmarks_ispd2020/cases/network_builder.h"

#include <fmt/format.h>

#include "model/errors.h"

namespace waferloom::ispd2020 {
namespace {

std::int64_t next_id(const ProblemData& data) {
  return static_cast<std::int64_t>(data.kernels.size() + data.terminals.size());
}

void add_terminal(ProblemData& data, Terminal::Kind kind, const TensorShape& shape) {
  const std::int64_t id = next_id(data);
  data.terminals.push_back({id, fmt::format("k{}", id), kind, shape});
}

}  // namespace

ProblemData start_network(const ProblemSettings& settings, const TensorShape& input) {
  ProblemData data;
  data.name = settings.name;
  data.wafer = settings.wafer;
  data.memory_limit = settings.memory_limit;
  data.weights = settings.weights;
  add_terminal(data, Terminal::Kind::input, input);
  return data;
}

KernelIndex add_kernel(ProblemData& data, const KernelFormal& formal) {
  const std::int64_t id = next_id(data);
  data.kernels.push_back({id, fmt::format("k{}", id), make_kernel(formal)});
  return data.kernels.size() - 1;
}

KernelIndex add_chained(ProblemData& data, const KernelFormal& formal, const TensorShape& tensor) {
  const KernelIndex kernel = add_kernel(data, formal);
  kernel == 0 ? add_input_link(data, kernel, tensor) : add_link(data, {kernel - 1, kernel}, tensor);
  return kernel;
}

void add_output(ProblemData& data, const TensorShape& shape) {
  add_terminal(data, Terminal::Kind::output, shape);
}

void add_link(ProblemData& data, const Link& link, const TensorShape& tensor) {
  data.connections.push_back({link.from, link.to, tensor});
}

void add_input_link(ProblemData& data, KernelIndex consumer, const TensorShape& tensor) {
  data.terminal_connections.push_back({0, consumer, tensor});
}

void add_output_link(ProblemData& data, KernelIndex producer, const TensorShape& tensor) {
  data.terminal_connections.push_back({data.terminals.size() - 1, producer, tensor});
}

TensorShape square_tensor(std::int64_t image, std::int64_t channels) {
  return {image, image, channels};
}

void demand(bool condition, const std::string& message) {
  if (!condition) throw RequestError(message);
}

std::int64_t doubled(std::int64_t base, std::int64_t doublings, const std::string& what) {
  demand(doublings >= 0 && doublings <= kMaxDoublings,
         fmt::format("{}: at most {} doublings", what, kMaxDoublings));
  demand(base >= 1 && base <= kMaxParameter >> doublings,
         fmt::format("{}: expected at least 1 and at most {} after all doublings", what,
                     kMaxParameter));
  return base << doublings;
}

}  // namespace waferloom::ispd2020
