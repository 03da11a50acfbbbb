#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/describe.h"
#include "model/errors.h"
#include "model/machine/json_rectangle.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/text.h"

namespace waferloom {
namespace {

enum class Orientation { R0, R90 };
constexpr std::array<std::string_view, 2> kOrientationNames{"R0", "R90"};
constexpr std::span<const std::string_view> words_of(Orientation /*of*/) {
  return kOrientationNames;
}
enum class EveryKernel { every };
constexpr std::array<std::string_view, 1> kEveryKernelNames{"*"};
constexpr std::span<const std::string_view> words_of(EveryKernel /*of*/) {
  return kEveryKernelNames;
}

/// A fixed kernel as an object.
struct FixedObject {
  At<std::string> kernel{};
  Orientation orientation = Orientation::R0;
  std::optional<At<std::vector<std::int64_t>>> execution{};
};

struct RegionObject {
  At<std::variant<EveryKernel, std::vector<At<std::string>>>> kernels{};
  Rectangle rectangle{};
  RegionRule rule = RegionRule::inside;
  Decimal6 weight{Decimal6::kOne};
};

struct ConstraintsFile {
  std::vector<At<std::variant<std::string, FixedObject>>> fixed{};
  At<std::vector<RegionObject>> regions{};
};

/// Column or row of a fixed kernel, read once it is known of which kernel.
constexpr OwnForm<FixedObject> kCorner{
    [](const JsonReader& /*reader*/, const JsonValue& /*value*/, FixedObject& /*fixed*/) {},
    [](const FixedObject& /*fixed*/, ValueSink& sink) { sink.nothing(); },
    [](ValueSink& schema) {
      schema.pair("type", "integer");
      schema.pair("minimum", 0);
      schema.pair("maximum", kMaxWaferSide - 1);
    }};

/// A fixed kernel in the making: an object gives all of it, a line of a solution its place or its
/// execution.
struct FixedEntry {
  TextPosition position;
  std::optional<FixedKernel> place;
  std::optional<Execution> execution;
};

class ConstraintsReader {
 public:
  ConstraintsReader(const std::string& source, const Problem& problem)
      : reader_(source, "constraints"), problem_(problem) {
    for (std::size_t i = 0; i < problem.kernel_count(); ++i) {
      index_of_.emplace(problem.kernels()[i].name, i);
      names_.emplace_back(problem.kernels()[i].name);
    }
  }

  Constraints read(const JsonValue& file) {
    const auto said = read_described<ConstraintsFile>(reader_, file);
    Constraints constraints;
    constraints.fixed = read_fixed(said, file);
    std::size_t kernels = 0;
    for (const RegionObject& region : said.regions.value) {
      constraints.regions.push_back({.kernels = read_kernels(region.kernels),
                                     .area = region.rectangle,
                                     .rule = region.rule,
                                     .weight = region.weight});
      kernels += constraints.regions.back().kernels.size();
      if (constraints.regions.size() <= kMaxRegions && kernels <= kMaxRegionKernels) continue;
      reader_.fail(said.regions.at,
                   fmt::format("expected at most {} regions of together {} kernels, found more",
                               kMaxRegions, kMaxRegionKernels));
    }
    return constraints;
  }

 private:
  KernelIndex kernel_named(const std::string& name, TextPosition position) const {
    const auto found = index_of_.find(name);
    if (found != index_of_.end()) return found->second;
    reader_.fail(position, "expected the name of a kernel of the case, found " + in_quotes(name) +
                               suggestion(name, names_));
  }

  KernelIndex kernel(const At<std::string>& name) const {
    return kernel_named(name.value, name.at);
  }

  std::vector<FixedKernel> read_fixed(const ConstraintsFile& file, const JsonValue& json) {
    std::map<KernelIndex, FixedEntry> entries;
    for (std::size_t i = 0; i < file.fixed.size(); ++i) {
      const auto& [entry, at] = file.fixed[i];
      if (const auto* lines = std::get_if<std::string>(&entry)) {
        read_lines({*lines, at}, entries);
      } else {
        read_object(std::get<FixedObject>(entry), reader_.at(json, "fixed").items[i], entries);
      }
    }
    std::vector<FixedKernel> fixed;
    for (auto& [index, entry] : entries) {
      if (!entry.place) {
        reader_.fail(entry.position, "expected a place for '" + problem_.kernels()[index].name +
                                         "' too, found parameters alone");
      }
      entry.place->execution = entry.execution;
      fixed.push_back(*entry.place);
    }
    return fixed;
  }

