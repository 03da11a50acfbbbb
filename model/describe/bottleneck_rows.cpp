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
                  bound, {row("kind", &NamedBound::kind), row("name", &NamedBound::name),
                          computed<NamedBound>(
                              "seconds", [](const NamedBound& at) { return rounded(at.seconds); },
                              {.range = kAmount})}),
              {computed<NextBound>("percent_less",
                                   [](const NextBound& next) { return rounded(next.percent_less); },
                                   {"how much less time it takes, of what binds"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<Bottleneck>() {
  const auto binds = [](const Bottleneck& bottleneck) -> const NamedBound& {
    return bottleneck.binds;
  };
  static const TypeRows rows = report_rows(joined(
      {through<Bottleneck>(binds,
                           {row("kind", &NamedBound::kind,
                                {"compute, link, dram, io, adapter, program, latency or schedule"}),
                            row("name", &NamedBound::name, {"the stage, port or link"})}),
       {row("of", &Bottleneck::of, {"what takes the time: \"a sample\""}),
        computed<Bottleneck>("seconds",
                             [](const Bottleneck& at) { return rounded(at.binds.seconds); },
                             {.range = kAmount}),
        computed<Bottleneck>(
            "per_s", rate_of,
            {"1 / seconds; null where parts follow one another, and their times add up", kAmount}),
        computed<Bottleneck>("next", next_of, {"null: nothing else takes time"})}}));
  return rows;
}

}  // namespace waferloom
