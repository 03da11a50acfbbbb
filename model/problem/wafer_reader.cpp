#include <algorithm>
#include <utility>

#include "model/errors.h"
#include "model/machine/json_rectangle.h"
#include "model/problem.h"
#include "model/text.h"

namespace waferloom {

WaferFile read_wafer(std::string_view text, const std::string& source) {
  const JsonReader reader(source, "wafer");
  const JsonValue file = parse_json(text, source);
  reader.expect_keys(file, "a wafer as an object with width and height",
                     {"schema", "width", "height", "memory_limit", "dead"});
  reader.check_schema(file, "waferloom/wafer/1");
  constexpr NumberRange kSide{1, kMaxWaferSide};
  WaferFile result;
  result.wafer.width = reader.whole(reader.at(file, "width"), "width", kSide);
  result.wafer.height = reader.whole(reader.at(file, "height"), "height", kSide);
  if (const JsonValue* limit = JsonReader::find(file, "memory_limit")) {
    result.memory_limit = reader.whole(*limit, "memory_limit", NumberRange{1, kMaxMemoryLimit});
  }
  const JsonValue* dead = JsonReader::find(file, "dead");
  if (dead == nullptr) return result;
  const Rectangle whole{0, 0, result.wafer.width, result.wafer.height};
  const auto& rectangles = reader.array(*dead, "dead as an array of rectangles");
  if (rectangles.size() > kMaxDeadRectangles) {
    reader.fail(*dead, "at most " + std::to_string(kMaxDeadRectangles) + " dead rectangles");
  }
  for (const JsonValue& item : rectangles) {
    result.wafer.dead.push_back(
        intersection(json_dead_rectangle(reader, item, result.wafer), whole));
  }
  return result;
}

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
