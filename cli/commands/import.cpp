#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/report_target.h"
#include "cli/files/result_target.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/summaries/summary_lines.h"
#include "interchange/huggingface.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

/// What weights are stored in.
enum class WeightType : std::uint8_t { fp32, fp16, bf16, fp8 };
constexpr std::array<std::string_view, 4> kWeightTypes{"fp32", "fp16", "bf16", "fp8"};
constexpr std::array<std::int64_t, 4> kBytes{4, 2, 2, 1};
constexpr std::span<const std::string_view> words_of(WeightType /*of*/) { return kWeightTypes; }

/// What the command line asks for.
struct ImportRequest {
  CommonOptions common;
  std::string file;
  std::string output = "network.json";
  interchange::ImportOptions reading;
  std::optional<std::string> index;  ///< of weights, to check
  WeightType weights = WeightType::bf16;
};

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

void check_size(const ImportRequest& request, const OperatorCount& counted,
                const KeptNumbers& kept) {
  if (kept.weights) {
    throw Failure(FailureKind::usage,
                  "--check: an index does not tell the scales of narrow weights");
  }
  const std::int64_t bytes = kBytes.at(static_cast<std::size_t>(request.weights));
  const std::int64_t expected = counted.parameters * bytes;
  const std::int64_t found = total_size(*request.index, request.common);
  if (found == expected) return;
  throw Failure(
      FailureKind::check,
      fmt::format("{}: total_size is {}, and {} parameters of {} bytes are {}",
                  source_name(*request.index), found, counted.parameters, bytes, expected));
}

std::string import_summary(const interchange::ImportedNetwork& network, const Workload& workload,
                           const OperatorCount& counted, const std::string& written) {
  const auto number = [](std::int64_t value) { return prefixed_text(static_cast<double>(value)); };
  std::string text = fmt::format("{}: {} parameters in {} operators\n", network.file.name,
                                 number(counted.parameters), workload.operators.size());
  if (counted.idle_parameters > 0) {
    text += summary_line("active", number(counted.active_parameters()) + " of a token");
  }
  text += summary_line("cache", fmt::format("{} elements a token", counted.cache));
  for (const std::string& note : network.notes) text += summary_line("note", note);
  return text + summary_line("written", written);
}

int run_import(const ImportRequest& request) {
  const CommonOptions& common = request.common;
  std::vector<std::string> inputs{request.file};
  if (request.index) inputs.push_back(*request.index);
  check_one_stdin(inputs);
  const ReportTarget report(common);
  const ResultTarget result(request.output);
  std::vector<const OutputFile*> outputs;
  if (report.file() != nullptr) outputs.push_back(report.file());
  if (result.file() != nullptr) outputs.push_back(result.file());
  check_distinct(outputs, inputs);
  check_one_stdout(report, result);
  const std::string source = source_name(request.file);
  const auto network =
      interchange::import_config(read_input(request.file, common), source, request.reading);
  const std::string text = network_text(network.file);
  const Workload workload = expand(imported_network(text, source));
  const OperatorCount counted = count(workload);
  if (request.index) check_size(request, counted, workload.kept);
  result.replace(text);
  report.write(interchange::import_report(network, counted, workload.operators.size()));
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
  static const Command command = command_of<ImportRequest>(
      {.name = "import",
       .summary = "Make a workload of a Hugging Face config.json.",
       .usage = {"import FILE [-o NETWORK] [--sequence N] [--check INDEX]"},
       .description =
           "Reads a language or vision model's config.json and writes its layers as a workload "
           "(docs/import.md). Every command that takes a WORKLOAD reads a config.json as well; "
           "import shows what it becomes. What is assumed or left out is told in notes. Families "
           "(model_type): " +
           interchange::config_families() + ".",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose"},
       .examples = {"waferloom import config.json -o network.json",
                    "waferloom import config.json --sequence 4096 -o network.json \\\n"
                    "      --check model.safetensors.index.json",
                    "waferloom plan config.json --serve --hardware wse3"}},
      {operand(&ImportRequest::file, {"FILE", "A config.json; - reads stdin."})},
      {option(&ImportRequest::output,
              {"output", 'o', "NETWORK", "Where the workload goes; - is stdout {default}."}),
       option_inside(
           &ImportRequest::reading,
           option(&interchange::ImportOptions::sequence,
                  {.name = "sequence",
                   .value = "N",
                   .help = "Tokens of a sample; without it as many as the model has places for, at "
                           "most 8192.",
                   .range = WholeRange{1, 1'000'000'000}})),
       option(&ImportRequest::index,
              {"check", '\0', "INDEX",
               "Hold the parameters against total_size of a model.safetensors.index.json."}),
       option(&ImportRequest::weights,
              {.name = "data-type",
               .value = "TYPE",
               .help = "What the weights of INDEX are stored in: {choices}."})},
      run_import);
  return command;
}

}  // namespace waferloom::cli
