#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace waferloom {

/// Reports are ordered JSON; their schemas are in model/schemas/.
using Json = nlohmann::ordered_json;

/// A report that begins with its schema's name, "waferloom/NAME/1".
Json new_report(const std::string& name);

/// {schema, error {class, message, exit_code}}.
Json error_json(const std::string& class_name, const std::string& message, int exit_code);

/// Text of a report, with a line end; bytes that are not UTF-8 are replaced.
std::string json_text(const Json& report);

/// A decimal as a JSON number where a double prints it exactly, else as its text.
Json json_number(const std::string& decimal);

/// Seconds as reports have them, to the millisecond.
double rounded_to_ms(double seconds);

}  // namespace waferloom
