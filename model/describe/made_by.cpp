#include <nlohmann/json.hpp>

#include "model/describe.h"
#include "model/report.h"

namespace waferloom {
namespace {

constexpr OwnForm<InputFacts> kCrc{
    [](const JsonReader& reader, const JsonValue& value, InputFacts& input) {
      input.crc32 = reader.string(value, "crc32");
    },
    [](const InputFacts& input, ValueSink& sink) { sink.text(input.crc32); },
    [](ValueSink& schema) {
      schema.pair("type", "string");
      schema.pair("pattern", "^[0-9a-f]{8}$");
    }};

}  // namespace

template <>
const TypeRows& rows_of<InputFacts>() {
  static const TypeRows rows =
      report_rows({row("name", &InputFacts::name),
                   row("bytes", &InputFacts::bytes, {.range = kCount}), formed("crc32", kCrc)});
  return rows;
}

template <>
const TypeRows& rows_of<MadeByFacts>() {
  static const TypeRows rows = report_rows(
      {row("version", &MadeByFacts::version),
       row("arguments", &MadeByFacts::arguments,
           {"The command line without the program's name and --threads, which changes no result."}),
       row("inputs", &MadeByFacts::inputs,
           {"Files and standard input, in the order in which they were read first."})});
  return rows;
}

Row made_by_row() {
  Row made_by =
      group("made_by", rows_of<MadeByFacts>().rows, {"What the report was made by and from."});
  made_by.is_written = false;
  return made_by;
}

std::string report_text(const Report& report, const MadeByFacts& made_by) {
  Json stamped;
  for (const auto& [key, value] : report.json().items()) {
    stamped[key] = value;
    if (key == "schema") stamped["made_by"] = described_report(made_by).json();
  }
  return json_text(stamped);
}

}  // namespace waferloom
