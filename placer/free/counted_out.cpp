#include "placer/free/counted_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "model/text.h"
#include "model/wafer.h"
#include "placer/free/packing_count.h"
#include "placer/free/tiles_text.h"

// Problem: prove that the kernels of a room do not fit it together although their areas do.
// Idea: the room's clear windows, joined where they overlap, are parts that share no tiles; every
// kernel lies in one. By tiles along one axis and k-ths along the other, or k-ths along both, each
// kernel counts at least what the best of its shapes does, the parts what they hold. The kernels
// that count most are named, as many as are too many.
// Source: packing_count.cpp.
// Cost: O(parts · shapes) for each of about 80 pairs of functions.
namespace waferloom::placer {
namespace {

constexpr std::size_t kMostMerged = 500;  // windows, to find the parts of a room

/// Areas that share no tiles, each of which holds all windows of a room that touch it: whatever
/// lies in the room lies in one of them.
std::vector<Rectangle> parts_of(const Room& room) {
  std::vector<Rectangle> parts = room.windows;
  if (parts.size() > kMostMerged) return {room.area};
  for (;;) {
    const auto pairs = overlapping_pairs(parts, 1);
    if (pairs.empty()) return parts;
    const auto [first, second] = pairs.front();
    const Rectangle& a = parts[first];
    const Rectangle& b = parts[second];
    const std::int64_t left = std::min(a.x, b.x);
    const std::int64_t bottom = std::min(a.y, b.y);
    parts[first] = Rectangle{left, bottom, std::max(a.x + a.width, b.x + b.width) - left,
                             std::max(a.y + a.height, b.y + b.height) - bottom};
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(second));
  }
}

/// What each kernel of a class counts at least.
struct Counted {
  const KernelClass* kernels;
  std::int64_t count;
};

/// "no two shapes wider than 1/2 of it lie side by side, ".
std::string rule_text(const SideCount& sides, const char* larger, const char* beside) {
  if (sides.parts == 0) return "";
  const std::string most = sides.parts == 1 ? "no two" : fmt::format("at most {}", sides.parts);
  return fmt::format("{} shapes {} than 1/{} of it lie {}, ", most, larger, sides.parts + 1,
                     beside);
}

class CountCheck {
 public:
  CountCheck(const ConfinedKernels& all, std::uint64_t most_work, std::uint64_t& work)
      : all_(all), most_work_(most_work), work_(work) {}

  std::optional<Infeasible> first(const Room& room) {
    const std::vector<const KernelClass*> inside = members(room);
    if (inside.empty() || room.windows.empty()) return std::nullopt;
    const std::vector<Rectangle> parts = parts_of(room);
    const std::int64_t first = parts.size() > 1 ? 1 : 0;  // tiles of unlike parts do not compare
    for (std::int64_t most = 1; most <= kMostParts; ++most) {
      for (std::int64_t other = first; other <= most; ++other) {
        for (const auto& [columns, rows] : {std::pair{most, other}, std::pair{other, most}}) {
          if (work_ > most_work_) return std::nullopt;
          auto found = after(room, parts, inside, {columns}, {rows});
          if (found) return found;
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<const KernelClass*> members(const Room& room) const {
    std::vector<const KernelClass*> inside;
    for (const KernelClass& kernels : all_.classes()) {
      if (kernels.is_in(room)) inside.push_back(&kernels);
    }
    return inside;
  }

  std::optional<Infeasible> after(const Room& room, const std::vector<Rectangle>& parts,
                                  const std::vector<const KernelClass*>& inside,
                                  const SideCount& columns, const SideCount& rows) {
    const std::int64_t capacity = std::ssize(parts) * columns.room_count(parts.front().width) *
                                  rows.room_count(parts.front().height);
    std::vector<Counted> counted;
    std::int64_t sum = 0;
    for (const KernelClass* kernels : inside) {
      const std::int64_t count = least_in(parts, *kernels, columns, rows);
      sum += count * kernels->count();
      if (count > 0) counted.push_back({kernels, count});
    }
    if (sum <= capacity) return std::nullopt;
    std::stable_sort(counted.begin(), counted.end(),
                     [](const Counted& a, const Counted& b) { return a.count > b.count; });
    std::vector<SomeKernels> enough;  // the largest that are
    sum = 0;
    for (const Counted& each : counted) {
      const std::int64_t taken = std::min(each.kernels->count(), (capacity - sum) / each.count + 1);
      enough.push_back({each.kernels, taken});
      sum += taken * each.count;
      if (sum > capacity) break;
    }
    const std::string where = parts.size() == 1 ? tiles_text(parts.front())
                                                : fmt::format("the {} parts that are free of {}",
                                                              parts.size(), tiles_text(room.area));
    return Infeasible{"", "kernels " + all_.names(enough) + " do not fit together into " + where +
                              ": " + rule_text(columns, "wider", "side by side") +
                              rule_text(rows, "higher", "one above the other") +
                              count_text(parts, columns, rows, sum)};
  }

  /// What any kernel of a class counts at least, in the part that holds it.
  std::int64_t least_in(const std::vector<Rectangle>& parts, const KernelClass& kernels,
                        const SideCount& columns, const SideCount& rows) {
    std::int64_t least = -1;
    for (const Rectangle& part : parts) {
      const Extent size{part.width, part.height};
      std::int64_t count = -1;
      if (kernels.fixed != nullptr) {
        if (!contains(part, kernels.domain)) continue;
        count = least_count({kernels.reach->least}, size, size, columns, rows, work_);
      } else if (overlap(part, kernels.domain)) {
        const Rectangle own = intersection(part, kernels.domain);
        count = least_count(all_.shapes(kernels.type), Extent{own.width, own.height}, size, columns,
                            rows, work_);
      }
      if (count >= 0 && (least < 0 || count < least)) least = count;
      if (least == 0) break;
    }
    return std::max<std::int64_t>(least, 0);
  }

  /// "so there are 4 places, and they need 5".
  static std::string count_text(const std::vector<Rectangle>& parts, const SideCount& columns,
                                const SideCount& rows, std::int64_t sum) {
    const Rectangle& part = parts.front();
    const std::int64_t across = columns.parts == 0 ? part.width : columns.parts;
    const std::int64_t up = rows.parts == 0 ? part.height : rows.parts;
    const std::int64_t unit =
        (columns.parts == 0 ? 1 : columns.parts + 1) * (rows.parts == 0 ? 1 : rows.parts + 1);
    const char* thing = columns.parts == 0 ? " columns" : rows.parts == 0 ? " rows" : " places";
    const std::int64_t times = columns.parts == 0 ? up : rows.parts == 0 ? across : 1;
    const std::int64_t each = std::ssize(parts) * across * up / times;
    const std::string needed =
        sum % unit == 0
            ? std::to_string(sum / unit)
            : waferloom::fixed_text(static_cast<double>(sum) / static_cast<double>(unit), 2);
    return fmt::format("so there are {}{}{}, and they need {}",
                       times > 1 ? fmt::format("{} times ", times) : std::string(), each, thing,
                       needed);
  }

  const ConfinedKernels& all_;
  std::uint64_t most_work_;
  std::uint64_t& work_;
};

}  // namespace

std::optional<Infeasible> counted_out(const ConfinedKernels& all, const Room& room,
                                      std::uint64_t most_work, std::uint64_t& work) {
  return CountCheck(all, most_work, work).first(room);
}

}  // namespace waferloom::placer
