#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "interchange/networks/layer_pattern.h"
#include "interchange/onnx.h"
#include "interchange/onnx/inference.h"
#include "interchange/onnx/operators.h"
#include "interchange/onnx/patterns.h"
#include "interchange/onnx/products.h"
#include "interchange/onnx/sample.h"
#include "interchange/onnx/transformer_layers.h"
#include "model/errors.h"
#include "model/text.h"

// Problem: planners know layers of transformers, convolutions, products, pools and sums; a model
// has nodes of a hundred kinds. Idea: layers that were recognised are operators of their own. Of
// the rest, each product, pool and sum is an operator; whatever else a node does belongs to the
// operator that makes what it takes. Where it hands on fewer numbers than it takes, a reduction
// stands between.
namespace waferloom::interchange {
namespace {

/// An operator of the network, and the operators before it.
struct FlatEntry {
  std::string name;
  OperatorKind kind;
  std::vector<std::size_t> after;
};

class NetworkBuilder {
 public:
  NetworkBuilder(Graph& graph, std::int64_t batch)
      : graph_(graph),
        view_(graph),
        batch_(batch),
        norms_(find_norms(view_)),
        found_(find_layers(view_, norms_, batch)),
        owners_(graph.values.size()),
        roots_(graph.values.size()),
        layer_of_(graph.nodes.size(), kNoValue),
        outputs_(graph.outputs.begin(), graph.outputs.end()),
        parts_(graph) {
    for (std::size_t i = 0; i < found_.layers.size(); ++i) {
      for (const std::size_t node : found_.layers[i].nodes) layer_of_[node] = i;
    }
    names_.take("input");  // what a network begins with
    for (const FoundNorm& norm : norms_) norm_of_.emplace(norm.output, &norm);
    std::iota(roots_.begin(), roots_.end(), 0);
    for (const Node& node : graph.nodes) {
      if (role_of(node) == Role::sizes || node.input(0) == kNoValue) continue;
      for (const std::size_t output : node.outputs) {
        if (output != kNoValue) roots_[output] = roots_[node.input(0)];
      }
    }
  }

  Network build(const std::string& name) {
    try {
      for (at_ = 0; at_ < graph_.nodes.size(); ++at_) add_node(at_);
      if (entries_.empty()) {
        for (at_ = 0; at_ < graph_.nodes.size(); ++at_) add_elements(graph_.nodes[at_]);
      }
    } catch (const std::overflow_error&) {
      fail_at(graph_, graph_.nodes[at_], "expected at most 2^60 operations, found more");
    }
    if (entries_.empty()) {
      throw InputError(graph_.source, kWholeSource,
                       "expected operators of a network, found none that computes");
    }
    Network network{name, tokens()};
    network.comment = "made of an ONNX model";
    network.entries = network_entries();
    return network;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    std::string motifs;
    for (const auto& [name, count] : found_.motifs) {
      motifs += fmt::format("{}{} {}", motifs.empty() ? "" : ", ", count, name);
    }
    if (!motifs.empty()) notes.push_back("recognised: " + motifs);
    if (!found_.layers.empty()) {
      notes.push_back(fmt::format(
          "layers of transformers: {}, each with the parameters and multiply-adds of its nodes",
          found_.layers.size()));
    }
    constexpr std::size_t kMostNotes = 5;
    for (std::size_t i = 0; i < std::min(found_.unfinished.size(), kMostNotes); ++i) {
      notes.push_back(found_.unfinished[i]);
    }
    if (detached_ > 0) {
      notes.push_back(counted_text(detached_, "operator") +
                      " with other numbers than those before hand on (padding, resizing, inputs of "
                      "the model) at the beginning of the network");
    }
    if (lone_norms_ > 0) {
      notes.push_back(counted_text(lone_norms_, "normalisation") + " of " +
                      counted_text(lone_norm_parameters_, "parameter") +
                      " in all belong to no layer, and are not counted");
    }
    return notes;
  }

 private:
  const Value& value(std::size_t number) const { return view_.value(number); }

