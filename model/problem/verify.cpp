#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "model/placement.h"
#include "model/wafer.h"

// Problem: judge whether a solution of a contest case is legal, and say every rule it breaks.
// Idea: match statements to kernels by name. Then apply each rule one kernel at a time, against the
// problem's own formal parameters; those that the solution claims are only compared. Of a kernel
// given twice the first statement counts. A kernel whose parameters make no sense has no size, and
// takes no part in the rules about tiles. Every placement of the placer passes here too.
// Source: the rules of the ISPD 2020 contest (docs/contest_files.md).
// Cost: O(n log n + overlaps) for n kernels, dead rectangles and regions.
namespace waferloom {
namespace {

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

std::vector<NamedValue> formal_values(const SolutionKernel& said, const KernelFormal& expected) {
  const KernelFormal& given = said.formal;
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
  if (const auto* cblock = std::get_if<CblockFormal>(&expected)) {
    return block(std::get<CblockFormal>(given), *cblock);
  }
  return {};  // a list of shapes is not repeated in solutions
}

/// Execution parameters with the largest value that each may have.
std::vector<NamedValue> execution_values(const Kernel& kernel, const Execution& execution) {
  if (is_shape_list(kernel)) {
    return {{"option", execution.option, static_cast<std::int64_t>(shape_options(kernel).size())}};
  }
  std::vector<NamedValue> values{{"h", execution.h, kernel.height},
                                 {"w", execution.w, kernel.width}};
  const auto count = convolution_total(kernel);
  const auto numbered = [count](const char* letter, std::size_t i) {
    return count == 1 ? std::string(letter) : fmt::format("{}{}", letter, i + 1);
  };
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back({numbered("c", i), execution.c[i], kernel.convolutions[i].in4 / 4});
  }
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back({numbered("k", i), execution.k[i], kernel.convolutions[i].out4 / 4});
  }
  return values;
}

class Verifier {
 public:
  Verifier(const Problem& problem, const Solution& solution)
      : problem_(problem), solution_(solution), statements_(problem.kernel_count()) {}

  std::vector<Violation> run() {
    match();
    for (KernelIndex index = 0; index < statements_.size(); ++index) check_kernel(index);
    check_overlaps();
    check_dead_tiles();
    check_fixed();
    check_regions();
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
    if (said.place != nullptr) check_place(index, said);
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
    std::string wrong;
    for (const NamedValue& value : formal_values(said, truth)) {
      if (value.given == value.expected) continue;
      wrong += (wrong.empty() ? "" : ", ") + value.name + " = " + text(value.expected) +
               " given as " + text(value.given);
    }
    if (!wrong.empty()) {
      add(ViolationKind::wrong_formal, known.name, "kernel '" + known.name + "' has " + wrong,
          said.position);
    }
    return true;
  }

  /// False if a parameter is outside [1, what it splits], so that the kernel has no size.
  bool check_execution(const ProblemKernel& known, const SolutionKernel& said) {
    std::string low;
    std::string high;
    const auto append = [](std::string& list, const std::string& item) {
      list += (list.empty() ? "" : ", ") + item;
    };
    for (const NamedValue& value : execution_values(known.kernel, said.execution)) {
      const std::string given = value.name + " = " + text(value.given);
      if (value.given < 1) append(low, given);
      if (value.given > value.expected) append(high, given + " above " + text(value.expected));
    }
    const std::string who = "kernel '" + known.name + "' has ";
    if (!low.empty()) {
      add(ViolationKind::nonpositive_parameter, known.name, who + low + ", below 1", said.position);
    }
    if (!high.empty()) {
      add(ViolationKind::oversized_parameter, known.name, who + high, said.position);
    }
    return low.empty() && high.empty();
  }

  void check_memory(const ProblemKernel& known, const SolutionKernel& said) {
    const std::int64_t words = memory_words(known.kernel, said.execution);
    if (words <= problem_.memory_limit()) return;
    add(ViolationKind::memory, known.name,
        "kernel '" + known.name + "' needs " + text(words) +
            " words of memory a tile, the limit is " + text(problem_.memory_limit()),
        said.position);
  }

  void check_place(KernelIndex index, const Statement& said) {
    const ProblemKernel& known = problem_.kernels()[index];
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
    if (lost) return;
    tiles_.push_back(tiles);
    laid_.push_back(said.place);
    tiles_of_.emplace(index, tiles);
  }

