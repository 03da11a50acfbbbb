#include "planner/centimani.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/report_target.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/summaries/summary_lines.h"
#include "model/errors.h"
#include "model/report.h"
#include "model/text.h"
#include "model/workload.h"

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct CentimaniRequest {
  CommonOptions common;
  std::string workload;
  planner::CentimaniChoice centimani;
  std::optional<std::string> operators;
  std::optional<std::string> csv;
};

constexpr std::uint64_t kMostBatch = 1'000'000'000;
constexpr std::size_t kMostBatches = 10'000;
constexpr std::int64_t kLastPower = 4096;  // of the batches where none are given

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<std::int64_t> batches_of(const std::optional<std::string>& given) {
  std::vector<std::int64_t> batches;
  if (!given) {
    for (std::int64_t batch = 1; batch <= kLastPower; batch *= 2) batches.push_back(batch);
    return batches;
  }
  for (const std::string& text : split(*given)) {
    batches.push_back(static_cast<std::int64_t>(parse_whole(text, "--batches", {1, kMostBatch})));
  }
  std::sort(batches.begin(), batches.end());
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  if (batches.size() > kMostBatches) {
    throw Failure(FailureKind::usage,
                  fmt::format("--batches: expected at most {} batches, found {}", kMostBatches,
                              batches.size()));
  }
  return batches;
}

double decimal_value(const std::string& text, const std::string& option) {
  return static_cast<double>(parse_decimal(text, option).millionths) /
         static_cast<double>(Decimal6::kOne);
}

planner::Compression compression_of(const std::string& text) {
  const auto fail = [&] {
    throw Failure(FailureKind::usage,
                  "--compress: expected BITS[,DENSITY[,INDEX]] with 0 < BITS <= 64, 0 < DENSITY <= "
                  "1 and INDEX <= 64, found '" +
                      text + "'");
  };
  constexpr double kMostBits = 64;
  const std::vector<std::string> parts = split(text);
  if (parts.size() > 3) fail();
  planner::Compression compression;
  compression.value_bits = decimal_value(parts[0], "--compress");
  if (parts.size() > 1) compression.density = decimal_value(parts[1], "--compress");
  if (parts.size() > 2) compression.index_bits = decimal_value(parts[2], "--compress");
  const bool is_sound = compression.value_bits > 0 && compression.value_bits <= kMostBits &&
                        compression.density > 0 && compression.density <= 1 &&
                        compression.index_bits <= kMostBits;
  if (!is_sound) fail();
  return compression;
}

planner::CentimaniOptions centimani_options(const CentimaniRequest& request) {
  planner::CentimaniOptions options = request.centimani.options;
  options.batches = batches_of(request.centimani.batches);
  if (const auto& compress = request.centimani.compress) {
    options.compression = compression_of(*compress);
  }
  if (const auto& path = request.operators) {
    options.measured = read_operator_table(read_input(*path, request.common), source_name(*path));
  }
  return options;
}

std::vector<std::string> centimani_files(const CentimaniRequest& request) {
  std::vector<std::string> files = workload_files(request.workload);
  for (const std::string& file : machine_inputs(request.centimani.machine)) files.push_back(file);
  if (request.operators) files.push_back(*request.operators);
  return files;
}

std::string batch_text(const planner::CentimaniResult& found, std::size_t i) {
  return fmt::format("{} a replica, {} samples/s", found.choice.candidates[i].batch,
                     significant_text(found.times[i].samples_per_s));
}

