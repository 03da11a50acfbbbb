#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "tests/interchange/onnx/model_bytes.h"

// Models with faults in them: attributes and sizes of 0, -1 and 2^62, fields that are dropped or
// stand twice, operators that are exchanged, files that are cut off.
namespace waferloom::test {

inline constexpr std::array<const char*, 36> kOperators{
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
  std::string content;  ///< of all but a varint
};

inline std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80U) break;
  }
  return value;
}

inline std::vector<RawField> fields_of(std::string_view bytes) {
  std::vector<RawField> fields;
  while (!bytes.empty()) {
    RawField field{take_number(bytes), 0, {}};
    const std::uint64_t wire = field.key & 7U;
    // A length, the number itself, or so many bytes that are one.
    field.number = wire == 5 ? 4 : wire == 1 ? 8 : take_number(bytes);
    if (wire != 0) {
      field.content = bytes.substr(0, field.number);
      bytes.remove_prefix(field.content.size());
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

inline std::string bytes_of(const std::vector<RawField>& fields) {
  MessageBytes message;
  for (const RawField& field : fields) {
    const int number = static_cast<int>(field.key >> 3);
    if ((field.key & 7U) == 2) {
      message.block(number, field.content);
    } else if ((field.key & 7U) != 0) {
      message.fixed(field.key, field.content);
    } else {
      message.number(number, static_cast<std::int64_t>(field.number));
    }
  }
  return message.bytes();
}

/// Whether a field holds a message, by its number and how deep it lies in a model.
inline bool is_message_field(int depth, std::uint64_t number) {
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

}  // namespace waferloom::test
