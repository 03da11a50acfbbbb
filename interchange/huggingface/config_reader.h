#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/text.h"

namespace waferloom::interchange {

/// What a key that is missing, or null, stands for. Some families tell the two apart.
struct Absent {
  std::optional<std::int64_t> missing{};  ///< nothing: the key is demanded
  std::optional<std::int64_t> null{};     ///< nothing: null is refused
};
/// The same for both.
constexpr Absent absent(std::int64_t value) { return {value, value}; }

/// The keys of a configuration. Keys that nobody asks for are of no matter.
class ConfigReader {
 public:
  ConfigReader(const std::string& source, const JsonValue& config)
      : reader_(source), config_(config) {}

  /// Demands a number from 1 (`least`) to 10^9.
  std::int64_t whole(std::string_view key, Absent absent = {}, std::int64_t least = 1) const;
  /// null is false, as the reference implementation has it.
  bool flag(std::string_view key, bool missing) const;
  std::string text(std::string_view key) const;  ///< empty where it is missing or null
  /// [height, width], or a number for both.
  std::pair<std::int64_t, std::int64_t> sides(std::string_view key, std::int64_t missing) const;
  /// The key's value; null where it is missing or null.
  const JsonValue* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The keys of an object inside of it.
  ConfigReader inside(const JsonValue& object) const { return {reader_, object}; }
  const JsonReader& reader() const { return reader_; }
  const JsonValue& object() const { return config_; }

 private:
  ConfigReader(const JsonReader& reader, const JsonValue& config)
      : reader_(reader), config_(config) {}

  JsonReader reader_;
  const JsonValue& config_;
};

}  // namespace waferloom::interchange
