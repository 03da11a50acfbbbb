#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>

#include "model/hardware.h"
#include "model/text.h"
#include "model/workload.h"
#include "planner/serving.h"
#include "planner/validation.h"

namespace waferloom::planner {
namespace {

using Rows = std::vector<ValidationRow>;

constexpr double kNanos = 1e9;  // of a second

/// As DFModel counts: embedding and head take no time.
ServedModel preset_model(const char* name) {
  return layers_alone(served_model(read_workload(*workload_preset(name), name)));
}

System preset_system() { return read_system(*system_preset("sn40l_16"), "sn40l_16"); }

ValidationRow row_of(const std::string& name, const std::string& unit, double ours,
                     const std::string& note) {
  ValidationRow row;
  row.model = "DFModel";
  row.name = name;
  row.unit = unit;
  row.ours = ours;
  row.note = note;
  return row;
}

ValidationRow& add_logged(Rows& rows, const std::string& name, const std::string& unit,
                          const RowFigures& figures, const std::string& note) {
  ValidationRow row = row_of(name, unit, figures.ours, note);
  row.published = figures.expected;
  row.source = "logs of the public repository";
  row.certainty = "from repository";
  rows.push_back(std::move(row));
  return rows.back();
}

void add_by_hand(Rows& rows, const std::string& name, const std::string& unit,
                 const RowFigures& figures, const std::string& note) {
  ValidationRow row = row_of(name, unit, figures.ours, note);
  row.derived = figures.expected;
  row.source = "by hand";
  row.certainty = "by hand";
  row.kind = RowKind::closed_form;
  row.tolerance = 1e-12;
  rows.push_back(std::move(row));
}

/// A sentence of the paper: 1 where it holds.
void add_claim(Rows& rows, const std::string& name, bool holds, const std::string& note) {
  ValidationRow row = row_of(name, "1: holds", holds ? 1 : 0, note);
  row.published = 1;
  row.source = "section VIII";
  row.certainty = "in paper";
  rows.push_back(std::move(row));
}

void add_printed(Rows& rows, const std::string& name, const std::string& unit,
                 const RowFigures& figures, const std::string& note) {
  ValidationRow row = row_of(name, unit, figures.ours, note);
  row.published = figures.expected;
  row.source = "section VIII";
  row.certainty = "in paper";
  row.kind = RowKind::not_judged;
  rows.push_back(std::move(row));
}

void add_decode(Rows& rows) {
  const std::string llama = "Llama3-8B decode, ";
  const ServedModel model = preset_model("llama3_8b_dfmodel");
  const System system = preset_system();
  const ServingPoint point = serving_point(model, system, {}, {.tensor = 16, .pipeline = 1});
  const ServingTime& layer = point.decode;
  add_logged(rows, llama + "TP16, a layer", "ns", {26309.18408121639, layer.total_s() * kNanos},
             "no overlap: the sum of the four parts below");
  add_logged(rows, llama + "TP16, compute", "ns", {54.78432917170895, layer.compute_s * kNanos},
             "31,505,284 FLOP a chip at 0.9 of 638.976 TFLOP/s");
  add_logged(rows, llama + "TP16, memory", "ns", {16639.99975204468, layer.memory_s * kNanos},
             "23,068,672 bytes of weights, 4,194,304 of caches, 1638.4 GB/s");
  add_logged(rows, llama + "TP16, serialization", "ns", {614.4, layer.serialization_s * kNanos},
             "two all-reduces of 8,192 bytes: 2 * 2 * 15 / 16 * 8192 / 50 GB/s");
  add_logged(rows, llama + "TP16, link latency", "ns", {9000, layer.latency_s * kNanos},
             "two all-reduces of 2 * 15 steps of 150 ns");
  add_logged(rows, llama + "TP16, tokens/s", "tokens/s", {1187.79815, point.decode_tokens_per_s},
             "32 layers; paper: 1188");
  const auto decode = [&](std::int64_t tensor) {
    return serving_point(model, system, {}, {.tensor = tensor, .pipeline = 16 / tensor})
               .decode.total_s() *
           kNanos;
  };
  add_logged(rows, llama + "TP8 x PP2, a layer", "ns", {38162.958304882304, decode(8)}, "");
  add_logged(rows, llama + "TP4 x PP4, a layer", "ns", {69070.50675221426, decode(4)}, "");
  add_logged(rows, llama + "TP1 x PP16, a layer", "ns", {267115.7974362057, decode(1)}, "");
  add_logged(rows, llama + "TP4 x PP4, tokens/s", "tokens/s",
             {1809.697,
              serving_point(model, system, {}, {.tensor = 4, .pipeline = 4}).decode_tokens_per_s},
             "the log leaves out the hop between stages")
      .kind = RowKind::not_judged;
  const ServedModel whole = preset_model("llama3_8b");
  add_printed(
      rows, "Llama3-8B decode as the network is, tokens/s, beside the measured", "tokens/s",
      {1100, serving_point(whole, system, {}, {.tensor = 16, .pipeline = 1}).decode_tokens_per_s},
      "8 key-value heads, one copied to two chips each, and three feed-forward matrices");
}

void add_prefill(Rows& rows) {
  const ServedModel model = preset_model("llama3_8b_dfmodel");
  const System system = preset_system();
  const auto add_layer = [&](const std::string& degrees, std::int64_t tensor, double published) {
    const ServingTime time =
        serving_point(model, system, {}, {.tensor = tensor, .pipeline = 16 / tensor}).prefill;
    const double others = time.total_s() - time.memory_s;
    add_logged(rows, "Llama3-8B prefill, " + degrees + ", a layer without weights", "ns",
               {published, others * kNanos},
               "the log counts no reading of weights, which is " +
                   percent_text(time.memory_s / others, 1) + " more");
  };
  add_layer("TP16", 16, 2720090.4364423417);
  add_layer("TP4 x PP4", 4, 2792485.4161896175);
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
  std::string text() const {
    return percent_text(least, 1) + " to " + percent_text(most, 1) + " of a layer";
  }
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

void add_serving_claims(Rows& rows) {
  // Tensor groups fall, pipelines grow.
  const auto points = serving_points(preset_model("llama3_8b_dfmodel"), preset_system(), {});
  const bool latency = rises(points, [](const auto& at) { return at.ttft_s; }) &&
                       rises(points, [](const auto& at) { return at.tpot_s; });
  const bool throughput = rises(points, [](const auto& at) { return at.prefill_tokens_per_s; }) &&
                          rises(points, [](const auto& at) { return at.decode_tokens_per_s; });
  add_claim(rows, "serving: more TP and less PP, lower TTFT and TPOT, lower throughput",
            latency && throughput,
            "over all TP x PP = 16; of PP the paper says that latencies are \"decreased\", against "
            "its sentence on TP");
  const Shares prefill = shares(points, [](const auto& at) {
    return (at.prefill.serialization_s + at.prefill.compute_s) / at.prefill.total_s();
  });
  add_claim(rows, "serving: prefill is mostly serialization and compute", prefill.least > 0.5,
            "more than half everywhere: " + prefill.text());
  const Shares decode = shares(points, [](const auto& at) {
    return (at.decode.memory_s + at.decode.latency_s) / at.decode.total_s();
  });
  add_claim(rows, "serving: decode is mostly memory and network latency", decode.least > 0.5,
            "more than half everywhere: " + decode.text());
}

void add_speculation(Rows& rows) {
  add_by_hand(rows, "speculative decoding, expected tokens of a sequence", "tokens",
              {3.3616, expected_tokens(0.8, 4)}, "1 + 0.8 + 0.64 + 0.512 + 0.4096");
  add_by_hand(rows, "speculative decoding, expected tokens, acceptance 1", "tokens",
              {5, expected_tokens(1, 4)}, "the limit k + 1");
  const Speculation tree{SpeculationScheme::tree, 3, 0.5};
  add_by_hand(
      rows, "speculative decoding, expected tokens of a tree", "tokens",
      {2.734375,
       speculation_time(tree, {.draft_token_s = 1, .verify_s = 1, .target_token_s = 1}).tokens},
      "a depth passes with 1 - 0.5^2: 1 + 0.75 + 0.5625 + 0.421875");
  add_by_hand(rows, "speculative decoding, speed-up of a sequence", "x",
              {3.3616 * 10 / 16,
               speculation_time({SpeculationScheme::sequence, 4, 0.8},
                                {.draft_token_s = 1, .verify_s = 12, .target_token_s = 10})
                   .speed_up},
              "3.3616 tokens in 4 x 1 + 12, alone 1 in 10");
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

void add_speculation_claims(Rows& rows) {
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
  add_claim(rows, "speculative decoding: a tree needs the smallest draft and a short window",
            is_tree_small,
            fmt::format("405B on 16 chips, acceptances of 0.5 to 0.9: best windows of {} to {} "
                        "with 68M, 5 at most, and faster than 8B and 70B at theirs",
                        *windows.begin(), *windows.rbegin()));
  add_claim(rows, "speculative decoding: a sequence gains by its window", grows,
            "68M, up to a window of 9, where at least 0.8 are accepted");
}

/// Seconds of an iteration with DDR by the share of the chip that computes, as logged.
struct LoggedArea {
  double share;
  double iteration_s;
};
constexpr LoggedArea kLoggedDdr[] = {{0.2, 7407274.459},
                                     {0.35, 9064301.265},
                                     {0.5, 11699747.431},
                                     {0.65, 16305161.276},
                                     {0.8, 28371412.227}};

constexpr double kSameShare = 1e-9;

/// The paper's sentence holds of its log in that the rate falls from the first share on.
void add_ddr_trend(Rows& rows, const AreaCurve& ddr) {
  const auto rate = [&](double share) {
    for (const AreaPoint& point : ddr.points) {
      if (std::abs(point.share - share) < kSameShare) return point.flop_per_s;
    }
    throw std::logic_error("the study has no such share of cores");
  };
  const double first = rate(kLoggedDdr[0].share);
  bool falls = true;
  double before = first;
  std::string logged;
  std::string ours;
  for (const LoggedArea& at : kLoggedDdr) {
    falls = falls && rate(at.share) <= before;
    before = rate(at.share);
    constexpr int kPlaces = 2;
    logged += " " + fixed_text(kLoggedDdr[0].iteration_s / at.iteration_s, kPlaces);
    ours += " " + fixed_text(before / first, kPlaces);
  }
  const AreaPoint& best = ddr.points[ddr.best];
  ValidationRow row =
      row_of("3-D memory: DDR needs more memory on the chip", "1: holds", falls ? 1 : 0,
             "rates at 20, 35, 50, 65 and 80 % cores over that at 20 % are" + logged +
                 " as logged, where kernels run one by one, and" + ours +
                 " ours, where partitions keep what they can on the chip: ours rises " +
                 fixed_text(best.flop_per_s / first, 1) + " times up to " +
                 percent_text(best.share, 0) + " cores");
  row.published = 1;
  row.source = "section VIII, logs of the public repository";
  row.certainty = "from repository";
  row.kind = RowKind::not_reproduced;
  rows.push_back(std::move(row));
}

void add_areas(Rows& rows) {
  const auto curves = study_area(preset_model("gpt_100t").layer, paper_area_study(preset_system()));
  const auto best = [&](std::size_t memory) {
    return curves[memory].points[curves[memory].best].share;
  };
  add_ddr_trend(rows, curves[0]);
  add_claim(rows, "3-D memory: stacked memory wants most cores",
            curves[2].best + 1 == curves[2].points.size(), "the largest share of the sweep");
  add_printed(rows, "3-D memory: best share of cores with HBM", "", {0.5, best(1)},
              "the paper's \"equal amount\"; its log is best at 0.65 of the four shares it has");
}

}  // namespace

std::vector<ValidationRow> serving_rows() {
  Rows rows;
  add_decode(rows);
  add_prefill(rows);
  add_serving_claims(rows);
  add_speculation(rows);
  add_speculation_claims(rows);
  add_areas(rows);
  return rows;
}

}  // namespace waferloom::planner
