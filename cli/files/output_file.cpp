#include "cli/files/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/console/failure.h"

namespace waferloom::cli {

void check_distinct(const std::vector<const OutputFile*>& outputs,
                    const std::vector<std::string>& inputs) {
  namespace fs = std::filesystem;
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    return fs::weakly_canonical(fs::absolute(path), ignored);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = i + 1; j < outputs.size(); ++j) {
      if (place(outputs[i]->path()) != place(outputs[j]->path())) continue;
      throw Failure(FailureKind::usage, outputs[j]->path() + ": given for two outputs");
    }
    for (const std::string& input : inputs) {
      std::error_code ignored;
      if (input == "-" || !fs::equivalent(input, outputs[i]->path(), ignored)) continue;
      throw Failure(FailureKind::usage, outputs[i]->path() + ": is also an input");
    }
  }
}

void write_stdout(std::string_view bytes) {
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Failure(FailureKind::input,
                  "standard output: cannot be written: " + std::string(std::strerror(errno)));
  }
}

}  // namespace waferloom::cli
