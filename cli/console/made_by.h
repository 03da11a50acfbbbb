#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"

namespace waferloom::cli {

/// What a report was made by and from, so that it can be made again.
class MadeBy {
 public:
  /// The command line behind the program's name. --threads is left out: it changes no result.
  explicit MadeBy(const std::vector<std::string>& command_line);
  /// Notes an input; what is read twice counts once.
  void add_input(const std::string& name, std::string_view bytes);
  /// The report with the key made_by behind its schema: version, arguments, and of each input its
  /// name, its bytes, and their CRC-32 (as of gzip and zlib) in hexadecimal.
  Json stamped(const Json& report) const;
  /// Of each input its name, its bytes and their CRC-32.
  Json inputs() const;

 private:
  struct Input {
    std::string name;
    std::size_t bytes;
    std::uint32_t crc32;
  };
  std::vector<std::string> arguments_;
  std::vector<Input> inputs_;
};

}  // namespace waferloom::cli
