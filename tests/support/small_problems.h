#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/problem.h"

namespace waferloom::test {

/// A 1×1 convolution layer without image: K·C products, height c + 1, width 3·k.
inline ConvFormal dense(std::int64_t channels_in, std::int64_t channels_out) {
  return ConvFormal{1, 1, 1, 1, channels_in, channels_out, 1, 1};
}

using Edges = std::vector<std::pair<KernelIndex, KernelIndex>>;

inline ProblemData problem_data(const std::vector<KernelFormal>& formals, const Edges& edges,
                                const Wafer& wafer) {
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

/// Small whole numbers from a seed, the same everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }

 private:
  std::mt19937_64 engine_;
};

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

}  // namespace waferloom::test
