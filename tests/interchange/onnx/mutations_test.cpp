#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "interchange/onnx.h"
#include "model/errors.h"
#include "model/workload.h"
#include "tests/interchange/onnx/layer_model.h"
#include "tests/interchange/onnx/model_bytes.h"

// Models with faults in them: attributes and sizes of 0, -1 and 2^62, fields that are dropped or
// stand twice, operators that are exchanged, files that are cut off. Whatever comes is a case or
// one line.
namespace waferloom::interchange {
namespace {

using test::MessageBytes;
using test::ModelBytes;
using test::Numbers;

constexpr std::array<const char*, 36> kOperators{
    "Conv",       "ConvTranspose", "MatMul",    "Gemm",         "Einsum",
    "MaxPool",    "Reshape",       "Transpose", "Slice",        "Split",
    "Concat",     "Gather",        "Squeeze",   "Unsqueeze",    "Expand",
    "Tile",       "Pad",           "Resize",    "Range",        "Flatten",
    "Add",        "Where",         "Cast",      "ReduceMean",   "TopK",
    "OneHot",     "LSTM",          "GatherND",  "DepthToSpace", "LayerNormalization",
    "GridSample", "RoiAlign",      "MaxUnpool", "ArgMax",       "ConstantOfShape",
    "Shape"};

/// A field of an encoded message.
struct RawField {
  std::uint64_t key = 0;
  std::uint64_t number = 0;
  std::string content;  ///< of a length-delimited field
};

std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80U) break;
  }
  return value;
}

std::vector<RawField> fields_of(std::string_view bytes) {
  std::vector<RawField> fields;
  while (!bytes.empty()) {
    RawField field{take_number(bytes), 0, {}};
    field.number = take_number(bytes);  // a length, or the number itself
    if ((field.key & 7U) == 2) {
      field.content = bytes.substr(0, field.number);
      bytes.remove_prefix(field.content.size());
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string bytes_of(const std::vector<RawField>& fields) {
  MessageBytes message;
  for (const RawField& field : fields) {
    const int number = static_cast<int>(field.key >> 3);
    if ((field.key & 7U) == 2) {
      message.block(number, field.content);
    } else {
      message.number(number, static_cast<std::int64_t>(field.number));
    }
  }
  return message.bytes();
}

/// The message of a field's name in the models of this file: their floats stand in raw bytes alone.
bool is_message_field(int depth, std::uint64_t number) {
  constexpr std::array<std::array<std::uint64_t, 5>, 6> kInside{{{7, 0, 0, 0, 0},
                                                                 {1, 5, 11, 12, 13},
                                                                 {5, 2, 0, 0, 0},
                                                                 {1, 0, 0, 0, 0},
                                                                 {2, 0, 0, 0, 0},
                                                                 {1, 0, 0, 0, 0}}};
  if (depth >= static_cast<int>(kInside.size())) return false;
  for (const std::uint64_t inside : kInside[static_cast<std::size_t>(depth)]) {
    if (inside != 0 && inside == number) return true;
  }
  return false;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutated(const std::string& model) {
    std::string bytes = model;
    for (std::size_t count = 1 + pick(3); count > 0; --count) bytes = message(bytes, 0);
    if (pick(8) == 0) bytes.resize(pick(bytes.size() + 1));
    if (pick(8) == 0 && !bytes.empty()) bytes[pick(bytes.size())] = static_cast<char>(pick(256));
    return bytes;
  }

 private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_() % below); }

  std::string message(const std::string& bytes, int depth) {
    std::vector<RawField> fields = fields_of(bytes);
    if (fields.empty()) return bytes;
    const std::size_t at = pick(fields.size());
    RawField& field = fields[at];
    const bool is_block = (field.key & 7U) == 2;
    if (is_block && is_message_field(depth, field.key >> 3) && pick(8) != 0) {
      field.content = message(field.content, depth + 1);
    } else if (pick(4) == 0) {
      fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (pick(6) == 0) {
      fields.push_back(field);
    } else if (is_block && (field.key >> 3) == 4) {
      field.content = kOperators[pick(kOperators.size())];
    } else if (is_block) {
      field.content = fields[pick(fields.size())].content;
    } else {
      constexpr std::array<std::int64_t, 7> kOdd{0, -1, std::int64_t{1} << 62, 2, 7, -3, 1 << 20};
      field.number = static_cast<std::uint64_t>(kOdd[pick(kOdd.size())]);
    }
    return bytes_of(fields);
  }

  std::mt19937_64 random_;
};

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

/// How imports of one kind end.
struct Outcomes {
  std::size_t made = 0;
  std::size_t refused = 0;
};

/// Counts whether an import makes something, or says in a line why not.
template <typename Import>
void tally(Outcomes& outcomes, const Import& import) {
  try {
    import();
    ++outcomes.made;
  } catch (const InputError& error) {
    ++outcomes.refused;
    for (const char c : std::string_view(error.what())) {
      if (c < ' ' || c > '~') FAIL("a message that does not print: " << error.what());
    }
  }
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
      // What is written can be read again, or is refused as a whole: a layer may be too large.
      expand(read_network(network_text(network.file), "network"));
    });
  }
  // Faults are such that both happen often.
  for (const Outcomes& each : {cases, networks}) {
    CHECK(each.made + each.refused == kDraws);
    CHECK(each.made > kDraws / 10);
    CHECK(each.refused > kDraws / 5);
  }
}

}  // namespace
}  // namespace waferloom::interchange
