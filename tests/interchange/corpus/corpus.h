#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "interchange/onnx.h"
#include "model/errors.h"

namespace waferloom::test {

/// A model of the package libonnx-testdata.
struct CorpusModel {
  std::string path;
  std::string bytes;
};

/// All models of the package by their paths; none where it is not installed.
inline std::vector<CorpusModel> corpus_models() {
  const std::filesystem::path folder = "/usr/share/libonnx-testdata/data";
  std::vector<CorpusModel> models;
  if (!std::filesystem::is_directory(folder)) return models;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    models.push_back({entry.path().string(), {std::istreambuf_iterator<char>(file), {}}});
  }
  std::sort(models.begin(), models.end(),
            [](const CorpusModel& a, const CorpusModel& b) { return a.path < b.path; });
  return models;
}

/// The symbolic sizes that a message asks for, each of them 3.
inline std::map<std::string, std::int64_t> bindings_asked_for(const std::string& message) {
  constexpr std::string_view kAsks = "for example --bind ";
  std::map<std::string, std::int64_t> bindings;
  const std::size_t at = message.find(kAsks);
  if (at == std::string::npos) return bindings;
  std::string_view left = std::string_view(message).substr(at + kAsks.size());
  while (!left.empty()) {
    const std::string_view pair = left.substr(0, left.find(','));
    bindings[std::string(pair.substr(0, pair.rfind('=')))] = 3;
    left.remove_prefix(std::min(pair.size() + 1, left.size()));
  }
  return bindings;
}

/// Why an import is refused; empty where it makes something. `import` takes options, and throws
/// InputError.
template <typename Import>
std::string refusal_of(const Import& import) {
  const auto tried = [&](const interchange::OnnxOptions& options) -> std::string {
    try {
      import(options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string message = tried({});
  const auto bindings = bindings_asked_for(message);
  return bindings.empty() ? message : tried({bindings});
}

}  // namespace waferloom::test
