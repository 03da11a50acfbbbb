#include "interchange/onnx/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interchange/onnx/graph_reader.h"
#include "interchange/onnx/inference.h"
#include "interchange/onnx/streams.h"
#include "interchange/onnx/unsupported.h"

namespace waferloom::interchange {
namespace {

constexpr std::size_t kLongestName = 190;

/// Characters of names; others become _.
char name_character(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_letter || (c != '\0' && std::string_view("_.-+/#@[]").find(c) != std::string_view::npos)
             ? c
             : '_';
}

bool has_samples(const Value& value) {
  const Sizes& sizes = *value.sizes;
  constexpr std::size_t kMatrix = 2;
  if (sizes.size() > kMatrix) return true;
  const bool is_named =
      value.declared && !value.declared->empty() && value.declared->front().size < 0;
  return sizes.size() == kMatrix && (is_named || !is_real(value.type));
}

}  // namespace

std::int64_t batch_of(const Graph& graph) {
  for (const std::size_t input : graph.inputs) {
    const Value& value = graph.values[input];
    if (value.sizes && has_samples(value)) return std::max<std::int64_t>(value.sizes->front(), 1);
  }
  return 1;
}

ConvFormal formal_of(const Graph& graph, const Node& node, const Product& product,
                     std::int64_t batch) {
  std::int64_t images = product.images;
  TensorShape places{product.height, product.width, 1};
  if (images % batch == 0) {
    images /= batch;
  } else if (places.height % batch == 0) {
    places.height /= batch;
  }
  const Sizes rows{images * places.height, places.width};
  const auto folded = tensor_shape({1, 1, rows[0], rows[1]}, 1);
  const std::int64_t parts = folded && folded->height > 0 ? rows[0] / folded->height : 0;
  const ConvFormal formal{folded ? folded->height * product.stride_y : 0,
                          parts * rows[1] * product.stride_x,
                          product.field_height,
                          product.field_width,
                          product.channels_in,
                          product.channels_out,
                          product.stride_y,
                          product.stride_x};
  for (const std::int64_t value :
       {formal.height, formal.width, formal.field_height, formal.field_width, formal.channels_in,
        formal.channels_out, formal.stride_y, formal.stride_x}) {
    if (value >= 1 && value <= kMaxParameter) continue;
    fail_at(
        graph, node,
        fmt::format("expected sizes from 1 to {}, found {} x {} filters from {} to {} channels at "
                    "{} places",
                    kMaxParameter, product.field_height, product.field_width, product.channels_in,
                    product.channels_out, sizes_text({images, places.height, places.width})));
  }
  return formal;
}

void PartLimit::keep(const Node& node, std::size_t parts) {
  if (parts <= 1) return;
  demand_room(node, parts);
  kept_ += parts;
}

void PartLimit::demand_room(const Node& node, std::size_t parts) const {
  constexpr std::size_t kMostKept = std::size_t{1} << 20;
  if (kept_ + parts > kMostKept) {
    fail_at(graph_, node, "expected at most 2^20 parts of tensors side by side, found more");
  }
}

void PartLimit::pass_over(const Node& node, std::size_t parts) {
  constexpr std::size_t kMostPassed = std::size_t{1} << 26;
  if (parts > 1) passed_ += parts;
  if (passed_ > kMostPassed) {
    fail_at(graph_, node,
            "expected tensors side by side whose parts are taken at most 2^26 times, found more");
  }
}

std::string UniqueNames::take(const std::string& name) {
  std::string made;
  for (const char c : name.substr(0, kLongestName)) {
    const char next = name_character(c);
    made.push_back(next == '/' && made.ends_with('/') ? '_' : next);
  }
  if (made.empty()) made = "_";
  if (taken_.insert(made).second) return made;
  std::size_t& number = numbers_.try_emplace(made, 1).first->second;
  while (true) {
    const std::string found = fmt::format("{}_{}", made, ++number);
    if (taken_.insert(found).second) return found;
  }
}

std::string title_of(const std::string& source) {
  std::string title = source.substr(source.rfind('/') + 1);
  constexpr std::string_view kEnding = ".onnx";
  if (title.ends_with(kEnding)) title.resize(title.size() - kEnding.size());
  for (char& c : title) c = c == ' ' ? ' ' : name_character(c);
  return title.substr(0, kLongestName);
}

SizedGraph sized_graph(std::string_view bytes, const std::string& source,
                       const OnnxOptions& options) {
  SizedGraph sized{read_graph(bytes, source), {}};
  OnnxFacts& facts = sized.facts;
  facts.notes = infer_sizes(sized.graph, options.bindings, options.skip_unsupported);
  facts.name = title_of(source);
  facts.nodes = sized.graph.nodes.size();
  facts.batch = batch_of(sized.graph);
  facts.left_out = unknown_operators(sized.graph);
  const GraphCount counted = count_graph(sized.graph);
  facts.multiply_adds = counted.multiply_adds;
  facts.parameters = counted.parameters;
  facts.elements = counted.elements;
  if (!options.skip_unsupported) {
    refuse_unknown(sized.graph, facts.left_out);
    refuse_unsized(sized.graph);
  }
  return sized;
}

bool is_onnx(std::string_view bytes, const std::string& source) {
  // The keys of ir_version and of the producer's name and version: no text begins with them.
  constexpr std::string_view kFirstKeys = "\x08\x12\x1a";
  const bool is_model = !bytes.empty() && kFirstKeys.find(bytes.front()) != std::string_view::npos;
  return is_model || source.ends_with(".onnx");
}

}  // namespace waferloom::interchange
