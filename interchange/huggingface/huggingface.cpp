#include "interchange/huggingface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "interchange/huggingface/config_reader.h"
#include "interchange/huggingface/families.h"
#include "interchange/huggingface/quantization.h"
#include "interchange/networks/layer_pattern.h"
#include "model/text.h"

// Problem: take the file in which nearly every language model is published.
// Idea: a table of families says which key gives what; all layers are made one by one, then equal
// ones are found again. Other keys are of no matter, but for those that would change the counts:
// what is not read of these becomes a note.
namespace waferloom::interchange {
namespace {

constexpr std::int64_t kMostLayers = 10'000;

constexpr std::array<std::string_view, 8> kEncoderDecoders{"bart", "m2m_100", "marian", "mbart",
                                                           "mt5",  "pegasus", "t5",     "whisper"};

/// Names of keys as most families have them.
constexpr Family kStandard{};

bool is_bert(const Family& family) { return family.model_type == "bert"; }
bool is_vit(const Family& family) { return family.model_type == "vit"; }

const Family& family_of(const ConfigReader& config) {
  const JsonValue& value = config.reader().at(config.object(), "model_type");
  const std::string& name = config.reader().string(value, "model_type");
  const bool is_listed =
      std::find(kEncoderDecoders.begin(), kEncoderDecoders.end(), name) != kEncoderDecoders.end();
  if (is_listed || config.flag("is_encoder_decoder", false)) {
    config.reader().fail(value.position, "model_type " + in_quotes(name) +
                                             " is an encoder-decoder, which is not read yet");
  }
  const auto all = families();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Family& family) { return family.model_type == name; });
  if (at != all.end()) return *at;
  config.reader().fail(value.position,
                       "model_type " + in_quotes(name) + " is none of " + config_families());
}

/// Reads the model of one family.
class ModelReader {
 public:
  ModelReader(const ConfigReader& config, const Family& family, const ImportOptions& options)
      : config_(config), family_(family), options_(options) {}

  Network read(std::string name) {
    hidden_ = config_.whole(named(family_.hidden, kStandard.hidden));
    ModelParts parts;
    parts.layers.assign(static_cast<std::size_t>(count_of_layers()), layer());
    parts.head.hidden = hidden_;
    parts.head.norm = family_.norm;
    set_sequence(parts);
    if (family_.finish != nullptr) family_.finish(config_, parts);
    check_heads(parts);
    Network file{std::move(name), sequence_};
    if (is_vit(family_)) {
      add_image(file, parts);
    } else {
      add_tokens(file, parts);
    }
    return file;
  }

  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  std::int64_t count_of_layers() const {
    const std::string_view key = named(family_.layers, kStandard.layers);
    const std::int64_t layers = config_.whole(key);
    if (layers > kMostLayers) {
      config_.reader().fail(*config_.find(key), fmt::format("{} of at most {}", key, kMostLayers));
    }
    return layers;
  }

  TransformerOperator layer() const {
    TransformerOperator layer;
    layer.hidden = hidden_;
    layer.heads = config_.whole(named(family_.heads, kStandard.heads));
    layer.key_value_heads =
        or_else(family_.key_value_heads, family_.key_value_heads_absent, layer.heads);
    layer.head_size = or_else(family_.head_size, family_.head_size_absent, hidden_ / layer.heads);
    const std::int64_t inner =
        config_.whole(named(family_.inner, kStandard.inner), family_.inner_absent);
    constexpr std::int64_t kWider = 4;
    layer.feed_forward = inner > 0 ? inner : kWider * hidden_;
    layer.gated = family_.gated;
    layer.biases = Biases::none;
    layer.norm = family_.norm;
    layer.norms = family_.norms;
    return layer;
  }

  /// The family's own name of a key, or the one that others have for it where only that is there.
  std::string_view named(std::string_view own, std::string_view standard) const {
    return !config_.has(own) && config_.has(standard) ? standard : own;
  }

  /// A key's value; `otherwise` where the family has no such key, or what stands for it is 0.
  std::int64_t or_else(std::string_view key, Absent absent, std::int64_t otherwise) const {
    if (key.empty()) return otherwise;
    const std::int64_t value = config_.whole(key, absent);
    return value > 0 ? value : otherwise;
  }

  void check_heads(const ModelParts& parts) const {
    const TransformerOperator& layer = parts.layers.front();
    const JsonValue& heads =
        config_.reader().at(config_.object(), named(family_.heads, kStandard.heads));
    if (layer.head_size < 1) {
      config_.reader().fail(heads, fmt::format("heads that have features, at most {}", hidden_));
    }
    if (layer.heads % layer.key_value_heads == 0) return;
    const JsonValue* given = config_.find(family_.key_value_heads);
    config_.reader().fail(
        (given == nullptr ? heads : *given).position,
        fmt::format("expected {} that divide the heads, {}, found {}{}", family_.key_value_heads,
                    layer.heads, layer.key_value_heads,
                    given == nullptr ? ", which is meant where the key is missing" : ""));
  }

