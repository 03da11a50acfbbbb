#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/text.h"
#include "sweep/space.h"

namespace waferloom::sweep {

/// A value of an axis as points take it.
struct PointValue {
  std::optional<std::string> argument{};  ///< nothing: not given; of a flag empty
  std::string identity{};            ///< what the id has: the argument, or "sha256:…" of a file
  std::vector<std::string> cells{};  ///< in the columns of the axis
};

/// An axis whose files are looked up, so that points follow from it alone.
struct PointAxis {
  std::string name;
  bool is_operand = false;
  bool is_flag = false;
  bool fixed = false;  ///< has no columns in tables
  std::vector<std::string> columns{};
  std::vector<PointValue> values{};  ///< empty for a continuous range
  std::optional<ContinuousRange> range{};
};

/// A space whose axes stand in the order in which a command line has them: operands, then options.
struct PointSpace {
  std::string command{};
  std::string program{};  ///< version of the program
  std::vector<PointAxis> axes{};
  /// Axes that move together, by index; an axis that is fixed, of one value, is in none.
  std::vector<std::vector<std::size_t>> dimensions{};
  std::vector<Exclusion> exclusions{};
  std::optional<Sampling> sampling{};
  /// Columns of all axes that are not fixed, in the order of the file.
  std::vector<std::string> columns{};
};

/// One run of the program.
struct Point {
  std::uint64_t index = 0;               ///< in the manifest
  std::string id{};                      ///< 64 hexadecimal digits
  std::vector<std::string> arguments{};  ///< command line behind the program's name
  std::vector<std::string> cells{};      ///< of PointSpace::columns
};

/// Gives every point of the space to `take`, in the order of the product (the last dimension of
/// the file runs fastest) or of the sample. A point that is excluded, or drawn a second time, has
/// no index. Stops where `take` says false. Memory does not grow with points of a product; of a
/// sample it takes 4 bytes a dimension and about 60 bytes for each point. Returns how many were
/// taken.
std::uint64_t for_each_point(const PointSpace& space,
                             const std::function<bool(const Point&)>& take);

/// The value of a range at `share` in [0, 1): from `from` on.
PointValue drawn_value(const ContinuousRange& range, double share);

/// The id of a point: SHA-256 of the canonical JSON (keys sorted, no blanks) of its command, its
/// operands and options as PointValue::identity has them, and the program's version.
std::string point_id(const PointSpace& space, const std::vector<const PointValue*>& values);

/// SHA-256 in 64 hexadecimal digits (libcrypto).
std::string sha256(std::string_view bytes);
/// The length of an id.
inline constexpr NumberRange kIdLength{64, 64};

}  // namespace waferloom::sweep
