#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "tests/kernels/random_kernels.h"

namespace waferloom::test {

/// A 1×1 convolution layer without image: K·C products, height c + 1, width 3·k.
inline ConvFormal dense(std::int64_t channels_in, std::int64_t channels_out) {
  return ConvFormal{1, 1, 1, 1, channels_in, channels_out, 1, 1};
}

/// A convolution of one pixel and 8 → 8 features: extent 3·k × (c + 1).
inline constexpr ConvFormal kPixel{1, 1, 1, 1, 8, 8, 1, 1};

using Edges = std::vector<std::pair<KernelIndex, KernelIndex>>;

/// Kernels k1, k2, … with ids from 1.
inline ProblemData problem_data(const std::vector<KernelFormal>& formals, const Edges& edges = {},
                                const Wafer& wafer = {}) {
  ProblemData data;
  data.wafer = wafer;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    data.kernels.push_back(ProblemKernel{static_cast<std::int64_t>(i + 1),
                                         "k" + std::to_string(i + 1), make_kernel(formals[i])});
  }
  for (const auto& [from, to] : edges) data.connections.push_back(Connection{from, to, {}});
  return data;
}

/// k1 → k2 → … → kn.
inline Edges chain(std::size_t count) {
  Edges edges;
  for (std::size_t i = 0; i + 1 < count; ++i) edges.emplace_back(i, i + 1);
  return edges;
}

/// The kernels joined to a chain k1 → k2 → ….
inline ProblemData chain(const std::vector<KernelFormal>& formals) {
  return problem_data(formals, chain(formals.size()));
}

/// Whole numbers and kernels from a seed.
using Draw = RandomKernels;

inline KernelFormal random_formal(Draw& draw) {
  if (draw.between(0, 3) == 0) {
    return DblockFormal{draw.between(1, 4), draw.between(1, 4), 4 * draw.between(1, 3)};
  }
  if (draw.between(0, 3) == 0) {
    return CblockFormal{draw.between(2, 4), draw.between(2, 4), 4 * draw.between(1, 3)};
  }
  const std::int64_t field = draw.between(1, 2);
  const std::int64_t stride = draw.between(1, 2);
  return ConvFormal{draw.between(1, 6), draw.between(1, 6), field,  field,
                    draw.between(1, 8), draw.between(1, 8), stride, stride};
}

/// A chain with some links missing and some that skip, so that there are branches and joins.
inline ProblemData random_case(Draw& draw, std::size_t count, const Wafer& wafer) {
  std::vector<KernelFormal> formals;
  for (std::size_t i = 0; i < count; ++i) formals.push_back(random_formal(draw));
  Edges edges;
  for (std::size_t to = 1; to < count; ++to) {
    if (draw.between(0, 4) > 0) edges.emplace_back(to - 1, to);
    if (draw.between(0, 3) == 0) {
      edges.emplace_back(draw.between(0, static_cast<std::int64_t>(to) - 1), to);
    }
  }
  ProblemData data = problem_data(formals, edges, wafer);
  data.weights.distance = decimal6(draw.between(0, 12));
  data.weights.adapter = decimal6(draw.between(0, 1) * draw.between(1, 40));
  return data;
}

/// The worked example of the contest's description.
inline Problem contest_example() {
  return Problem(
      chain({DblockFormal{56, 56, 256}, CblockFormal{56, 56, 512}, DblockFormal{28, 28, 512}}));
}
inline Placement contest_example_placement() {
  return Placement{{PlacedKernel{Execution{4, 4, {8, 8, 8}, {8, 64, 16}}, 0, 148, false},
                    PlacedKernel{Execution{4, 4, {8, 8, 8, 8}, {32, 32, 8, 19}}, 150, 0, false},
                    PlacedKernel{Execution{4, 4, {8, 8, 8}, {8, 32, 8}}, 0, 0, true}}};
}

/// A random problem with terminals, branches, joins, parallel edges, gaps in the ids and odd sizes.
inline Problem random_problem(RandomKernels& random) {
  ProblemData data;
  data.name = "random " + std::to_string(random.between(0, 99));
  data.wafer = Wafer{random.between(1, 700), random.between(1, 700)};
  data.memory_limit = random.between(1, 30'000);
  data.weights =
      Weights{Decimal6{random.between(0, 9'000'000)}, Decimal6{random.between(0, 9'000'000)},
              Decimal6{random.between(0, 9'000'000)}};
  std::int64_t id = 0;
  const auto next_name = [&id, &random] {
    id += random.between(1, 3);
    return "n_" + std::to_string(id);
  };
  const auto size = [&random] { return random.between(1, 300); };
  const auto tensor = [&] {
    return random.between(0, 3) == 0 ? TensorShape{} : TensorShape{size(), size(), size()};
  };
  const auto any_formal = [&random] {
    return random.between(0, 3) == 0 ? KernelFormal(random.shapes(40)) : random.any(9);
  };
  const std::int64_t kernels = random.between(1, 12);
  for (std::int64_t i = 0; i < kernels; ++i) {
    const std::string name = next_name();
    data.kernels.push_back(ProblemKernel{id, name, make_kernel(any_formal())});
  }
  for (std::int64_t i = random.between(0, 4); i > 0; --i) {
    const std::string name = next_name();
    const auto kind = random.between(0, 1) == 0 ? Terminal::Kind::input : Terminal::Kind::output;
    data.terminals.push_back(Terminal{id, name, kind, TensorShape{size(), size(), size()}});
    data.terminal_connections.push_back(TerminalConnection{
        static_cast<std::size_t>(random.between(0, std::ssize(data.terminals) - 1)),
        static_cast<KernelIndex>(random.between(0, kernels - 1)), tensor()});
  }
  // Half of the problems have weighted edges, and half of those whole weights alone.
  const std::int64_t weights = random.between(0, 3);
  const auto weight = [&] {
    return weights < 2 ? decimal6(1)
                       : Decimal6{random.between(0, 40) * (weights == 2 ? 1'000'000 : 62'500)};
  };
  for (std::int64_t i = kernels > 1 ? random.between(0, 20) : 0; i > 0; --i) {
    const std::int64_t from = random.between(0, kernels - 1);
    const std::int64_t to = (from + random.between(1, kernels - 1)) % kernels;
    data.connections.push_back(Connection{static_cast<KernelIndex>(from),
                                          static_cast<KernelIndex>(to), tensor(), weight()});
  }
  return Problem(std::move(data));
}

/// Legal or not, but within the limits of the execution parameters.
inline Placement random_placement(RandomKernels& random, const Problem& problem) {
  Placement placement;
  for (const ProblemKernel& kernel : problem.kernels()) {
    placement.kernels.push_back(
        PlacedKernel{random.execution(kernel.kernel), random.between(-20, problem.wafer().width),
                     random.between(-20, problem.wafer().height), random.between(0, 1) == 1});
  }
  return placement;
}

}  // namespace waferloom::test
