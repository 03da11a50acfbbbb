#include "interchange/huggingface/config_reader.h"

#include <utility>

namespace waferloom::interchange {
namespace {

constexpr std::int64_t kMost = 1'000'000'000;

bool is_null(const JsonValue& value) { return value.kind == JsonValue::Kind::null; }

}  // namespace

const JsonValue* ConfigReader::find(std::string_view key) const {
  return JsonReader::find_unless_null(config_, key);
}

std::int64_t ConfigReader::whole(std::string_view key, Absent absent, std::int64_t least) const {
  const JsonValue* value = JsonReader::find(config_, key);
  if (value == nullptr && absent.missing) return *absent.missing;
  if (value != nullptr && is_null(*value) && absent.null) return *absent.null;
  return reader_.whole(reader_.at(config_, key), std::string(key), {least, kMost});
}

bool ConfigReader::flag(std::string_view key, bool missing) const {
  const JsonValue* value = JsonReader::find(config_, key);
  if (value == nullptr) return missing;
  return !is_null(*value) && reader_.boolean(*value, std::string(key));
}

std::string ConfigReader::text(std::string_view key) const {
  const JsonValue* value = find(key);
  return value == nullptr ? std::string() : reader_.string(*value, std::string(key));
}

std::pair<std::int64_t, std::int64_t> ConfigReader::sides(std::string_view key,
                                                          std::int64_t missing) const {
  const JsonValue* value = JsonReader::find(config_, key);
  if (value == nullptr) return {missing, missing};
  return reader_.sides(*value, std::string(key), {1, kMost});
}

}  // namespace waferloom::interchange
