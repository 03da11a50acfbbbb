#include "model/describe.h"
#include "model/text.h"
#include "planner/tile_operators.h"
#include "planner/wafer/plan_rows.h"
#include "planner/wafer_streaming.h"

namespace waferloom {
namespace planner {
namespace {

constexpr std::uint64_t kMostStreamedBatch = 10'000;

struct StreamedReport {
  const WaferStreamingJob* job;
  const WaferStreaming* found;
  const SimulatedStep* simulated;
};

/// A batch that was tried.
struct TriedBatch {
  const StreamingChoice* choice = nullptr;
  bool trains = false;
  std::string recompute;
};

TriedBatch tried_batch(const StreamedReport& report, const StreamingChoice& choice) {
  return {&choice, report.job->trains, std::string(recompute_name(choice.recompute))};
}

TriedBatch best_batch(const StreamedReport& report) {
  return tried_batch(report, report.found->best);
}

std::vector<TriedBatch> tried_batches(const StreamedReport& report) {
  std::vector<TriedBatch> batches;
  for (const StreamingChoice& choice : report.found->batches) {
    batches.push_back(tried_batch(report, choice));
  }
  return batches;
}

std::vector<std::string_view> streaming_assumptions(const StreamedReport& report) {
  const WaferStreamingJob& job = *report.job;
  const bool is_measured = job.trains && job.hardware.training.contains(job.data_type);
  std::vector<std::string_view> texts;
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
    texts.emplace_back("every sequence is a prompt: its last token alone goes through the head");
    texts.emplace_back("keys and values stay for the layer at work alone: no token is decoded");
    texts.emplace_back("what the head makes leaves the wafer in no time");
    return texts;
  }
  texts.emplace_back(
      "weights come in for forward and for backward, twice if a layer is computed again; "
      "gradients leave in backward");
  texts.emplace_back("micro-batches of a step come one after another, each with all weights");
  texts.emplace_back("logits are of 32 bits, those of a piece of the head at once");
  texts.emplace_back("the optimizer works outside of the wafer, and takes no time");
  if (is_measured) return texts;
  texts.emplace_back(
      "every row of a gradient is summed to a row of tiles of its own, and leaves by its ports");
  texts.emplace_back("backward of attention and of small operators takes twice their forward");
  return texts;
}

std::vector<Row> through_choice(std::vector<Row> rows) {
  return through<TriedBatch>(
      [](const TriedBatch& tried) -> const StreamingChoice& { return *tried.choice; },
      std::move(rows));
}

std::vector<Row> tried_place_rows() {
  using Choice = StreamingChoice;
  const auto place = [](const Choice& choice) { return PlannedTiles{choice.place}; };
  const auto fits = [](const Choice& choice) { return choice.bytes.fits(); };
  return joined(
      {through_choice({row("batch", &Choice::batch, {"sequences of a batch", kCount})}),
       {listed_row(row("recompute", &TriedBatch::recompute,
                       {"what forward computes again before backward"}),
                   kMadeRecomputeNames)},
       through_choice(
           {computed<Choice>("rows", [](const Choice& choice) { return choice.tiles.rows; },
                             {"rows of tiles", kCount}),
            computed<Choice>("columns", [](const Choice& choice) { return choice.tiles.columns; },
                             {"columns of tiles", kCount}),
            later_row(row("spare_rows", &Choice::spare_rows, {kSpareRowsMeaning, kCount})),
            later_row(computed<Choice>("place", place, {"the tiles in use, spare rows included"})),
            computed<Choice>("fits", fits, {"whether a tile's memory holds it"}),
            row("bytes_per_tile", &Choice::bytes, {"bytes on the fullest tile"})})});
}

std::vector<Row> tried_rate_rows() {
  using Choice = StreamingChoice;
  const auto trains = [](const TriedBatch& tried) { return tried.trains; };
  const auto micro_batches = [](const TriedBatch& tried) { return tried.choice->micro_batches; };
  const auto head_pieces = [](const TriedBatch& tried) { return tried.choice->head_pieces; };
  return joined(
      {through_choice(
           {row("fill_s", &Choice::fill_s,
                {"seconds until the first weights are on all tiles", kAmount}),
            row("step_s", &Choice::step_s,
                {"seconds of a batch, all micro-batches included", kAmount}),
            row("tokens_per_s", &Choice::tokens_per_s, {"tokens a second", kAmount}),
            row("share_of_peak", &Choice::share_of_peak,
                {"multiply-adds that are wanted, as a share of what all tiles could do", kAmount}),
            later_row(
                row("samples_per_s", &Choice::samples_per_s, {"sequences a second", kAmount})),
            later_row(row("attention_sequences", &Choice::attention_sequences,
                          {"sequences that are at once in attention; the others wait behind them",
                           kPositiveCount}))}),
       {where<TriedBatch>(trains,
                          computed<TriedBatch>("micro_batches", micro_batches,
                                               {"micro-batches of a training batch, one after "
                                                "another; bytes and parts are of the largest",
                                                kPositiveCount})),
        where<TriedBatch>(trains,
                          computed<TriedBatch>(
                              "head_pieces", head_pieces,
                              {"pieces of a micro-batch's tokens in the head", kPositiveCount}))},
       through_choice({row("parts", &Choice::parts, {"what each part of the network takes"})})});
}

std::vector<Row> streamed_job_rows() {
  using Of = StreamedReport;
  using Job = WaferStreamingJob;
  return joined(
      {plan_head_rows<Of>(
           "streaming", [](const Of& of) { return made_for(of.job->workload, of.job->hardware); }),
       through<Of>(
           [](const Of& of) -> const Job& { return *of.job; },
           {computed<Job>("workload", [](const Job& job) { return job.workload.name; },
                          {"name of the workload"}),
            computed<Job>("hardware", [](const Job& job) { return job.hardware.name; },
                          {"name of the hardware"}),
            row("data_type", &Job::data_type, {"type of numbers that are computed with"}),
            computed<Job>("clock_hz", [](const Job& job) { return job.hardware.clock_hz; },
                          {"cycles of a tile in a second", kCount}),
            later_row(row(
                "trains", &Job::trains,
                {"whether a step is trained, else forward alone; true where it is not told"}))}),
       through<Of>([](const Of& of) -> const Workload& { return of.job->workload; },
                   {kept_row()})});
}

std::vector<Row> streamed_found_rows() {
  using Of = StreamedReport;
  using Found = WaferStreaming;
  const auto found = [](const Of& of) -> const Found& { return *of.found; };
  const auto bottleneck = [](const Of& of) {
    return streaming_bottleneck(*of.job, of.found->best);
  };
  const auto simulated = [](const Of& of) -> const SimulatedStep& { return *of.simulated; };
  return joined(
      {{computed<Of>("best", best_batch, {"the batch that was chosen"}),
        computed<Of>("batches", tried_batches, {"every batch that was tried"}),
        later_row(computed<Of>("bottleneck", bottleneck, {kBottleneckMeaning}))},
       through<Of>(
           found,
           {group("roofline",
                  {row("tokens_per_s", &Found::roof_tokens_per_s,
                       {"tokens a second if all tiles did nothing but multiply and add", kAmount}),
                   row("ports_tokens_per_s", &Found::port_tokens_per_s,
                       {"tokens a second of this batch if only the ports took time", kAmount})},
                  {"the rates that no plan exceeds"})}),
       {computed<Of>("assumptions", streaming_assumptions, {"what the plan takes for granted"})},
       through<Of>(found, {row("trust", &Found::trust, {kTrustMeaning})}),
       {computed<Of>("simulated", simulated, {"the chosen batch, simulated on the network"})}});
}

std::vector<Row> pass_rows() {
  using Part = StreamedPart;
  return {
      row("forward_cycles", &Part::forward_cycles, {"cycles of tiles in forward", kAmount}),
      row("backward_cycles", &Part::backward_cycles,
          {"cycles of tiles in backward, with what is computed again", kAmount}),
      row("port_cycles", &Part::port_cycles, {"cycles of its weights through the ports", kAmount}),
      row("link_cycles", &Part::link_cycles,
          {"cycles of its weights over the busiest link", kAmount}),
      row("ports_s", &Part::ports_s,
          {"seconds of all that a step brings in for it through the ports, or of its gradients in "
           "backward where they take longer",
           kAmount}),
      row("links_s", &Part::links_s, {"the same seconds over the busiest link", kAmount}),
      row("forward_s", &Part::forward_s, {"seconds of forward: the longest of these", kAmount}),
      row("backward_s", &Part::backward_s,
          {"seconds of backward: the longest of these, gradients too", kAmount})};
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::StreamingBytes>() {
  using planner::StreamingBytes;
  static const TypeRows rows = report_rows(
      {row("program", &StreamingBytes::program, {"bytes of the program", kCount}),
       row("activations", &StreamingBytes::activations,
           {"bytes that forward keeps, of all layers; of inference a layer's input", kCount}),
       row("layer", &StreamingBytes::layer, {"bytes of the layer at work", kCount}),
       row("buffers", &StreamingBytes::buffers,
           {"bytes of weights and gradients on their way", kCount}),
       row("total", &StreamingBytes::total, {"bytes together", kCount}),
       row("there", &StreamingBytes::there, {"bytes that a tile has", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::StreamedPart>() {
  using planner::StreamedPart;
  static const TypeRows rows = report_rows(joined(
      {{row("name", &StreamedPart::name, {"name of the part: a layer, the embedding, the head"}),
        row("repeat", &StreamedPart::repeat, {"how often it comes", kCount}),
        row("weight_bytes", &StreamedPart::weight_bytes,
            {"bytes of weights that come in for forward", kAmount}),
        row("backward_weight_bytes", &StreamedPart::backward_weight_bytes,
            {"bytes of weights that come in for backward: twice if a layer is computed again",
             kAmount}),
        row("gradient_bytes", &StreamedPart::gradient_bytes,
            {"bytes of gradients that go out in backward", kAmount}),
        later_row(row("fixed_s", &StreamedPart::fixed_s,
                      {"of forward_cycles and backward_cycles, seconds that the size of a "
                       "micro-batch does not change",
                       kAmount}))},
       planner::pass_rows()}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::TriedBatch>() {
  static const TypeRows rows =
      report_rows(joined({planner::tried_place_rows(), planner::tried_rate_rows()}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::SimulatedStep>() {
  using planner::SimulatedStep;
  static const TypeRows rows = report_rows(
      {row("network", &SimulatedStep::network, {"model of the network on chip"}),
       row("step_s", &SimulatedStep::step_s,
           {"seconds of a step, from the layers that were run", kAmount}),
       row("shown_s", &SimulatedStep::shown_s, {"seconds of the layers that were run", kAmount}),
       row("forward_layer_s", &SimulatedStep::forward_layer_s,
           {"seconds of a layer's forward", kAmount}),
       row("backward_layer_s", &SimulatedStep::backward_layer_s,
           {"seconds of a layer's backward", kAmount}),
       row("block_side", &SimulatedStep::block_side,
           {"tiles of the side of a block that is simulated as one", kCount}),
       row("messages", &SimulatedStep::messages, {"messages that were simulated", kCount}),
       row("events", &SimulatedStep::events, {"simulated events", kCount})});
  return rows;
}

namespace planner {

const TypeRows& streaming_plan_rows() {
  static const TypeRows rows =
      report_rows(joined({streamed_job_rows(), streamed_found_rows(), {later_row(made_by_row())}}));
  return rows;
}

OptionSpec streaming_batch_option() {
  return {.name = "sequences",
          .value = "N",
          .help =
              "Sequences of a batch, in training of a step, in micro-batches where they do not "
              "fit at once (default the best).",
          .range = WholeRange{1, kMostStreamedBatch}};
}

Report wafer_streaming_report(const WaferStreamingJob& job, const WaferStreaming& found,
                              const SimulatedStep& simulated) {
  const StreamedReport report{&job, &found, &simulated};
  return rows_report(streaming_plan_rows(), &report);
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

}  // namespace planner
}  // namespace waferloom
