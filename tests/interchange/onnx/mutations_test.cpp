#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "interchange/onnx.h"
#include "model/workload.h"
#include "tests/interchange/onnx/layer_model.h"
#include "tests/interchange/onnx/model_bytes.h"
#include "tests/interchange/onnx/mutator.h"
#include "tests/support/complaint.h"

// Models with faults in them: whatever comes is a case or a network, or one line.
namespace waferloom::interchange {
namespace {

using test::ModelBytes;
using test::Mutator;
using test::Numbers;
using test::Outcomes;

std::vector<std::string> sound_models() {
  const Numbers even{1, 1, 1, 1};
  std::vector<std::string> models;
  models.push_back(ModelBytes()
                       .input("x", {1, 4, 9, 9})
                       .weight("w", {6, 2, 3, 3})
                       .weight("u", {6, 4, 2, 2})
                       .wholes("from", {1})
                       .wholes("to", {5})
                       .wholes("axis", {1})
                       .node("Conv", {"x", "w"}, {"c"},
                             {{"group", 2},
                              {"pads", even},
                              {"strides", Numbers{2, 2}},
                              {"dilations", Numbers{1, 1}}})
                       .node("MaxPool", {"c"}, {"p"},
                             {{"kernel_shape", Numbers{3, 3}}, {"ceil_mode", 1}, {"pads", even}})
                       .node("ConvTranspose", {"p", "u"}, {"t"}, {{"strides", Numbers{2, 2}}})
                       .node("Concat", {"t", "t"}, {"cc"}, {{"axis", 1}})
                       .node("Slice", {"cc", "from", "to", "axis"}, {"s"})
                       .node("DepthToSpace", {"s"}, {"d"}, {{"blocksize", 2}})
                       .node("Flatten", {"d"}, {"f"})
                       .output("f")
                       .bytes());
  models.push_back(ModelBytes()
                       .input("x", {2, 5, 12})
                       .weight("w", {12, 36})
                       .wholes("heads", {2, 5, 3, 12})
                       .wholes("two", {2})
                       .wholes("parts", {1, 1, 1})
                       .node("MatMul", {"x", "w"}, {"qkv"})
                       .node("Reshape", {"qkv", "heads"}, {"h"})
                       .node("Split", {"h", "parts"}, {"q", "k", "v"}, {{"axis", 2}})
                       .node("Squeeze", {"q", "two"}, {"qs"})
                       .node("Squeeze", {"k", "two"}, {"ks"})
                       .node("Einsum", {"qs", "ks"}, {"e"}, {{"equation", "bid,bjd->bij"}})
                       .node("Softmax", {"e"}, {"m"}, {{"axis", -1}})
                       .node("LayerNormalization", {"m", "scale"}, {"n"})
                       .weight("scale", {5})
                       .node("MatMul", {"n", "qs"}, {"z"})
                       .node("ReduceMean", {"m"}, {"r"}, {{"axes", Numbers{1}}, {"keepdims", 0}})
                       .output("r")
                       .bytes());
  models.push_back(ModelBytes()
                       .input("x", {3, 4})
                       .wholes("n", {5}, false)
                       .wholes("zero", {0}, false)
                       .wholes("one", {1}, false)
                       .wholes("axes", {0})
                       .reals("scales", {1, 2})
                       .node("Shape", {"x"}, {"shape"})
                       .node("Gather", {"shape", "zero"}, {"rows"})
                       .node("Range", {"zero", "n", "one"}, {"range"})
                       .node("Mul", {"rows", "n"}, {"product"})
                       .node("Unsqueeze", {"product", "axes"}, {"size"})
                       .node("ConstantOfShape", {"size"}, {"zeros"})
                       .node("Resize", {"x", "", "scales"}, {"big"})
                       .node("Tile", {"x", "shape"}, {"tiled"})
                       .node("Gemm", {"x", "x"}, {"g"}, {{"transB", 1}, {"alpha", 1}})
                       .output("g")
                       .bytes());
  models.push_back(test::layer(test::Ending::network).bytes());
  models.push_back(test::layer(test::Ending::experts).bytes());
  return models;
}

TEST_CASE("models with faults in them are cases, networks or messages of one line") {
  constexpr std::uint64_t kDraws = 10'000;
  const std::vector<std::string> sound = sound_models();
  for (const std::string& model : sound) {
    REQUIRE_NOTHROW(import_onnx_case(model, "m"));
    REQUIRE_NOTHROW(import_onnx_network(model, "m"));
  }
  Outcomes cases;
  Outcomes networks;
  std::set<std::string> unreadable;  // what is written can be read again
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const std::string bytes = Mutator(draw).mutated(sound[draw % sound.size()]);
    const OnnxOptions options{.skip_unsupported = draw % 2 == 0};
    CAPTURE(draw);
    tally(cases, [&] {
      const OnnxCase made = import_onnx_case(bytes, "m", options);
      if (made.problem.kernel_count() == 0) FAIL("a case without kernels");
    });
    tally(networks, [&] {
      const ImportedNetwork network = import_onnx_network(bytes, "m", options);
      const std::string text = network_text(network.file);
      const std::string unread = test::complaint_of([&] { expand(read_network(text, "network")); });
      if (!unread.empty()) unreadable.insert(unread);
    });
  }
  for (const std::string& unread : unreadable) FAIL_CHECK(unread);
  // Faults are such that both happen often.
  for (const Outcomes& each : {cases, networks}) {
    CHECK(each.made + each.refused == kDraws);
    CHECK(each.made > kDraws / 10);
    CHECK(each.refused > kDraws / 5);
  }
}

}  // namespace
}  // namespace waferloom::interchange
