#include <benchmark/benchmark.h>

#include <vector>

#include "interchange/onnx.h"
#include "model/errors.h"
#include "tests/interchange/corpus/corpus.h"

namespace waferloom {
namespace {

/// All models of libonnx-testdata, once each as a network and as a case.
void BM_OnnxCorpus(benchmark::State& state) {
  const std::vector<test::CorpusModel> models = test::corpus_models();
  if (models.empty()) {
    state.SkipWithError("the package libonnx-testdata is not installed");
    return;
  }
  for (auto _ : state) {
    for (const test::CorpusModel& model : models) {
      const std::string& path = model.path;
      const std::string& bytes = model.bytes;
      const auto as_network = [&](const interchange::OnnxOptions& options) {
        interchange::import_onnx_network(bytes, path, options);
      };
      const auto as_case = [&](const interchange::OnnxOptions& options) {
        interchange::import_onnx_case(bytes, path, options);
      };
      benchmark::DoNotOptimize(test::refusal_of(as_network));
      benchmark::DoNotOptimize(test::refusal_of(as_case));
    }
  }
  state.counters["models"] = static_cast<double>(models.size());
}
BENCHMARK(BM_OnnxCorpus)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waferloom
