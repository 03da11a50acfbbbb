#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/text.h"
#include "sweep/space.h"
#include "sweep/space/range_values.h"
#include "sweep/space/space_values.h"

// Problem: a space from JSON, every fault with its place.
// Idea: axes are read into lists of values; a range is written out at once, an object of hardware
// with lists of overrides becomes their product. What refers to axes (zips, exclusions, samples) is
// read after them.
// Cost: O(|text| + n log n) for n values.
namespace waferloom::sweep {
namespace {

constexpr double kMostNumber = 1e18;

class SpaceReader {
 public:
  SpaceReader(const JsonReader& reader, Space& space) : reader_(reader), space_(space) {}

  void read(const JsonValue& file) {
    reader_.expect_keys(file, "a space as an object with command and axes",
                        {"schema", "command", "set", "axes", "zip", "exclude", "sample"});
    reader_.check_schema(file, "waferloom/sweep_space/1");
    const JsonValue& command = reader_.at(file, "command");
    space_.command = reader_.string(command, "command");
    space_.command_position = command.position;
    if (const JsonValue* fixed = JsonReader::find(file, "set")) read_axes(*fixed, true);
    read_axes(reader_.at(file, "axes"), false);
    if (const JsonValue* sample = JsonReader::find(file, "sample")) read_sampling(*sample);
    for (const SpaceAxis& axis : space_.axes) {
      if (axis.range && !space_.sampling) {
        reader_.fail(axis.position, "expected step or factor in the range of " +
                                        in_quotes(axis.name) +
                                        ", or the key sample, found neither");
      }
    }
    if (const JsonValue* zips = JsonReader::find(file, "zip")) read_zips(*zips);
    for (const std::vector<std::size_t>& dimension : dimensions_of(space_)) {
      check_repeats(dimension);
    }
    check_count(file);
    if (const JsonValue* exclude = JsonReader::find(file, "exclude")) read_exclusions(*exclude);
  }

 private:
  void read_axes(const JsonValue& object, bool fixed) {
    reader_.expect_object(object, fixed ? "set as an object" : "axes as an object");
    for (std::size_t i = 0; i < object.keys.size(); ++i) {
      SpaceAxis axis{.name = object.keys[i], .fixed = fixed, .position = object.at[i]};
      const auto same = [&](const SpaceAxis& other) { return other.name == axis.name; };
      if (std::any_of(space_.axes.begin(), space_.axes.end(), same)) {
        reader_.fail(axis.position, in_quotes(axis.name) + " stands in set and in axes");
      }
      const JsonValue& value = object.items[i];
      if (fixed) {
        axis.values = space_values(reader_, value);
        if (axis.values.size() > 1) reader_.fail(value, "a single value in set");
      } else {
        read_axis(value, axis);
      }
      space_.axes.push_back(std::move(axis));
    }
    if (!fixed && object.keys.empty()) reader_.fail(object, "at least one axis");
  }

  void read_axis(const JsonValue& value, SpaceAxis& axis) const {
    if (value.kind == JsonValue::Kind::object) {
      read_range(value, axis);
      return;
    }
    for (const JsonValue& item : reader_.array(value, "an axis as an array or a range")) {
      for (SpaceValue& read : space_values(reader_, item)) axis.values.push_back(std::move(read));
    }
    if (axis.values.empty()) reader_.fail(value, "an axis with at least one value");
    check_length(axis);
  }

  void check_length(const SpaceAxis& axis) const {
    if (axis.values.size() <= kMostValues) return;
    reader_.fail(axis.position,
                 fmt::format("an axis has at most 100000 values, found {}", axis.values.size()));
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

  void read_range(const JsonValue& object, SpaceAxis& axis) const {
    reader_.expect_keys(object, "a range as an object with from, to and step or factor",
                        {"from", "to", "step", "factor", "scale", "whole"});
    const RealRange any{-kMostNumber, kMostNumber};
    const double from = reader_.real(reader_.at(object, "from"), "from", any);
    const double to = reader_.real(reader_.at(object, "to"), "to", any);
    if (to < from) reader_.fail(object, "from at most to");
    const JsonValue* step = JsonReader::find(object, "step");
    const JsonValue* factor = JsonReader::find(object, "factor");
    if (step != nullptr && factor != nullptr) reader_.fail(object, "step or factor, not both");
    if (step == nullptr && factor == nullptr) {
      axis.range = continuous(object, {.from = from, .to = to});
      return;
    }
    for (const char* key : {"scale", "whole"}) {
      const JsonValue* idle = JsonReader::find(object, key);
      if (idle != nullptr) reader_.fail(*idle, "scale and whole only without step and factor");
    }
    std::vector<double> numbers;
    if (step != nullptr) {
      const double by = reader_.real(*step, "step", any);
      if (by <= 0) reader_.fail(*step, "a step above 0");
      numbers = stepped({.least = from, .most = to}, by, kMostValues + 1);
    } else {
      const double by = reader_.real(*factor, "factor", any);
      if (by <= 1 || from <= 0) reader_.fail(*factor, "a factor above 1, and from above 0");
      numbers = multiplied({.least = from, .most = to}, by, kMostValues + 1);
    }
    for (const double number : numbers) {
      axis.values.push_back({.text = number_cell(number), .position = object.position});
    }
    check_length(axis);
  }

  ContinuousRange continuous(const JsonValue& object, ContinuousRange range) const {
    if (const JsonValue* scale = JsonReader::find(object, "scale")) {
      const std::string& name = reader_.string(*scale, "scale");
      if (name != "linear" && name != "log") reader_.fail(*scale, "linear or log");
      range.logarithmic = name == "log";
      if (range.logarithmic && range.from <= 0) reader_.fail(*scale, "from above 0 for scale log");
    }
    if (const JsonValue* whole = JsonReader::find(object, "whole")) {
      range.whole = reader_.boolean(*whole, "whole");
    }
    return range;
  }

  std::size_t axis_named(const JsonValue& name, const std::string& text) const {
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < space_.axes.size(); ++i) {
      if (space_.axes[i].fixed) continue;
      if (space_.axes[i].name == text) return i;
      known.emplace_back(space_.axes[i].name);
    }
    reader_.fail(name.position, "expected an axis (" + alternatives(known) + "), found " +
                                    in_quotes(text) + suggestion(text, known));
  }

