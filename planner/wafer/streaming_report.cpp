#include <nlohmann/json.hpp>

#include "model/text.h"
#include "planner/tile_operators.h"
#include "planner/wafer_streaming.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostStreamedBatch = 10'000;

Json choice_json(const WaferStreamingJob& job, const StreamingChoice& choice) {
  const StreamingBytes& bytes = choice.bytes;
  Json json{{"batch", choice.batch},
            {"recompute", recompute_name(choice.recompute)},
            {"rows", choice.tiles.rows},
            {"columns", choice.tiles.columns},
            {"spare_rows", choice.spare_rows},
            {"place", rectangle_json(choice.place)},
            {"fits", bytes.fits()},
            {"bytes_per_tile",
             {{"program", bytes.program},
              {"activations", bytes.activations},
              {"layer", bytes.layer},
              {"buffers", bytes.buffers},
              {"total", bytes.total()},
              {"there", bytes.there}}},
            {"fill_s", choice.fill_s},
            {"step_s", choice.step_s},
            {"tokens_per_s", choice.tokens_per_s},
            {"share_of_peak", choice.share_of_peak}};
  json["samples_per_s"] = choice.samples_per_s();
  json["attention_sequences"] = choice.attention_sequences;
  if (job.trains) {
    json["micro_batches"] = choice.micro_batches;
    json["head_pieces"] = choice.head_pieces;
  }
  json["parts"] = Json::array();
  for (const StreamedPart& part : choice.parts) {
    json["parts"].push_back({{"name", part.name},
                             {"repeat", part.repeat},
                             {"weight_bytes", part.weight_bytes},
                             {"backward_weight_bytes", part.backward_weight_bytes},
                             {"gradient_bytes", part.gradient_bytes},
                             {"fixed_s", part.fixed_s},
                             {"forward_cycles", part.forward_cycles},
                             {"backward_cycles", part.backward_cycles},
                             {"port_cycles", part.port_cycles},
                             {"link_cycles", part.link_cycles},
                             {"ports_s", part.ports_s},
                             {"links_s", part.links_s},
                             {"forward_s", part.forward_s},
                             {"backward_s", part.backward_s}});
  }
  return json;
}

Json assumptions_json(const WaferStreamingJob& job) {
  const bool is_measured = job.trains && job.hardware.training.contains(job.data_type);
  Json texts = Json::array();
  if (is_measured) {
    texts = {
        "a layer takes a fixed time, its multiply-adds at their share of the peak, and its "
        "weights at their share of the ports' rate, one after another",
        "how programs lay tensors out is not known: bytes lie evenly over the tiles"};
  } else {
    texts = {
        "tokens of the batch lie over rows of tiles, features over columns; weights stream "
        "past them",
        "the next layer's weights come in while a layer is computed",
        "in attention attention_sequences at once have rows of tiles of their own"};
  }
  if (!job.trains) {
    texts.push_back("every sequence is a prompt: its last token alone goes through the head");
    texts.push_back("keys and values stay for the layer at work alone: no token is decoded");
    texts.push_back("what the head makes leaves the wafer in no time");
    return texts;
  }
  texts.push_back(
      "weights come in for forward and for backward, twice if a layer is computed again; "
      "gradients leave in backward");
  texts.push_back("micro-batches of a step come one after another, each with all weights");
  texts.push_back("logits are of 32 bits, those of a piece of the head at once");
  texts.push_back("the optimizer works outside of the wafer, and takes no time");
  if (is_measured) return texts;
  texts.push_back(
      "every row of a gradient is summed to a row of tiles of its own, and leaves by its ports");
  texts.push_back("backward of attention and of small operators takes twice their forward");
  return texts;
}

}  // namespace

OptionSpec streaming_batch_option() {
  return {.name = "sequences",
          .value = "N",
          .help =
              "Sequences of a batch, in training of a step, in micro-batches where they do not "
              "fit at once (default the best).",
          .range = WholeRange{1, kMostStreamedBatch}};
}

Json wafer_streaming_json(const WaferStreamingJob& job, const WaferStreaming& found) {
  Json report{{"schema", "waferloom/wafer_plan/1"},
              {"way", "streaming"},
              {"workload", job.workload.name},
              {"hardware", job.hardware.name},
              {"data_type", job.data_type},
              {"clock_hz", job.hardware.clock_hz},
              {"trains", job.trains}};
  add_kept(report, job.workload.kept);
  report["best"] = choice_json(job, found.best);
  report["batches"] = Json::array();
  for (const StreamingChoice& choice : found.batches) {
    report["batches"].push_back(choice_json(job, choice));
  }
  report["bottleneck"] = bottleneck_json(streaming_bottleneck(job, found.best));
  report["roofline"] = {{"tokens_per_s", found.roof_tokens_per_s},
                        {"ports_tokens_per_s", found.port_tokens_per_s}};
  report["assumptions"] = assumptions_json(job);
  report["trust"] = trust_json(found.trust);
  return report;
}

TextTable streaming_batches_table(const WaferStreamingJob& job, const WaferStreaming& found) {
  std::vector<std::string> titles{"batch",  "tiles",    "bytes a tile", "fits",
                                  "step s", "tokens/s", "of peak"};
  if (job.trains) titles.insert(titles.begin() + 1, {"split", "recompute"});
  TextTable table(titles);
  for (const StreamingChoice& choice : found.batches) {
    std::vector<std::string> row{
        std::to_string(choice.batch),         grid_text(choice.tiles),
        std::to_string(choice.bytes.total()), choice.bytes.fits() ? "yes" : "no",
        significant_text(choice.step_s),      significant_text(choice.tokens_per_s),
        percent_text(choice.share_of_peak, 1)};
    if (job.trains) {
      row.insert(row.begin() + 1, {std::to_string(choice.micro_batches),
                                   std::string(recompute_name(choice.recompute))});
    }
    table.add(row);
  }
  return table;
}

}  // namespace waferloom::planner