  std::vector<std::size_t> owners_of(const std::vector<std::size_t>& values) {
    std::vector<std::size_t> all;
    std::unordered_set<std::size_t> there;
    for (const std::size_t number : values) {
      parts_.pass_over(graph_.nodes[at_], owners_[number].size());
      for (const std::size_t owner : owners_[number]) {
        if (there.insert(owner).second) all.push_back(owner);
      }
    }
    return all;
  }

  /// Values that an operator takes and makes.
  struct Ends {
    std::vector<std::size_t> inputs;
    std::vector<std::size_t> outputs;
  };

  /// A new operator behind those that make the values, whose output some values are.
  void add(const std::string& name, const OperatorKind& kind, const Ends& ends) {
    std::vector<std::size_t> after = owners_of(ends.inputs);
    if (after.size() > kMaxNamesAfter) {
      fail_at(graph_, graph_.nodes[at_],
              fmt::format("expected inputs of at most {} operators, found {}", kMaxNamesAfter,
                          after.size()));
    }
    fit_to(name, kind, after);
    entries_.push_back({name_of(name), kind, std::move(after)});
    hand_on(ends.outputs, {entries_.size() - 1});
  }

  void hand_on(std::span<const std::size_t> values, const std::vector<std::size_t>& owners) {
    for (const std::size_t output : values) {
      if (output == kNoValue || value(output).is_fixed) continue;
      parts_.keep(graph_.nodes[at_], owners.size());
      owners_[output] = owners;
    }
  }

  /// A name as networks have them: shorter, and without the point that stands before repeats.
  std::string name_of(const std::string& name) {
    constexpr std::size_t kLongest = 90;
    std::string made = name.substr(name.size() - std::min(name.size(), kLongest));
    std::replace(made.begin(), made.end(), '.', '_');
    return names_.take(made);
  }

  /// Where fewer numbers are taken than are handed on, a part of them is. Where that is no even
  /// part, or more are taken, as behind padding or beside an input of the network, the operator
  /// stands at its beginning.
  void fit_to(const std::string& name, const OperatorKind& kind, std::vector<std::size_t>& after) {
    if (after.empty()) return;
    const std::int64_t taken = count(kind).input;
    std::int64_t together = 0;
    bool fits_each = true;
    for (const std::size_t before : after) {
      const std::int64_t handed = count(entries_[before].kind).output;
      fits_each = fits_each && handed == taken;
      together += handed;
    }
    if (fits_each || together == taken) return;
    if (together % taken != 0) {
      after.clear();
      ++detached_;
      return;
    }
    entries_.push_back(
        {name_of(name + "_part"), ReduceOperator{together, taken}, std::move(after)});
    after = {entries_.size() - 1};
  }

  /// A node that multiplies nothing, in a network that has no products.
  void add_elements(const Node& node) {
    const std::vector<std::size_t> moving = view_.moving(node);
    if (moving.empty() || node.output(0) == kNoValue) return;
    if (role_of(node) == Role::sizes || role_of(node) == Role::other) return;
    const std::int64_t elements = view_.elements(node.output(0)) / batch_;
    if (elements < 1) return;
    add(node.name, ElementOperator{elements, 1}, {moving, node.outputs});
  }

  void add_node(std::size_t index) {
    const Node& node = graph_.nodes[index];
    if (layer_of_[index] != kNoValue) return add_layer(index);
    const std::vector<std::size_t> moving = view_.moving(node);
    if (moving.empty() || role_of(node) == Role::sizes) return;
    const std::optional<Product> product = product_of(graph_, node);
    if (product) return add_product(index, *product, moving);
    if (add_pool(node) || add_embedding(node, moving)) return;
    const std::vector<std::size_t> owners = owners_of(moving);
    if (role_of(node) != Role::concat && moving.size() > 1 && owners.size() > 1) {
      return add_sum(node, moving);
    }
    hand_on(node.outputs, owners);
    note_norm(index, owners);
  }

