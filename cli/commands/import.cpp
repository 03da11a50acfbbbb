#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/report_target.h"
#include "cli/files/result_target.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
#include "cli/summaries/summary_lines.h"
#include "interchange/huggingface.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr std::array<std::string_view, 4> kDataTypes{"fp32", "fp16", "bf16", "fp8"};
constexpr std::array<std::int64_t, 4> kBytes{4, 2, 2, 1};

std::int64_t bytes_of(const Arguments& arguments) {
  return kBytes.at(named<std::size_t>(arguments, "data-type", kDataTypes));
}

/// Bytes of all tensors of a model, as the index of its weights says.
std::int64_t total_size(const std::string& path, const CommonOptions& common) {
  const std::string source = source_name(path);
  const JsonValue file = parse_json(read_input(path, common), source);
  const JsonReader reader(source);
  reader.expect_object(file, "an index of weights as an object");
  const JsonValue& facts = reader.at(file, "metadata");
  reader.expect_object(facts, "metadata as an object");
  constexpr NumberRange kRange{1, std::int64_t{1} << 60};
  return reader.whole(reader.at(facts, "total_size"), "total_size", kRange);
}

void check_size(const Arguments& arguments, const OperatorCount& counted, const KeptNumbers& kept) {
  if (kept.weights) {
    throw Failure(FailureKind::usage,
                  "--check: an index does not tell the scales of narrow weights");
  }
  const std::int64_t expected = counted.parameters * bytes_of(arguments);
  const std::int64_t found = total_size(arguments.text("check"), arguments.common());
  if (found == expected) return;
  throw Failure(FailureKind::check,
                source_name(arguments.text("check")) + ": total_size is " + std::to_string(found) +
                    ", and " + std::to_string(counted.parameters) + " parameters of " +
                    std::to_string(bytes_of(arguments)) + " bytes are " + std::to_string(expected));
}

Json import_json(const interchange::ImportedNetwork& network, const OperatorCount& counted,
                 std::size_t operators) {
  Json report = new_report("import");
  report["name"] = network.file.name;
  report["tokens"] = network.file.tokens;
  report["operators"] = operators;
  report["parameters"] = counted.parameters;
  report["active_parameters"] = counted.active_parameters();
  report["cache_elements"] = counted.cache;
  report["notes"] = network.notes;
  return report;
}

std::string import_summary(const interchange::ImportedNetwork& network, const Workload& workload,
                           const OperatorCount& counted, const std::string& written) {
  const auto number = [](std::int64_t value) { return prefixed_text(static_cast<double>(value)); };
  std::string text = network.file.name + ": " + number(counted.parameters) + " parameters in " +
                     std::to_string(workload.operators.size()) + " operators\n";
  if (counted.idle_parameters > 0) {
    text += summary_line("active", number(counted.active_parameters()) + " of a token");
  }
  text += summary_line("cache", std::to_string(counted.cache) + " elements a token");
  for (const std::string& note : network.notes) text += summary_line("note", note);
  return text + summary_line("written", written);
}

int import_main(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  const std::string& path = arguments.text("FILE");
  std::vector<std::string> inputs{path};
  for (const std::string& index : arguments.list("check")) inputs.push_back(index);
  check_one_stdin(inputs);
  const ReportTarget report(common);
  const ResultTarget result(arguments.text_or_default("output"));
  std::vector<const OutputFile*> outputs;
  if (report.file() != nullptr) outputs.push_back(report.file());
  if (result.file() != nullptr) outputs.push_back(result.file());
  check_distinct(outputs, inputs);
  check_one_stdout(report, result);
  const std::string source = source_name(path);
  interchange::ImportOptions options;
  if (arguments.has("sequence")) options.sequence = whole(arguments, "sequence");
  const auto network = interchange::import_config(read_input(path, common), source, options);
  const std::string text = network_text(network.file);
  const Workload workload = expand(imported_network(text, source));
  const OperatorCount counted = count(workload);
  if (arguments.has("check")) check_size(arguments, counted, workload.kept);
  result.replace(text);
  report.write(import_json(network, counted, workload.operators.size()));
  result.finish(text);
  if (result.on_stdout()) {
    tell_notes(network, source, common);
  } else if (!report.on_stdout()) {
    write_stdout(import_summary(network, workload, counted, result.name()));
  }
  return 0;
}

}  // namespace

const Command& import_command() {
  static const Command command{
      .name = "import",
      .summary = "Make a workload of a Hugging Face config.json.",
      .usage = {"import FILE [-o NETWORK] [--sequence N] [--check INDEX]"},
      .description =
          "Reads a language or vision model's config.json and writes its layers as a workload "
          "(docs/import.md). Every command that takes a WORKLOAD reads a config.json as well; "
          "import shows what it becomes. What is assumed or left out is told in notes. Families "
          "(model_type): " +
          interchange::config_families() + ".",
      .operands = {{"FILE", "A config.json; - reads stdin."}},
      .options = {{.name = "output",
                   .letter = 'o',
                   .value = "NETWORK",
                   .help = "Where the workload goes; - is stdout {default}.",
                   .fallback = "network.json"},
                  {.name = "sequence",
                   .value = "N",
                   .help = "Tokens of a sample; without it as many as the model has places for, at "
                           "most 8192.",
                   .range = WholeRange{1, 1'000'000'000}},
                  {"check", '\0', "INDEX",
                   "Hold the parameters against total_size of a model.safetensors.index.json."},
                  {.name = "data-type",
                   .value = "TYPE",
                   .help = "What the weights of INDEX are stored in: {choices}.",
                   .choices = choices_of(kDataTypes),
                   .fallback = "bf16"}},
      .idle = {"seed", "threads", "effort", "time-limit", "verbose"},
      .examples = {"waferloom import config.json -o network.json",
                   "waferloom import config.json --sequence 4096 -o network.json \\\n"
                   "      --check model.safetensors.index.json",
                   "waferloom plan config.json --serve --hardware wse3"},
      .run = import_main};
  return command;
}

}  // namespace waferloom::cli