  /// The tokens of a sample, and where they are learned the positions.
  void set_sequence(ModelParts& parts) {
    if (is_vit(family_)) {
      if (options_.sequence) notes_.push_back("--sequence has no say: an image has its patches");
      return;
    }
    const std::string_view key = named(family_.positions, kStandard.positions);
    const std::int64_t positions = config_.whole(key, family_.positions_absent);
    const std::int64_t longest =
        positions > 0 ? std::min(positions, kLongestSequence) : kLongestSequence;
    sequence_ = options_.sequence.value_or(longest);
    if (family_.learns_positions) {
      parts.embedding.positions = positions;
      if (sequence_ > positions) {
        const JsonValue* value = config_.find(key);
        config_.reader().fail(
            value == nullptr ? config_.object().position : value->position,
            fmt::format("expected a sequence within the model's {} positions, found {}", positions,
                        sequence_));
      }
    }
    if (options_.sequence) return;
    const std::string tokens = fmt::format("a sample has {} tokens", sequence_);
    notes_.push_back(positions == 0 ? tokens + ": the file names no number of positions"
                     : sequence_ < positions
                         ? fmt::format("{} of {} that the model has places for", tokens, positions)
                         : tokens + ", as many as the model has places for");
  }

  void add_tokens(Network& file, ModelParts& parts) {
    const std::int64_t vocabulary = config_.whole("vocab_size");
    parts.embedding.sequence = sequence_;
    parts.embedding.vocabulary = vocabulary;
    parts.embedding.hidden = hidden_;
    file.entries.push_back({"embedding", 1, parts.embedding});
    add_layers(file, parts);
    if (is_bert(family_)) {
      file.entries.push_back({"pooler", 1, LinearOperator{1, hidden_, hidden_, true}});
      notes_.push_back("the pooler is the last operator: no head that predicts words");
      return;
    }
    parts.head.sequence = sequence_;
    parts.head.vocabulary = vocabulary;
    parts.head.tied = config_.flag("tie_word_embeddings", family_.tied);
    file.entries.push_back({"head", 1, parts.head});
  }

  void add_image(Network& file, ModelParts& parts) {
    constexpr std::int64_t kImage = 224;
    constexpr std::int64_t kPatch = 16;
    constexpr std::int64_t kColours = 3;
    PatchesOperator patches;
    std::tie(patches.in_height, patches.in_width) = config_.sides("image_size", kImage);
    std::tie(patches.patch_height, patches.patch_width) = config_.sides("patch_size", kPatch);
    if (patches.patch_height > patches.in_height || patches.patch_width > patches.in_width) {
      config_.reader().fail(config_.object().position, "expected a patch_size within image_size");
    }
    patches.channels = config_.whole("num_channels", {kColours, {}});
    patches.hidden = hidden_;
    patches.positions = patches.tokens();
    sequence_ = patches.tokens();
    file.tokens = 1;
    file.entries.push_back({"patches", 1, patches});
    add_layers(file, parts);
    parts.head.vocabulary = classes();
    if (parts.head.vocabulary == 0) return;
    parts.head.tied = false;
    parts.head.bias = true;
    file.entries.push_back({"classifier", 1, parts.head});
  }

  /// What an image may be; the names of classes are counted where there are any.
  std::int64_t classes() {
    if (const JsonValue* names = config_.find("id2label")) {
      config_.reader().expect_object(*names, "id2label as an object");
      return static_cast<std::int64_t>(names->keys.size());
    }
    if (!config_.has("num_labels")) {
      notes_.push_back(
          "a classifier of two classes: the file names neither id2label nor num_labels");
    }
    return config_.whole("num_labels", absent(2), 0);
  }

  void add_layers(Network& file, ModelParts& parts) const {
    for (TransformerOperator& layer : parts.layers) layer.sequence = sequence_;
    for (NetworkEntry& entry : entries_of(parts.layers)) file.entries.push_back(std::move(entry));
  }

  const ConfigReader& config_;
  const Family& family_;
  const ImportOptions& options_;
  std::int64_t hidden_ = 1;
  std::int64_t sequence_ = 1;
  std::vector<std::string> notes_;
};

