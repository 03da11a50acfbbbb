#include "sweep/points.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "model/describe.h"
#include "sweep/points/samples.h"
#include "sweep/space/range_values.h"

// Problem: all points of a space, in constant memory.
// Idea: a counter with a digit for each dimension runs through a product; a sampler gives shares in
// [0, 1) instead, each of which picks a value of a list or a number of a range. A point is a value
// of each axis; what follows from it (arguments, cells, id) is made for the caller alone.
// Cost: O(axes) a point, and the SHA-256 of about 300 bytes.
namespace waferloom::sweep {
namespace {

class PointMaker {
 public:
  PointMaker(const PointSpace& space, const std::function<bool(const Point&)>& take)
      : space_(space), take_(take), values_(space.axes.size()), drawn_(space.axes.size()) {
    for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
      const PointAxis& own = space.axes[axis];
      if (own.fixed) values_[axis] = &own.values.front();
      for (std::size_t i = 0; i < own.columns.size() && !own.fixed; ++i) {
        const auto at = std::find(space.columns.begin(), space.columns.end(), own.columns[i]);
        places_.push_back({axis, i, static_cast<std::size_t>(at - space.columns.begin())});
      }
    }
  }

  std::uint64_t product() {
    std::vector<std::size_t> digits(space_.dimensions.size(), 0);
    while (true) {
      for (std::size_t d = 0; d < digits.size(); ++d) pick({.dimension = d, .value = digits[d]});
      if (!give()) break;
      std::size_t d = digits.size();
      while (d > 0 && ++digits[d - 1] == length(d - 1)) digits[--d] = 0;
      if (d == 0) break;
    }
    return taken_;
  }

  std::uint64_t sample() {
    const auto sampler = make_sampler(*space_.sampling, space_.dimensions.size());
    std::unordered_set<std::string> met;
    for (std::uint64_t i = 0; i < space_.sampling->points; ++i) {
      const std::vector<double> shares = sampler->next();
      for (std::size_t d = 0; d < shares.size(); ++d) draw(d, shares[d]);
      constexpr std::size_t kEnough = 32;
      if (!met.insert(point_id(space_, values_).substr(0, kEnough)).second) continue;
      if (!give()) break;
    }
    return taken_;
  }

 private:
  struct Place {
    std::size_t axis;
    std::size_t cell;
    std::size_t column;
  };

  std::size_t length(std::size_t dimension) const {
    return space_.axes[space_.dimensions[dimension].front()].values.size();
  }

  struct Pick {
    std::size_t dimension = 0;
    std::size_t value = 0;
  };

  void pick(const Pick& chosen) {
    for (const std::size_t axis : space_.dimensions[chosen.dimension]) {
      values_[axis] = &space_.axes[axis].values[chosen.value];
    }
  }

  void draw(std::size_t dimension, double share) {
    const std::size_t first = space_.dimensions[dimension].front();
    if (!space_.axes[first].range) {
      const double value = share * static_cast<double>(length(dimension));
      pick({.dimension = dimension, .value = static_cast<std::size_t>(value)});
      return;
    }
    drawn_[first] = drawn_value(*space_.axes[first].range, share);
    values_[first] = &drawn_[first];
  }

  /// Gives the point on unless it is excluded; false to stop.
  bool give() {
    point_.cells.assign(space_.columns.size(), "");
    for (const Place& place : places_) {
      point_.cells[place.column] = values_[place.axis]->cells[place.cell];
    }
    if (excluded()) return true;
    point_.index = taken_;
    point_.id = point_id(space_, values_);
    fill_arguments();
    if (!take_(point_)) return false;
    ++taken_;
    return true;
  }

  bool excluded() const {
    const auto holds = [&](const Exclusion::Condition& condition) {
      const auto at = std::find(space_.columns.begin(), space_.columns.end(), condition.column);
      const std::string& cell = point_.cells[static_cast<std::size_t>(at - space_.columns.begin())];
      return std::find(condition.cells.begin(), condition.cells.end(), cell) !=
             condition.cells.end();
    };
    return std::any_of(
        space_.exclusions.begin(), space_.exclusions.end(), [&](const Exclusion& exclusion) {
          return std::all_of(exclusion.conditions.begin(), exclusion.conditions.end(), holds);
        });
  }

  void fill_arguments() {
    point_.arguments.clear();
    for (std::size_t begin = 0; begin < space_.command.size();) {
      const std::size_t end = std::min(space_.command.find(' ', begin), space_.command.size());
      point_.arguments.push_back(space_.command.substr(begin, end - begin));
      begin = end + 1;
    }
    for (std::size_t axis = 0; axis < space_.axes.size(); ++axis) {
      const auto& argument = values_[axis]->argument;
      if (!argument) continue;
      if (!space_.axes[axis].is_operand) {
        point_.arguments.push_back("--" + space_.axes[axis].name);
      }
      if (!space_.axes[axis].is_flag) point_.arguments.push_back(*argument);
    }
  }

  const PointSpace& space_;
  const std::function<bool(const Point&)>& take_;
  std::vector<const PointValue*> values_;  ///< one an axis
  std::vector<PointValue> drawn_;
  std::vector<Place> places_;
  Point point_;
  std::uint64_t taken_ = 0;
};

}  // namespace

PointValue drawn_value(const ContinuousRange& range, double share) {
  double number = range.from + share * (range.to - range.from);
  if (range.logarithmic) number = range.from * std::pow(range.to / range.from, share);
  if (range.whole) number = std::floor(range.logarithmic ? number + 0.5 : number + share);
  const std::string text = number_cell(number);
  return {text, text, {text}};
}

std::string point_id(const PointSpace& space, const std::vector<const PointValue*>& values) {
  using Identities = std::map<std::string_view, std::string_view>;
  Identities operands;
  Identities options;
  for (std::size_t axis = 0; axis < values.size(); ++axis) {
    if (!values[axis]->argument) continue;
    const PointAxis& own = space.axes[axis];
    (own.is_operand ? operands : options)[own.name] = values[axis]->identity;
  }
  return sha256(line_text([&](ValueSink& sink) {
    const auto write_all = [&](std::string_view key, const Identities& identities) {
      sink.key(key);
      sink.open_object();
      for (const auto& [name, identity] : identities) sink.pair(name, identity);
      sink.close();
    };
    sink.open_object();
    sink.pair("command", space.command);
    write_all("operands", operands);
    write_all("options", options);
    sink.pair("program", space.program);
    sink.close();
  }));
}

std::uint64_t for_each_point(const PointSpace& space,
                             const std::function<bool(const Point&)>& take) {
  PointMaker maker(space, take);
  return space.sampling ? maker.sample() : maker.product();
}

}  // namespace waferloom::sweep
