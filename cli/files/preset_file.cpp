#include "cli/files/preset_file.h"

#include <filesystem>

#include "cli/console/failure.h"
#include "model/text.h"

namespace waferloom::cli {

NamedText read_preset_or_file(const std::string& name, const PresetKind& kind,
                              const CommonOptions& options) {
  if (const auto preset = kind.preset(name)) return {std::string(*preset), name};
  const bool is_path = name == "-" || name.find_first_of("./") != std::string::npos;
  if (!is_path && !std::filesystem::exists(name)) {
    throw Failure(FailureKind::usage, kind.expected + ", found " + in_quotes(name) +
                                          suggestion(name, kind.names()) + kind.hint);
  }
  return {read_input(name, options, kind.most), source_name(name)};
}

}  // namespace waferloom::cli