std::string summary(const Workload& workload, const System& system,
                    const planner::CentimaniOptions& options,
                    const planner::CentimaniResult& found) {
  const planner::BatchTime& time = found.times[*found.choice.best];
  std::string text =
      fmt::format("{} on {}, {}{}, {} x {} (replicas x stages)\n\n{}\n", workload.name, system.name,
                  options.chips, options.chips == 1 ? " chip" : " chips", options.replicas(),
                  options.stages, planner::batches_table(system, found).text());
  text += summary_line("chosen",
                       batch_text(found, *found.choice.best) + ", by the paper's rule (memory)");
  text += summary_line("fastest", batch_text(found, *planner::fastest_batch(found)));
  text += "\nParts of the chosen batch:\n\n";
  for (std::size_t i = 0; i < kTensorClasses; ++i) {
    text +=
        summary_line(std::string(kTensorClassNames[i]), bytes_text(found.class_bytes[i]) + " in " +
                                                            system.level_name(system.level_of[i]));
  }
  text += summary_line("load", seconds_text(time.stages.host.load_s));
  text += summary_line("prepare", seconds_text(time.stages.host.preprocess_s));
  text += summary_line(
      "compute", fmt::format("{}, {} of {} operators measured", seconds_text(time.stages.compute_s),
                             time.measured_operators, workload.operators.size()));
  text += summary_line("transfer", seconds_text(time.stages.transfer_s));
  text += summary_line("exchange", seconds_text(time.stages.exchange_s));
  text += summary_line("serial", seconds_text(time.stages.serial_s()));
  text += summary_line("step", seconds_text(time.step_s) + " without overlap");
  return text;
}

int run_model_centimani(const CentimaniRequest& request) {
  const ReportTarget target(request.common);
  std::vector<const OutputFile*> outputs;
  std::optional<OutputFile> csv;
  if (request.csv) outputs.push_back(&csv.emplace(*request.csv));
  if (target.file() != nullptr) outputs.push_back(target.file());
  check_one_stdin(centimani_files(request));
  check_distinct(outputs, centimani_files(request));
  const planner::CentimaniOptions options = centimani_options(request);
  const System system = read_chips(request.centimani.machine, request.common);
  const Workload workload = read_workload_named(request.workload, "WORKLOAD", request.common);
  planner::CentimaniResult found;
  try {
    found = planner::centimani(workload, system, options);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage, error.what());
  } catch (const std::overflow_error& error) {
    throw Failure(FailureKind::input, blamed(request.workload, error));
  }
  if (!found.choice.best) {
    throw Failure(FailureKind::infeasible,
                  "no batch fits " + system.name + ": " + found.choice.why_none(system));
  }
  if (csv) csv->write(planner::batches_table(system, found).csv());
  target.write(planner::centimani_report(workload, system, options, found));
  if (!target.on_stdout()) write_stdout(summary(workload, system, options, found));
  return 0;
}

}  // namespace

const Command& model_centimani_command() {
  static const Command command = command_of<CentimaniRequest>(
      {.name = "model centimani",
       .summary = "Choose a batch by the memories; predict a training step.",
       .usage = {"model centimani WORKLOAD [--hardware M] [options]"},
       .description =
           "Walks the tensors of a training step in the order of its schedule, each in the memory "
           "to which the system sends its class, and chooses, of the batches that fit every "
           "memory, the one that leaves least of them unused; the fastest is told beside it. The "
           "step's time is predicted in parts (loading, preprocessing, operators, communication), "
           "then what goes on at once is counted once: docs/centimani.md. Exit code 3 where no "
           "batch fits.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .examples = {"waferloom model centimani resnet50 --hardware bow_ipu",
                    "waferloom model centimani bert_base --hardware gaudi2 --batches 12,32,256 \\\n"
                    "      --chips 8 --learning async --compress 8,0.01",
                    "waferloom model centimani t_1_7b --hardware gaudi2 --chips 8 --stages 4 \\\n"
                    "      --report -"}},
      {operand(&CentimaniRequest::workload,
               {"WORKLOAD", "A preset or a JSON file; - reads stdin."})},
      joined_options<CentimaniRequest>(
          {options_inside(&CentimaniRequest::centimani, planner::centimani_options()),
           {option(&CentimaniRequest::operators,
                   {"operators", '\0', "FILE",
                    "Measured times of operators and of a host; the rest by the roofline."}),
            option(&CentimaniRequest::csv,
                   {"csv", '\0', "FILE", "Write the table of batches as CSV."})}}),
      run_model_centimani);
  return command;
}

}  // namespace waferloom::cli