  void read_zips(const JsonValue& list) {
    std::set<std::size_t> zipped;
    for (const JsonValue& names : reader_.array(list, "zip as an array of arrays of axes")) {
      std::vector<std::size_t> zip;
      for (const JsonValue& name : reader_.array(names, "a zip as an array of axes")) {
        const std::size_t axis = axis_named(name, reader_.string(name, "the name of an axis"));
        if (!zipped.insert(axis).second) reader_.fail(name.position, "this axis is zipped twice");
        zip.push_back(axis);
      }
      if (zip.size() < 2) reader_.fail(names, "a zip of at least two axes");
      for (const std::size_t axis : zip) check_zipped(names, zip.front(), axis);
      space_.zips.push_back(std::move(zip));
    }
  }

  void check_zipped(const JsonValue& zip, std::size_t first, std::size_t axis) const {
    const SpaceAxis& a = space_.axes[first];
    const SpaceAxis& b = space_.axes[axis];
    if (a.range || b.range) reader_.fail(zip, "axes with lists of values in a zip");
    if (a.values.size() == b.values.size()) return;
    reader_.fail(
        zip.position,
        fmt::format("expected axes of equal length in a zip, found {} with {} and {} with {}",
                    in_quotes(a.name), a.values.size(), in_quotes(b.name), b.values.size()));
  }

  void read_sampling(const JsonValue& object) {
    reader_.expect_keys(object, "sample as an object with method and points",
                        {"method", "points", "seed"});
    Sampling sampling;
    const JsonValue& method = reader_.at(object, "method");
    const std::string& name = reader_.string(method, "method");
    if (name != "latin-hypercube" && name != "sobol") {
      reader_.fail(method, "latin-hypercube or sobol");
    }
    if (name == "sobol") sampling.method = Sampling::Method::sobol;
    const NumberRange count{1, static_cast<std::int64_t>(kMostPoints)};
    sampling.points =
        static_cast<std::uint64_t>(reader_.whole(reader_.at(object, "points"), "points", count));
    if (const JsonValue* seed = JsonReader::find(object, "seed")) {
      const NumberRange any{0, std::int64_t{1} << 53};
      sampling.seed = static_cast<std::uint64_t>(reader_.whole(*seed, "seed", any));
    }
    space_.sampling = sampling;
  }

  void check_count(const JsonValue& file) const {
    if (points_before_exclusions(space_) <= kMostPoints) return;
    const auto at = std::find(file.keys.begin(), file.keys.end(), "axes") - file.keys.begin();
    reader_.fail(file.at[static_cast<std::size_t>(at)],
                 "the product has more than 10000000 points; take fewer values, a zip or a sample");
  }

  void read_exclusions(const JsonValue& list) {
    for (const JsonValue& object : reader_.array(list, "exclude as an array of objects")) {
      reader_.expect_object(object, "an exclusion as an object of columns");
      Exclusion exclusion;
      for (std::size_t i = 0; i < object.keys.size(); ++i) {
        exclusion.conditions.push_back(condition(object.keys[i], object.at[i], object.items[i]));
      }
      if (exclusion.conditions.empty()) reader_.fail(object, "at least one column");
      space_.exclusions.push_back(std::move(exclusion));
    }
  }

  Exclusion::Condition condition(const std::string& column, TextPosition at,
                                 const JsonValue& value) const {
    const std::set<std::string> known = cells_in(column, at);
    Exclusion::Condition read{column, {}, at};
    const std::vector<JsonValue> single{value};
    const bool is_list = value.kind == JsonValue::Kind::array;
    for (const JsonValue& item : is_list ? value.items : single) {
      const std::vector<SpaceValue> words = space_values(reader_, item);
      const std::string cell = words.front().cell();
      if (!known.contains(cell)) {
        reader_.fail(item.position,
                     "expected a value of " + in_quotes(column) + ", found " + in_quotes(cell));
      }
      read.cells.push_back(cell);
    }
    return read;
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
  Space& space_;
};

}  // namespace

Space read_space(std::string_view text, const std::string& source) {
  Space space{.source = source};
  const JsonReader reader(source, "sweep_space");
  SpaceReader(reader, space).read(parse_json(text, source));
  return space;
}

}  // namespace waferloom::sweep
