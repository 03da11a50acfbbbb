#include <algorithm>
#include <cmath>

#include "model/report.h"
#include "model/text.h"
#include "planner/validation.h"

namespace waferloom::planner {
void ValidationCounts::add(const ValidationRow& row) {
  Kind& kind = kinds[static_cast<std::size_t>(row.kind)];
  ++kind.figures;
  if (row.holds() == true) ++kind.hold;
  if (row.fails()) ++kind.fail;
}

std::size_t ValidationCounts::figures() const {
  std::size_t sum = 0;
  for (const Kind& kind : kinds) sum += kind.figures;
  return sum;
}

std::size_t ValidationCounts::judged() const {
  return figures() - kinds[static_cast<std::size_t>(RowKind::not_judged)].figures;
}

std::size_t ValidationCounts::hold() const {
  std::size_t sum = 0;
  for (const Kind& kind : kinds) sum += kind.hold;
  return sum;
}

std::size_t ValidationCounts::failing() const {
  std::size_t sum = 0;
  for (const Kind& kind : kinds) sum += kind.fail;
  return sum;
}

std::size_t ValidationCounts::not_reproduced() const {
  return kinds[static_cast<std::size_t>(RowKind::not_reproduced)].figures;
}

std::vector<ValidationCounts> validation_counts(const std::vector<ValidationChapter>& chapters) {
  std::vector<ValidationCounts> counts;
  ValidationCounts all;
  for (const ValidationChapter& chapter : chapters) {
    for (const ValidationRow& row : chapter.rows) {
      auto found = std::find_if(counts.begin(), counts.end(),
                                [&](const auto& paper) { return paper.model == row.model; });
      if (found == counts.end()) {
        counts.push_back({row.model});
        found = std::prev(counts.end());
      }
      found->add(row);
      all.add(row);
    }
  }
  counts.push_back(all);
  return counts;
}

std::string validation_number(const std::optional<double>& value) {
  constexpr int kDigits = 8;
  constexpr double kLarge = 1e5;
  constexpr double kHuge = 1e12;
  if (!value) return "";
  const double size = std::abs(*value);
  return size >= kLarge && size < kHuge ? fixed_text(*value, 2) : significant_text(*value, kDigits);
}

std::string validation_percent(const std::optional<double>& share) {
  if (!share) return "";
  if (*share == 0) return "0";
  const double percent = 100 * *share;
  constexpr double kWhole = 100;  // 180 rather than 1.8e+02
  if (percent >= kWhole) return std::to_string(std::llround(percent));
  constexpr int kDigits = 2;
  return significant_text(percent, kDigits);
}

std::string validation_verdict(const ValidationRow& row) {
  return std::string(row_kind_name(row.kind)) + (row.fails() ? ": FAILS" : "");
}

std::string validation_tolerance(const ValidationRow& row) {
  if (!row.is_judged() || row.tolerance == kRowTolerance) return "";
  return validation_percent(row.tolerance);
}

std::vector<std::vector<std::string>> counts_cells(const std::vector<ValidationCounts>& counts) {
  std::vector<std::vector<std::string>> cells{{"paper", "figures", "judged", "hold"}};
  for (std::size_t i = 0; i < kRowKinds; ++i) {
    cells.front().emplace_back(row_kind_name(static_cast<RowKind>(i)));
  }
  for (const ValidationCounts& paper : counts) {
    std::vector<std::string> row{paper.model.empty() ? "all" : paper.model,
                                 std::to_string(paper.figures()), std::to_string(paper.judged()),
                                 std::to_string(paper.hold())};
    for (const ValidationCounts::Kind& kind : paper.kinds) {
      row.push_back(std::to_string(kind.figures));
    }
    cells.push_back(std::move(row));
  }
  return cells;
}

std::string validation_csv(const std::vector<ValidationChapter>& chapters) {
  TextTable table({"chapter", "model", "figure", "unit", "published", "derived", "ours", "error",
                   "tolerance", "kind", "holds", "constant_model", "source", "certainty", "note"});
  for (const ValidationChapter& chapter : chapters) {
    for (const ValidationRow& row : chapter.rows) {
      const std::optional<bool> holds = row.holds();
      table.add({std::string(chapter.name), row.model, row.name, row.unit,
                 validation_number(row.published), validation_number(row.derived),
                 validation_number(row.ours), validation_number(row.error()),
                 row.is_judged() ? validation_number(row.tolerance) : "",
                 std::string(row_kind_name(row.kind)), holds ? (*holds ? "yes" : "no") : "",
                 validation_number(row.constant_model), row.source, row.certainty, row.note});
    }
  }
  return table.csv();
}

}  // namespace waferloom::planner
