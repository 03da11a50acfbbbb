#include "cluster/table_files.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "model/report.h"

namespace waferloom::cluster {
namespace {

/// SQLite has at most 2000 columns in a table.
constexpr std::size_t kMostColumns = 2000;

std::string quoted_name(const std::string& column) {
  std::string name = "\"";
  for (const char c : column) {
    if (c == '"') name += '"';
    name += c;
  }
  return name + "\"";
}

/// A file that nobody knows yet, and the one that errors name because it will take its place.
struct DatabasePaths {
  std::string temporary;
  std::string target;
};

/// A database that this process alone writes.
class Database {
 public:
  explicit Database(const DatabasePaths& paths) : target_(paths.target) {
    demand(sqlite3_open(paths.temporary.c_str(), &handle_));
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& statement) {
    demand(sqlite3_exec(handle_, statement.c_str(), nullptr, nullptr, nullptr));
  }
  void demand(int result) const {
    if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
    fail_to_write({target_, handle_ == nullptr ? "no memory" : sqlite3_errmsg(handle_)});
  }
  sqlite3* handle() const { return handle_; }

 private:
  std::string target_;
  sqlite3* handle_ = nullptr;
};

/// A row for a statement with a question mark for each of its columns.
class RowWriter {
 public:
  RowWriter(const Database& database, std::size_t columns) : database_(database) {
    std::string text = "INSERT INTO points VALUES (?";
    for (std::size_t i = 1; i < columns; ++i) text += ",?";
    text += ")";
    database.demand(sqlite3_prepare_v2(database.handle(), text.c_str(), -1, &statement_, nullptr));
  }
  ~RowWriter() { sqlite3_finalize(statement_); }
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  void write(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) bind(static_cast<int>(i) + 1, cells[i]);
    database_.demand(sqlite3_step(statement_));
    database_.demand(sqlite3_reset(statement_));
  }

 private:
  void bind(int place, const std::string& cell) {
    const char* end = cell.data() + cell.size();
    std::int64_t whole = 0;
    double real = 0;
    if (cell.empty()) {
      database_.demand(sqlite3_bind_null(statement_, place));
    } else if (const auto read = std::from_chars(cell.data(), end, whole);
               read.ec == std::errc() && read.ptr == end) {
      database_.demand(sqlite3_bind_int64(statement_, place, whole));
    } else if (const auto number = std::from_chars(cell.data(), end, real);
               number.ec == std::errc() && number.ptr == end) {
      database_.demand(sqlite3_bind_double(statement_, place, real));
    } else {
      database_.demand(sqlite3_bind_text(statement_, place, cell.data(),
                                         static_cast<int>(cell.size()), SQLITE_TRANSIENT));
    }
  }

  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

PointCounts fill(const TableRows& rows, const DatabasePaths& paths) {
  Database database(paths);
  database.run("PRAGMA journal_mode = OFF");
  database.run("BEGIN");
  std::string columns;
  for (const std::string& name : rows.columns()) {
    columns += (columns.empty() ? "" : ", ") + quoted_name(name);
  }
  database.run("CREATE TABLE points (" + columns + ")");
  PointCounts counts;
  {
    RowWriter writer(database, rows.columns().size());
    counts = rows.for_each([&](const std::vector<std::string>& cells) { writer.write(cells); });
  }
  database.run("COMMIT");
  return counts;
}

}  // namespace

TableRows::TableRows(const SweepFolder& run, const RunControl& control)
    : run_(run), control_(control), table_(run.facts().columns) {
  run.for_each_point([&](const sweep::Point& point) {
    control.end_if_cut();
    if (const auto result = run.result(point.id)) table_.add_keys(*result);
    return true;
  });
  columns_ = table_.columns();
  run_columns_ = table_.run_columns();
}

PointCounts TableRows::for_each(
    const std::function<void(const std::vector<std::string>&)>& take) const {
  PointCounts counts;
  run_.for_each_point([&](const sweep::Point& point) {
    control_.end_if_cut();
    const auto result = run_.result(point.id);
    ++counts.points;
    if (result) counts.add(result->status);
    take(table_.row(point, result ? &*result : nullptr));
    return true;
  });
  return counts;
}

PointCounts write_csv(const TableRows& rows, const OutputFile& file) {
  OutputStream stream(file);
  stream.append(csv_line(rows.columns()));
  const PointCounts counts =
      rows.for_each([&](const std::vector<std::string>& cells) { stream.append(csv_line(cells)); });
  stream.commit();
  return counts;
}

PointCounts write_sqlite(const TableRows& rows, const OutputFile& file) {
  if (rows.columns().size() > kMostColumns) {
    fail_to_write({file.path(), fmt::format("{} columns, more than the 2000 of SQLite; write CSV",
                                            rows.columns().size())});
  }
  const std::string temporary = fmt::format("{}.{}.waferloom", file.path(), getpid());
  std::remove(temporary.c_str());
  try {
    const PointCounts counts = fill(rows, {.temporary = temporary, .target = file.path()});
    std::filesystem::rename(temporary, file.path());
    return counts;
  } catch (const std::filesystem::filesystem_error& error) {
    std::remove(temporary.c_str());
    fail_to_write({file.path(), error.code().message()});
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
}

}  // namespace waferloom::cluster
