#include "cli/console/made_by.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/console/version.h"

namespace waferloom::cli {

MadeBy::MadeBy(const std::vector<std::string>& command_line) {
  const std::string threads = "--threads";
  for (std::size_t i = 0; i < command_line.size(); ++i) {
    if (command_line[i] == threads) {
      ++i;
    } else if (!command_line[i].starts_with(threads + "=")) {
      arguments_.push_back(command_line[i]);
    }
  }
}

void MadeBy::add_input(const std::string& name, std::string_view bytes) {
  const bool is_known = std::any_of(inputs_.begin(), inputs_.end(),
                                    [&](const Input& input) { return input.name == name; });
  if (is_known) return;
  const auto* first = reinterpret_cast<const Bytef*>(bytes.data());
  inputs_.push_back(
      {name, bytes.size(), static_cast<std::uint32_t>(crc32_z(0, first, bytes.size()))});
}

Json MadeBy::inputs() const {
  Json inputs = Json::array();
  for (const Input& input : inputs_) {
    char crc[9];
    std::snprintf(crc, sizeof crc, "%08x", input.crc32);
    inputs.push_back({{"name", input.name}, {"bytes", input.bytes}, {"crc32", crc}});
  }
  return inputs;
}

Json MadeBy::stamped(const Json& report) const {
  Json result;
  for (const auto& [key, value] : report.items()) {
    result[key] = value;
    if (key == "schema") {
      result["made_by"] = {
          {"version", program_version()}, {"arguments", arguments_}, {"inputs", inputs()}};
    }
  }
  return result;
}

}  // namespace waferloom::cli
