#include "sweep/table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace waferloom::sweep {
namespace {

constexpr std::array<std::string_view, 4> kOwnColumns{"id", "status", "exit_code", "reason"};

/// Whole numbers keep their digits.
std::string cell_of(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::null) return "";
  if (value.kind != JsonValue::Kind::number) return value.text;
  const char* end = value.text.data() + value.text.size();
  double number = 0;
  const bool is_real = value.text.find_first_of(".eE") != std::string::npos &&
                       std::from_chars(value.text.data(), end, number).ec == std::errc();
  return is_real ? shortest_text(number) : value.text;
}

void flatten(const JsonValue& value, const std::string& key,
             std::map<std::string, std::string>& found) {
  if (value.kind == JsonValue::Kind::array) return;
  if (value.kind != JsonValue::Kind::object) {
    found[key] = cell_of(value);
    return;
  }
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    const std::string& name = value.keys[i];
    const bool is_top = key.empty();
    if (is_top && (name == "schema" || name == "made_by")) continue;
    std::string inner_key = key;
    if (!is_top) inner_key += '/';
    inner_key += name;
    flatten(value.items[i], inner_key, found);
  }
}

/// Whether a database takes both for the same column: it does not see capitals.
bool same_name(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::map<std::string, std::string> flattened(const JsonValue& report) {
  std::map<std::string, std::string> found;
  if (report.kind == JsonValue::Kind::object) flatten(report, "", found);
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
  cells.push_back(shortest_text(result->wall_s));
  cells.push_back(std::to_string(result->peak_memory_bytes));
  return cells;
}

}  // namespace waferloom::sweep