  void add_layer(std::size_t index) {
    const FoundLayer& layer = found_.layers[layer_of_[index]];
    const Node& node = graph_.nodes[index];
    if (std::find(node.outputs.begin(), node.outputs.end(), layer.output) == node.outputs.end()) {
      return;
    }
    const std::size_t size = entries_.size();
    add("layer", layer.layer, {{layer.input}, {layer.output}});
    names_.release(entries_.back().name);
    layers_.insert(size < entries_.size() ? entries_.size() - 1 : size);
  }

  void add_product(std::size_t index, const Product& product,
                   const std::vector<std::size_t>& moving) {
    const Node& node = graph_.nodes[index];
    if (product.multiply_adds() == 0) return;
    if (node.op.find("Conv") != std::string::npos) {
      return add(node.name, conv_of(node, product), {moving, node.outputs});
    }
    const std::int64_t images = std::max<std::int64_t>(product.images, 1);
    const std::int64_t all = images * product.height;
    const std::int64_t rows = all % batch_ == 0 ? all / batch_ : all;
    if (moving.size() > 1 || !value(product.filters).is_fixed) {
      const std::int64_t stacked = images % batch_ == 0 ? images / batch_ : images;
      return add(
          node.name,
          ProductOperator{stacked, rows / stacked, product.channels_in, product.channels_out},
          {moving, node.outputs});
    }
    if (add_head(node, product, rows)) return;
    add(node.name,
        LinearOperator{rows, product.channels_in, product.channels_out, has_bias(node, product)},
        {moving, node.outputs});
  }

  bool has_bias(const Node& node, const Product& product) const {
    if (node.op == "Gemm") return node.input(2) != kNoValue;
    for (const std::size_t taker : view_.takers(node.output(0))) {
      const Node& next = view_.node(taker);
      if (next.op != "Add" || view_.moving(next).size() != 1) continue;
      for (const std::size_t input : next.inputs) {
        if (value(input).is_fixed && view_.elements(input) == product.channels_out) return true;
      }
    }
    return false;
  }

  /// A convolution; one in three directions is a product of its filters and all that they lie on.
  OperatorKind conv_of(const Node& node, const Product& product) {
    const Sizes& image = *value(product.image).sizes;
    const Sizes& out = *value(node.output(0)).sizes;
    constexpr std::size_t kImage = 4;
    if (image.size() > kImage) {
      const std::int64_t taps = product.field_height * product.field_width;
      const std::int64_t groups = image[1] / product.channels_in;
      return GemmOperator{groups, product.channels_out / groups, taps * product.channels_in,
                          product.height * product.width};
    }
    Inference at(graph_, node);
    const std::size_t count = image.size() - 2;
    const auto strides = at.wholes("strides", {count, 1, 1});
    const auto dilations = at.wholes("dilations", {count, 1, 1});
    ConvOperator conv;
    Window& window = conv.window;
    conv.transposed = node.op == "ConvTranspose";
    conv.groups = at.whole("group", 1);
    conv.in_channels = image[1];
    conv.out_channels = out[1];
    window.in_height = count > 1 ? image[2] : 1;
    window.in_width = image.back();
    window.height = product.field_height;
    window.width = product.field_width;
    window.vertical_stride = count > 1 ? strides[0] : 1;
    window.horizontal_stride = strides.back();
    window.vertical_dilation = count > 1 ? dilations[0] : 1;
    window.horizontal_dilation = dilations.back();
    set_padding(conv, count > 1 ? out[2] : 1, out.back());
    for (const std::size_t taker : view_.takers(node.output(0))) {
      conv.normalised = conv.normalised || view_.node(taker).op == "BatchNormalization";
    }
    return conv;
  }

