#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cluster/output_file.h"
#include "cluster/sweep_folder.h"
#include "cluster/task.h"
#include "model/run_control.h"
#include "sweep/table.h"

namespace waferloom::cluster {

/// The rows of a run's table, made one by one: the columns first, then a row a point in the order
/// of the manifest. Reads every result twice, since the first row needs the keys of all.
class TableRows {
 public:
  /// Both have to live longer. Throws RunCut, as all that reads the rows.
  TableRows(const SweepFolder& run, const RunControl& control);
  const std::vector<std::string>& columns() const { return columns_; }
  /// How many of them, at the end, no two runs share.
  std::size_t run_columns() const { return run_columns_; }
  /// Returns what became of the points, by what was read of them.
  PointCounts for_each(const std::function<void(const std::vector<std::string>&)>& take) const;

 private:
  const SweepFolder& run_;
  const RunControl& control_;
  sweep::Table table_;
  std::vector<std::string> columns_;
  std::size_t run_columns_ = 0;
};

/// Writes the table as CSV; nobody sees a part of it. Returns what it has. Throws InputError.
PointCounts write_csv(const TableRows& rows, const OutputFile& file);

/// Writes it as a database of SQLite with the table `points`, a column each, made beside the file
/// and renamed. Cells that are numbers are stored as such. Returns what it has. Throws
/// InputError.
PointCounts write_sqlite(const TableRows& rows, const OutputFile& file);

}  // namespace waferloom::cluster
