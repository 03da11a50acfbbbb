#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace waferloom {

/// Reports are ordered JSON; `waferloom schema` prints their schemas.
using Json = nlohmann::ordered_json;

/// A report that is made and that nobody changes any more.
class Report {
 public:
  explicit Report(Json json);
  const Json& json() const { return *json_; }

 private:
  std::shared_ptr<const Json> json_;
};

/// A file that a report, or a run, was made from.
struct InputFacts {
  std::string name;
  std::int64_t bytes = 0;
  std::string crc32;  ///< in 8 hexadecimal digits, as of gzip and zlib
  bool operator==(const InputFacts&) const = default;
};
/// What a report was made by and from.
struct MadeByFacts {
  std::string version;
  std::vector<std::string> arguments;
  std::vector<InputFacts> inputs;
};

/// Text of a report, with a line end; bytes that are not UTF-8 are replaced.
std::string json_text(const Json& report);
/// Likewise; also of a plan's file that is its report.
std::string report_text(const Report& report);
/// Likewise, with the key made_by behind its schema.
std::string report_text(const Report& report, const MadeByFacts& made_by);
/// The same, with made_by as a report of its own.
std::string stamped_report_text(const Report& report, const Report& made_by);
/// The name and version of the library that JSON is written by.
std::string json_library();

/// A decimal as a number where a double prints it exactly, else as its text.
std::variant<std::int64_t, double, std::string> exact_number(const std::string& decimal);

/// Seconds as reports have them, to the millisecond.
double rounded_to_ms(double seconds);

/// Rows of text in columns.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading);
  /// As many cells as the heading has.
  void add(std::vector<std::string> row);
  /// Aligned columns two blanks apart: the first to the left, numbers to the right.
  std::string text() const;
  /// RFC 4180 with LF: cells with commas, quotes or line ends are quoted.
  std::string csv() const;

 private:
  std::vector<std::vector<std::string>> rows_;  ///< the heading first
};

/// A row of CSV with its line end, as TextTable::csv() has it.
std::string csv_line(const std::vector<std::string>& cells);

// What bounds a result, and how far the next bound is: one form for all that plan, place, route and
// simulate.

/// A resource that is at work for so much of a time is what bounds it.
inline constexpr double kAlmostAll = 0.98;

/// A resource, and the time that it alone takes for one unit of a result.
struct NamedBound {
  std::string kind;  ///< "compute", "link", "dram", "io", "adapter", "memory", "schedule" …
  std::string name;  ///< the stage, port or link: "port host 0, in"
  double seconds = 0;
  bool operator==(const NamedBound&) const = default;
};

/// The slowest bound of a result, and the next of another kind.
struct Bottleneck {
  std::string of = "a sample";  ///< what the times are of
  NamedBound binds;
  std::optional<NamedBound> next;
  bool one_by_one = false;  ///< parts of a time that follow one another: their times add up

  /// How much less time the next bound takes, in percent of what binds; 100 where there is none.
  double next_percent() const;
  /// Of units that are so many times smaller.
  void divide(double parts);
  bool operator==(const Bottleneck&) const = default;
};

/// Of all bounds that with the most time, of equals the first, and as the next the slowest of
/// another kind: what is alike, as stages or links, is mended together. A port that is held to its
/// tile's link, and that link, are one: of equal times of "link", "io" and "dram" one counts. Where
/// there is one kind
/// alone, the next of it. Those of no time, or of endless, bound nothing. Nothing where no bound
/// has a time. O(bounds).
std::optional<Bottleneck> bottleneck_of(const std::vector<NamedBound>& all, const std::string& of);

/// The same of parts that follow one another, whose times add up.
std::optional<Bottleneck> longest_part_of(const std::vector<NamedBound>& all,
                                          const std::string& of);

/// "io: port host 0, in, 37.63 us a sample; next compute: stage conv1, 29.4 us, 22 % less".
std::string bottleneck_text(const Bottleneck& bottleneck);

}  // namespace waferloom
