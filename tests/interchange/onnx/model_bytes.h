#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace waferloom::test {

/// A protobuf message that is written field by field, by the standard's numbers.
class MessageBytes {
 public:
  MessageBytes& number(int field, std::int64_t value) {
    append(static_cast<std::uint64_t>(field) << 3);
    append(static_cast<std::uint64_t>(value));
    return *this;
  }
  MessageBytes& block(int field, std::string_view content) {
    append(static_cast<std::uint64_t>(field) << 3 | 2);
    append(content.size());
    bytes_ += content;
    return *this;
  }
  /// A number of four or eight bytes.
  MessageBytes& fixed(std::uint64_t key, std::string_view bytes) {
    append(key);
    bytes_ += bytes;
    return *this;
  }
  MessageBytes& block(int field, const MessageBytes& message) {
    return block(field, message.bytes_);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

using Numbers = std::vector<std::int64_t>;
/// An attribute: a whole number, whole numbers, or a text.
using AttributeValue = std::variant<std::int64_t, Numbers, std::string>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

inline constexpr int kFloat = 1;
inline constexpr int kInt64 = 7;

/// A model that grows node by node.
class ModelBytes {
 public:
  /// Sizes that are negative are symbolic: "n1" of -1.
  ModelBytes& input(const std::string& name, const Numbers& sizes, int type = kFloat) {
    graph_.block(11, value_info(name, sizes, type));
    return *this;
  }
  ModelBytes& output(const std::string& name) {
    graph_.block(12, MessageBytes().block(1, name));
    return *this;
  }
  /// What the file says of a value that a node makes.
  ModelBytes& info(const std::string& name, const Numbers& sizes) {
    graph_.block(13, value_info(name, sizes, kFloat));
    return *this;
  }
  ModelBytes& weight(const std::string& name, const Numbers& sizes, int type = kFloat) {
    graph_.block(5, tensor(name, sizes, type));
    return *this;
  }
  /// A vector of whole numbers, or one number alone.
  ModelBytes& wholes(const std::string& name, const Numbers& numbers, bool is_vector = true) {
    MessageBytes message = tensor(
        name, is_vector ? Numbers{static_cast<std::int64_t>(numbers.size())} : Numbers{}, kInt64);
    for (const std::int64_t value : numbers) message.number(7, value);
    graph_.block(5, message);
    return *this;
  }
  /// Numbers with fractions.
  ModelBytes& reals(const std::string& name, const std::vector<float>& numbers) {
    MessageBytes message = tensor(name, {static_cast<std::int64_t>(numbers.size())}, kFloat);
    message.block(9, std::string_view(reinterpret_cast<const char*>(numbers.data()),
                                      numbers.size() * sizeof(float)));
    graph_.block(5, message);
    return *this;
  }
  ModelBytes& node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, const Attributes& attributes = {},
                   const std::string& domain = "") {
    MessageBytes message;
    for (const std::string& input : inputs) message.block(1, input);
    for (const std::string& output : outputs) message.block(2, output);
    message.block(4, op);
    for (const auto& [name, value] : attributes) message.block(5, attribute(name, value));
    if (!domain.empty()) message.block(7, domain);
    graph_.block(1, message);
    return *this;
  }

  std::string bytes() const { return MessageBytes().number(1, 8).block(7, graph_).bytes(); }

 private:
  static MessageBytes tensor(const std::string& name, const Numbers& sizes, int type) {
    MessageBytes message;
    for (const std::int64_t size : sizes) message.number(1, size);
    return message.number(2, type).block(8, name);
  }

  static MessageBytes value_info(const std::string& name, const Numbers& sizes, int type) {
    MessageBytes shape;
    for (const std::int64_t size : sizes) {
      MessageBytes dimension;
      if (size >= 0) {
        dimension.number(1, size);
      } else {
        dimension.block(2, "n" + std::to_string(-size));
      }
      shape.block(1, dimension);
    }
    const MessageBytes kind =
        MessageBytes().block(1, MessageBytes().number(1, type).block(2, shape));
    return MessageBytes().block(1, name).block(2, kind);
  }

  static MessageBytes attribute(const std::string& name, const AttributeValue& value) {
    MessageBytes message;
    message.block(1, name);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      message.number(3, *whole).number(20, 2);
    } else if (const auto* numbers = std::get_if<Numbers>(&value)) {
      for (const std::int64_t number : *numbers) message.number(8, number);
      message.number(20, 7);
    } else {
      message.block(4, std::get<std::string>(value)).number(20, 3);
    }
    return message;
  }

  MessageBytes graph_;
};

}  // namespace waferloom::test
