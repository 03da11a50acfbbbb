#include "model/report.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/text.h"

namespace waferloom {
namespace {

constexpr std::int64_t kMaxExactWhole = std::int64_t{1} << 53;
// Outside these a double's usual text has an exponent.
constexpr double kLeastPlain = 1e-4;
constexpr double kMostPlain = 1e16;

/// The shortest text that reads back as this double, without an exponent.
std::string plain_text(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
  return {text, end.ptr};
}

std::string scalar_text(const Json& value) {
  if (!value.is_number_float()) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return shortest_text(value.get<double>());
}

/// Like Json::dump, but with the shortest text of every double: dump's is not always (708.24606
/// becomes 708.2460600000001). `made_by`, if any, stands behind the key "schema".
void append_json(const Json& value, std::size_t indent, std::string& text,
                 const Json* made_by = nullptr) {
  if (!value.is_structured() || value.empty()) {
    text += scalar_text(value);
    return;
  }
  const std::string line_end = "\n" + std::string(indent + 2, ' ');
  text += value.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    text += (first ? "" : ",") + line_end;
    first = false;
    if (value.is_object()) text += scalar_text(key) + ": ";
    append_json(item, indent + 2, text);
    if (made_by != nullptr && key == "schema") {
      text += "," + line_end + "\"made_by\": ";
      append_json(*made_by, indent + 2, text);
    }
  }
  text += "\n" + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

}  // namespace

std::variant<std::int64_t, double, std::string> exact_number(const std::string& decimal) {
  const char* end = decimal.data() + decimal.size();
  if (decimal.find('.') == std::string::npos) {
    std::int64_t whole = 0;
    const auto parsed = std::from_chars(decimal.data(), end, whole);
    if (parsed.ec == std::errc() && whole <= kMaxExactWhole) return whole;
    return decimal;
  }
  double value = 0;
  std::from_chars(decimal.data(), end, value);
  if (value >= kLeastPlain && value < kMostPlain && plain_text(value) == decimal) return value;
  return decimal;
}

Report::Report(Json json) : json_(std::make_shared<const Json>(std::move(json))) {}

double rounded_to_ms(double seconds) { return std::round(seconds * 1000) / 1000; }

std::string json_text(const Json& report) {
  std::string text;
  append_json(report, 0, text);
  return text + "\n";
}

std::string report_text(const Report& report) { return json_text(report.json()); }

std::string stamped_report_text(const Report& report, const Report& made_by) {
  std::string text;
  append_json(report.json(), 0, text, &made_by.json());
  return text + "\n";
}

std::string json_library() {
  return fmt::format("nlohmann_json {}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                     NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
}

}  // namespace waferloom
