#include "model/problem/kgraph_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace waferloom {
namespace {

constexpr NumberRange kParameterRange{1, kMaxParameter};
constexpr NumberRange kIdRange{0, kMaxNodeId};

const std::vector<std::string_view>& node_types() {
  static const std::vector<std::string_view> types{"input",  "output", "conv",
                                                   "cblock", "dblock", "shapes"};
  return types;
}

/// One attribute of a node's line: its key in the file and where its value goes.
struct Attribute {
  std::string_view key;
  std::int64_t* value;
};

RawEnd read_end(LineCursor& line) {
  RawEnd end;
  end.position = line.position();
  const LineCursor before = line;
  end.type = line.take_word();
  if (std::find(node_types().begin(), node_types().end(), end.type) == node_types().end()) {
    before.fail("a node (input, output, conv, cblock, dblock or shapes)",
                suggestion(end.type, node_types()));
  }
  line.expect("[");
  end.id = line.expect_number("an id", kIdRange);
  line.expect("]");
  return end;
}

TensorShape read_tensor(LineCursor& line) {
  TensorShape tensor;
  for (std::int64_t* size : {&tensor.height, &tensor.width, &tensor.channels}) {
    line.expect("[");
    *size = line.expect_number("a tensor size", kParameterRange);
    line.expect("]");
  }
  return tensor;
}

RawEdge read_edge(LineCursor& line, const RawEnd& producer) {
  const auto read_port = [&line] {
    line.expect(":");
    if (line.take_word().empty()) line.fail("a port (x, y or _)");
  };
  RawEdge edge;
  edge.producer = producer;
  read_port();
  line.expect("->");
  edge.consumer = read_end(line);
  read_port();
  bool more = line.take(",");
  if (more && line.peek() != 'w') {
    line.expect("shape");
    line.expect(":");
    edge.tensor = read_tensor(line);
    more = line.take(",");
  }
  if (more) {
    edge.weight_position = line.position();
    line.expect("weight");
    line.expect("=");
    edge.weight = line.expect_decimal("weight", kMaxEdgeWeight);
  }
  line.expect_end();
  return edge;
}

/// The keys of a node of one type; the first `required` of them it must have.
struct AttributeTable {
  std::vector<Attribute> attributes;
  std::size_t required = 0;
};

AttributeTable attribute_table(RawNode& node) {
  if (node.type == "conv") {
    auto& conv = node.formal.emplace<ConvFormal>();
    conv.stride_x = 0;  // U defaults to T
    return {{{"W", &conv.width},
             {"H", &conv.height},
             {"R", &conv.field_height},
             {"S", &conv.field_width},
             {"C", &conv.channels_in},
             {"K", &conv.channels_out},
             {"T", &conv.stride_y},
             {"U", &conv.stride_x}},
            7};
  }
  const auto block = [](auto& formal) {
    return AttributeTable{{{"f", &formal.features}, {"h", &formal.height}, {"w", &formal.width}},
                          3};
  };
  if (node.type == "cblock") return block(node.formal.emplace<CblockFormal>());
  if (node.type == "dblock") return block(node.formal.emplace<DblockFormal>());
  return {};
}

/// n=[H W C] of a terminal, after the key.
TensorShape read_terminal_shape(LineCursor& line) {
  TensorShape shape;
  line.expect("[");
  for (std::int64_t* size : {&shape.height, &shape.width, &shape.channels}) {
    *size = line.expect_number("a size", kParameterRange);
  }
  line.expect("]");
  return shape;
}

/// `12x30:5000:128@4,4,8`: width, height and time, perhaps memory, perhaps a signature.
ShapeOption read_option(LineCursor& line) {
  ShapeOption option;
  option.width = line.expect_digits("a width", kParameterRange);
  line.expect("x");
  option.height = line.expect_digits("a height", kParameterRange);
  line.expect(":");
  const LineCursor before = line;
  option.time_millionths = line.expect_decimal("a time", Decimal6{kMaxOptionTime}).millionths;
  if (option.time_millionths == 0) before.fail("a time above 0");
  if (line.take(":")) {
    option.memory_words = line.expect_digits("words of memory", NumberRange{0, kMaxOptionMemory});
  }
  if (line.take("@")) {
    Signature& shown = option.signature;
    shown.h = line.expect_digits("h", kParameterRange);
    line.expect(",");
    shown.w = line.expect_digits("w", kParameterRange);
    line.expect(",");
    shown.c_in = shown.c_out = line.expect_digits("c", kParameterRange);
  }
  return option;
}

/// options=[] of a list of shapes, after the key.
ShapesFormal read_options(LineCursor& line) {
  std::vector<ShapeOption> options;
  line.expect("[");
  while (!line.take("]")) {
    if (options.size() == kMaxShapeOptions) {
      line.fail(fmt::format("at most {} options and ]", kMaxShapeOptions));
    }
    options.push_back(read_option(line));
  }
  if (options.empty()) line.fail("at least one option in options=[]");
  return ShapesFormal{std::make_shared<const std::vector<ShapeOption>>(std::move(options))};
}

[[noreturn]] void fail_unknown_key(const LineCursor& line, const RawNode& node,
                                   std::string_view key,
                                   const std::vector<std::string_view>& keys) {
  std::string expected;
  for (const std::string_view known : keys) expected += std::string(known) + ", ";
  expected += "name or the end of the line";
  line.fail(expected + " for " + node.type, suggestion(key, keys));
}

/// Reads the attributes of a node, after `type[id]`.
void read_attributes(LineCursor& line, RawNode& node) {
  const AttributeTable table = attribute_table(node);
  std::vector<std::string_view> keys;
  for (const Attribute& attribute : table.attributes) keys.push_back(attribute.key);
  if (is_terminal_type(node.type)) keys.emplace_back("n");
  if (node.type == "shapes") keys.emplace_back("options");
  std::vector<bool> seen(keys.size(), false);
  while (!line.at_end()) {
    const LineCursor start = line;
    const std::string_view key = line.take_word();
    if (key == "name") {
      line.expect("=");
      line.expect("'");
      node.name = line.expect_name();
      line.expect("'");
      continue;
    }
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (found == keys.end()) fail_unknown_key(start, node, key, keys);
    const auto index = static_cast<std::size_t>(found - keys.begin());
    if (seen[index]) start.fail(std::string(key) + " once");
    seen[index] = true;
    line.expect("=");
    if (is_terminal_type(node.type)) {
      node.shape = read_terminal_shape(line);
    } else if (node.type == "shapes") {
      node.formal = read_options(line);
    } else {
      *table.attributes[index].value = line.expect_number(key, kParameterRange);
    }
  }
  const bool has_table = !table.attributes.empty();
  const std::size_t required = has_table ? table.required : keys.size();
  for (std::size_t index = 0; index < required; ++index) {
    if (!seen[index]) line.fail(std::string(keys[index]) + "=");
  }
  if (auto* conv = std::get_if<ConvFormal>(&node.formal); conv != nullptr && conv->stride_x == 0) {
    conv->stride_x = conv->stride_y;
  }
}

}  // namespace

bool is_terminal_type(std::string_view type) { return type == "input" || type == "output"; }

std::variant<RawNode, RawEdge> read_kgraph_line(LineCursor line) {
  const RawEnd start = read_end(line);
  if (line.peek() == ':') return read_edge(line, start);
  RawNode node;
  node.type = start.type;
  node.id = start.id;
  node.position = start.position;
  read_attributes(line, node);
  return node;
}

}  // namespace waferloom
