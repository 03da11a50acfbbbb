#include "model/plan/plan_keys.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace waferloom {
namespace {

constexpr std::array<std::string_view, 4> kSchedules{"inference", "gpipe", "1f1b", "interleaved"};
constexpr std::array<std::string_view, 2> kLayouts{"s-shape", "line"};
constexpr std::array<std::string_view, 4> kRecomputes{"none", "selective", "full", "if-needed"};
constexpr NumberRange kChunks{2, 1'000};
constexpr NumberRange kBatch{1, 1'000'000};

template <auto kMember>
std::size_t word_at(const Plan& plan) {
  return static_cast<std::size_t>(plan.*kMember);
}

template <auto kMember>
void set_word(Plan& plan, std::size_t at) {
  using Word = std::remove_reference_t<decltype(plan.*kMember)>;
  plan.*kMember = static_cast<Word>(at);
}

template <auto kMember>
constexpr PlanWord word_of(std::span<const std::string_view> words) {
  return {words, word_at<kMember>, set_word<kMember>};
}

std::string expected_schedule() { return "inference, gpipe, 1f1b or interleaved:2 (or more)"; }

/// A word, or "interleaved:" and a number.
bool set_schedule(Plan& plan, const std::string& text) {
  const std::string_view word(text);
  const std::size_t colon = word.find(':');
  const auto at = std::find(kSchedules.begin(), kSchedules.end(), word.substr(0, colon));
  if (at == kSchedules.end()) return false;
  plan.schedule = static_cast<Schedule>(at - kSchedules.begin());
  const bool is_interleaved = plan.schedule == Schedule::interleaved;
  if (is_interleaved != (colon != std::string_view::npos)) return false;
  if (!is_interleaved) return true;
  const std::string_view number = word.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), plan.chunks);
  return error == std::errc() && end == number.data() + number.size() &&
         plan.chunks >= kChunks.least && plan.chunks <= kChunks.most;
}

std::string expected_routing() {
  constexpr std::array<std::string_view, kRoutingNames.size() + 2> kRuleWords{
      "planned",        kRoutingNames[0], kRoutingNames[1],
      kRoutingNames[2], kRoutingNames[3], "a file of routes that ends in .json"};
  return alternatives(kRuleWords);
}

std::string routing_text(const Plan& plan) {
  return plan.routes.empty() ? std::string(routing_name(plan.routing)) : plan.routes;
}

/// A rule, planned routes, or a file of them.
bool set_routing(Plan& plan, const std::string& text) {
  if (const auto rule = routing_named(text)) {
    plan.routing = *rule;
  } else if (text.ends_with(".json")) {
    plan.routes = text;
  } else {
    return text == routing_name(Routing::planned);
  }
  return true;
}

}  // namespace

std::span<const PlanKey> plan_keys() {
  static const PlanKey keys[] = {
      {"tensor", "ways that every operator is cut", PlanNumber{&Plan::tensor, kPlanDegree}},
      {"data", "replicas, each with samples of its own", PlanNumber{&Plan::data, kPlanDegree}},
      {"pipeline", "stages", PlanNumber{&Plan::pipeline, kPlanDegree}},
      {"micro_batch", "samples of a replica that go through a stage at once",
       PlanNumber{&Plan::micro_batch, kBatch}},
      {"micro_batches", "of a batch", PlanNumber{&Plan::micro_batches, kBatch}},
      {"schedule", "in which order stages work on micro-batches",
       PlanSpelling{"^(inference|gpipe|1f1b|interleaved:[1-9][0-9]*)$", expected_schedule,
                    schedule_text, set_schedule}},
      {"layout", "how stages lie on the mesh if nothing places them",
       word_of<&Plan::layout>(kLayouts)},
      {"routing", "a rule, planned routes, or a file of them beside the plan",
       PlanSpelling{"^(planned|xy|yx|o1turn|adaptive|.*\\.json)$", expected_routing, routing_text,
                    set_routing}},
      {"groups", "how replicas lie among the tiles of a stage",
       word_of<&Plan::groups>(kGroupOrderNames)},
      {"collective", "algorithm of all-reduces", word_of<&Plan::collective>(kAlgorithmNames)},
      {"recompute", "what forward computes again before backward, to save memory",
       word_of<&Plan::recompute>(kRecomputes)},
      {"optimizer", "adam keeps 12 bytes of every parameter, sgd none",
       word_of<&Plan::optimizer>(kOptimizerNames)},
      {"zero",
       "what replicas divide among themselves (ZeRO): 1 optimizer states, 2 gradients too, 3 "
       "parameters too",
       PlanNumber{&Plan::zero, {0, 3}}},
      {"overlap", "gradients are reduced while the operators before them go backward",
       &Plan::overlap},
      {"data_type", "whose peak rate the hardware tells", &Plan::data_type},
      {"leave_out", "names of operators that take no part", &Plan::leave_out},
  };
  return keys;
}

std::string schedule_text(const Plan& plan) {
  const std::string name(kSchedules[static_cast<std::size_t>(plan.schedule)]);
  return plan.schedule == Schedule::interleaved ? name + ":" + std::to_string(plan.chunks) : name;
}

std::string_view layout_name(StageLayout layout) {
  return kLayouts[static_cast<std::size_t>(layout)];
}

std::string_view recompute_name(Recompute recompute) {
  return kRecomputes[static_cast<std::size_t>(recompute)];
}

std::string_view optimizer_name(Optimizer optimizer) {
  return kOptimizerNames[static_cast<std::size_t>(optimizer)];
}

}  // namespace waferloom
