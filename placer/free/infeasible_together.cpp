#include "placer/free/infeasible_together.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "model/text.h"
#include "model/wafer.h"
#include "placer/free/confined_kernels.h"
#include "placer/free/counted_out.h"
#include "placer/free/infeasible_kernel.h"
#include "placer/free/tiles_text.h"

// Problem: say before a search, with names and numbers, that no legal placement exists.
// Idea: four proofs, the plainest first. Pairs: two fixed kernels share tiles that their shapes
// always cover. Areas: the kernels that must lie in a room need more tiles than live there. Gaps:
// no shape fits what dead tiles, avoided regions and fixed kernels leave of a kernel's room; and
// two kernels of which none can lie left of, right of, below or above the other. Counts: of shapes
// wider or higher than 1/(k+1) of a room k lie side by side, which is the area proof after dual
// feasible functions (packing_count.cpp). All take of each kernel the least over its shapes, turned
// or not, so that what they refuse has no placement under any choice of shapes.
// Source: pairs and areas are plain; counts are Fekete and Schepers'.
// Cost: O(dead) a room for areas, the windows of clear_windows for gaps, O(classes²) for pairs,
// O(shapes) a room and a pair of functions for counts; what is beyond kMostPairs and kMostShapes is
// left out, the same on every run.
namespace waferloom::placer {
namespace {

constexpr std::uint64_t kMostPairs = 10'000'000;   // of classes
constexpr std::uint64_t kMostShapes = 20'000'000;  // looked at to count them
constexpr std::int64_t kMostSwept = 2'000'000;     // dead rectangles, to sum up what they cover

class TogetherCheck {
 public:
  TogetherCheck(const ShapeLibrary& library, const ClearSpace& space, const RunControl& stop)
      : problem_(library.problem()), stop_(stop), all_(library, space) {}

  std::optional<Infeasible> first() {
    if (auto found = fixed_collision()) return found;
    for (const Room& room : all_.rooms()) {
      if (stop_.is_cut()) return std::nullopt;
      if (auto found = short_of_tiles(room)) return found;
    }
    for (const KernelClass& kernels : all_.classes()) {
      if (!kernels.reach) return without_gap(kernels);
    }
    if (auto found = inseparable_pair()) return found;
    for (const Room& room : all_.rooms()) {
      if (stop_.is_cut() || work_ > kMostShapes) return std::nullopt;
      if (auto found = counted_out(all_, room, kMostShapes, work_)) return found;
    }
    return std::nullopt;
  }

 private:
  /// "is fixed on 6x2 tiles at (3, 4)", with "at least" where its shape is open.
  static std::string fixed_text(const KernelClass& kernels) {
    const bool is_open = kernels.core() != kernels.domain;
    return std::string("on ") + (is_open ? "at least " : "") + tiles_text(kernels.core());
  }

  std::optional<Infeasible> fixed_collision() const {
    std::vector<Rectangle> cores;
    std::vector<const KernelClass*> owners;
    for (const KernelClass& kernels : all_.classes()) {
      if (kernels.fixed == nullptr) continue;
      cores.push_back(kernels.core());
      owners.push_back(&kernels);
    }
    const auto pairs = overlapping_pairs(cores, 1);
    if (pairs.empty()) return std::nullopt;
    const KernelClass& a = *owners[pairs.front().first];
    const KernelClass& b = *owners[pairs.front().second];
    return Infeasible{all_.name(a), "kernel " + all_.name(a) + " is fixed " + fixed_text(a) +
                                        ", kernel " + all_.name(b) + " " + fixed_text(b) +
                                        ", and these overlap"};
  }