  FixedEntry& entry_of(std::map<KernelIndex, FixedEntry>& entries, KernelIndex index,
                       TextPosition position) const {
    FixedEntry& entry = entries[index];
    if (entry.position == TextPosition{}) entry.position = position;
    return entry;
  }

  bool is_on_wafer(const FixedKernel& place) const {
    const Wafer& wafer = problem_.wafer();
    return place.x >= 0 && place.y >= 0 && place.x < wafer.width && place.y < wafer.height;
  }

  /// Column or row of a fixed kernel, which is on the wafer: the message names key and value.
  std::int64_t read_corner(const JsonValue& item, KernelIndex kernel,
                           const std::string& key) const {
    const Wafer& wafer = problem_.wafer();
    const std::int64_t length = key == "x" ? wafer.width : wafer.height;
    const std::string where =
        fmt::format("{} of '{}' on the wafer of {}x{}", key, problem_.kernels()[kernel].name,
                    wafer.width, wafer.height);
    return reader_.whole(reader_.at(item, key), where, {0, length - 1});
  }

  void set_place(FixedEntry& entry, const FixedKernel& place, TextPosition position) const {
    const std::string& name = problem_.kernels()[place.kernel].name;
    if (entry.place) {
      reader_.fail(position, "expected a kernel that is fixed once, found '" + name + "' again");
    }
    if (!is_on_wafer(place)) {
      reader_.fail(position, fmt::format("expected a place on the wafer for '{}', found ({}, {})",
                                         name, place.x, place.y));
    }
    entry.place = place;
  }

  void set_execution(FixedEntry& entry, KernelIndex index, const Execution& execution,
                     TextPosition position) const {
    const std::string& name = problem_.kernels()[index].name;
    if (entry.execution) {
      reader_.fail(position,
                   "expected parameters of a kernel once, found those of '" + name + "' again");
    }
    if (!within_limits(problem_.kernel(index), execution)) {
      reader_.fail(position, "expected execution parameters within the limits of '" + name +
                                 "', found others");
    }
    entry.execution = execution;
  }

  /// Lines of a solution in a string.
  void read_lines(const At<std::string>& item, std::map<KernelIndex, FixedEntry>& entries) const {
    Solution lines;
    try {
      lines = read_solution(item.value, "");
    } catch (const InputError& error) {
      reader_.fail(item.at, error.problems().front().message + " in a solution's line");
    }
    if (lines.kernels.empty() && lines.places.empty())
      reader_.fail(item.at, "expected a line of a solution, found " + in_quotes(item.value));
    for (const SolutionKernel& said : lines.kernels) {
      const KernelIndex index = kernel_named(said.name, item.at);
      const KernelFormal& truth = problem_.kernel(index).formal;
      const bool same = std::holds_alternative<ShapesFormal>(truth)
                            ? said.formal.index() == truth.index()
                            : said.formal == truth;
      if (!same) {
        reader_.fail(item.at, "expected the type and the formal parameters of '" + said.name +
                                  "' in the case, found others");
      }
      set_execution(entry_of(entries, index, item.at), index, said.execution, item.at);
    }
    for (const SolutionPlace& said : lines.places) {
      const KernelIndex index = kernel_named(said.name, item.at);
      set_place(entry_of(entries, index, item.at),
                FixedKernel{index, said.x, said.y, said.rotated, {}}, item.at);
    }
  }

  void read_object(const FixedObject& said, const JsonValue& item,
                   std::map<KernelIndex, FixedEntry>& entries) const {
    FixedKernel fixed;
    fixed.kernel = kernel(said.kernel);
    fixed.rotated = said.orientation == Orientation::R90;
    fixed.x = read_corner(item, fixed.kernel, "x");
    fixed.y = read_corner(item, fixed.kernel, "y");
    FixedEntry& entry = entry_of(entries, fixed.kernel, item.position);
    set_place(entry, fixed, item.position);
    if (said.execution) {
      set_execution(entry, fixed.kernel, read_execution(fixed.kernel, *said.execution),
                    said.execution->at);
    }
  }

  /// [h w c… k…], or [option] for a list of shapes.
  Execution read_execution(KernelIndex index, const At<std::vector<std::int64_t>>& said) const {
    const Kernel& kernel = problem_.kernel(index);
    const std::size_t parts = convolution_total(kernel);
    const std::size_t count = is_shape_list(kernel) ? 1 : 2 + 2 * parts;
    const std::vector<std::int64_t>& numbers = said.value;
    if (numbers.size() != count) {
      reader_.fail(said.at, fmt::format("expected an array of {} execution parameters, found {}",
                                        count, numbers.size()));
    }
    if (is_shape_list(kernel)) return option_execution(numbers[0]);
    Execution execution;
    execution.h = numbers[0];
    execution.w = numbers[1];
    for (std::size_t i = 0; i < parts; ++i) {
      execution.c[i] = numbers[2 + i];
      execution.k[i] = numbers[2 + parts + i];
    }
    return execution;
  }

