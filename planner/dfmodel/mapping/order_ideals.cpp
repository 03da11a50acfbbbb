#include "planner/dfmodel/mapping/order_ideals.h"

#include <algorithm>

namespace waferloom::planner {
namespace {

/// Finds ideals by their bits: open addressing over indices, power of two, at most half full.
class IdealTable {
 public:
  IdealTable(const OrderIdeals& ideals, std::size_t limit) : ideals_(ideals) {
    std::size_t size = 64;
    while (size < 2 * std::min<std::size_t>(limit + 1, 1024)) size *= 2;
    slots_.assign(size, kEmpty);
  }

  /// The index of an ideal; `fresh`, where it is put, if there is none yet.
  std::uint32_t find_or_insert(const std::uint64_t* bits, std::uint32_t fresh) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::size_t slot = hash(bits) & (slots_.size() - 1);
    while (slots_[slot] != kEmpty) {
      if (std::equal(bits, bits + ideals_.words, bits_of(slots_[slot]))) return slots_[slot];
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = fresh;
    ++count_;
    return fresh;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;

  const std::uint64_t* bits_of(std::uint32_t ideal) const {
    return ideals_.bits.data() + ideal * ideals_.words;
  }

  std::size_t hash(const std::uint64_t* bits) const {
    std::uint64_t value = 0x9E3779B97F4A7C15;
    for (std::size_t w = 0; w < ideals_.words; ++w) {
      value = (value ^ bits[w]) * 0xBF58476D1CE4E5B9;
      value ^= value >> 29;
    }
    return static_cast<std::size_t>(value);
  }

  void grow() {
    std::vector<std::uint32_t> old(slots_.size() * 2, kEmpty);
    old.swap(slots_);
    for (const std::uint32_t ideal : old) {
      if (ideal == kEmpty) continue;
      std::size_t slot = hash(bits_of(ideal)) & (slots_.size() - 1);
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = ideal;
    }
  }

  const OrderIdeals& ideals_;
  std::vector<std::uint32_t> slots_;
  std::size_t count_ = 0;
};

/// Of each kernel, those that come before it, directly.
std::vector<std::vector<std::size_t>> predecessors(const DataflowGraph& graph,
                                                   const std::vector<Precedence>& orders) {
  std::vector<std::vector<std::size_t>> before(graph.kernels.size());
  for (const DataflowTensor& tensor : graph.tensors) before[tensor.to].push_back(tensor.from);
  for (const Precedence& order : orders) before[order.second].push_back(order.first);
  return before;
}

bool holds(const std::uint64_t* bits, std::size_t kernel) {
  return (bits[kernel / 64] >> (kernel % 64) & 1) != 0;
}

}  // namespace

std::optional<OrderIdeals> order_ideals(const DataflowGraph& graph,
                                        const std::vector<Precedence>& orders, std::size_t limit) {
  const std::size_t kernels = graph.kernels.size();
  OrderIdeals ideals;
  ideals.words = std::max<std::size_t>((kernels + 63) / 64, 1);
  const std::size_t words = ideals.words;
  const auto before = predecessors(graph, orders);
  // What is looked up stands behind the last ideal; it stays there if it is new.
  ideals.bits.assign(words, 0);
  IdealTable table(ideals, limit);
  table.find_or_insert(ideals.bits.data(), 0);
  std::uint32_t count = 1;
  for (std::uint32_t ideal = 0; ideal < count; ++ideal) {
    ideals.first.push_back(static_cast<std::uint32_t>(ideals.steps.size()));
    for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
      const std::uint64_t* now = ideals.bits.data() + ideal * words;
      if (holds(now, kernel)) continue;
      const bool is_ready = std::all_of(before[kernel].begin(), before[kernel].end(),
                                        [&](std::size_t first) { return holds(now, first); });
      if (!is_ready) continue;
      ideals.bits.resize((count + 1) * words);
      std::uint64_t* next = ideals.bits.data() + count * words;
      std::copy_n(ideals.bits.data() + ideal * words, words, next);
      next[kernel / 64] |= std::uint64_t{1} << (kernel % 64);
      const std::uint32_t to = table.find_or_insert(next, count);
      if (to == count && ++count > limit) return std::nullopt;
      ideals.steps.push_back({static_cast<std::uint32_t>(kernel), to});
    }
  }
  ideals.first.push_back(static_cast<std::uint32_t>(ideals.steps.size()));
  ideals.bits.resize(count * words);
  return ideals;
}

}  // namespace waferloom::planner
