#include "placer/starts/min_cut.h"

#include <optional>
#include <queue>
#include <utility>

namespace waferloom::placer {
namespace {

class CutPass {
 public:
  CutPass(const CutGraph& graph, const CutBalance& balance, std::vector<bool>& second)
      : graph_(graph),
        balance_(balance),
        second_(second),
        edges_of_(graph.sizes.size()),
        gains_(graph.sizes.size()),
        locked_(graph.sizes.size(), false) {
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      edges_of_[graph.edges[e].a].push_back(e);
      edges_of_[graph.edges[e].b].push_back(e);
    }
    for (std::size_t v = 0; v < second_.size(); ++v) {
      if (!second_[v]) first_size_ += graph.sizes[v];
    }
  }

  /// One pass; what it gains, 0 or more.
  std::int64_t run() {
    locked_.assign(locked_.size(), false);
    open_ = {};
    for (std::size_t v = 0; v < gains_.size(); ++v) push(v, gain_of(v));
    std::int64_t gained = 0;
    std::int64_t best = 0;
    std::size_t best_moves = 0;
    moved_.clear();
    waiting_.clear();
    while (const auto next = pop()) {
      gained += gains_[*next];
      flip(*next);
      moved_.push_back(*next);
      if (gained > best) {
        best = gained;
        best_moves = moved_.size();
      }
    }
    while (moved_.size() > best_moves) {
      flip(moved_.back());
      moved_.pop_back();
    }
    return best;
  }

 private:
  using Entry = std::pair<std::int64_t, std::size_t>;

  std::int64_t gain_of(std::size_t v) const {
    std::int64_t gain = second_[v] ? -graph_.pulls[v] : graph_.pulls[v];
    for (const std::size_t e : edges_of_[v]) {
      const CutGraph::Edge& edge = graph_.edges[e];
      const std::size_t other = edge.a == v ? edge.b : edge.a;
      gain += second_[other] != second_[v] ? edge.weight : -edge.weight;
    }
    return gain;
  }

  void push(std::size_t v, std::int64_t gain) {
    gains_[v] = gain;
    open_.emplace(gain, v);
  }

  bool keeps_balance(std::size_t v) const {
    const std::int64_t size = first_size_ + (second_[v] ? graph_.sizes[v] : -graph_.sizes[v]);
    return size >= balance_.least && size <= balance_.most;
  }

  /// The free vertex of the highest gain whose move keeps the balance; those that do not wait for
  /// the next move.
  std::optional<std::size_t> pop() {
    while (!open_.empty()) {
      const Entry entry = open_.top();
      open_.pop();
      const std::size_t v = entry.second;
      if (locked_[v] || entry.first != gains_[v]) continue;
      if (!keeps_balance(v)) {
        waiting_.push_back(v);
        continue;
      }
      locked_[v] = true;
      for (const std::size_t other : waiting_) {
        if (!locked_[other]) open_.emplace(gains_[other], other);
      }
      waiting_.clear();
      return v;
    }
    return std::nullopt;
  }

  void flip(std::size_t v) {
    first_size_ += second_[v] ? graph_.sizes[v] : -graph_.sizes[v];
    second_[v] = !second_[v];
    for (const std::size_t e : edges_of_[v]) {
      const CutGraph::Edge& edge = graph_.edges[e];
      const std::size_t other = edge.a == v ? edge.b : edge.a;
      if (!locked_[other]) push(other, gain_of(other));
    }
  }

  const CutGraph& graph_;
  const CutBalance& balance_;
  std::vector<bool>& second_;
  std::vector<std::vector<std::size_t>> edges_of_;
  std::vector<std::int64_t> gains_;
  std::vector<bool> locked_;
  std::priority_queue<Entry> open_;
  std::vector<std::size_t> waiting_;
  std::vector<std::size_t> moved_;
  std::int64_t first_size_ = 0;
};

}  // namespace

void improve_cut(const CutGraph& graph, const CutBalance& balance, std::vector<bool>& second) {
  CutPass pass(graph, balance, second);
  for (int i = 0; i < kMostPasses && pass.run() > 0; ++i) {
  }
}

}  // namespace waferloom::placer