  /// Pads such that the output is as the model's, as even as can be; a transposed convolution may
  /// have to be larger than its window makes it, which padding cannot say.
  static void set_padding(ConvOperator& conv, std::int64_t height, std::int64_t width) {
    Window& window = conv.window;
    const auto lacking = [&](std::int64_t in, std::int64_t out, std::int64_t stride,
                             std::int64_t reach) {
      return conv.transposed ? (in - 1) * stride + reach - out : (out - 1) * stride + reach - in;
    };
    const std::int64_t rows =
        lacking(window.in_height, height, window.vertical_stride, window.reached_height());
    const std::int64_t columns =
        lacking(window.in_width, width, window.horizontal_stride, window.reached_width());
    window.padding.top = std::max<std::int64_t>(rows, 0) / 2;
    window.padding.bottom = std::max<std::int64_t>(rows, 0) - window.padding.top;
    window.padding.left = std::max<std::int64_t>(columns, 0) / 2;
    window.padding.right = std::max<std::int64_t>(columns, 0) - window.padding.left;
  }

  bool add_pool(const Node& node) {
    static constexpr std::array<std::string_view, 6> kPools{
        "AveragePool", "LpPool", "MaxPool", "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool"};
    if (std::find(kPools.begin(), kPools.end(), node.op) == kPools.end()) return false;
    if (!value(node.input(0)).sizes || !value(node.output(0)).sizes) return false;
    const Sizes& image = *value(node.input(0)).sizes;
    const Sizes& out = *value(node.output(0)).sizes;
    constexpr std::size_t kImage = 4;
    if (image.size() != kImage || out.size() != kImage || elements_of(out) == 0) return false;
    Inference at(graph_, node);
    ConvOperator shape;  // for its padding
    shape.window.in_height = image[2];
    shape.window.in_width = image[3];
    shape.window.height = image[2];
    shape.window.width = image[3];
    if (!node.op.starts_with("Global")) {
      const auto field = at.wholes("kernel_shape", {2, 1, 1});
      const auto strides = at.wholes("strides", {2, 1, 1});
      shape.window.height = field[0];
      shape.window.width = field[1];
      shape.window.vertical_stride = strides[0];
      shape.window.horizontal_stride = strides[1];
    }
    set_padding(shape, out[2], out[3]);
    add(node.name, PoolOperator{shape.window, image[1]}, {{node.input(0)}, {node.output(0)}});
    return true;
  }

  /// A table of learned vectors that tokens look up; positions and types of tokens join it.
  bool add_embedding(const Node& node, const std::vector<std::size_t>& moving) {
    const bool is_lookup = node.op == "Gather" && value(node.input(0)).is_fixed &&
                           is_real(value(node.input(0)).type) && value(node.input(0)).sizes &&
                           value(node.input(0)).sizes->size() == 2 &&
                           view_.elements(node.input(0)) > 0;
    if (is_lookup) {
      const Sizes& table = *value(node.input(0)).sizes;
      EmbeddingOperator embedding;
      embedding.sequence = std::max<std::int64_t>(view_.elements(node.input(1)) / batch_, 1);
      embedding.vocabulary = table[0];
      embedding.hidden = table[1];
      tables_.insert(roots_[node.input(0)]);
      entries_.push_back({name_of(node.name), embedding, {}});
      hand_on(node.outputs, {entries_.size() - 1});
      return true;
    }
    const std::vector<std::size_t> owners = owners_of(moving);
    const bool are_tables =
        node.op == "Add" && !owners.empty() && norm_that_makes(node.output(0)) == nullptr &&
        std::all_of(owners.begin(), owners.end(), [&](std::size_t owner) {
          return std::holds_alternative<EmbeddingOperator>(entries_[owner].kind);
        });
    return are_tables && join_tables(node, owners);
  }

