#include "interchange/onnx/skim.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <array>
#include <cstdint>
#include <limits>

#include "model/errors.h"

// Problem: a model is mostly weights, which nobody needs here, and may be broken or hostile.
// Idea: walk over the keys and lengths of the protobuf encoding. What is no message, or is too long
// to be a constant, is passed over without a look; all else is copied. Whoever parses the copy
// needs memory in proportion to the graph, which is bounded here.
namespace waferloom::interchange {
namespace {

/// Messages that others lie in, and those inside of which nothing is looked for.
enum class Part : std::uint8_t {
  model,
  graph,
  node,
  attribute,
  tensor,
  sparse_tensor,
  value_info,
  type,
  tensor_type,
  shape,
  leaf,
  data,  ///< numbers of a tensor: left out if they are many
  brief  ///< numbers or a name: refused if they are many
};

/// A field that is no text.
struct SkimmedField {
  Part in;
  int number;
  Part is;
};

constexpr std::array kSkimmedFields{
    SkimmedField{Part::model, format::Model::kGraphFieldNumber, Part::graph},
    SkimmedField{Part::graph, format::Graph::kNodeFieldNumber, Part::node},
    SkimmedField{Part::graph, format::Graph::kInitializerFieldNumber, Part::tensor},
    SkimmedField{Part::graph, format::Graph::kInputFieldNumber, Part::value_info},
    SkimmedField{Part::graph, format::Graph::kOutputFieldNumber, Part::value_info},
    SkimmedField{Part::graph, format::Graph::kValueInfoFieldNumber, Part::value_info},
    SkimmedField{Part::graph, format::Graph::kSparseInitializerFieldNumber, Part::sparse_tensor},
    SkimmedField{Part::node, format::Node::kInputFieldNumber, Part::brief},
    SkimmedField{Part::node, format::Node::kOutputFieldNumber, Part::brief},
    SkimmedField{Part::node, format::Node::kNameFieldNumber, Part::brief},
    SkimmedField{Part::node, format::Node::kOpTypeFieldNumber, Part::brief},
    SkimmedField{Part::node, format::Node::kAttributeFieldNumber, Part::attribute},
    SkimmedField{Part::attribute, format::Attribute::kTFieldNumber, Part::tensor},
    SkimmedField{Part::attribute, format::Attribute::kGFieldNumber, Part::graph},
    SkimmedField{Part::attribute, format::Attribute::kIntsFieldNumber, Part::brief},
    SkimmedField{Part::tensor, format::Tensor::kDimsFieldNumber, Part::brief},
    SkimmedField{Part::tensor, format::Tensor::kNameFieldNumber, Part::brief},
    SkimmedField{Part::tensor, format::Tensor::kFloatDataFieldNumber, Part::data},
    SkimmedField{Part::tensor, format::Tensor::kInt32DataFieldNumber, Part::data},
    SkimmedField{Part::tensor, format::Tensor::kInt64DataFieldNumber, Part::data},
    SkimmedField{Part::tensor, format::Tensor::kRawDataFieldNumber, Part::data},
    SkimmedField{Part::tensor, format::Tensor::kDoubleDataFieldNumber, Part::data},
    SkimmedField{Part::sparse_tensor, format::SparseTensor::kValuesFieldNumber, Part::tensor},
    SkimmedField{Part::sparse_tensor, format::SparseTensor::kDimsFieldNumber, Part::brief},
    SkimmedField{Part::value_info, format::ValueInfo::kNameFieldNumber, Part::brief},
    SkimmedField{Part::value_info, format::ValueInfo::kTypeFieldNumber, Part::type},
    SkimmedField{Part::type, format::Type::kTensorTypeFieldNumber, Part::tensor_type},
    SkimmedField{Part::tensor_type, format::TensorType::kShapeFieldNumber, Part::shape},
    SkimmedField{Part::shape, format::Shape::kDimFieldNumber, Part::leaf},
};

constexpr bool is_message(Part part) { return part < Part::data; }

/// What a field is; nothing where it may be anything.
const Part* part_of(Part in, std::uint64_t number) {
  for (const SkimmedField& row : kSkimmedFields) {
    if (row.in == in && static_cast<std::uint64_t>(row.number) == number) return &row.is;
  }
  return nullptr;
}

constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kEightBytes = 1;
constexpr std::uint64_t kLengthDelimited = 2;
constexpr std::uint64_t kFourBytes = 5;
constexpr unsigned kWireBits = 3;

/// What parsed messages, texts and numbers take in memory, and how much all may together.
constexpr std::size_t kMessageBytes = 160;
constexpr std::size_t kTextBytes = 64;
constexpr std::size_t kNumberBytes = 16;
constexpr std::size_t kMostBytes = std::size_t{128} * 1024 * 1024;

void append_varint(std::string& out, std::uint64_t value) {
  constexpr std::uint64_t kMore = 0x80;
  for (; value >= kMore; value >>= 7) out.push_back(static_cast<char>(value | kMore));
  out.push_back(static_cast<char>(value));
}

/// Copies messages without their weights.
class Skimmer {
 public:
  Skimmer(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  std::string skim() {
    std::string kept;
    copy_message(Part::model, bytes_.size(), 0, kept);
    return kept;
  }

 private:
  struct Key {
    std::uint64_t number;
    std::uint64_t wire;
    std::size_t at;
  };

  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    throw InputError(source_, kWholeSource, fmt::format("byte {}: {}", at, message));
  }

