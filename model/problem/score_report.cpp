#include "model/describe.h"
#include "model/placement.h"
#include "model/text.h"

namespace waferloom {
namespace {

JudgedScore judged_score(const Problem& problem, const Judgement& judgement) {
  JudgedScore judged{judgement};
  if (!judgement.score) return judged;
  judged.texts = judgement.legal() ? score_texts(problem, *judgement.score)
                                   : part_texts(problem, *judgement.score);
  return judged;
}

template <std::string ScoreTexts::*part>
std::optional<ExactDecimal> exact_part(const JudgedScore& judged) {
  if (!judged.texts || (*judged.texts.*part).empty()) return std::nullopt;
  return ExactDecimal{*judged.texts.*part};
}

std::optional<std::int64_t> adapter_of(const JudgedScore& judged) {
  if (!judged.judgement.score) return std::nullopt;
  return judged.judgement.score->adapter;
}

}  // namespace

template <>
const TypeRows& rows_of<Violation>() {
  const auto has_line = [](const Violation& violation) { return violation.position.line > 0; };
  const auto line = [](const Violation& violation) {
    return std::int64_t{violation.position.line};
  };
  const auto has_tiles = [](const Violation& violation) { return violation.tiles != Rectangle{}; };
  static const TypeRows rows = report_rows(
      {row("kind", &Violation::kind, {"the rule that is broken (docs/contest_files.md)"}),
       row("kernels", &Violation::kernels,
           {.meaning = "names of the kernels that break it", .items = NumberRange{1, 2}}),
       row("message", &Violation::message, {"the violation in a sentence"}),
       where<Violation>(has_line, computed<Violation>(
                                      "line", line, {"line of the solution file", kPositiveCount})),
       where<Violation>(
           has_tiles,
           row("rectangle", &Violation::tiles,
               {"tiles that two kernels share, or one with a dead rectangle or a region to avoid; "
                "or those of a kernel that is not wholly on the wafer or in its region"}))});
  return rows;
}

template <>
const TypeRows& rows_of<JudgedScore>() {
  using Texts = ScoreTexts;
  const auto judgement = [](const JudgedScore& judged) -> const Judgement& {
    return judged.judgement;
  };
  static const TypeRows rows = report_rows(joined(
      {through<JudgedScore>(
           judgement, {row("legal", &Judgement::legal, {"whether no rule is broken"}),
                       row("violations", &Judgement::violations,
                           {"every violation, in the order of the rules, then of the kernels"})}),
       {computed<JudgedScore>("time", exact_part<&Texts::time>,
                              {"time of the slowest kernel, in units of time; null where a kernel "
                               "has no single place and cuts"}),
        computed<JudgedScore>("distance", exact_part<&Texts::distance>,
                              {"weighted distance between kernels, in tiles; null where time is"}),
        computed<JudgedScore>(
            "adapter", adapter_of,
            {"mismatches among (h, w, c) over all edges; null where time is", kCount}),
        computed<JudgedScore>("preference", exact_part<&Texts::preference>,
                              {"cost of distances to preferred regions; null where time is"}),
        computed<JudgedScore>("total", exact_part<&Texts::total>,
                              {"cost of the placement; null if it is illegal"})}}));
  return rows;
}

namespace {

const TypeRows& score_rows() {
  static const TypeRows rows = report_file(
      "waferloom/score/1", joined({rows_of<JudgedScore>().rows,
                                   {row("warnings", &JudgedScore::warnings, {kWarningsMeaning})}}));
  return rows;
}

}  // namespace

ScoreTexts part_texts(const Problem& problem, const Score& score) {
  return {time_text(problem, score.time), distance_text(problem, score.half_distance),
          std::to_string(score.adapter), preference_text(score.preference), ""};
}

ScoreTexts score_texts(const Problem& problem, const Score& score) {
  const CostModel costs(problem);
  ScoreTexts texts = part_texts(problem, score);
  texts.total = total_text(costs, costs.total(score));
  return texts;
}

Report score_report(const Problem& problem, const Judgement& judgement,
                    const std::vector<std::string>& warnings) {
  JudgedScore judged = judged_score(problem, judgement);
  judged.warnings = warnings;
  return rows_report(score_rows(), &judged);
}

std::string score_schema() { return schema_text(score_rows(), "Report of waferloom score"); }

JudgedScore legal_score(const Problem& problem, const Score& score) {
  Judgement judgement;
  judgement.score = score;
  return judged_score(problem, judgement);
}

}  // namespace waferloom
