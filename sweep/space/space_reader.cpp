#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/text.h"
#include "sweep/space.h"
#include "sweep/space/range_values.h"
#include "sweep/space/space_file.h"
#include "sweep/space/space_values.h"

// Problem: a space from its file, every fault with its place.
// Idea: axes are made into lists of values; a range is written out at once. What refers to axes
// (zips, exclusions, samples) is looked up after them.
// Cost: O(|text| + n log n) for n values.
namespace waferloom::sweep {
namespace {

class SpaceMaker {
 public:
  SpaceMaker(const JsonReader& reader, const SpaceFile& file, Space& space)
      : reader_(reader), file_(file), space_(space) {}

  /// `value` is all of the file.
  void make(const JsonValue& value) {
    space_.command = file_.command.value;
    space_.command_position = file_.command.at;
    add_fixed();
    add_axes();
    space_.sampling = file_.sampling;
    for (const SpaceAxis& axis : space_.axes) {
      if (axis.range && !space_.sampling) {
        reader_.fail(axis.position, "expected step or factor in the range of " +
                                        in_quotes(axis.name) +
                                        ", or the key sample, found neither");
      }
    }
    for (const auto& zip : file_.zips) add_zip(zip);
    for (const std::vector<std::size_t>& dimension : dimensions_of(space_)) {
      check_repeats(dimension);
    }
    check_count(value);
    for (const auto& exclusion : file_.exclusions) {
      space_.exclusions.emplace_back();
      for (const auto& [column, at, excluded] : exclusion) {
        space_.exclusions.back().conditions.push_back(condition(column, at, excluded));
      }
    }
  }

 private:
  void add_fixed() {
    for (const auto& [name, at, element] : file_.fixed) {
      if (element.values.size() > 1) {
        reader_.fail(
            element.values.front().position,
            fmt::format("expected a single value in set, found {}", element.values.size()));
      }
      space_.axes.push_back(
          {.name = name, .values = element.values, .fixed = true, .position = at});
    }
  }

  void add_axes() {
    for (const auto& [name, at, value] : file_.axes) {
      SpaceAxis axis{.name = name, .position = at};
      const auto same = [&](const SpaceAxis& other) { return other.name == axis.name; };
      if (std::any_of(space_.axes.begin(), space_.axes.end(), same)) {
        reader_.fail(at, in_quotes(name) + " stands in set and in axes");
      }
      if (const auto* range = std::get_if<RangeFile>(&value.value)) {
        fill(axis, *range, value.at);
      } else {
        for (const AxisElement& element : std::get<std::vector<AxisElement>>(value.value)) {
          axis.values.insert(axis.values.end(), element.values.begin(), element.values.end());
        }
      }
      if (axis.values.size() > kMostValues) {
        reader_.fail(
            at, fmt::format("an axis has at most 100000 values, found {}", axis.values.size()));
      }
      space_.axes.push_back(std::move(axis));
    }
  }

  static void fill(SpaceAxis& axis, const RangeFile& range, TextPosition at) {
    if (!range.step && !range.factor) {
      axis.range = {range.from, range.to, range.scale == RangeScale::log,
                    range.whole.value_or(false)};
      return;
    }
    const RealRange bounds{range.from, range.to};
    const std::vector<double> numbers = range.step
                                            ? stepped(bounds, *range.step, kMostValues + 1)
                                            : multiplied(bounds, *range.factor, kMostValues + 1);
    for (const double number : numbers) {
      axis.values.push_back({.text = number_cell(number), .position = at});
    }
  }

  /// An axis of a zip may have a value again, the zip what its axes have together may not.
  void check_repeats(const std::vector<std::size_t>& dimension) const {
    std::vector<std::vector<std::string>> columns;
    for (const std::size_t axis : dimension) columns.push_back(columns_of(space_.axes[axis]));
    const SpaceAxis& first = space_.axes[dimension.front()];
    std::set<std::vector<std::string>> met;
    for (std::size_t i = 0; i < first.values.size(); ++i) {
      std::vector<std::string> together;
      for (std::size_t k = 0; k < dimension.size(); ++k) {
        for (std::string& cell : cells_of(columns[k], space_.axes[dimension[k]].values[i])) {
          together.push_back(std::move(cell));
        }
      }
      if (met.insert(std::move(together)).second) continue;
      std::string names;
      std::string cells;
      for (const std::size_t axis : dimension) {
        const char* joint = names.empty() ? "" : " with ";
        names += joint + in_quotes(space_.axes[axis].name);
        cells += joint + in_quotes(space_.axes[axis].values[i].cell());
      }
      reader_.fail(first.values[i].position,
                   "the value " + cells + " of " + names + " stands twice");
    }
  }

