#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"
#include "planner/validation.h"

namespace waferloom::planner {

// What `waferloom validate` writes, and what its summary shows of it.

/// A chapter of the comparison.
struct ValidationChapter {
  std::string_view name;  ///< of --model
  std::string_view title;
  std::vector<ValidationRow> rows{};
};

/// How many figures of a paper there are, and how many hold, by kind.
struct ValidationCounts {
  struct Kind {
    std::size_t figures = 0;
    std::size_t hold = 0;
    std::size_t fail = 0;
  };
  std::string model;                    ///< the paper; empty for all
  std::array<Kind, kRowKinds> kinds{};  ///< by RowKind
  void add(const ValidationRow& row);
  std::size_t figures() const;
  std::size_t judged() const;
  std::size_t hold() const;
  std::size_t failing() const;
  std::size_t not_reproduced() const;  ///< judged, and known not to hold
};
/// Of each paper in the order of its first row, then of all together.
std::vector<ValidationCounts> validation_counts(const std::vector<ValidationChapter>& chapters);

/// A number in at most eight significant digits; empty where there is none.
std::string validation_number(const std::optional<double>& value);
/// A relative figure in per cent, two digits; empty where there is none.
std::string validation_percent(const std::optional<double>& share);
/// "reproduced", "calibrated: FAILS", "not judged".
std::string validation_verdict(const ValidationRow& row);
/// Of a judged row whose tolerance is not the usual one, in per cent; else empty.
std::string validation_tolerance(const ValidationRow& row);
/// Heading and rows of the table of counts.
std::vector<std::vector<std::string>> counts_cells(const std::vector<ValidationCounts>& counts);

std::string validation_csv(const std::vector<ValidationChapter>& chapters);
/// A report of schema waferloom/validate/1.
Json validation_json(const std::vector<ValidationChapter>& chapters);
/// docs/validation.md.
std::string validation_page(const std::vector<ValidationChapter>& chapters);

}  // namespace waferloom::planner
