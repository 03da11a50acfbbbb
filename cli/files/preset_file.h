#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/input_file.h"
#include "cli/options/options.h"

namespace waferloom::cli {

/// A kind of files of which some are part of the program, under names.
struct PresetKind {
  std::optional<std::string_view> (*preset)(std::string_view name);
  std::vector<std::string_view> (*names)();
  std::string expected;               ///< "--hardware: expected wse1 or a file"
  std::string hint{};                 ///< behind the complaint about another name
  std::size_t most = kMaxInputBytes;  ///< bytes of a file
};

/// The text that a name stands for, and what messages call it.
struct NamedText {
  std::string text;
  std::string source;
};

/// The preset if there is one of that name, otherwise the file; "-" is stdin. Failure::usage for a
/// name that is neither and does not look like a path.
NamedText read_preset_or_file(const std::string& name, const PresetKind& kind,
                              const CommonOptions& options);

}  // namespace waferloom::cli
