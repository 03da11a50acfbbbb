#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "model/errors.h"
#include "planner/serving.h"

namespace waferloom::planner {
namespace {

void check(const Speculation& speculation) {
  if (speculation.window < 0 || speculation.window > kMostWindow) {
    throw RequestError(fmt::format("expected a window of 0 to {} tokens, found {}", kMostWindow,
                                   speculation.window));
  }
  // Not a number fails too.
  if (!(speculation.acceptance >= 0 && speculation.acceptance <= 1)) {
    std::ostringstream text;
    text << "expected an acceptance of 0 to 1, found " << speculation.acceptance;
    throw RequestError(text.str());
  }
}

}  // namespace

double expected_tokens(double acceptance, std::int64_t window) {
  // The sum itself: no quotient of small differences where the acceptance is close to 1.
  double sum = 1;
  double power = 1;
  for (std::int64_t i = 0; i < window; ++i) {
    power *= acceptance;
    sum += power;
  }
  return sum;
}

double depth_acceptance(const Speculation& speculation) {
  const double missed = 1 - speculation.acceptance;
  return speculation.scheme == SpeculationScheme::tree ? 1 - missed * missed
                                                       : speculation.acceptance;
}

std::int64_t drafted_tokens(const Speculation& speculation) {
  if (speculation.scheme == SpeculationScheme::sequence) return speculation.window;
  return speculation.window == 0 ? 0 : std::int64_t{1} << speculation.window;
}

SpeculationTime speculation_time(const Speculation& speculation, const SpeculationPasses& passes) {
  check(speculation);
  SpeculationTime time;
  time.tokens = expected_tokens(depth_acceptance(speculation), speculation.window);
  time.draft_s = static_cast<double>(drafted_tokens(speculation)) * passes.draft_token_s;
  time.verify_s = passes.verify_s;
  time.tokens_per_s = time.tokens / (time.draft_s + time.verify_s);
  time.speed_up = time.tokens_per_s * passes.target_token_s;
  return time;
}

double fastest_token_s(const ServedModel& model, const System& system,
                       const ServingOptions& options, std::int64_t most_chips) {
  const LayerPass pass = decode_pass(model, options);
  double fastest = std::numeric_limits<double>::infinity();
  for (std::int64_t chips = 1; chips <= std::min(most_chips, model.layer.heads); chips *= 2) {
    fastest = std::min(fastest, pass_time(model, pass, system, {.tensor = chips}).total_s);
  }
  return fastest;
}

SpeculationTime speculate(const SpeculationPair& models, const System& system,
                          const ServingOptions& options, const Speculation& speculation,
                          std::int64_t tensor) {
  check(speculation);
  LayerPass pass = decode_pass(models.target, options);
  const double alone = pass_time(models.target, pass, system, {.tensor = tensor}).total_s;
  pass.tokens = drafted_tokens(speculation) + 1;
  pass.logits = pass.tokens;
  const double verify = pass_time(models.target, pass, system, {.tensor = tensor}).total_s;
  const double token = fastest_token_s(models.draft, system, options, tensor);
  return speculation_time(speculation,
                          {.draft_token_s = token, .verify_s = verify, .target_token_s = alone});
}

}  // namespace waferloom::planner
