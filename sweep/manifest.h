#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/points.h"

namespace waferloom::sweep {

/// What the file run.json of a run folder says.
struct RunFacts {
  std::string program{};  ///< version of the program that planned it
  std::string command{};
  std::vector<std::string> columns{};
  std::uint64_t points = 0;
};

/// The text of run.json, schema waferloom/sweep_run/1.
std::string run_text(const RunFacts& facts);
/// Reads it back. Throws InputError with source:line:column for another schema, or what is no such
/// file.
RunFacts read_run(std::string_view text, const std::string& source);
std::string run_schema();

/// The line of a point in manifest.jsonl, with its line end: index, id, its cells by column, and
/// the command line behind the program's name. Files in it are relative to the run folder.
std::string manifest_line(const Point& point, const std::vector<std::string>& columns);
/// Reads it back. Throws InputError with the line, which the index expected there says, and column.
Point read_manifest_line(std::string_view line, const std::string& source, std::uint64_t index);

}  // namespace waferloom::sweep
