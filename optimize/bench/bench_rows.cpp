#include <cstdlib>

#include "optimize/bench.h"

namespace waferloom::optimize {

std::optional<double> BenchRow::ratio() const {
  if (!failure.empty() || !published) return std::nullopt;
  return 2 * total / static_cast<double>(published->half_best);
}

BenchRow bench_row(const BenchCase& bench, std::uint64_t seed, const PlacerOutcome& outcome,
                   const std::string& strategy) {
  const placer::PlaceResult& result = outcome.result;
  BenchRow row;
  row.name = bench.name;
  row.kernels = bench.problem->kernel_count();
  row.seed = seed;
  row.published = bench.published;
  row.stopped_by = placer::stop_reason_name(result.stopped_by);
  if (!outcome.best) {
    row.failure = no_placement(*bench.problem, result, strategy).what();
    return row;
  }
  row.score = score_texts(*bench.problem, outcome.best->score);
  row.total = std::strtod(row.score.total.c_str(), nullptr);
  row.bound_time = time_text(*bench.problem, result.bounds.time);
  row.bound_total = total_text(CostModel(*bench.problem), result.bounds.total);
  row.gap = gap(*bench.problem, result);
  row.optimal = result.optimal;
  row.strategy = result.strategy;
  return row;
}

BenchRow fault_row(const BenchCase& bench, std::uint64_t seed) {
  BenchRow row;
  row.name = bench.name;
  row.seed = seed;
  row.failure = bench.fault;
  return row;
}

}  // namespace waferloom::optimize
