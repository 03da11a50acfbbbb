#include <algorithm>
#include <utility>

#include "model/describe.h"
#include "model/errors.h"
#include "model/machine/json_rectangle.h"
#include "model/problem.h"
#include "model/text.h"

namespace waferloom {

namespace {

constexpr NumberRange kSide{1, kMaxWaferSide};

/// Dead rectangles reach the wafer; what lies beyond it is cut off.
void check_dead(const JsonReader& reader, const JsonValue& value, Wafer& wafer) {
  const Rectangle whole{0, 0, wafer.width, wafer.height};
  for (std::size_t i = 0; i < wafer.dead.size(); ++i) {
    wafer.dead[i] =
        intersection(json_dead_rectangle(reader, reader.at(value, "dead").items[i], wafer), whole);
  }
}

void check_wafer(const JsonReader& reader, const JsonValue& value, WaferFile& file) {
  check_dead(reader, value, file.wafer);
}

}  // namespace

template <>
const TypeRows& rows_of<WaferFile>() {
  static const TypeRows rows = rows_for<WaferFile>(
      "a wafer",
      joined(
          {{format_row("waferloom/wafer/1")},
           inside(&WaferFile::wafer, {needed("width", &Wafer::width, {"tiles of a row", kSide}),
                                      needed("height", &Wafer::height, {"rows of tiles", kSide})}),
           {row("memory_limit", &WaferFile::memory_limit,
                {.meaning = "words of memory a tile, in place of the case's",
                 .range = NumberRange{1, kMaxMemoryLimit},
                 .or_null = false})},
           inside(&WaferFile::wafer, {dead_row()})}),
      check_wafer);
  return rows;
}

WaferFile read_wafer(std::string_view text, const std::string& source) {
  return read_described<WaferFile>(JsonReader(source, "wafer"), parse_json(text, source));
}

std::string wafer_schema() { return schema_text(rows_of<WaferFile>(), "Wafer file of waferloom"); }

Problem with_wafer(const Problem& problem, const WaferFile& file, const std::string& source) {
  ProblemData data = problem.data();
  data.wafer = file.wafer;
  if (file.memory_limit) data.memory_limit = *file.memory_limit;
  try {
    return Problem(std::move(data));
  } catch (const RequestError& error) {
    throw InputError(source, kWholeSource, error.what());
  }
}

}  // namespace waferloom
