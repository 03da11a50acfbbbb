#include <algorithm>
#include <cassert>
#include <utility>

#include "kernels/int128.h"
#include "model/errors.h"
#include "model/placement.h"
#include "model/problem.h"

// Problem: a pipeline of kernels is fast only where samples can wait on its edges, and their room
// is what kernels leave of their tiles' memory.
// Idea: an edge holds samples in proportion to the kernels that a sample passes meanwhile. All wait
// on the consumer's tiles, which is where the router puts them first. A kernel's words of buffers
// are then a number of the problem, and a placer shapes the kernel so that its tiles hold them.
// Source: ours (docs/placer.md); the rule of 2 is the simulator's (docs/simulator.md).
// Cost: O(kernels · log + connections).
namespace waferloom {

std::vector<std::int64_t> kernel_depths(const Problem& problem) {
  std::vector<std::vector<KernelIndex>> consumers(problem.kernel_count());
  for (const Connection& edge : problem.connections()) {
    consumers[edge.producer].push_back(edge.consumer);
  }
  const std::vector<KernelIndex> order = topological_order(problem);
  std::vector<std::int64_t> depths(order.size(), 0);
  for (const KernelIndex kernel : order) {
    for (const KernelIndex next : consumers[kernel]) {
      depths[next] = std::max(depths[next], depths[kernel] + 1);
    }
  }
  return depths;
}

std::vector<std::int64_t> buffered_samples(const Problem& problem, Decimal6 samples) {
  const std::vector<std::int64_t> depths = kernel_depths(problem);
  assert(depths.size() == problem.kernel_count());
  constexpr Int128 kWhole = Int128(2) * Decimal6::kOne;
  std::vector<std::int64_t> by_edge;
  for (const Connection& edge : problem.connections()) {
    const std::int64_t passed = depths[edge.consumer] - depths[edge.producer] + 1;
    by_edge.push_back(
        static_cast<std::int64_t>((Int128(samples.millionths) * passed + kWhole - 1) / kWhole));
  }
  return by_edge;
}

Problem with_buffers(const Problem& problem, const Buffers& buffers) {
  constexpr Int128 kMostWords = 1'000'000'000'000'000'000;
  ProblemData data = problem.data();
  data.buffers = buffers;
  const std::vector<std::int64_t> held = buffered_samples(problem, buffers.samples);
  std::vector<Int128> words(data.kernels.size(), 0);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const Connection& edge = data.connections[i];
    words[edge.consumer] += Int128(held[i]) * edge.tensor.elements();
    if (words[edge.consumer] > kMostWords) {
      throw RequestError("the buffers of kernel " + data.kernels[edge.consumer].name +
                         " have more than 10^18 words");
    }
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    data.kernels[i].buffer_words = static_cast<std::int64_t>(words[i]);
  }
  return Problem(std::move(data));
}

bool has_buffer_room(const Problem& problem, const Placement& placement) {
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    if (!has_room(problem.kernel(i), placement.kernels[i].execution, problem.buffer_room(i))) {
      return false;
    }
  }
  return true;
}

BufferUse buffer_use(const Problem& problem, const Placement& placement) {
  BufferUse use;
  use.limit = problem.buffer_room(0).of_tile;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    const std::int64_t buffers = problem.buffer_room(i).words;
    use.words += buffers;
    const std::int64_t of_tile =
        words_with_buffers(problem.kernel(i), placement.kernels[i].execution, buffers);
    if (i > 0 && of_tile <= use.most_of_tile) continue;
    use.most_of_tile = of_tile;
    use.fullest = i;
  }
  return use;
}

}  // namespace waferloom
