#include "tests/interchange/corpus/corpus.h"

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "interchange/onnx/sample.h"
#include "model/workload.h"
#include "tests/interchange/onnx/mutator.h"
#include "tests/support/source_folder.h"

// All models of libonnx-testdata, as networks and as cases, held against counts.csv, of which
// scripts/onnx_corpus.py makes the table of docs/import.md.
namespace waferloom::interchange {
namespace {

using Counts = std::map<std::pair<std::string, std::string>, int>;

/// What a refusal is counted as, by a part of its message; the message itself where it is another.
std::string reason_of(const std::string& message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kReasons{{
      {"operators that are known", "have an operator that nobody knows"},
      {"whose sizes follow", "have sizes that depend on numbers of an input"},
      {"of which kernels are made, found none", "have no convolution and no product of matrices"},
      {"found none that computes", "compute nothing from their inputs"},
  }};
  if (message.empty()) return "whole";
  for (const auto& [part, reason] : kReasons) {
    if (message.find(part) != std::string::npos) return std::string(reason);
  }
  return message;
}

Counts counts_of(const std::vector<test::CorpusModel>& models) {
  Counts counts;
  for (const test::CorpusModel& model : models) {
    const std::string& path = model.path;
    const std::string& bytes = model.bytes;
    CAPTURE(path);
    const std::string network = test::refusal_of([&](const OnnxOptions& options) {
      expand(read_network(network_text(import_onnx_network(bytes, path, options).file), path));
    });
    const std::string contest = test::refusal_of(
        [&](const OnnxOptions& options) { import_onnx_case(bytes, path, options); });
    ++counts[{"network", reason_of(network)}];
    ++counts[{"case", reason_of(contest)}];
    if (reason_of(network) != "have an operator that nobody knows") continue;
    test::refusal_of([&](OnnxOptions options) {
      options.skip_unsupported = true;
      for (const LeftOutOperator& row : sized_graph(bytes, path, options).facts.left_out) {
        ++counts[{"unknown", row.name}];
      }
    });
  }
  return counts;
}

/// Rows "network,whole,886" behind a line of titles.
std::string text_of(const Counts& counts) {
  std::string text = "import,outcome,models\n";
  for (const auto& [row, count] : counts) {
    text += row.first + "," + row.second + "," + std::to_string(count) + "\n";
  }
  return text;
}

/// The symbolic sizes of a model, 3 each.
std::map<std::string, std::int64_t> bindings_for(const std::string& bytes) {
  try {
    import_onnx_network(bytes, "m");
  } catch (const InputError& error) {
    return test::bindings_asked_for(error.what());
  }
  return {};
}

TEST_CASE("models of libonnx-testdata import as the table says") {
  const std::vector<test::CorpusModel> models = test::corpus_models();
  constexpr std::size_t kModels = 1'072;  // of version 1.12, which the table is of
  if (models.size() != kModels) {
    std::cout << "SKIPPED onnx_corpus: the package libonnx-testdata 1.12 is not installed\n";
    return;
  }
  std::ifstream file(test::source_folder() / "tests/interchange/corpus/counts.csv");
  const std::string table{std::istreambuf_iterator<char>(file), {}};
  CHECK(text_of(counts_of(models)) == table);
}

TEST_CASE("models of libonnx-testdata with faults in them are imported or refused") {
  constexpr std::uint64_t kDrawsEach = 10;
  test::Outcomes cases;
  test::Outcomes networks;
  std::uint64_t draw = 0;
  for (const test::CorpusModel& model : test::corpus_models()) {
    for (std::uint64_t i = 0; i < kDrawsEach; ++i) {
      const std::string bytes = test::Mutator(++draw).mutated(model.bytes);
      const OnnxOptions options{bindings_for(bytes), draw % 2 == 0};
      CAPTURE(model.path);
      CAPTURE(draw);
      test::tally(cases, [&] { import_onnx_case(bytes, "m", options); });
      test::tally(networks, [&] { import_onnx_network(bytes, "m", options); });
    }
  }
  CHECK(cases.made + cases.refused == draw);
  CHECK(networks.made >= draw / 4);
  CHECK(networks.refused >= draw / 4);
}

}  // namespace
}  // namespace waferloom::interchange
