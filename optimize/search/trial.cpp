#include "optimize/trial.h"

#include <algorithm>
#include <sstream>

#include "model/text.h"

namespace waferloom::optimize {
namespace {

bool competes(const Trial& trial) {
  return trial.measured && (trial.verdict == Verdict::best || trial.verdict == Verdict::slower);
}

double rate(const Trial& trial) { return trial.measured->metrics.samples_per_s; }

}  // namespace

const char* verdict_name(Verdict verdict) {
  return kVerdictNames[static_cast<std::size_t>(verdict)].data();
}

std::optional<std::size_t> fastest(const std::vector<Trial>& trials) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (competes(trials[i]) && (!best || rate(trials[i]) > rate(trials[*best]))) best = i;
  }
  return best;
}

void explain(std::vector<Trial>& trials, std::size_t best) {
  const double most = rate(trials[best]);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Trial& trial = trials[i];
    if (!competes(trial)) continue;
    trial.verdict = i == best ? Verdict::best : Verdict::slower;
    std::string bound = "bound by " + trial.measured->bound;
    bound.append(": ").append(trial.measured->bound_by);
    if (i == best) {
      trial.reason = "the fastest in simulation, " + bound;
      continue;
    }
    const double less = most > 0 ? 100 * (1 - rate(trial) / most) : 0;
    const std::string slower =
        less > 0 ? significant_text(less, 3) + " % slower than " : "no faster than ";
    trial.reason = slower;
    trial.reason.append(trials[best].name).append(" in simulation, ").append(bound);
  }
}

std::vector<std::size_t> front_of(const std::vector<Trial>& trials) {
  std::vector<std::size_t> places;
  std::vector<Metrics> metrics;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!competes(trials[i])) continue;
    places.push_back(i);
    metrics.push_back(trials[i].measured->metrics);
  }
  std::vector<std::size_t> front;
  for (const std::size_t at : pareto_front(metrics)) front.push_back(places[at]);
  return front;
}

std::vector<std::size_t> cost_front_of(const std::vector<Trial>& trials) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (competes(trials[i]) && trials[i].contest_cost) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (*trials[a].contest_cost != *trials[b].contest_cost) {
      return *trials[a].contest_cost < *trials[b].contest_cost;
    }
    return rate(trials[a]) > rate(trials[b]);
  });
  std::vector<std::size_t> front;
  for (const std::size_t at : order) {
    if (front.empty() || rate(trials[at]) > rate(trials[front.back()])) front.push_back(at);
  }
  return front;
}

}  // namespace waferloom::optimize
