#include "model/describe.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom {
namespace {

/// The bound behind the one that binds.
struct NextBound {
  NamedBound bound;
  double percent_less = 0;
};

std::optional<NextBound> next_of(const Bottleneck& bottleneck) {
  if (!bottleneck.next) return std::nullopt;
  return NextBound{*bottleneck.next, bottleneck.next_percent()};
}

std::optional<double> rate_of(const Bottleneck& bottleneck) {
  if (bottleneck.one_by_one) return std::nullopt;
  return rounded(1 / bottleneck.binds.seconds);
}

}  // namespace

template <>
const TypeRows& rows_of<NextBound>() {
  const auto bound = [](const NextBound& next) -> const NamedBound& { return next.bound; };
  static const TypeRows rows = report_rows(
      joined({through<NextBound>(
                  bound, {row("kind", &NamedBound::kind, {"kind of the next bound"}),
                          row("name", &NamedBound::name, {"name of the stage, port or link"}),
                          computed<NamedBound>(
                              "seconds", [](const NamedBound& at) { return rounded(at.seconds); },
                              {"seconds that it takes of the same", kAmount})}),
              {computed<NextBound>("percent_less",
                                   [](const NextBound& next) { return rounded(next.percent_less); },
                                   {"percent less time than what binds takes"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<Bottleneck>() {
  const auto binds = [](const Bottleneck& bottleneck) -> const NamedBound& {
    return bottleneck.binds;
  };
  static const TypeRows rows = report_rows(joined(
      {through<Bottleneck>(
           binds, {row("kind", &NamedBound::kind,
                       {"compute, link, dram, io, adapter, program, latency or schedule"}),
                   row("name", &NamedBound::name, {"name of the stage, port or link that binds"})}),
       {row("of", &Bottleneck::of,
            {"what takes the time: \"a sample\"; of messages \"a run at 1 GHz\""}),
        computed<Bottleneck>("seconds",
                             [](const Bottleneck& at) { return rounded(at.binds.seconds); },
                             {"seconds of it", kAmount}),
        computed<Bottleneck>(
            "per_s", rate_of,
            {"1 / seconds; null where parts follow one another, and their times add up", kAmount}),
        computed<Bottleneck>("next", next_of,
                             {"what binds next; null: nothing else takes time"})}}));
  return rows;
}

}  // namespace waferloom
