// Ours of DFModel's figures of serving, speculation and stacked memory (its section VIII).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/hardware.h"
#include "model/text.h"
#include "model/workload.h"
#include "planner/serving.h"
#include "planner/validation.h"

namespace waferloom::planner {
namespace {

constexpr double kNanos = 1e9;  // of a second

/// As DFModel counts: embedding and head take no time.
ServedModel preset_model(const char* name) {
  return layers_alone(served_model(read_workload(*workload_preset(name), name)));
}

System preset_system() { return chips_of(*preset_machine("sn40l_16")); }

/// A sentence of the paper: 1 where it holds.
double claim(bool holds) { return holds ? 1 : 0; }

void add_decode(OurFigures& ours) {
  const std::string llama = "Llama3-8B decode, ";
  const ServedModel model = preset_model("llama3_8b_dfmodel");
  const System system = preset_system();
  const auto point = [&](std::int64_t tensor) {
    return serving_point(model, system, {}, {.tensor = tensor, .pipeline = 16 / tensor});
  };
  const ServingPoint all = point(16);
  const ServingTime& layer = all.decode;
  ours.push_back({llama + "TP16, a layer", layer.total_s() * kNanos});
  ours.push_back({llama + "TP16, compute", layer.compute_s * kNanos});
  ours.push_back({llama + "TP16, memory", layer.memory_s * kNanos});
  ours.push_back({llama + "TP16, serialization", layer.serialization_s * kNanos});
  ours.push_back({llama + "TP16, link latency", layer.latency_s * kNanos});
  ours.push_back({llama + "TP16, tokens/s", all.decode_tokens_per_s});
  const ServingPoint four = point(4);
  ours.push_back({llama + "TP8 x PP2, a layer", point(8).decode.total_s() * kNanos});
  ours.push_back({llama + "TP4 x PP4, a layer", four.decode.total_s() * kNanos});
  ours.push_back({llama + "TP1 x PP16, a layer", point(1).decode.total_s() * kNanos});
  ours.push_back({llama + "TP4 x PP4, tokens/s", four.decode_tokens_per_s});
  const ServedModel whole = preset_model("llama3_8b");
  ours.push_back(
      {"Llama3-8B decode as the network is, tokens/s, beside the measured",
       serving_point(whole, system, {}, {.tensor = 16, .pipeline = 1}).decode_tokens_per_s});
}

void add_prefill(OurFigures& ours) {
  const ServedModel model = preset_model("llama3_8b_dfmodel");
  const System system = preset_system();
  for (const auto& [degrees, tensor] : {std::pair{"TP16", 16}, std::pair{"TP4 x PP4", 4}}) {
    const ServingTime time =
        serving_point(model, system, {}, {.tensor = tensor, .pipeline = 16 / tensor}).prefill;
    const double others = time.total_s() - time.memory_s;
    ours.push_back({fmt::format("Llama3-8B prefill, {}, a layer without weights", degrees),
                    others * kNanos,
                    {percent_text(time.memory_s / others, 1)}});
  }
}

/// Whether a quantity rises from each point to the next.
bool rises(const std::vector<ServingPoint>& points,
           const std::function<double(const ServingPoint&)>& of) {
  return std::adjacent_find(points.begin(), points.end(), [&](const auto& point, const auto& next) {
           return of(point) >= of(next);
         }) == points.end();
}

/// The least and the largest part of a layer's time over all points.
struct Shares {
  double least = 1;
  double most = 0;
  std::string text() const { return percent_text(least, 1) + " to " + percent_text(most, 1); }
};
Shares shares(const std::vector<ServingPoint>& points,
              const std::function<double(const ServingPoint&)>& of) {
  Shares found;
  for (const ServingPoint& at : points) {
    found.least = std::min(found.least, of(at));
    found.most = std::max(found.most, of(at));
  }
  return found;
}

void add_serving_claims(OurFigures& ours) {
  // Tensor groups fall, pipelines grow.
  const auto points = serving_points(preset_model("llama3_8b_dfmodel"), preset_system(), {});
  const bool latency = rises(points, [](const auto& at) { return at.ttft_s; }) &&
                       rises(points, [](const auto& at) { return at.tpot_s; });
  const bool throughput = rises(points, [](const auto& at) { return at.prefill_tokens_per_s; }) &&
                          rises(points, [](const auto& at) { return at.decode_tokens_per_s; });
  ours.push_back({"serving: more TP and less PP, lower TTFT and TPOT, lower throughput",
                  claim(latency && throughput)});
  // Mostly: more than half everywhere.
  const Shares prefill = shares(points, [](const auto& at) {
    return (at.prefill.serialization_s + at.prefill.compute_s) / at.prefill.total_s();
  });
  ours.push_back({"serving: prefill is mostly serialization and compute",
                  claim(prefill.least > 0.5),
                  {prefill.text()}});
  const Shares decode = shares(points, [](const auto& at) {
    return (at.decode.memory_s + at.decode.latency_s) / at.decode.total_s();
  });
  ours.push_back({"serving: decode is mostly memory and network latency",
                  claim(decode.least > 0.5),
                  {decode.text()}});
}

void add_speculation(OurFigures& ours) {
  const std::string place = "speculative decoding, ";
  ours.push_back({place + "expected tokens of a sequence", expected_tokens(0.8, 4)});
  ours.push_back({place + "expected tokens, acceptance 1", expected_tokens(1, 4)});
  const Speculation tree{SpeculationScheme::tree, 3, 0.5};
  ours.push_back(
      {place + "expected tokens of a tree",
       speculation_time(tree, {.draft_token_s = 1, .verify_s = 1, .target_token_s = 1}).tokens});
  ours.push_back({place + "speed-up of a sequence",
                  speculation_time({SpeculationScheme::sequence, 4, 0.8},
                                   {.draft_token_s = 1, .verify_s = 12, .target_token_s = 10})
                      .speed_up});
}

/// Tokens a second of Llama 3 405B with a draft, on all 16 chips.
class DraftStudy {
 public:
  double rate(const ServedModel& draft, SpeculationScheme scheme, std::int64_t window,
              double acceptance) const {
    return speculate({.target = target_, .draft = draft}, system_, {}, {scheme, window, acceptance},
                     16)
        .tokens_per_s;
  }
  /// The window from 1 to 10 with most tokens a second.
  std::int64_t best_window(const ServedModel& draft, SpeculationScheme scheme,
                           double acceptance) const {
    std::int64_t best = 1;
    for (std::int64_t window = 2; window <= 10; ++window) {
      if (rate(draft, scheme, window, acceptance) > rate(draft, scheme, best, acceptance)) {
        best = window;
      }
    }
    return best;
  }
  const ServedModel small = preset_model("llama_68m");
  const ServedModel medium = preset_model("llama3_8b");
  const ServedModel large = preset_model("llama3_70b");

