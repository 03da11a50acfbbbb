#include "optimize/search/improvement_listener.h"

namespace waferloom::optimize {
namespace {

constexpr std::chrono::seconds kWriteInterval{1};

}  // namespace

void ImprovementListener::hear(const placer::PlaceImprovement& better) noexcept {
  if (error_) return;
  try {
    take(better);
  } catch (...) {
    error_ = std::current_exception();
    stop_ = true;
  }
}

void ImprovementListener::take(const placer::PlaceImprovement& better) {
  const ImprovementNote note{std::chrono::duration<double>(Clock::now() - control_.start).count(),
                             total_text(costs_, costs_.total(better.score)), better.strategy};
  notes_.push_back(note);
  if (run_.on_each) run_.on_each(better, note.wall_s);
  control_.tell({"total " + note.total + " (" + note.strategy + ")", run_.label});
  if (!run_.on_better) return;
  const auto now = Clock::now();
  if (last_given_ && now < *last_given_ + kWriteInterval) return;
  last_given_ = now;
  run_.on_better(verified(run_.problem, better.placement, better.score));
}

}  // namespace waferloom::optimize
