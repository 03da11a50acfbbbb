#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"

namespace waferloom::sweep {

/// Most points that a space may have before exclusions.
inline constexpr std::uint64_t kMostPoints = 10'000'000;

/// A key of a hardware file in place of the preset's or the file's: "link.bytes_per_s", and its
/// value as it stands in JSON.
struct Override {
  std::string key;
  std::string json;
  TextPosition position{};
  bool operator==(const Override& other) const { return key == other.key && json == other.json; }
};

/// One value of an axis, as the file has it.
struct SpaceValue {
  enum class Kind {
    word,    ///< behind an option, or an operand
    flag,    ///< an option without value, given
    absent,  ///< the option is not given
  };
  Kind kind = Kind::word;
  std::string text{};
  std::vector<Override> overrides{};  ///< of a hardware alone
  TextPosition position{};

  /// As tables show it; overrides have columns of their own.
  std::string cell() const;
};

/// An axis whose values samples draw: [from, to], in equal steps of its logarithm if `logarithmic`.
struct ContinuousRange {
  double from = 0;
  double to = 0;
  bool logarithmic = false;
  bool whole = false;  ///< rounded to whole numbers
};

/// What an option or an operand of the command takes.
struct SpaceAxis {
  std::string name;                        ///< of the option, or of the operand in capitals
  std::vector<SpaceValue> values{};        ///< at least one, but for a continuous range
  std::optional<ContinuousRange> range{};  ///< in place of values
  bool fixed = false;                      ///< of the key `set`: one value, no column
  TextPosition position{};
};

/// A partial assignment: points that have one of the cells in each of its columns are left out.
struct Exclusion {
  struct Condition {
    std::string column;
    std::vector<std::string> cells;
    TextPosition position{};
  };
  std::vector<Condition> conditions;
};

enum class SamplingMethod : std::uint8_t { latin_hypercube, sobol };
inline constexpr std::array<std::string_view, 2> kSamplingMethodNames{"latin-hypercube", "sobol"};
constexpr std::span<const std::string_view> words_of(SamplingMethod /*of*/) {
  return kSamplingMethodNames;
}

struct Sampling {
  using Method = SamplingMethod;
  Method method = Method::latin_hypercube;
  std::uint64_t points = 0;
  std::uint64_t seed = 0;
};

/// What a sweep varies: a file of schema waferloom/sweep_space/1, docs/sweeps.md.
struct Space {
  std::string source{};   ///< what messages call the file
  std::string command{};  ///< "place", "model amped"
  TextPosition command_position{};
  std::vector<SpaceAxis> axes{};                 ///< those of `set` first
  std::vector<std::vector<std::size_t>> zips{};  ///< axes that go together, of equal length
  std::vector<Exclusion> exclusions{};
  std::optional<Sampling> sampling{};
};

/// Reads a space. Throws InputError with source:line:column for what is no space: unknown keys, an
/// axis without values, a value that stands twice (of a zip: the values of its axes together), zips
/// of unequal lengths, exclusions of columns or cells that are not there, more than kMostPoints
/// points. Knows no command: what an axis may be is the caller's. O(|text| + n log n) for n values.
Space read_space(std::string_view text, const std::string& source);
std::string space_schema();

/// The columns that an axis has in tables: its name, and one for each key that its values override.
std::vector<std::string> columns_of(const SpaceAxis& axis);
/// The cells of a value in the columns of its axis.
std::vector<std::string> cells_of(const std::vector<std::string>& columns, const SpaceValue& value);

/// The dimensions of a space: the axes that move together, by index. An axis that no zip names is
/// alone; one of `set` is in none. In the order of the first axis of each.
std::vector<std::vector<std::size_t>> dimensions_of(const Space& space);

/// Points of the space before exclusions: of a product, or as many as are sampled.
std::uint64_t points_before_exclusions(const Space& space);

}  // namespace waferloom::sweep
