#include "model/verify.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

// Every solution, the placer's own included, passes here before it is believed. The rules are
// applied one kernel at a time against the problem's formal parameters (those that the solution
// claims are only compared); overlaps are found by a sweep over x with a tree over y. Of a kernel
// given twice the first statement counts; a kernel whose parameters cannot be interpreted has no
// size and takes no part in the rules about tiles.

namespace waferloom {
namespace {

constexpr std::array<std::string_view, 12> kKindNames{
    "missing_kernel",      "missing_place", "duplicate_kernel", "duplicate_place",
    "unknown_kernel",      "wrong_type",    "wrong_formal",     "nonpositive_parameter",
    "oversized_parameter", "memory",        "out_of_bounds",    "overlap"};

std::string text(std::int64_t value) { return std::to_string(value); }

std::string size_text(const Rectangle& r) { return text(r.width) + "x" + text(r.height); }

std::string corner_text(const Rectangle& r) { return "(" + text(r.x) + ", " + text(r.y) + ")"; }

/// What the solution says of one kernel of the problem; null where it says nothing.
struct Statement {
  const SolutionKernel* kernel = nullptr;
  const SolutionPlace* place = nullptr;
};

struct NamedValue {
  std::string name;
  std::int64_t given = 0;
  std::int64_t expected = 0;
};

std::vector<NamedValue> formal_values(const KernelFormal& given, const KernelFormal& expected) {
  if (const auto* conv = std::get_if<ConvFormal>(&expected)) {
    const auto& claim = std::get<ConvFormal>(given);
    return {{"H", claim.height, conv->height},
            {"W", claim.width, conv->width},
            {"C", claim.channels_in, conv->channels_in},
            {"K", claim.channels_out, conv->channels_out},
            {"R", claim.field_height, conv->field_height},
            {"S", claim.field_width, conv->field_width},
            {"T", claim.stride_y, conv->stride_y},
            {"U", claim.stride_x, conv->stride_x}};
  }
  const auto block = [](const auto& claim, const auto& truth) {
    return std::vector<NamedValue>{{"H", claim.height, truth.height},
                                   {"W", claim.width, truth.width},
                                   {"F", claim.features, truth.features}};
  };
  if (const auto* dblock = std::get_if<DblockFormal>(&expected)) {
    return block(std::get<DblockFormal>(given), *dblock);
  }
  return block(std::get<CblockFormal>(given), std::get<CblockFormal>(expected));
}

/// Execution parameters with the largest value that each may have.
std::vector<NamedValue> execution_values(const Kernel& kernel, const Execution& execution) {
  std::vector<NamedValue> values{{"h", execution.h, kernel.height},
                                 {"w", execution.w, kernel.width}};
  const auto count = static_cast<std::size_t>(kernel.convolution_count);
  const auto numbered = [count](const char* letter, std::size_t i) {
    return count == 1 ? std::string(letter) : letter + std::to_string(i + 1);
  };
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back({numbered("c", i), execution.c[i], kernel.convolutions[i].in4 / 4});
  }
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back({numbered("k", i), execution.k[i], kernel.convolutions[i].out4 / 4});
  }
  return values;
}

/// A kernel that has tiles.
struct Laid {
  const std::string* name = nullptr;
  Rectangle tiles;
  TextPosition position;
};

/// Rectangles sorted by y whose tops, while they cross the sweep line, stand in a tree of maxima,
/// so that those which reach into an interval of y are listed in O(log n) each.
class CrossingTops {
 public:
  explicit CrossingTops(std::size_t count) {
    while (leaves_ < count) leaves_ *= 2;
    highest_.assign(2 * leaves_, kNone);
  }

  void enter(std::size_t leaf, std::int64_t top) { set(leaf, top); }
  void leave(std::size_t leaf) { set(leaf, kNone); }

