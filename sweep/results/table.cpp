#include "sweep/table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

namespace waferloom::sweep {
namespace {

constexpr std::array<std::string_view, 4> kOwnColumns{"id", "status", "exit_code", "reason"};

std::string cell_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void flatten(const Json& value, const std::string& key, std::map<std::string, std::string>& found) {
  if (value.is_array()) return;
  if (!value.is_object()) {
    found[key] = cell_of(value);
    return;
  }
  for (const auto& [name, inner] : value.items()) {
    const bool is_top = key.empty();
    if (is_top && (name == "schema" || name == "made_by")) continue;
    std::string inner_key = key;
    if (!is_top) inner_key += '/';
    inner_key += name;
    flatten(inner, inner_key, found);
  }
}

/// Whether a database takes both for the same column: it does not see capitals.
bool same_name(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::map<std::string, std::string> flattened(const Json& report) {
  std::map<std::string, std::string> found;
  if (report.is_object()) flatten(report, "", found);
  return found;
}

bool is_of_the_run(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  return name == "wall_s" || name == "events_per_s" || name == "peak_memory_bytes";
}

void Table::add_keys(const PointResult& result) {
  for (const auto& [key, value] : flattened(result.report)) {
    (is_of_the_run(key) ? of_run_ : keys_).insert(key);
  }
}

std::vector<std::string> Table::columns() const {
  std::vector<std::string> all{"id"};
  all.insert(all.end(), axes_.begin(), axes_.end());
  all.insert(all.end(), kOwnColumns.begin() + 1, kOwnColumns.end());
  const std::size_t own = all.size();
  const auto add = [&](const std::string& key) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(own);
    const bool is_taken = std::any_of(
        all.begin(), end, [&](const std::string& known) { return same_name(known, key); });
    all.push_back(is_taken ? "report/" + key : key);
  };
  for (const std::string& key : keys_) add(key);
  for (const std::string& key : of_run_) add(key);
  all.emplace_back("point_wall_s");
  all.emplace_back("point_peak_memory_bytes");
  return all;
}

std::vector<std::string> Table::row(const Point& point, const PointResult* result) const {
  std::vector<std::string> cells{point.id};
  cells.insert(cells.end(), point.cells.begin(), point.cells.end());
  if (result == nullptr) {
    cells.emplace_back("missing");
    cells.resize(1 + axes_.size() + 3 + keys_.size() + of_run_.size() + 2);
    return cells;
  }
  cells.emplace_back(status_name(result->status));
  cells.push_back(std::to_string(result->exit_code));
  cells.push_back(result->reason);
  const std::map<std::string, std::string> found = flattened(result->report);
  const auto add = [&](const std::string& key) {
    const auto value = found.find(key);
    cells.push_back(value == found.end() ? "" : value->second);
  };
  for (const std::string& key : keys_) add(key);
  for (const std::string& key : of_run_) add(key);
  cells.push_back(Json(result->wall_s).dump());
  cells.push_back(std::to_string(result->peak_memory_bytes));
  return cells;
}

}  // namespace waferloom::sweep
