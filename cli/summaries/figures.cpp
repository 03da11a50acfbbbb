#include "cli/summaries/figures.h"

#include <array>

#include "model/text_table.h"

namespace waferloom::cli {
namespace {

struct Unit {
  double size;
  const char* name;
};

template <std::size_t count>
std::string in_unit(double value, const std::array<Unit, count>& units) {
  constexpr double kRoundsUp = 0.99995;  // four digits of it are those of the unit
  if (value == 0) return std::string("0 ") + units[0].name;
  const Unit* unit = &units[0];
  for (const Unit& one : units) {
    if (value >= one.size * kRoundsUp) unit = &one;
  }
  return four_digits(value / unit->size) + " " + unit->name;
}

}  // namespace

std::string four_digits(double value) { return plain_text(value, 4); }

std::string bytes_text(double bytes) {
  return in_unit(
      bytes, std::array<Unit, 6>{
                 {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}}});
}

std::string rate_figure(double rate, const std::string& unit) {
  return in_unit(rate, std::array<Unit, 7>{{{1, ""},
                                            {1e3, "k"},
                                            {1e6, "M"},
                                            {1e9, "G"},
                                            {1e12, "T"},
                                            {1e15, "P"},
                                            {1e18, "E"}}}) +
         unit;
}

std::string seconds_text(double seconds) {
  return in_unit(seconds,
                 std::array<Unit, 4>{{{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}});
}

}  // namespace waferloom::cli
