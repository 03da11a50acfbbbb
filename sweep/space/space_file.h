#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/describe.h"
#include "model/text.h"
#include "sweep/space.h"

namespace waferloom::sweep {

// A space as its file has it, before names in it are looked up.

enum class RangeScale : std::uint8_t { linear, log };
inline constexpr std::array<std::string_view, 2> kRangeScaleNames{"linear", "log"};
constexpr std::span<const std::string_view> words_of(RangeScale /*of*/) { return kRangeScaleNames; }

/// {from, to} and step or factor, or neither for a range whose values samples draw.
struct RangeFile {
  double from = 0;
  double to = 0;
  std::optional<double> step{};
  std::optional<double> factor{};
  std::optional<RangeScale> scale{};
  std::optional<bool> whole{};
};

/// What a key of a hardware is set to: a scalar or a list of them, as JSON.
struct KeyChoices {
  std::vector<std::string> json{};
  TextPosition at{};
};

/// An object {hardware, set}: a hardware with keys of its own.
struct HardwareFile {
  std::string hardware{};
  std::vector<NamedAt<KeyChoices>> keys{};
};

/// What an element of an axis stands for: a single value, or of an object {hardware, set} all that
/// the lists of its keys make.
struct AxisElement {
  std::vector<SpaceValue> values{};
};
using AxisFile = std::variant<std::vector<AxisElement>, RangeFile>;

/// The cells of a column that are left out: a scalar or a list of them.
struct ExcludedCells {
  std::vector<At<std::string>> cells{};
};

struct SpaceFile {
  At<std::string> command{};
  std::vector<NamedAt<AxisElement>> fixed{};
  std::vector<NamedAt<At<AxisFile>>> axes{};
  std::vector<At<std::vector<At<std::string>>>> zips{};
  std::vector<std::vector<NamedAt<ExcludedCells>>> exclusions{};
  std::optional<Sampling> sampling{};
  Space space{};  ///< what all of them make
};

/// Looks the names up and fills in the space. Throws InputError.
void make_space(const JsonReader& reader, const JsonValue& value, SpaceFile& file);

}  // namespace waferloom::sweep

namespace waferloom {
template <>
const TypeRows& rows_of<sweep::HardwareFile>();
template <>
const TypeRows& rows_of<sweep::SpaceFile>();
template <>
const ValueType& type_of<sweep::KeyChoices>();
template <>
const ValueType& type_of<sweep::AxisElement>();
template <>
const ValueType& type_of<sweep::ExcludedCells>();
}  // namespace waferloom
