#include "model/describe.h"
#include "model/report.h"

namespace waferloom {
template <>
const TypeRows& rows_of<InputFacts>() {
  static const TypeRows rows = report_rows(
      {needed("name", &InputFacts::name, {"name of the file, as the command line has it"}),
       needed("bytes", &InputFacts::bytes, {"bytes of the file", kCount}),
       needed("crc32", &InputFacts::crc32,
              {.meaning = "its checksum as of gzip and zlib: eight hexadecimal digits",
               .items = {8, 8},
               .characters = kHexadecimalDigits})});
  return rows;
}

template <>
const TypeRows& rows_of<MadeByFacts>() {
  static const TypeRows rows = report_rows(
      {row("version", &MadeByFacts::version, {"version of the program"}),
       row("arguments", &MadeByFacts::arguments,
           {"the command line without the program's name and --threads, which changes no result"}),
       row("inputs", &MadeByFacts::inputs,
           {"files and standard input, in the order in which they were read first; presets belong "
            "to the version"})});
  return rows;
}

Row made_by_row() {
  Row made_by =
      group("made_by", rows_of<MadeByFacts>().rows, {"what is needed to make the report again"});
  made_by.is_written = false;
  return made_by;
}

std::string report_text(const Report& report, const MadeByFacts& made_by) {
  return stamped_report_text(report, described_report(made_by));
}

}  // namespace waferloom