  std::size_t axis_named(const At<std::string>& name) const {
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < space_.axes.size(); ++i) {
      if (space_.axes[i].fixed) continue;
      if (space_.axes[i].name == name.value) return i;
      known.emplace_back(space_.axes[i].name);
    }
    reader_.fail(name.at, "expected an axis (" + alternatives(known) + "), found " +
                              in_quotes(name.value) + suggestion(name.value, known));
  }

  void add_zip(const At<std::vector<At<std::string>>>& names) {
    std::vector<std::size_t> zip;
    for (const At<std::string>& name : names.value) {
      const std::size_t axis = axis_named(name);
      const auto has_it = [&](const std::vector<std::size_t>& other) {
        return std::find(other.begin(), other.end(), axis) != other.end();
      };
      if (has_it(zip) || std::any_of(space_.zips.begin(), space_.zips.end(), has_it)) {
        reader_.fail(name.at, "this axis is zipped twice");
      }
      zip.push_back(axis);
      check_zipped(names.at, zip.front(), axis);
    }
    space_.zips.push_back(std::move(zip));
  }

  void check_zipped(TextPosition zip, std::size_t first, std::size_t axis) const {
    const SpaceAxis& a = space_.axes[first];
    const SpaceAxis& b = space_.axes[axis];
    if (a.range || b.range) {
      reader_.fail(zip, "expected axes with lists of values in a zip, found a range");
    }
    if (a.values.size() == b.values.size()) return;
    reader_.fail(
        zip, fmt::format("expected axes of equal length in a zip, found {} with {} and {} with {}",
                         in_quotes(a.name), a.values.size(), in_quotes(b.name), b.values.size()));
  }

  void check_count(const JsonValue& file) const {
    if (points_before_exclusions(space_) <= kMostPoints) return;
    const auto at = std::find(file.keys.begin(), file.keys.end(), "axes") - file.keys.begin();
    reader_.fail(file.at[static_cast<std::size_t>(at)],
                 "the product has more than 10000000 points; take fewer values, a zip or a sample");
  }

  Exclusion::Condition condition(const std::string& column, TextPosition at,
                                 const ExcludedCells& excluded) const {
    const std::set<std::string> known = cells_in(column, at);
    Exclusion::Condition made{column, {}, at};
    for (const At<std::string>& cell : excluded.cells) {
      if (!known.contains(cell.value)) {
        reader_.fail(cell.at, "expected a value of " + in_quotes(column) + ", found " +
                                  in_quotes(cell.value));
      }
      made.cells.push_back(cell.value);
    }
    return made;
  }

  /// All cells of a column. Fails if there is none of that name, or its values are drawn.
  std::set<std::string> cells_in(const std::string& column, TextPosition at) const {
    std::vector<std::string> names;
    for (const SpaceAxis& axis : space_.axes) {
      if (axis.fixed) continue;
      const std::vector<std::string> own = columns_of(axis);
      const auto found = std::find(own.begin(), own.end(), column);
      names.insert(names.end(), own.begin(), own.end());
      if (found == own.end()) continue;
      if (axis.range) reader_.fail(at, in_quotes(column) + " is drawn; it cannot be excluded");
      std::set<std::string> cells;
      for (const SpaceValue& value : axis.values) {
        cells.insert(cells_of(own, value)[static_cast<std::size_t>(found - own.begin())]);
      }
      return cells;
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    reader_.fail(at, "expected a column (" + alternatives(known) + "), found " + in_quotes(column) +
                         suggestion(column, known));
  }

  const JsonReader& reader_;
  const SpaceFile& file_;
  Space& space_;
};

}  // namespace

void make_space(const JsonReader& reader, const JsonValue& value, SpaceFile& file) {
  SpaceMaker(reader, file, file.space).make(value);
}

Space read_space(std::string_view text, const std::string& source) {
  SpaceFile file =
      read_described<SpaceFile>(JsonReader(source, "sweep_space"), parse_json(text, source));
  file.space.source = source;
  return std::move(file.space);
}

}  // namespace waferloom::sweep