  /// Kernels that have to lie in the room against its tiles that are neither dead nor avoided nor
  /// under a fixed kernel from elsewhere.
  std::optional<Infeasible> short_of_tiles(const Room& room) {
    std::int64_t needed = 0;
    std::vector<SomeKernels> inside;
    std::int64_t kernels = 0;
    std::vector<Rectangle> taken = problem_.wafer().dead;
    taken.insert(taken.end(), room.avoided.begin(), room.avoided.end());
    for (const KernelClass& each : all_.classes()) {
      if (each.is_in(room)) {
        needed += each.least_area * each.count();
        kernels += each.count();
        inside.push_back({&each, each.count()});
      } else if (each.fixed != nullptr) {
        taken.push_back(each.core());
      }
    }
    std::erase_if(taken, [&](const Rectangle& tiles) { return !overlap(tiles, room.area); });
    std::int64_t left = room.area.width * room.area.height;
    std::int64_t most_taken = 0;  // parts that overlap counted for each
    for (const Rectangle& tiles : taken) {
      const Rectangle part = intersection(tiles, room.area);
      most_taken += part.width * part.height;
    }
    if (needed <= left - most_taken) return std::nullopt;
    swept_ += std::ssize(taken);
    if (swept_ > kMostSwept) return std::nullopt;
    left -= covered_tiles(taken, room.area);
    if (needed <= left) return std::nullopt;
    const std::string needs = fmt::format(" need {} tiles together, and ", needed);
    const std::string all_text = "the " + counted_text(kernels, "kernel");
    if (&room == &all_.rooms().front()) {
      const Decimal6 samples = problem_.buffers().samples;
      const std::string buffered =
          samples == Decimal6{0} ? "" : " with room for " + to_string(samples) + " samples an edge";
      return Infeasible{"", fmt::format("{} (stages of a network){}{}the wafer has {} that work",
                                        all_text, buffered, needs, left)};
    }
    const std::string outside =
        room.avoided.empty()
            ? ""
            : " and outside of " + counted_text(std::ssize(room.avoided), "region");
    return Infeasible{
        "", fmt::format("{} that have to lie inside {}{} ({}){}{} are free there", all_text,
                        tiles_text(room.area), outside, all_.names(inside), needs, left)};
  }

  Infeasible without_gap(const KernelClass& kernels) const {
    return Infeasible{all_.name(kernels),
                      "kernel " + all_.name(kernels) +
                          " has no shape that fits what dead tiles, fixed kernels "
                          "and the regions to avoid leave of " +
                          tiles_text(kernels.domain)};
  }

  std::optional<Infeasible> inseparable_pair() const {
    const std::vector<KernelClass>& classes = all_.classes();
    std::uint64_t pairs = 0;
    for (std::size_t a = 0; a < classes.size(); ++a) {
      pairs += a + 1;
      if (pairs > kMostPairs || stop_.is_cut()) return std::nullopt;
      for (std::size_t b = 0; b <= a; ++b) {
        if (a == b && classes[a].count() < 2) continue;
        if (!can_part(*classes[a].reach, *classes[b].reach)) return pair(classes[b], classes[a]);
      }
    }
    return std::nullopt;
  }

  Infeasible pair(const KernelClass& a, const KernelClass& b) const {
    const std::string& second = all_.name(b, &a == &b ? 1 : 0);
    const std::string both =
        "kernels " + all_.name(a) + " and " + second + " overlap wherever they lie";
    const Extent& first_least = a.reach->least;
    const Extent& second_least = b.reach->least;
    if (a.fixed == nullptr && b.fixed == nullptr && a.room == b.room) {
      const Room& room = all_.rooms()[a.room];
      const bool is_whole = room.windows == std::vector<Rectangle>{room.area};
      return Infeasible{
          all_.name(a),
          fmt::format(
              "{} in {}: side by side they need at least {} columns, one above the other {} rows{}",
              both, tiles_text(room.area), first_least.width + second_least.width,
              first_least.height + second_least.height,
              is_whole ? "" : ", and dead, avoided or fixed tiles leave no such place")};
    }
    return Infeasible{all_.name(a),
                      both + ": " + place_text(a, all_.name(a)) + ", " + place_text(b, second)};
  }

  /// "k1 is fixed on 6x2 tiles at (3, 4)".
  static std::string place_text(const KernelClass& kernels, const std::string& name) {
    if (kernels.fixed != nullptr) return name + " is fixed " + fixed_text(kernels);
    const Extent& least = kernels.reach->least;
    return fmt::format("{} has to lie inside {} and is at least {} wide and {} high", name,
                       tiles_text(kernels.domain), least.width, least.height);
  }

  const Problem& problem_;
  const RunControl& stop_;
  ConfinedKernels all_;
  std::uint64_t work_ = 0;
  std::int64_t swept_ = 0;
};

}  // namespace

std::optional<Infeasible> infeasible_together(const ShapeLibrary& library, const ClearSpace& space,
                                              const RunControl& stop) {
  return TogetherCheck(library, space, stop).first();
}

std::optional<Infeasible> proven_infeasible(const ShapeLibrary& library, const ClearSpace& space,
                                            const RunControl& stop) {
  if (auto alone = infeasible_kernel(library, space, stop)) return alone;
  return infeasible_together(library, space, stop);
}

}  // namespace waferloom::placer