 private:
  System system_ = preset_system();
  ServedModel target_ = preset_model("llama3_405b");
};

constexpr double kAcceptances[] = {0.5, 0.6, 0.7, 0.8, 0.9};

void add_speculation_claims(OurFigures& ours) {
  const DraftStudy study;
  constexpr auto kTree = SpeculationScheme::tree;
  bool is_tree_small = true;
  bool grows = true;
  std::set<std::int64_t> windows;
  for (const double acceptance : kAcceptances) {
    const std::int64_t window = study.best_window(study.small, kTree, acceptance);
    is_tree_small = is_tree_small && window <= 5;
    windows.insert(window);
    for (const ServedModel* draft : {&study.medium, &study.large}) {
      const std::int64_t other = study.best_window(*draft, kTree, acceptance);
      is_tree_small = is_tree_small && study.rate(*draft, kTree, other, acceptance) <
                                           study.rate(study.small, kTree, window, acceptance);
    }
    for (std::int64_t k = 1; k <= 8 && acceptance >= 0.8; ++k) {
      const auto rate = [&](std::int64_t window_of) {
        return study.rate(study.small, SpeculationScheme::sequence, window_of, acceptance);
      };
      grows = grows && rate(k + 1) > rate(k);
    }
  }
  ours.push_back({"speculative decoding: a tree needs the smallest draft and a short window",
                  claim(is_tree_small),
                  {std::to_string(*windows.begin()), std::to_string(*windows.rbegin())}});
  ours.push_back({"speculative decoding: a sequence gains by its window", claim(grows)});
}

/// Shares of the chip that compute, as logged with DDR.
constexpr double kLoggedShares[] = {0.2, 0.35, 0.5, 0.65, 0.8};

constexpr double kSameShare = 1e-9;

/// The paper's sentence holds of its log in that the rate falls from the first share on.
OurFigure ddr_trend(const AreaCurve& ddr) {
  const auto rate = [&](double share) {
    for (const AreaPoint& point : ddr.points) {
      if (std::abs(point.share - share) < kSameShare) return point.flop_per_s;
    }
    throw std::logic_error("the study has no such share of cores");
  };
  const double first = rate(kLoggedShares[0]);
  bool falls = true;
  double before = first;
  std::string ratios;
  for (const double share : kLoggedShares) {
    falls = falls && rate(share) <= before;
    before = rate(share);
    constexpr int kPlaces = 2;
    ratios += (ratios.empty() ? "" : " ") + fixed_text(before / first, kPlaces);
  }
  const AreaPoint& best = ddr.points[ddr.best];
  return {"3-D memory: DDR needs more memory on the chip",
          claim(falls),
          {ratios, fixed_text(best.flop_per_s / first, 1), percent_text(best.share, 0)}};
}

void add_areas(OurFigures& ours) {
  const auto curves = study_area(preset_model("gpt_100t").layer, paper_area_study(preset_system()));
  ours.push_back(ddr_trend(curves[0]));
  ours.push_back({"3-D memory: stacked memory wants most cores",
                  claim(curves[2].best + 1 == curves[2].points.size())});
  ours.push_back(
      {"3-D memory: best share of cores with HBM", curves[1].points[curves[1].best].share});
}

}  // namespace

std::vector<ValidationRow> serving_rows() {
  OurFigures ours;
  add_decode(ours);
  add_prefill(ours);
  add_serving_claims(ours);
  add_speculation(ours);
  add_speculation_claims(ours);
  add_areas(ours);
  return compared_rows("serving", ours);
}

}  // namespace waferloom::planner
