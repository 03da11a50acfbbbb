#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "model/network/operator_fit.h"
#include "model/workload.h"

// Problem: planners take operators one by one, and a network says that a layer repeats.
// Idea: lists are written out from the front, each knowing the ends of its entries by name; inside
// a group `input` is what the group comes after. What does not fit is told where its entry stands.
// Cost: O(operators + edges).
namespace waferloom {
namespace {

constexpr std::size_t kMaxEdges = 10 * kMaxOperators;

class Expansion {
 public:
  explicit Expansion(const Network& network) : network_(network) {}

  Workload run() {
    workload_.name = network_.name;
    workload_.tokens = network_.tokens;
    workload_.kept = network_.kept;
    if (network_.graph) {
      fail({},
           "is a graph of kernels with figures of their own, which `model dfmodel` maps; expected "
           "a workload, an object with operators (docs/workloads.md)");
    }
    write_out(network_.entries, "", {});
    if (workload_.operators.empty()) fail(network_.operators_at, "expected operators, found none");
    check_counts();
    check_tokens();
    return std::move(workload_);
  }

 private:
  using Ends = std::vector<std::size_t>;  // operators whose output is taken

  [[noreturn]] void fail(TextPosition position, const std::string& message) const {
    throw InputError(network_.source, position, message);
  }

  /// Writes out a list of entries that follows `input`; answers its last one's ends.
  Ends write_out(const std::vector<NetworkEntry>& entries, const std::string& prefix,
                 const Ends& input) {
    std::unordered_map<std::string, Ends> known{{"input", input}};
    Ends last = input;
    for (const NetworkEntry& entry : entries) {
      Ends before = last;
      if (entry.after) {
        before.clear();
        for (const NetworkEdge& edge : *entry.after) {
          for (const std::size_t end : known.at(edge.from)) {
            if (std::find(before.begin(), before.end(), end) == before.end()) before.push_back(end);
          }
        }
      }
      for (std::int64_t i = 1; i <= entry.repeat; ++i) {
        const std::string name =
            prefix + entry.name + (entry.repeat > 1 ? fmt::format(".{}", i) : "");
        before = write_one(entry, name, before);
      }
      last = before;
      known.emplace(entry.name, std::move(before));
    }
    return last;
  }

  Ends write_one(const NetworkEntry& entry, const std::string& name, const Ends& before) {
    if (!entry.kind) {
      if (++groups_ > kMaxOperators) fail_for_many(entry, kMaxOperators, "groups in all");
      return write_out(entry.group, name + ".", before);
    }
    if (workload_.operators.size() == kMaxOperators)
      fail_for_many(entry, kMaxOperators, "operators in all");
    edges_ += before.size();
    if (edges_ > kMaxEdges) fail_for_many(entry, kMaxEdges, "names in after in all");
    workload_.operators.push_back({name, *entry.kind, before});
    const std::string why = unfitting_reason(workload_, workload_.operators.size() - 1);
    if (!why.empty()) fail(entry.position, why);
    return {workload_.operators.size() - 1};
  }

  [[noreturn]] void fail_for_many(const NetworkEntry& entry, std::size_t most,
                                  const char* what) const {
    fail(entry.position, fmt::format("expected at most {} {}, found more", most, what));
  }

  /// Counts fit into 64 bits, so that nobody has to ask again.
  void check_counts() const {
    try {
      count(workload_);
    } catch (const std::overflow_error&) {
      fail(network_.operators_at,
           "expected operators of together at most 2^60 operations, found more");
    }
  }

  /// A sample's tokens are those of its embedding.
  void check_tokens() const {
    const Operator& first = workload_.operators.front();
    const auto* embedding = std::get_if<EmbeddingOperator>(&first.kind);
    if (!network_.tokens_at || embedding == nullptr || embedding->sequence == workload_.tokens) {
      return;
    }
    fail(*network_.tokens_at,
         fmt::format("expected as many tokens as {} has in its sequence, {}, found {}", first.name,
                     embedding->sequence, workload_.tokens));
  }

  const Network& network_;
  Workload workload_;
  std::size_t groups_ = 0;  // repeats written out
  std::size_t edges_ = 0;
};

}  // namespace

Workload expand(const Network& network) { return Expansion(network).run(); }

Workload read_workload(std::string_view text, const std::string& source) {
  return expand(read_network(text, source));
}

}  // namespace waferloom
