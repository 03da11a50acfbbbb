#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/describe.h"
#include "planner/validation.h"

// What publications say, as figures.json has it. The code of a chapter computes ours; comparer.h
// sets both side by side.

namespace waferloom::planner {

/// A table or figure of a paper behind waferloom, or a figure of its text, that no row of
/// `waferloom validate` compares, and why.
struct FigureWithoutRow {
  std::string paper;
  std::string figure;  ///< "Figs. 4 to 9"
  std::string reason;  ///< begins with "not yet" where a row could be had
};

/// A figure that somebody published, or one derived by hand. Where neither has a value, the code
/// hands it over with ours: another table has it, or another function of ours computes it.
struct PublishedFigure {
  std::string name;  ///< once in a chapter
  std::string unit{};
  std::optional<double> published{};
  std::optional<double> derived{};
  /// The last place that is printed (0.01 of 4.05). The tolerance is half of it then.
  std::optional<double> printed_to{};
  std::string note{};  ///< with {} for each text that is computed

  const std::optional<double>& expected() const { return published ? published : derived; }
};

/// Figures of one source, judged alike. Units and notes are those of figures without their own.
struct FigureSet {
  std::string model;      ///< the paper
  std::string source;     ///< "Table II", "by hand"
  std::string certainty;  ///< "in paper"
  RowKind kind = RowKind::reproduced;
  double tolerance = kRowTolerance;
  /// What a constant model gives, which was fitted elsewhere. Calibrated sets without it get the
  /// constant whose worst error on their own figures is least.
  std::optional<double> constant_model{};
  bool computed = true;  ///< false: the program cannot compute ours; the note says why
  std::string unit{};
  std::string note{};
  std::vector<PublishedFigure> figures{};
};

/// A file of figures.
struct PublishedFigures {
  NamedList<std::vector<FigureSet>> chapters{};  ///< by names of kValidationChapters
  std::vector<FigureWithoutRow> without_row{};

  /// No sets where the file has no such chapter.
  const std::vector<FigureSet>& chapter(std::string_view name) const;
};

/// Throws InputError with source:line:column: for what is no such file, for a name that is twice in
/// a chapter, for a figure with another key than its kind's (`derived` of closed forms, else
/// `published`). O(n log n).
PublishedFigures read_figures(std::string_view text, const std::string& source);

/// What figures.json says, which is part of the program; read once.
const PublishedFigures& published_figures();

}  // namespace waferloom::planner

namespace waferloom {

template <>
const TypeRows& rows_of<planner::FigureWithoutRow>();

}  // namespace waferloom