  std::vector<std::size_t> read_kernels(const decltype(RegionObject::kernels)& said) const {
    std::vector<std::size_t> kernels;
    const auto* names = std::get_if<1>(&said.value);
    if (names == nullptr) {
      for (std::size_t i = 0; i < problem_.kernel_count(); ++i) kernels.push_back(i);
      return kernels;
    }
    for (const At<std::string>& name : *names) kernels.push_back(kernel(name));
    std::sort(kernels.begin(), kernels.end());
    const auto twice = std::adjacent_find(kernels.begin(), kernels.end());
    if (twice != kernels.end()) {
      reader_.fail(said.at, "expected each kernel once, found '" + problem_.kernels()[*twice].name +
                                "' again");
    }
    return kernels;
  }

  JsonReader reader_;
  const Problem& problem_;
  std::unordered_map<std::string_view, KernelIndex> index_of_;
  std::vector<std::string_view> names_;
};

void check_weight(const JsonReader& reader, const JsonValue& item, RegionObject& region) {
  const JsonValue* weight = JsonReader::find(item, "weight");
  if (weight == nullptr || region.rule == RegionRule::prefer) return;
  reader.fail(*weight, "a weight with prefer alone");
}

}  // namespace

template <>
const TypeRows& rows_of<FixedObject>() {
  constexpr std::int64_t kMostParameters = 10;
  static const TypeRows rows = rows_for<FixedObject>(
      "a fixed kernel",
      {needed("kernel", &FixedObject::kernel,
              {.meaning = "name of a kernel of the case", .item = "the name of a kernel"}),
       formed("x", kCorner, {.meaning = "column of its lower left tile, from 0", .required = true}),
       formed("y", kCorner, {.meaning = "row of its lower left tile, from 0", .required = true}),
       row("orientation", &FixedObject::orientation,
           {"upright, or turned: width and height exchanged"}),
       row("execution", &FixedObject::execution,
           {.meaning = "how it is cut: h, w, each c, each k, in the order of solutions; or the "
                       "option of a list of shapes, from 1; by default free",
            .range = NumberRange{1, kMaxCoordinate},
            .items = {1, kMostParameters},
            .item = "a parameter",
            .or_null = false})});
  return rows;
}

template <>
const TypeRows& rows_of<RegionObject>() {
  constexpr NumberRange kWeight{0, 1'000'000};
  static const TypeRows rows = rows_for<RegionObject>(
      "a region",
      {needed("kernels", &RegionObject::kernels,
              {.meaning = "names of the kernels that the region is for; * is all",
               .item = "the name of a kernel"}),
       needed("rectangle", &RegionObject::rectangle,
              {"the region's tiles; may reach beyond the wafer"}),
       needed("rule", &RegionObject::rule,
              {"inside: they lie in it as a whole; outside: they share no tile with it; prefer: "
               "distance from it costs"}),
       row("weight", &RegionObject::weight,
           {"of the rule prefer: cost of a tile of distance from a kernel's centre to the "
            "rectangle, with at most six decimals; by default 1",
            kWeight})},
      check_weight);
  return rows;
}

template <>
const TypeRows& rows_of<ConstraintsFile>() {
  static const TypeRows rows = rows_for<ConstraintsFile>(
      "constraints", {format_row("waferloom/constraints/1"),
                      row("fixed", &ConstraintsFile::fixed,
                          {.meaning = "kernels that have to lie at a place, each once: an object, "
                                      "or a line of a solution as text",
                           .item = "a fixed kernel"}),
                      row("regions", &ConstraintsFile::regions,
                          {.meaning = "rectangles that kernels have to lie in, have to avoid, or "
                                      "prefer; of together at most 10,000,000 kernels",
                           .items = {0, kMaxRegions}})});
  return rows;
}

std::string constraints_schema() {
  return schema_text(rows_of<ConstraintsFile>(), "Constraints file of waferloom");
}

Constraints read_constraints(std::string_view text, const std::string& source,
                             const Problem& problem) {
  return ConstraintsReader(source, problem).read(parse_json(text, source));
}

Problem with_constraints(const Problem& problem, Constraints constraints,
                         const std::string& source) {
  ProblemData data = problem.data();
  data.constraints = std::move(constraints);
  try {
    return Problem(std::move(data));
  } catch (const RequestError& error) {
    throw InputError(source, kWholeSource, error.what());
  }
}

}  // namespace waferloom
