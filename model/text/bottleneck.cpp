#include <cmath>

#include "model/report.h"
#include "model/text.h"

namespace waferloom {
namespace {

constexpr double kPercent = 100;
/// From here on a bound is said to be as near as what binds.
constexpr double kAlike = 0.05;

std::string named_text(const NamedBound& bound, const std::string& of) {
  return bound.kind + ": " + bound.name + ", " + seconds_text(bound.seconds) + of;
}

}  // namespace

double Bottleneck::next_percent() const {
  return next ? kPercent * (1 - next->seconds / binds.seconds) : kPercent;
}

void Bottleneck::divide(double parts) {
  binds.seconds /= parts;
  if (next) next->seconds /= parts;
}

std::optional<Bottleneck> bottleneck_of(const std::vector<NamedBound>& all, const std::string& of) {
  const auto slowest = [&](const auto& is_asked) {
    const NamedBound* most = nullptr;
    for (const NamedBound& bound : all) {
      if (!(bound.seconds > 0) || !std::isfinite(bound.seconds) || !is_asked(bound)) continue;
      if (most == nullptr || bound.seconds > most->seconds) most = &bound;
    }
    return most;
  };
  const NamedBound* binds = slowest([](const NamedBound&) { return true; });
  if (binds == nullptr) return std::nullopt;
  const auto moves = [](const NamedBound& bound) {
    return bound.kind == "link" || bound.kind == "io" || bound.kind == "dram";
  };
  const auto is_same = [&](const NamedBound& bound) {
    constexpr double kSame = 1e-9;
    return moves(bound) && moves(*binds) && bound.seconds >= binds->seconds * (1 - kSame);
  };
  const NamedBound* next = slowest(
      [&](const NamedBound& bound) { return bound.kind != binds->kind && !is_same(bound); });
  if (next == nullptr) next = slowest([&](const NamedBound& bound) { return &bound != binds; });
  return Bottleneck{of, *binds, next == nullptr ? std::nullopt : std::optional(*next)};
}

std::optional<Bottleneck> longest_part_of(const std::vector<NamedBound>& all,
                                          const std::string& of) {
  std::optional<Bottleneck> found = bottleneck_of(all, of);
  if (found) found->one_by_one = true;
  return found;
}

std::string bottleneck_text(const Bottleneck& bottleneck) {
  std::string text = named_text(bottleneck.binds, " " + bottleneck.of);
  if (!bottleneck.next) return text;
  const double less = bottleneck.next_percent();
  return text + "; next " + named_text(*bottleneck.next, "") + ", " +
         (less < kAlike ? "as near" : significant_text(less, 3) + " % less");
}

}  // namespace waferloom
