#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/text.h"
#include "sweep/points.h"
#include "sweep/results.h"

namespace waferloom::sweep {

/// Scalars of a report by their flattened keys, "score/total"; arrays, schema and made_by are left
/// out. Values as tables show them: numbers in the fewest digits, texts, true and false; null
/// empty.
std::map<std::string, std::string> flattened(const JsonValue& report);

/// Whether a key of a report is the time, the memory or the rate of the run itself, which no two
/// runs share: wall_s, events_per_s and peak_memory_bytes, whatever they stand in.
bool is_of_the_run(std::string_view key);

/// The table of a sweep: a row a point, in the order of the manifest.
class Table {
 public:
  /// `axes` are the columns of the run.
  explicit Table(std::vector<std::string> axes) : axes_(std::move(axes)) {}

  /// Notes the keys of a result; asked for all of them before the first row is made.
  void add_keys(const PointResult& result);

  /// id, the axes, status, exit_code, reason, the report's keys in order, behind them those that no
  /// two runs share: report's, then point_wall_s and point_peak_memory_bytes. A key of the report
  /// that is another column's name but for capitals has "report/" in front.
  std::vector<std::string> columns() const;
  /// The cells of a point; without result its status is "missing".
  std::vector<std::string> row(const Point& point, const PointResult* result) const;
  /// How many columns at the end no two runs share.
  std::size_t run_columns() const { return of_run_.size() + 2; }

 private:
  std::vector<std::string> axes_;
  std::set<std::string> keys_;
  std::set<std::string> of_run_;
};

}  // namespace waferloom::sweep
