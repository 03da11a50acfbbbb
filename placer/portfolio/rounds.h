#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "placer/annealing/annealing.h"
#include "placer/portfolio/incumbent.h"
#include "placer/starts/starts.h"

namespace waferloom::placer {

/// One round of the schedule, a step of successive halving: few survive, and get more work each.
struct Round {
  double share;           ///< of the whole work
  Cooling cooling;        ///< of up to 50 kernels; more begin cooler
  std::size_t survivors;  ///< candidates that are worked on
  bool polishes;          ///< the last rounds: all annealers, at several caps
};
inline constexpr Round kRounds[] = {
    {0.40, {0.10, 0.003}, 4, false},
    {0.25, {0.06, 0.003}, 4, false},
    {0.20, {0.03, 0.002}, 2, true},
    {0.15, {0.015, 0.001}, 2, true},
};

enum class Annealer {
  curves_at_cap,  ///< on curves at one cap
  curves,         ///< on curves at caps around the candidate's own
  rectangles,
  free,    ///< rectangles that lie anywhere
  squeeze  ///< the same, to lower caps
};

/// As reports name it.
const char* name_of(Annealer annealer);

/// One annealing run of a round.
struct Task {
  Annealer annealer;
  std::size_t candidate;
  std::int64_t time = 0;  ///< of curves_at_cap
  double heat = 1;        ///< on the round's first temperature; of squeeze the weight of wire
};

/// One pass through the rounds.
struct Cycle {
  double share = 1;      ///< of the whole work
  bool reheats = false;  ///< begins with the best of all before, without the hottest round
};

/// The cycles of a run that has room for `room` times the first one. A long run is worth more as
/// several annealings than as a slow one. Up to half of it begins with the starts, every time twice
/// as long as the time before: early ones are soon over, late ones reach what takes long. The rest
/// reheats the best of all.
std::vector<Cycle> plan_cycles(double room);

/// Time caps worth working at around a candidate's own, ascending, its own among them.
std::vector<std::int64_t> caps_around(const SearchContext& context, std::int64_t time);

/// What round `index` of kRounds does with its candidates, cheapest first: where constraints bind,
/// rectangles that lie anywhere. Where adapters cost something: rigid rectangles, which see them,
/// as hot as the round says and hotter. Elsewhere curves, each candidate at its own cap at first;
/// in the last rounds also at other caps, and rectangles.
std::vector<Task> tasks_of(const SearchContext& context, std::size_t index,
                           const std::vector<Candidate>& candidates);

}  // namespace waferloom::placer