  /// Counts memory that parsing will take.
  void charge(std::size_t bytes, const Key& key) {
    charged_ += bytes;
    if (charged_ > kMostBytes) {
      fail(key.at,
           fmt::format(
               "expected a graph that takes at most {} MiB without its weights, found a larger one",
               kMostBytes >> 20));
    }
  }

  std::uint64_t take_varint(std::size_t end) {
    const std::size_t start = next_;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (next_ == end) fail(start, "expected a number, found the end of what holds it");
      const auto byte = static_cast<unsigned char>(bytes_[next_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80U) return value;
    }
    fail(start, "expected a number of at most 10 bytes, found a longer one");
  }

  Key take_key(std::size_t end) {
    const std::size_t at = next_;
    const std::uint64_t key = take_varint(end);
    const Key found{key >> kWireBits, key & ((1U << kWireBits) - 1), at};
    constexpr std::uint64_t kMostNumber = (std::uint64_t{1} << 29) - 1;
    if (found.number == 0 || found.number > kMostNumber ||
        (found.wire > kLengthDelimited && found.wire != kFourBytes)) {
      fail(at, fmt::format("expected a field of an ONNX model, found the key {}", key));
    }
    return found;
  }

  void copy_fixed(std::size_t size, std::size_t end, std::string& out) {
    if (end - next_ < size) {
      fail(next_, fmt::format("expected {} bytes, found the end of what holds them", size));
    }
    out.append(bytes_.substr(next_, size));
    next_ += size;
  }

  std::size_t take_length(const Key& key, std::size_t end) {
    const std::uint64_t length = take_varint(end);
    if (length > end - next_) {
      fail(key.at,
           fmt::format("expected a field within the {} bytes that are left, found the length {}",
                       end - next_, length));
    }
    return static_cast<std::size_t>(length);
  }

  void copy_text(const Key& key, const Part* part, std::size_t length, std::string& out) {
    if (length > kMostKeptBytes) {
      if (part != nullptr && *part == Part::brief) {
        fail(key.at, fmt::format("expected a name or sizes of at most {} bytes, found {}",
                                 kMostKeptBytes, length));
      }
    } else {
      // A packed number takes a byte here and eight once it is parsed.
      charge(kTextBytes + (part == nullptr ? length : length * sizeof(std::int64_t)), key);
      append_varint(out, key.number << kWireBits | key.wire);
      append_varint(out, length);
      out.append(bytes_.substr(next_, length));
    }
    next_ += length;
  }

  void copy_field(Part in, const Key& key, std::size_t end, int nesting, std::string& out) {
    const Part* part = part_of(in, key.number);
    if (part != nullptr && is_message(*part) && key.wire != kLengthDelimited) {
      fail(key.at, fmt::format("expected a message in field {}, found a value of type {}",
                               key.number, key.wire));
    }
    if (key.wire == kLengthDelimited) {
      const std::size_t length = take_length(key, end);
      if (part == nullptr || !is_message(*part)) return copy_text(key, part, length, out);
      charge(kMessageBytes, key);
      std::string inside;
      copy_message(*part, next_ + length, nesting + 1, inside);
      append_varint(out, key.number << kWireBits | key.wire);
      append_varint(out, inside.size());
      out += inside;
      return;
    }
    charge(kNumberBytes, key);
    append_varint(out, key.number << kWireBits | key.wire);
    if (key.wire == kVarint) return append_varint(out, take_varint(end));
    copy_fixed(key.wire == kEightBytes ? sizeof(std::uint64_t) : sizeof(std::uint32_t), end, out);
  }

  void copy_message(Part part, std::size_t end, int nesting, std::string& out) {
    if (nesting > kMostNesting) {
      fail(next_, fmt::format("expected messages nested at most {} deep, found deeper ones",
                              kMostNesting));
    }
    while (next_ < end) copy_field(part, take_key(end), end, nesting, out);
  }

  std::string_view bytes_;
  const std::string& source_;
  std::size_t next_ = 0;
  std::size_t charged_ = 0;
};

}  // namespace

std::string skim_model(std::string_view bytes, const std::string& source) {
  return Skimmer(bytes, source).skim();
}

}  // namespace waferloom::interchange
