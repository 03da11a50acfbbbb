#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "model/system_file.h"
#include "model/workload_file.h"
#include "planner/speculative.h"
#include "planner/stacked_memory.h"
#include "planner/validation.h"

namespace waferloom {
namespace {

using Rows = std::vector<ValidationRow>;

constexpr double kNanos = 1e9;  // of a second

ServedModel preset_model(const char* name) {
  return served_model(read_workload(*workload_preset(name), name));
}

System preset_system() { return read_system(*system_preset("sn40l_16"), "sn40l_16"); }

ValidationRow row_of(const std::string& name, const std::string& unit, double published,
                     double ours, const std::string& note) {
  ValidationRow row;
  row.model = "DFModel serving";
  row.name = name;
  row.unit = unit;
  row.published = published;
  row.ours = ours;
  row.note = note;
  return row;
}

void add_logged(Rows& rows, const std::string& name, const std::string& unit, double published,
                double ours, const std::string& note) {
  ValidationRow row = row_of(name, unit, published, ours, note);
  row.source = "logs of the public repository";
  row.certainty = "from repository";
  rows.push_back(std::move(row));
}

void add_by_hand(Rows& rows, const std::string& name, const std::string& unit, double value,
                 double ours, const std::string& note) {
  ValidationRow row = row_of(name, unit, value, ours, note);
  row.source = "by hand";
  row.certainty = "closed form";
  row.kind = RowKind::closed_form;
  row.tolerance = 1e-12;
  rows.push_back(std::move(row));
}

/// 0.0712 as "7.1 %".
std::string percent(double share) {
  const long long tenths = std::llround(share * 1000);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

/// A sentence of the paper: 1 where it holds.
void add_claim(Rows& rows, const std::string& name, bool holds, const std::string& note) {
  ValidationRow row = row_of(name, "1: holds", 1, holds ? 1 : 0, note);
  row.source = "section VIII";
  row.certainty = "in paper";
  row.tolerance = 0;
  rows.push_back(std::move(row));
}

void add_printed(Rows& rows, const std::string& name, const std::string& unit, double published,
                 double ours, const std::string& note) {
  ValidationRow row = row_of(name, unit, published, ours, note);
  row.source = "section VIII";
  row.certainty = "in paper";
  row.kind = RowKind::informative;
  rows.push_back(std::move(row));
}

void add_unreproduced(Rows& rows, const std::string& name, const std::string& source,
                      const std::string& why) {
  ValidationRow row;
  row.model = "DFModel serving";
  row.name = name;
  row.source = source;
  row.certainty = "in paper";
  row.kind = RowKind::unreproduced;
  row.note = why;
  rows.push_back(std::move(row));
}

void add_decode(Rows& rows) {
  const std::string llama = "Llama3-8B decode, ";
  const ServedModel model = preset_model("llama3_8b_dfmodel");
  const System system = preset_system();
  const ServingPoint point = serving_point(model, system, {}, 16, 1);
  const ServingTime& layer = point.decode;
  add_logged(rows, llama + "TP16, a layer", "ns", 26309.18408121639, layer.total_s() * kNanos,
             "no overlap: the sum of the four parts below");
  add_logged(rows, llama + "TP16, compute", "ns", 54.78432917170895, layer.compute_s * kNanos,
             "31,505,284 FLOP a chip at 0.9 of 638.976 TFLOP/s");
  add_logged(rows, llama + "TP16, memory", "ns", 16639.99975204468, layer.memory_s * kNanos,
             "23,068,672 bytes of weights, 4,194,304 of caches, 1638.4 GB/s");
  add_logged(rows, llama + "TP16, serialization", "ns", 614.4, layer.serialization_s * kNanos,
             "two all-reduces of 8,192 bytes: 2 * 2 * 15 / 16 * 8192 / 50 GB/s");
  add_logged(rows, llama + "TP16, link latency", "ns", 9000, layer.latency_s * kNanos,
             "two all-reduces of 2 * 15 steps of 150 ns");
  add_logged(rows, llama + "TP16, tokens/s", "tokens/s", 1187.79815, point.decode_tokens_per_s,
             "32 layers; paper: 1188");
  const auto decode = [&](std::int64_t tensor) {
    return serving_point(model, system, {}, tensor, 16 / tensor).decode.total_s() * kNanos;
  };
  add_logged(rows, llama + "TP8 x PP2, a layer", "ns", 38162.958304882304, decode(8), "");
  add_logged(rows, llama + "TP4 x PP4, a layer", "ns", 69070.50675221426, decode(4), "");
  add_logged(rows, llama + "TP1 x PP16, a layer", "ns", 267115.7974362057, decode(1), "");
  add_printed(rows, llama + "TP4 x PP4, tokens/s", "tokens/s", 1809.697,
              serving_point(model, system, {}, 4, 4).decode_tokens_per_s,
              "the log leaves out the hop between stages");
  rows.back().source = "logs of the public repository";
  rows.back().certainty = "from repository";
  const ServedModel whole = preset_model("llama3_8b");
  add_printed(rows, "Llama3-8B decode as the network is, tokens/s, beside the measured", "tokens/s",
              1100, serving_point(whole, system, {}, 16, 1).decode_tokens_per_s,
              "8 key-value heads, one copied to two chips each, and three feed-forward matrices");
}

void add_prefill(Rows& rows) {
  const ServedModel model = preset_model("llama3_8b_dfmodel");
  const System system = preset_system();
  const auto add_layer = [&](const std::string& degrees, std::int64_t tensor, double published) {
    const ServingTime time = serving_point(model, system, {}, tensor, 16 / tensor).prefill;
    const double others = time.total_s() - time.memory_s;
    add_logged(rows, "Llama3-8B prefill, " + degrees + ", a layer without weights", "ns", published,
               others * kNanos,
               "the log counts no reading of weights, which is " + percent(time.memory_s / others) +
                   " more");
  };
  add_layer("TP16", 16, 2720090.4364423417);
  add_layer("TP4 x PP4", 4, 2792485.4161896175);
}

/// Whether a quantity rises from each point to the next.
bool rises(const std::vector<ServingPoint>& points,
           const std::function<double(const ServingPoint&)>& of) {
  return std::adjacent_find(points.begin(), points.end(), [&](const auto& one, const auto& next) {
           return of(one) >= of(next);
         }) == points.end();
}

/// The least and the largest part of a layer's time over all points.
struct Shares {
  double least = 1;
  double most = 0;
  std::string text() const { return percent(least) + " to " + percent(most) + " of a layer"; }
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
  add_claim(rows, "serving: more TP, lower TTFT and TPOT, lower throughput", latency && throughput,
            "over all TP x PP = 16");
  add_claim(rows, "serving: more PP, higher throughput", throughput,
            "and higher latencies: the paper's \"decreased\" contradicts the sentence before it");
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
  add_by_hand(rows, "speculative decoding, expected tokens of a sequence", "tokens", 3.3616,
              expected_tokens(0.8, 4), "(1 - 0.8^5) / (1 - 0.8)");
  add_by_hand(rows, "speculative decoding, expected tokens, acceptance 1", "tokens", 5,
              expected_tokens(1, 4), "the limit k + 1");
  const Speculation tree{SpeculationScheme::tree, 3, 0.5};
  add_by_hand(rows, "speculative decoding, expected tokens of a tree", "tokens", 2.734375,
              speculation_time(tree, 1, 1, 1).tokens,
              "a depth passes with 1 - 0.5^2: (1 - 0.75^4) / (1 - 0.75)");
  add_by_hand(rows, "speculative decoding, speed-up of a sequence", "x", 3.3616 * 10 / 16,
              speculation_time({SpeculationScheme::sequence, 4, 0.8}, 1, 12, 10).speed_up,
              "3.3616 tokens in 4 x 1 + 12, alone 1 in 10");
}

/// Tokens a second of Llama 3 405B with a draft, on all 16 chips.
class DraftStudy {
 public:
  double rate(const ServedModel& draft, SpeculationScheme scheme, std::int64_t window,
              double acceptance) const {
    return speculate(target_, draft, system_, {}, {scheme, window, acceptance}, 16).tokens_per_s;
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
  constexpr auto kSequence = SpeculationScheme::sequence;
  bool tree = true;
  bool drafts = true;
  bool growth = true;
  std::set<std::int64_t> windows;
  for (const double acceptance : kAcceptances) {
    const std::int64_t window = study.best_window(study.small, kTree, acceptance);
    tree = tree && window <= 5;
    windows.insert(window);
    for (const ServedModel* draft : {&study.medium, &study.large}) {
      const std::int64_t other = study.best_window(*draft, kTree, acceptance);
      tree = tree && study.rate(*draft, kTree, other, acceptance) <
                         study.rate(study.small, kTree, window, acceptance);
    }
    for (std::int64_t k = 1; k <= 8; ++k) {
      const double small = study.rate(study.small, kSequence, k, acceptance);
      const double medium = study.rate(study.medium, kSequence, k, acceptance);
      const double large = study.rate(study.large, kSequence, k, acceptance);
      drafts = drafts && small > medium && medium > large;
      growth = growth && study.rate(study.small, kSequence, k, acceptance + 0.05) > small;
      if (acceptance >= 0.8) {
        growth = growth && study.rate(study.small, kSequence, k + 1, acceptance) > small;
      }
    }
  }
  add_claim(rows, "speculative decoding: a tree needs the smallest draft and a short window", tree,
            "405B on 16 chips, acceptances of 0.5 to 0.9: best windows of " +
                std::to_string(*windows.begin()) + " to " + std::to_string(*windows.rbegin()) +
                " with 68M, 5 at most, and faster than 8B and 70B at theirs");
  add_claim(rows, "speculative decoding: a sequence wants 68M or 8B, 70B costs too much", drafts,
            "68M over 8B over 70B for each window of 1 to 8 at one acceptance");
  add_claim(
      rows, "speculative decoding: a sequence gains by window and acceptance", growth,
      "68M: by acceptance for each window of 1 to 8, by window up to 9 where at least 0.8 are "
      "accepted");
}

void add_areas(Rows& rows) {
  const auto curves = study_area(preset_model("gpt_100t").layer, paper_area_study(preset_system()));
  const auto best = [&](std::size_t memory) {
    return curves[memory].points[curves[memory].best].share;
  };
  const AreaCurve& ddr = curves[0];
  const AreaPoint& most = ddr.points.back();
  const double kept = most.flop_per_s / ddr.points[ddr.best].flop_per_s;
  const bool needs_memory =
      best(0) < best(1) && best(0) < best(2) && most.bound == "memory" && kept < 0.5;
  add_claim(rows, "3-D memory: DDR needs more memory on the chip", needs_memory,
            "its best share of cores is the least of the three; at " + percent(most.share) +
                " it is bound by memory and has lost " + percent(1 - kept) + ", half at least");
  add_claim(rows, "3-D memory: HBM wants a balance between the two",
            best(0) < best(1) && best(1) < best(2),
            "its best share lies between those of DDR and 3-D memory");
  add_claim(rows, "3-D memory: stacked memory wants most cores",
            curves[2].best + 1 == curves[2].points.size(), "the largest share of the sweep");
  add_printed(rows, "3-D memory: best share of cores with HBM", "", 0.5, best(1),
              "the paper's \"equal amount\"; its dimensions of the 100T GPT are not printed");
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
  add_unreproduced(rows, "measured decode of 70B and 405B with an 8B draft", "Fig. 6",
                   "bars without numbers; an error of 12 % is all that is printed");
  add_unreproduced(rows, "points of Figs. 20 to 22", "Figs. 20, 21, 22",
                   "plots without numbers; those of Fig. 20 whose logs are public stand above");
  return rows;
}

}  // namespace waferloom
