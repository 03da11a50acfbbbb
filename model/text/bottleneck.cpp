#include <cmath>
#include <nlohmann/json.hpp>

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

Json exact_bottleneck_json(const std::optional<Bottleneck>& bottleneck) {
  if (!bottleneck) return nullptr;
  const auto bound_json = [](const NamedBound& bound) {
    return Json{{"kind", bound.kind}, {"name", bound.name}, {"seconds", bound.seconds}};
  };
  Json bounds = Json::array({bound_json(bottleneck->binds)});
  if (bottleneck->next) bounds.push_back(bound_json(*bottleneck->next));
  return {{"of", bottleneck->of}, {"bounds", bounds}};
}

std::optional<Bottleneck> read_bottleneck(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const auto bound_of = [](const Json& bound) {
    return NamedBound{bound.at("kind").get<std::string>(), bound.at("name").get<std::string>(),
                      bound.at("seconds").get<double>()};
  };
  const Json& bounds = json.at("bounds");
  Bottleneck found{json.at("of").get<std::string>(), bound_of(bounds.at(0)), {}};
  if (bounds.size() > 1) found.next = bound_of(bounds.at(1));
  return found;
}

}  // namespace waferloom
