#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
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
#include "interchange/onnx.h"
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
  std::optional<std::string> bindings;  ///< "batch=8,seq=2048"
  bool skip_unsupported = false;
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

/// What --bind says: names and whole numbers from 1.
std::map<std::string, std::int64_t> bindings_of(const std::string& text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  std::map<std::string, std::int64_t> bindings;
  std::string_view left = text;
  while (!left.empty()) {
    const std::string_view pair = left.substr(0, left.find(','));
    left.remove_prefix(std::min(pair.size() + 1, left.size()));
    const std::size_t equals = pair.rfind('=');
    const auto size =
        equals == std::string_view::npos ? std::nullopt : parse_whole_text(pair.substr(equals + 1));
    if (!size || *size < 1 || *size > kMost || equals == 0) {
      throw Failure(
          FailureKind::usage,
          "--bind: expected NAME=N with N from 1 to 1000000000, found " + in_quotes(pair));
    }
    bindings[std::string(pair.substr(0, equals))] = static_cast<std::int64_t>(*size);
  }
  return bindings;
}

std::string case_summary(const interchange::OnnxCase& imported, const std::string& written) {
  const auto number = [](std::int64_t value) { return prefixed_text(static_cast<double>(value)); };
  const interchange::OnnxFacts& facts = imported.facts;
  std::string text =
      facts.name + ": " +
      counted_text(static_cast<std::int64_t>(imported.problem.kernel_count()), "kernel") + " and " +
      counted_text(static_cast<std::int64_t>(imported.problem.connections().size()), "edge") +
      " of " + counted_text(static_cast<std::int64_t>(facts.nodes), "node") + "\n";
  text += summary_line(
      "multiply-adds",
      fmt::format("{}{}", facts.multiply_adds,
                  facts.batch > 1 ? fmt::format(" of {} samples", facts.batch) : " a sample"));
  text += summary_line("parameters", number(facts.parameters));
  for (const interchange::LeftOutOperator& row : facts.left_out) {
    text += summary_line("left out", row.name + ", " + counted_text(row.count, "node"));
  }
  if (!facts.left_out.empty()) {
    constexpr int kPlaces = 2;
    text += summary_line("share", percent_text(interchange::left_out_share(facts), kPlaces) +
                                      " of all elements are left out");
  }
  for (const std::string& note : facts.notes) text += summary_line("note", note);
  return text + summary_line("written", written);
}

interchange::OnnxOptions onnx_options(const ImportRequest& request) {
  return {bindings_of(request.bindings.value_or("")), request.skip_unsupported};
}

/// What a command reads and writes.
struct ImportFiles {
  ReportTarget report;
  ResultTarget result;
};

ImportFiles files_of(const ImportRequest& request) {
  std::vector<std::string> inputs{request.file};
  if (request.index) inputs.push_back(*request.index);
  check_one_stdin(inputs);
  ImportFiles files{ReportTarget(request.common), ResultTarget(request.output)};
  std::vector<const OutputFile*> outputs;
  if (files.report.file() != nullptr) outputs.push_back(files.report.file());
  if (files.result.file() != nullptr) outputs.push_back(files.result.file());
  check_distinct(outputs, inputs);
  check_one_stdout(files.report, files.result);
  return files;
}

int run_import_case(const ImportRequest& request, const std::string& bytes,
                    const ImportFiles& files) {
  refuse_without(false, "a workload", {{"check", request.index.has_value()}});
  const auto imported =
      interchange::import_onnx_case(bytes, source_name(request.file), onnx_options(request));
  const std::string text = write_kgraph(imported.problem);
  files.result.replace(text);
  files.report.write(interchange::import_case_report(imported));
  files.result.finish(text);
  if (!files.result.on_stdout() && !files.report.on_stdout()) {
    write_stdout(case_summary(imported, files.result.name()));
  }
  return 0;
}

int run_import(const ImportRequest& request) {
  const CommonOptions& common = request.common;
  const ImportFiles files = files_of(request);
  const auto& [report, result] = files;
  const std::string source = source_name(request.file);
  const std::string bytes = read_input(request.file, common, kMaxModelBytes);
  const bool is_onnx = interchange::is_onnx(bytes, source);
  refuse_without(
      is_onnx, "an ONNX model",
      {{"bind", request.bindings.has_value()}, {"skip-unsupported", request.skip_unsupported}});
  refuse_without(!is_onnx, "a config.json", {{"sequence", request.reading.sequence.has_value()}});
  if (is_onnx && request.output.ends_with(".kgraph")) {
    return run_import_case(request, bytes, files);
  }
  const auto network = is_onnx
                           ? interchange::import_onnx_network(bytes, source, onnx_options(request))
                           : interchange::import_config(bytes, source, request.reading);
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
       .summary = "Make a case of an ONNX model, or a workload of a config.json.",
       .usage = {"import MODEL.onnx -o CASE|NETWORK [--bind NAME=N]",
                 "import config.json [-o NETWORK] [--sequence N] [--check INDEX]"},
       .description =
           "Reads an ONNX model. Into a .kgraph it writes the model's convolutions and products of "
           "matrices as a contest case of one sample, with all else merged into them; into another "
           "file its operators as a workload, with layers of transformers recognised from their "
           "parts. Or reads a language or vision model's config.json and writes its layers as a "
           "workload (docs/import.md). Every command that takes a WORKLOAD reads a config.json and "
           "a model as well; import shows what it becomes. What is assumed or left out is told in "
           "notes. Weights are never read. Families of config.json (model_type): " +
           interchange::config_families() + ".",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose"},
       .examples = {"waferloom import resnet18.onnx -o resnet18.kgraph",
                    "waferloom import model.onnx --bind batch=1,seq=384 -o model.json",
                    "waferloom import config.json -o network.json",
                    "waferloom import config.json --sequence 4096 -o network.json \\\n"
                    "      --check model.safetensors.index.json",
                    "waferloom plan config.json --serve --hardware wse3"}},
      {operand(&ImportRequest::file, {"FILE", "An ONNX model or a config.json; - reads stdin."})},
      {option(
           &ImportRequest::output,
           {"output", 'o', "FILE", "Where the case or the workload goes; - is stdout {default}."}),
       option(
           &ImportRequest::bindings,
           {"bind", '\0', "NAME=N,...",
            "What symbolic sizes of an ONNX model are; the message names those that are missing."}),
       option(&ImportRequest::skip_unsupported,
              {"skip-unsupported", '\0', "",
               "Leave out operators of an ONNX model that nobody knows, and tell their share."}),
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