  /// Calls `visit` for every leaf below `end` whose top is above `bottom`, ascending, until it
  /// answers false.
  template <class Visit>
  bool each_above(std::int64_t bottom, std::size_t end, const Visit& visit) const {
    return descend(Node{1, 0, leaves_}, bottom, end, visit);
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  struct Node {
    std::size_t index;
    std::size_t first;
    std::size_t size;
  };

  void set(std::size_t leaf, std::int64_t top) {
    std::size_t node = leaves_ + leaf;
    highest_[node] = top;
    for (node /= 2; node >= 1; node /= 2) {
      highest_[node] = std::max(highest_[2 * node], highest_[2 * node + 1]);
    }
  }

  template <class Visit>
  bool descend(const Node& node, std::int64_t bottom, std::size_t end, const Visit& visit) const {
    if (node.first >= end || highest_[node.index] <= bottom) return true;
    if (node.size == 1) return visit(node.first);
    const std::size_t half = node.size / 2;
    return descend(Node{2 * node.index, node.first, half}, bottom, end, visit) &&
           descend(Node{2 * node.index + 1, node.first + half, half}, bottom, end, visit);
  }

  std::size_t leaves_ = 1;
  std::vector<std::int64_t> highest_;
};

using Pair = std::pair<std::size_t, std::size_t>;

/// Pairs of indices (lower first, ascending) of rectangles that share tiles; at most
/// kMaxListedOverlaps of them.
std::vector<Pair> overlapping_pairs(const std::vector<Laid>& laid) {
  std::vector<std::size_t> by_y(laid.size());
  for (std::size_t i = 0; i < by_y.size(); ++i) by_y[i] = i;
  std::sort(by_y.begin(), by_y.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(laid[a].tiles.y, a) < std::pair(laid[b].tiles.y, b);
  });
  struct Event {
    std::int64_t x;
    bool enters;  // leaving comes first at equal x
    std::size_t leaf;
    auto operator<=>(const Event&) const = default;
  };
  std::vector<Event> events;
  for (std::size_t leaf = 0; leaf < by_y.size(); ++leaf) {
    const Rectangle& tiles = laid[by_y[leaf]].tiles;
    events.push_back(Event{tiles.x, true, leaf});
    events.push_back(Event{tiles.x + tiles.width, false, leaf});
  }
  std::sort(events.begin(), events.end());
  CrossingTops crossing(laid.size());
  std::vector<Pair> pairs;
  for (const Event& event : events) {
    if (!event.enters) {
      crossing.leave(event.leaf);
      continue;
    }
    const std::size_t own = by_y[event.leaf];
    const Rectangle& tiles = laid[own].tiles;
    const std::int64_t top = tiles.y + tiles.height;
    const auto end = static_cast<std::size_t>(
        std::partition_point(by_y.begin(), by_y.end(),
                             [&](std::size_t i) { return laid[i].tiles.y < top; }) -
        by_y.begin());
    const bool all = crossing.each_above(tiles.y, end, [&](std::size_t leaf) {
      pairs.push_back(std::minmax(own, by_y[leaf]));
      return pairs.size() < kMaxListedOverlaps;
    });
    if (!all) break;
    crossing.enter(event.leaf, top);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

class Verifier {
 public:
  Verifier(const Problem& problem, const Solution& solution)
      : problem_(problem), solution_(solution), statements_(problem.kernel_count()) {}

  std::vector<Violation> run() {
    match();
    for (KernelIndex index = 0; index < statements_.size(); ++index) check_kernel(index);
    check_overlaps();
    std::stable_sort(violations_.begin(), violations_.end(),
                     [](const Violation& a, const Violation& b) { return a.kind < b.kind; });
    return std::move(violations_);
  }

 private:
  void add(ViolationKind kind, const std::string& kernel, std::string message,
           TextPosition position, const Rectangle& tiles = {}) {
    violations_.push_back(Violation{kind, {kernel}, std::move(message), tiles, position});
  }

  /// Finds what is said of each kernel, what is said twice, and of whom nobody knows.
  void match() {
    std::unordered_map<std::string_view, KernelIndex> index_of;
    for (KernelIndex index = 0; index < statements_.size(); ++index) {
      index_of.emplace(problem_.kernels()[index].name, index);
    }
    const auto find = [&](const std::string& name, TextPosition position) -> Statement* {
      const auto found = index_of.find(name);
      if (found != index_of.end()) return &statements_[found->second];
      add(ViolationKind::unknown_kernel, name, "the problem has no kernel named '" + name + "'",
          position);
      return nullptr;
    };
    for (const SolutionKernel& kernel : solution_.kernels) {
      Statement* statement = find(kernel.name, kernel.position);
      if (statement == nullptr) continue;
      if (statement->kernel == nullptr) {
        statement->kernel = &kernel;
      } else {
        twice(ViolationKind::duplicate_kernel, kernel.name, "parameters", kernel.position);
      }
    }
    for (const SolutionPlace& place : solution_.places) {
      Statement* statement = find(place.name, place.position);
      if (statement == nullptr) continue;
      if (statement->place == nullptr) {
        statement->place = &place;
      } else {
        twice(ViolationKind::duplicate_place, place.name, "its place", place.position);
      }
    }
  }

  void twice(ViolationKind kind, const std::string& name, const char* what, TextPosition position) {
    add(kind, name, "kernel '" + name + "' is given " + what + " more than once", position);
  }

  void check_kernel(KernelIndex index) {
    const ProblemKernel& known = problem_.kernels()[index];
    const Statement& said = statements_[index];
    if (said.kernel == nullptr) {
      add(ViolationKind::missing_kernel, known.name,
          "kernel '" + known.name + "' has no parameters", {});
    }
    if (said.place == nullptr) {
      add(ViolationKind::missing_place, known.name, "kernel '" + known.name + "' has no place", {});
    }
    if (said.kernel == nullptr || !check_formal(known, *said.kernel)) return;
    if (!check_execution(known, *said.kernel)) return;
    check_memory(known, *said.kernel);
    if (said.place != nullptr) check_place(known, said);
  }

  /// False if the type is wrong, so that the execution parameters have no meaning.
  bool check_formal(const ProblemKernel& known, const SolutionKernel& said) {
    const KernelFormal& truth = known.kernel.formal;
    if (said.formal.index() != truth.index()) {
      add(ViolationKind::wrong_type, known.name,
          "kernel '" + known.name + "' is a " + std::string(type_name(truth)) + ", given as " +
              std::string(type_name(said.formal)),
          said.position);
      return false;
    }
    for (const NamedValue& value : formal_values(said.formal, truth)) {
      if (value.given == value.expected) continue;
      add(ViolationKind::wrong_formal, known.name,
          "kernel '" + known.name + "' has " + value.name + " = " + text(value.expected) +
              ", given as " + text(value.given),
          said.position);
    }
    return true;
  }

  /// False if a parameter is outside [1, what it splits], so that the kernel has no size.
  bool check_execution(const ProblemKernel& known, const SolutionKernel& said) {
    bool good = true;
    for (const NamedValue& value : execution_values(known.kernel, said.execution)) {
      const std::string given =
          "kernel '" + known.name + "' has " + value.name + " = " + text(value.given);
      if (value.given < 1) {
        add(ViolationKind::nonpositive_parameter, known.name, given + ", below 1", said.position);
      } else if (value.given > value.expected) {
        add(ViolationKind::oversized_parameter, known.name,
            given + ", above " + text(value.expected), said.position);
      } else {
        continue;
      }
      good = false;
    }
    return good;
  }

  void check_memory(const ProblemKernel& known, const SolutionKernel& said) {
    const std::int64_t words = memory_words(known.kernel, said.execution);
    if (words <= problem_.memory_limit()) return;
    add(ViolationKind::memory, known.name,
        "kernel '" + known.name + "' needs " + text(words) +
            " words of memory a tile, the limit is " + text(problem_.memory_limit()),
        said.position);
  }

  void check_place(const ProblemKernel& known, const Statement& said) {
    Extent size = extent(known.kernel, said.kernel->execution);
    if (said.place->rotated) std::swap(size.width, size.height);
    const Rectangle tiles{said.place->x, said.place->y, size.width, size.height};
    const Wafer& wafer = problem_.wafer();
    const auto far = [](std::int64_t at) { return at < -kMaxCoordinate || at > kMaxCoordinate; };
    const bool lost = far(tiles.x) || far(tiles.y);  // too far for sums
    if (lost || tiles.x < 0 || tiles.y < 0 || tiles.x + tiles.width > wafer.width ||
        tiles.y + tiles.height > wafer.height) {
      add(ViolationKind::out_of_bounds, known.name,
          "kernel '" + known.name + "' of " + size_text(tiles) + " tiles at " + corner_text(tiles) +
              " is not wholly on the wafer of " + text(wafer.width) + "x" + text(wafer.height),
          said.place->position, tiles);
    }
    if (!lost) laid_.push_back(Laid{&known.name, tiles, said.place->position});
  }

  void check_overlaps() {
    for (const auto& [first, second] : overlapping_pairs(laid_)) {
      const Laid& a = laid_[first];
      const Laid& b = laid_[second];
      const std::int64_t x = std::max(a.tiles.x, b.tiles.x);
      const std::int64_t y = std::max(a.tiles.y, b.tiles.y);
      const Rectangle shared{x, y,
                             std::min(a.tiles.x + a.tiles.width, b.tiles.x + b.tiles.width) - x,
                             std::min(a.tiles.y + a.tiles.height, b.tiles.y + b.tiles.height) - y};
      violations_.push_back(Violation{ViolationKind::overlap,
                                      {*a.name, *b.name},
                                      "kernels '" + *a.name + "' and '" + *b.name + "' share " +
                                          size_text(shared) + " tiles at " + corner_text(shared),
                                      shared,
                                      b.position});
    }
  }

  const Problem& problem_;
  const Solution& solution_;
  std::vector<Statement> statements_;
  std::vector<Laid> laid_;
  std::vector<Violation> violations_;
};

}  // namespace

std::string_view kind_name(ViolationKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::vector<Violation> verify(const Problem& problem, const Solution& solution) {
  return Verifier(problem, solution).run();
}

}  // namespace waferloom
