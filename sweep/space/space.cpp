#include "sweep/space.h"

#include <algorithm>
#include <set>

#include "model/text.h"

namespace waferloom::sweep {

std::string SpaceValue::cell() const {
  switch (kind) {
    case Kind::word:
      return text;
    case Kind::flag:
      return "true";
    case Kind::absent:
      return "";
  }
  return "";
}

std::vector<std::string> columns_of(const SpaceAxis& axis) {
  std::vector<std::string> columns{axis.name};
  for (const SpaceValue& value : axis.values) {
    for (const Override& changed : value.overrides) {
      const std::string name = axis.name + "." + changed.key;
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
        columns.push_back(name);
      }
    }
  }
  return columns;
}

std::vector<std::string> cells_of(const std::vector<std::string>& columns,
                                  const SpaceValue& value) {
  std::vector<std::string> cells(columns.size());
  cells.front() = value.cell();
  for (const Override& changed : value.overrides) {
    const auto at = std::find(columns.begin(), columns.end(), columns.front() + "." + changed.key);
    const bool is_text = changed.json.starts_with('"');
    cells[static_cast<std::size_t>(at - columns.begin())] =
        is_text ? parse_json(changed.json, changed.key).text : changed.json;
  }
  return cells;
}

std::vector<std::vector<std::size_t>> dimensions_of(const Space& space) {
  std::vector<std::vector<std::size_t>> dimensions;
  std::set<std::size_t> zipped;
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
    if (space.axes[axis].fixed || zipped.contains(axis)) continue;
    std::vector<std::size_t> together{axis};
    for (const std::vector<std::size_t>& zip : space.zips) {
      if (std::find(zip.begin(), zip.end(), axis) != zip.end()) together = zip;
    }
    zipped.insert(together.begin(), together.end());
    dimensions.push_back(std::move(together));
  }
  return dimensions;
}

std::uint64_t points_before_exclusions(const Space& space) {
  if (space.sampling) return space.sampling->points;
  std::uint64_t count = 1;
  for (const std::vector<std::size_t>& dimension : dimensions_of(space)) {
    count *= space.axes[dimension.front()].values.size();
    if (count > kMostPoints) return kMostPoints + 1;
  }
  return count;
}

}  // namespace waferloom::sweep