  void check_overlaps() {
    for (const auto& [first, second] : overlapping_pairs(tiles_, kMaxListedOverlaps)) {
      const Rectangle shared = intersection(tiles_[first], tiles_[second]);
      const SolutionPlace& a = *laid_[first];
      const SolutionPlace& b = *laid_[second];
      violations_.push_back(Violation{ViolationKind::overlap,
                                      {a.name, b.name},
                                      "kernels '" + a.name + "' and '" + b.name + "' share " +
                                          size_text(shared) + " tiles at " + corner_text(shared),
                                      shared,
                                      b.position});
    }
  }

  void check_dead_tiles() {
    const std::vector<Rectangle>& dead = problem_.wafer().dead;
    for (const auto& [kernel, broken] :
         overlapping_pairs_between(tiles_, dead, kMaxListedOverlaps)) {
      const Rectangle shared = intersection(tiles_[kernel], dead[broken]);
      add(ViolationKind::dead_tiles, laid_[kernel]->name,
          "kernel '" + laid_[kernel]->name + "' covers " + size_text(shared) + " tiles at " +
              corner_text(shared) + " of the dead rectangle of " + size_text(dead[broken]) +
              " at " + corner_text(dead[broken]),
          laid_[kernel]->position, shared);
    }
  }

  void check_fixed() {
    for (const FixedKernel& fixed : problem_.constraints().fixed) {
      const Statement& said = statements_[fixed.kernel];
      const std::string& name = problem_.kernels()[fixed.kernel].name;
      if (said.place != nullptr) check_fixed_place(fixed, *said.place);
      const bool comparable =
          said.kernel != nullptr &&
          said.kernel->formal.index() == problem_.kernel(fixed.kernel).formal.index();
      if (fixed.execution && comparable && said.kernel->execution != *fixed.execution) {
        add(ViolationKind::fixed, name,
            "kernel '" + name + "' is fixed with other execution parameters",
            said.kernel->position);
      }
    }
  }

  void check_fixed_place(const FixedKernel& fixed, const SolutionPlace& place) {
    if (place.x == fixed.x && place.y == fixed.y && place.rotated == fixed.rotated) return;
    const auto where = [](std::int64_t x, std::int64_t y, bool rotated) {
      return corner_text(Rectangle{x, y, 0, 0}) + (rotated ? " R90" : " R0");
    };
    add(ViolationKind::fixed, place.name,
        "kernel '" + place.name + "' is fixed at " + where(fixed.x, fixed.y, fixed.rotated) +
            ", given at " + where(place.x, place.y, place.rotated),
        place.position);
  }

  void check_regions() {
    for (const Region& region : problem_.constraints().regions) {
      if (region.rule == RegionRule::prefer) continue;
      for (const KernelIndex kernel : region.kernels) check_region(region, kernel);
    }
  }

  void check_region(const Region& region, KernelIndex kernel) {
    const auto found = tiles_of_.find(kernel);
    if (found == tiles_of_.end()) return;
    const Rectangle& tiles = found->second;
    const SolutionPlace& place = *statements_[kernel].place;
    const std::string who =
        "kernel '" + place.name + "' of " + size_text(tiles) + " tiles at " + corner_text(tiles);
    const std::string where =
        " the region of " + size_text(region.area) + " at " + corner_text(region.area);
    if (region.rule == RegionRule::inside && !contains(region.area, tiles)) {
      add(ViolationKind::inside, place.name, who + " is not wholly inside" + where, place.position,
          tiles);
    }
    if (region.rule == RegionRule::outside && overlap(region.area, tiles)) {
      add(ViolationKind::outside, place.name, who + " is not outside" + where, place.position,
          intersection(region.area, tiles));
    }
  }

  const Problem& problem_;
  const Solution& solution_;
  std::vector<Statement> statements_;
  std::vector<Rectangle> tiles_;            ///< of the kernels that have any
  std::vector<const SolutionPlace*> laid_;  ///< whose tiles they are
  std::unordered_map<KernelIndex, Rectangle> tiles_of_;
  std::vector<Violation> violations_;
};

}  // namespace

std::string_view kind_name(ViolationKind kind) {
  return kViolationKindNames[static_cast<std::size_t>(kind)];
}

std::vector<Violation> verify(const Problem& problem, const Solution& solution) {
  return Verifier(problem, solution).run();
}

std::optional<Placement> whole_legal_placement(const Problem& problem,
                                               const PartialPlacement& partial) {
  Placement placement;
  for (const auto& kernel : partial.kernels) {
    if (!kernel) return std::nullopt;
    placement.kernels.push_back(*kernel);
  }
  if (!verify(problem, to_solution(problem, placement)).empty()) return std::nullopt;
  return placement;
}

}  // namespace waferloom