/// Parts of a model of several, which are not its text model.
std::string other_parts(const JsonValue& file) {
  std::string found;
  for (const std::string& key : file.keys) {
    if (!key.ends_with("_config") || key == "text_config" || key == "quantization_config") continue;
    found += (found.empty() ? "" : ", ") + key;
  }
  return found;
}

std::vector<std::string> notes_of_unread(const ConfigReader& config) {
  std::vector<std::string> notes;
  if (config.has("num_nextn_predict_layers") &&
      config.whole("num_nextn_predict_layers", absent(0), 0) > 0) {
    notes.push_back(
        "num_nextn_predict_layers is not read: layers that predict further tokens are "
        "left out");
  }
  if (config.flag("add_cross_attention", false)) {
    notes.push_back("add_cross_attention is not read: attention on another network is left out");
  }
  const std::string positions = config.text("position_embedding_type");
  if (positions.starts_with("relative")) {
    notes.push_back("position_embedding_type is not read: vectors of distances are left out");
  }
  return notes;
}

/// Says where the file is of a model with another end than the one that is counted.
void note_other_end(const ConfigReader& config, const Family& family,
                    std::vector<std::string>& notes) {
  const JsonValue* names = config.find("architectures");
  if (names == nullptr || names->items.empty()) return;
  const std::string& name = config.reader().string(names->items.front(), "an architecture's name");
  if (is_bert(family)) return;  // its own note says what is counted
  const bool fits = is_vit(family)
                        ? name.ends_with("ForImageClassification")
                        : name.ends_with("ForCausalLM") || name.ends_with("LMHeadModel") ||
                              name.ends_with("ForConditionalGeneration");
  if (fits) return;
  notes.push_back("architectures names " + name + ": counted is " +
                  (is_vit(family) ? "a classifier" : "a head that predicts tokens"));
}

constexpr std::size_t kLongestName = 100;

/// "meta-llama/Llama-3-8B" and "models/Llama-3-8B/config.json" are of Llama-3-8B.
std::string name_of(const ConfigReader& config, const std::string& source) {
  const auto tail = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  std::string name = tail(config.text("_name_or_path"));
  if (name.size() > kLongestName) name.clear();
  if (name.empty() || name == ".") {
    name = tail(source);
    if (name.ends_with(".json")) name.resize(name.size() - std::string_view(".json").size());
    if (name == "config") {
      const std::size_t folder = source.rfind('/');
      name = folder == std::string::npos ? "" : tail(source.substr(0, folder));
      if (name == "." || name == "..") name.clear();
    }
  }
  std::erase_if(name, [](char c) { return c < ' ' || c > '~'; });
  return name.empty() ? config.text("model_type") : name;
}

}  // namespace

bool is_config(std::string_view text, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return false;
  if (text.find("\"model_type\"") == std::string_view::npos &&
      text.find("\"architectures\"") == std::string_view::npos) {
    return false;
  }
  const JsonValue file = parse_json(text, source);
  if (JsonReader::find(file, "operators") != nullptr) return false;
  return JsonReader::find(file, "model_type") != nullptr ||
         JsonReader::find(file, "architectures") != nullptr;
}

ImportedNetwork import_config(std::string_view text, const std::string& source,
                              const ImportOptions& options) {
  const JsonValue file = parse_json(text, source);
  const ConfigReader whole(source, file);
  whole.reader().expect_object(file, "a Hugging Face configuration as an object");
  const JsonValue* own = whole.find("text_config");
  if (own != nullptr) whole.reader().expect_object(*own, "text_config as an object");
  const ConfigReader config = whole.inside(own == nullptr ? file : *own);
  const Family& family = family_of(config);
  ModelReader reader(config, family, options);
  ImportedNetwork network{reader.read(name_of(whole, source))};
  network.notes = reader.take_notes();
  if (own != nullptr) {
    const std::string others = other_parts(file);
    network.notes.push_back("of the model's parts the text model alone is read" +
                            (others.empty() ? others : "; left out: " + others));
  }
  for (const ConfigReader* part : {&whole, &config}) {
    if (part == &config && own == nullptr) break;
    const Quantization quantization = quantization_of(*part);
    if (!quantization.note.empty()) network.notes.push_back(quantization.note);
    if (quantization.kept != KeptNumbers{}) network.file.kept = quantization.kept;
    for (std::string& note : notes_of_unread(*part)) network.notes.push_back(std::move(note));
  }
  note_other_end(whole, family, network.notes);
  network.file.comment =
      "made of a Hugging Face configuration, model_type " + std::string(family.model_type);
  return network;
}

std::string config_families() {
  std::string names;
  for (const Family& family : families()) {
    names += (names.empty() ? "" : ", ") + std::string(family.model_type);
  }
  return names;
}

}  // namespace waferloom::interchange