  /// A sum of what tables hand on: those behind the first are positions or types.
  bool join_tables(const Node& node, const std::vector<std::size_t>& owners) {
    auto& first = std::get<EmbeddingOperator>(entries_[owners.front()].kind);
    constexpr std::int64_t kMostTypes = 16;
    if (owners.size() > 1) {
      if (owners[1] + 1 != entries_.size()) return false;
      const auto other = std::get<EmbeddingOperator>(entries_[owners[1]].kind);
      if (other.hidden != first.hidden) return false;
      (other.vocabulary <= kMostTypes ? first.token_types : first.positions) += other.vocabulary;
      names_.release(entries_.back().name);
      entries_.pop_back();
    }
    for (const std::size_t input : node.inputs) {
      if (input == kNoValue || !value(input).is_fixed) continue;
      const Sizes table = value(roots_[input]).sizes.value_or(Sizes{});
      if (table.size() < 2 || table.back() != first.hidden) continue;
      const std::int64_t rows = elements_of(table) / first.hidden;
      (rows <= kMostTypes ? first.token_types : first.positions) += rows;
    }
    hand_on(node.outputs, {owners.front()});
    return true;
  }

  const FoundNorm* norm_that_makes(std::size_t number) const {
    const auto found = norm_of_.find(number);
    return found == norm_of_.end() ? nullptr : found->second;
  }

  void note_norm(std::size_t index, const std::vector<std::size_t>& owners) {
    for (const std::size_t output : graph_.nodes[index].outputs) {
      const FoundNorm* norm = output == kNoValue ? nullptr : norm_that_makes(output);
      if (norm == nullptr) continue;
      if (owners.size() == 1) {
        auto* table = std::get_if<EmbeddingOperator>(&entries_[owners.front()].kind);
        if (table != nullptr && table->norm == Norm::none && table->hidden == norm->features) {
          table->norm = norm->kind;
          continue;
        }
      }
      ++lone_norms_;
      lone_norm_parameters_ += vectors_of(norm->kind) * norm->features;
    }
  }

  /// The last matrix of a language model, with the normalisation before it.
  bool add_head(const Node& node, const Product& product, std::int64_t rows) {
    const FoundNorm* norm = norm_that_makes(view_.uncast(product.image));
    if (norm == nullptr || tables_.empty() || !leads_out(node.output(0))) return false;
    HeadOperator head;
    head.sequence = rows;
    head.vocabulary = product.channels_out;
    head.hidden = product.channels_in;
    head.tied = tables_.contains(roots_[product.filters]);
    head.norm = norm->kind;
    head.bias = has_bias(node, product);
    --lone_norms_;
    lone_norm_parameters_ -= vectors_of(norm->kind) * norm->features;
    add(node.name, head, {{product.image}, node.outputs});
    return true;
  }

  /// Whether a value becomes an output without another product.
  bool leads_out(std::size_t start) const {
    std::vector<std::size_t> open{start};
    constexpr int kMostSteps = 8;
    for (int step = 0; step < kMostSteps && !open.empty(); ++step) {
      const std::size_t number = open.back();
      open.pop_back();
      if (outputs_.contains(number)) return true;
      constexpr std::size_t kMostTakers = 64;
      if (view_.takers(number).size() > kMostTakers) return false;
      for (const std::size_t taker : view_.takers(number)) {
        const Node& next = view_.node(taker);
        if (role_of(next) != Role::product) open.push_back(next.output(0));
      }
    }
    return false;
  }

  /// Tensors that are put together number by number: smaller ones do not count.
  void add_sum(const Node& node, const std::vector<std::size_t>& moving) {
    const std::int64_t elements = view_.elements(node.output(0)) / batch_;
    std::vector<std::size_t> whole;
    for (const std::size_t input : moving) {
      if (view_.elements(input) == view_.elements(node.output(0))) whole.push_back(input);
    }
    if (whole.empty()) whole = moving;
    add(node.name, AddOperator{std::max<std::int64_t>(elements, 1)}, {whole, node.outputs});
  }

  std::int64_t tokens() const {
    for (const FlatEntry& entry : entries_) {
      if (const auto* table = std::get_if<EmbeddingOperator>(&entry.kind)) return table->sequence;
      if (const auto* layer = std::get_if<TransformerOperator>(&entry.kind)) return layer->sequence;
    }
    return 1;
  }

