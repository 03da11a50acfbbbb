#include <fmt/format.h>

#include "model/network/operator_rows.h"

// Layers of transformers, and what stands before and behind them.

namespace waferloom {
namespace {

std::vector<Row> expert_rows() {
  return terse(
      {needed("count", &Experts::count, {"experts that the gate chooses from", kOperatorSize}),
       needed("active", &Experts::active,
              {"chosen experts that every token goes through, at most count", kOperatorSize}),
       needed("feed_forward", &Experts::feed_forward,
              {"features of the inner vectors of one expert", kOperatorSize}),
       row("shared", &Experts::shared,
           {"experts that every token goes through besides the chosen ones", kOperatorSizeOrNone}),
       derived("shared_feed_forward", &Experts::shared_feed_forward,
               [](const Experts& experts) { return experts.feed_forward; },
               {"features of the inner vectors of a shared expert; by default feed_forward",
                kOperatorSize}),
       row("gate_bias", &Experts::gate_bias, {"whether the gate adds a number for each expert"}),
       row("shared_gate", &Experts::shared_gate, {"whether the shared experts have a gate"})});
}

const TypeRows& experts_rows() {
  static const TypeRows rows = rows_for<Experts>(
      "experts",
      joined(
          {expert_rows(),
           {row("bias", &Experts::bias,
                {"whether matrices of experts add a vector; by default as the layer's biases"})}}));
  return rows;
}

/// Whether experts add vectors is written where it differs from the layer's feed-forward network.
constexpr OwnForm<TransformerOperator> kExperts{
    kPart<TransformerOperator, &TransformerOperator::experts, experts_rows>.read,
    [](const TransformerOperator& layer, ValueSink& sink) {
      static const TypeRows alike = rows_for<Experts>("experts", expert_rows());
      if (!layer.experts) return sink.nothing();
      const bool is_alike = layer.experts->bias == layer.has_feed_forward_bias();
      write_rows(is_alike ? alike : experts_rows(), &*layer.experts, sink);
    },
    kPart<TransformerOperator, &TransformerOperator::experts, experts_rows>.describe};

const TypeRows& latent_rows() {
  using Latent = LatentAttention;
  static const TypeRows rows = rows_for<Latent>(
      "latent",
      terse({row("query_rank", &Latent::query_rank,
                 {.meaning = "features that queries are made of; by default the layer's input",
                  .range = kOperatorSize,
                  .null_is_none = true}),
             needed("key_value_rank", &Latent::key_value_rank,
                    {"features that keys and values are made of, which are cached", kOperatorSize}),
             needed("rope_size", &Latent::rope_size,
                    {"features of a position that queries and keys have besides", kOperatorSize}),
             needed("value_size", &Latent::value_size,
                    {"features of a head's values", kOperatorSize})}));
  return rows;
}

/// An earlier name of `biases`, which it says in true and false.
constexpr OwnForm<TransformerOperator> kOldBiases{
    [](const JsonReader& reader, const JsonValue& value, TransformerOperator& layer) {
      layer.biases = reader.boolean(value, "bias") ? Biases::all : Biases::none;
    },
    [](const TransformerOperator& /*layer*/, ValueSink& sink) { sink.nothing(); },
    [](ValueSink& schema) { schema.pair("type", "boolean"); }};

Row old_biases_row() {
  Row bias = formed("bias", kOldBiases, {"true: biases is all, false: none; in place of biases"});
  bias.is_written = false;
  return bias;
}

void check_heads(const JsonReader& reader, const JsonValue& item,
                 const TransformerOperator& layer) {
  if (layer.hidden % layer.heads != 0 && JsonReader::find(item, "head_size") == nullptr) {
    reader.fail(
        reader.at(item, "heads"),
        fmt::format("heads that divide hidden, {}, or head_size beside them", layer.hidden));
  }
  if (layer.heads % layer.key_value_heads != 0) {
    reader.fail(reader.at(item, "key_value_heads"),
                fmt::format("key_value_heads that divide heads, {}", layer.heads));
  }
}

void check_layer(const JsonReader& reader, const JsonValue& item, TransformerOperator& layer) {
  const JsonValue* biases = JsonReader::find(item, "biases");
  if (biases != nullptr && JsonReader::find(item, "bias") != nullptr) {
    reader.fail(*biases, "one of bias and biases");
  }
  check_heads(reader, item, layer);
  if (layer.norm == Norm::none && JsonReader::find(item, "norms") != nullptr) {
    reader.fail(reader.at(item, "norms"), "no norms where norm is none");
  }
  if (!layer.experts) return;
  const JsonValue& experts = reader.at(item, "experts");
  if (layer.experts->active > layer.experts->count) {
    reader.fail(
        reader.at(experts, "active"),
        fmt::format("at most as many active experts as there are, {}", layer.experts->count));
  }
  if (JsonReader::find(experts, "bias") == nullptr) {
    layer.experts->bias = layer.has_feed_forward_bias();
  }
}

/// A token has the vector of its own position, where there are any.
void check_positions(const JsonReader& reader, const JsonValue& item,
                     EmbeddingOperator& embedding) {
  if (embedding.positions == 0 || embedding.sequence <= embedding.positions) return;
  reader.fail(
      reader.at(item, "positions"),
      fmt::format("positions for all {} tokens of sequence, or 0 for none", embedding.sequence));
}

std::vector<Row> size_rows() {
  using Layer = TransformerOperator;
  return {
      needed("sequence", &Layer::sequence, {"tokens of a sample", kOperatorSize}),
      needed("hidden", &Layer::hidden, {"features of a token's vector", kOperatorSize}),
      needed("heads", &Layer::heads,
             {"heads of attention; divides hidden where head_size is not given", kOperatorSize}),
      derived("head_size", &Layer::head_size,
              [](const Layer& layer) {
                return layer.hidden % layer.heads == 0 ? layer.hidden / layer.heads : 0;
              },
              {"features of a head; by default hidden / heads", kOperatorSize}),
      derived("key_value_heads", &Layer::key_value_heads,
              [](const Layer& layer) { return layer.heads; },
              {"heads of keys and values; divides heads, which it is by default", kOperatorSize}),
      derived("feed_forward", &Layer::feed_forward,
              [](const Layer& layer) { return 4 * layer.hidden; },
              {"features of the inner vectors of the feed-forward network; by default 4 · hidden",
               kOperatorSize})};
}

std::vector<Row> way_rows() {
  using Layer = TransformerOperator;
  return {
      row("gated", &Layer::gated,
          {"whether the feed-forward network has three matrices in place of two"}),
      derived(
          "norm", &Layer::norm,
          [](const Layer& layer) { return layer.biases == Biases::all ? Norm::layer : Norm::rms; },
          {"what a normalisation learns: a scale and a shift, a scale, or nothing; by default "
           "layer where biases is all, else rms"}),
      row("norms", &Layer::norms,
          {"normalisations of a layer: 4 in Gemma 2, 1 where attention and feed-forward network "
           "share it",
           NumberRange{1, 4}}),
      row("query_key_norm", &Layer::query_key_norm,
          {"whether every head's queries and keys are normalised"}),
      row("parallel", &Layer::parallel,
          {"whether attention and feed-forward network read the same: one sum over the parts of a "
           "layer that is cut in place of two"}),
      row("attention_window", &Layer::attention_window,
          {.meaning = "tokens that a token looks back on; by default all",
           .range = kOperatorSize,
           .null_is_none = true}),
      row("sinks", &Layer::sinks, {"whether softmax has one learned number more for each head"}),
      formed("experts", kExperts,
             {.meaning = "feed-forward networks of which a gate chooses some for every token, in "
                         "place of one; memory holds all of them; null: there is one",
              .null_is_none = true}),
      formed("latent", kPart<Layer, &Layer::latent, latent_rows>,
             {.meaning = "multi-head latent attention; head_size is then without the features of "
                         "positions; null: none",
              .null_is_none = true}),
      old_biases_row(),
      row("biases", &Layer::biases, {"the matrices that add a vector"})};
}

RowFacts projection_facts(std::string_view meaning) {
  return {.meaning = meaning, .range = kOperatorSize, .null_is_none = true};
}

}  // namespace

template <>
const TypeRows& rows_of<TransformerOperator>() {
  static const TypeRows rows = rows_for<TransformerOperator>(
      "an operator", terse(joined({size_rows(), way_rows()})), check_layer);
  return rows;
}

template <>
const TypeRows& rows_of<EmbeddingOperator>() {
  using Embedding = EmbeddingOperator;
  static const TypeRows rows = rows_for<Embedding>(
      "an operator",
      terse({needed("sequence", &Embedding::sequence, {"tokens of a sample", kOperatorSize}),
             needed("vocabulary", &Embedding::vocabulary, {"different tokens", kManyElements}),
             needed("hidden", &Embedding::hidden, {"size of a token's vector", kOperatorSize}),
             row("positions", &Embedding::positions,
                 {"learned vectors of positions; 0: none; else as many as sequence, or more",
                  kOperatorSizeOrNone}),
             row("token_types", &Embedding::token_types,
                 {"learned vectors of a token's type; 0: none", kOperatorSizeOrNone}),
             row("projection", &Embedding::projection,
                 projection_facts("features before a matrix makes them hidden; by default none")),
             row("norm", &Embedding::norm, {"the normalisation behind it"})}),
      check_positions);
  return rows;
}

template <>
const TypeRows& rows_of<HeadOperator>() {
  using Head = HeadOperator;
  static const TypeRows rows = rows_for<Head>(
      "an operator",
      terse({needed("sequence", &Head::sequence, {"tokens of a sample", kOperatorSize}),
             needed("vocabulary", &Head::vocabulary, {"different tokens", kOperatorSize}),
             needed("hidden", &Head::hidden, {"size of a token's vector", kOperatorSize}),
             row("tied", &Head::tied, {"whether its matrix is the embedding's"}),
             row("norm", &Head::norm, {"the normalisation before it"}),
             row("bias", &Head::bias, {"logits have a number more each"}),
             row("projection", &Head::projection,
                 projection_facts("features that a matrix makes of hidden first; by default "
                                  "none"))}));
  return rows;
}

}  // namespace waferloom
