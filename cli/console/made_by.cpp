#include "cli/console/made_by.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>

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
                                    [&](const InputFacts& input) { return input.name == name; });
  if (is_known) return;
  const auto* first = reinterpret_cast<const Bytef*>(bytes.data());
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x",
                static_cast<std::uint32_t>(crc32_z(0, first, bytes.size())));
  inputs_.push_back({name, static_cast<std::int64_t>(bytes.size()), crc});
}

MadeByFacts MadeBy::facts() const { return {program_version(), arguments_, inputs_}; }

}  // namespace waferloom::cli