  /// Entries with their names; layers one behind the other, which nothing else takes, together.
  std::vector<NetworkEntry> network_entries() {
    std::vector<NetworkEntry> made;
    std::vector<std::string> last_name(entries_.size());
    std::vector<int> takers(entries_.size(), 0);
    for (const FlatEntry& entry : entries_) {
      for (const std::size_t before : entry.after) ++takers[before];
    }
    int stretches = 0;
    for (std::size_t i = 0; i < entries_.size();) {
      std::size_t end = i + 1;
      const bool is_layer = layers_.contains(i);
      while (is_layer && end < entries_.size() && layers_.contains(end) &&
             entries_[end].after == std::vector{end - 1} && takers[end - 1] == 1) {
        ++end;
      }
      std::vector<NetworkEntry> stretch{{entries_[i].name, 1, entries_[i].kind}};
      if (is_layer) {
        std::vector<TransformerOperator> layers;
        for (std::size_t j = i; j < end; ++j) {
          layers.push_back(std::get<TransformerOperator>(entries_[j].kind));
        }
        stretch = entries_of(layers);
        ++stretches;
        for (NetworkEntry& entry : stretch) {
          if (stretches > 1) entry.name += fmt::format("_{}", stretches);
          entry.name = names_.take(entry.name);  // a node of the file may have it
        }
      }
      const bool is_chained = i > 0 && entries_[i].after == std::vector{i - 1};
      if (!is_chained && i > 0) {
        stretch.front().after.emplace();
        for (const std::size_t before : entries_[i].after) {
          stretch.front().after->push_back({last_name[before]});
        }
        if (entries_[i].after.empty()) stretch.front().after->push_back({"input"});
      }
      last_name[end - 1] = stretch.back().name;
      for (NetworkEntry& entry : stretch) made.push_back(std::move(entry));
      i = end;
    }
    return made;
  }

  Graph& graph_;
  GraphView view_;
  std::int64_t batch_;
  std::vector<FoundNorm> norms_;
  std::unordered_map<std::size_t, const FoundNorm*> norm_of_;  ///< by what they make
  FoundLayers found_;
  std::vector<std::vector<std::size_t>> owners_;  ///< of each value: the operators that make it
  std::vector<std::size_t> roots_;                ///< of each value: what it was made of by moving
  std::vector<std::size_t> layer_of_;
  std::unordered_set<std::size_t> outputs_;
  std::size_t at_ = 0;  ///< the node that is added
  PartLimit parts_;     ///< of owners
  std::vector<FlatEntry> entries_;
  std::set<std::size_t> layers_;  ///< entries that are layers
  std::set<std::size_t> tables_;  ///< initialisers that tokens look up
  UniqueNames names_;
  std::int64_t detached_ = 0;
  std::int64_t lone_norms_ = 0;
  std::int64_t lone_norm_parameters_ = 0;
};

}  // namespace

ImportedNetwork import_onnx_network(std::string_view bytes, const std::string& source,
                                    const OnnxOptions& options) {
  SizedGraph sized = sized_graph(bytes, source, options);
  NetworkBuilder builder(sized.graph, sized.facts.batch);
  ImportedNetwork network{builder.build(sized.facts.name)};
  network.notes = sized.facts.notes;
  if (sized.facts.batch > 1) {
    network.notes.push_back(fmt::format("operators are of one sample; the file computes {} at once",
                                        sized.facts.batch));
  }
  for (std::string& note : builder.notes()) network.notes.push_back(std::move(note));
  for (const LeftOutOperator& row : sized.facts.left_out) {
    network.notes.push_back("left out: " + quoted_name(row.name) + ", " +
                            counted_text(row.count, "node"));
  }
  if (!sized.facts.left_out.empty()) {
    constexpr int kPlaces = 2;
    network.notes.push_back(percent_text(left_out_share(sized.facts), kPlaces) +
                            " of all elements are left out");
  }
  network.notes.push_back(fmt::format("the file has {} parameters and {} multiply-adds",
                                      sized.facts.parameters, sized.facts.multiply_adds));
  return network;
}

}  // namespace waferloom::interchange
