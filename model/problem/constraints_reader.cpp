#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/errors.h"
#include "model/machine/json_rectangle.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/text.h"

namespace waferloom {
namespace {

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
    reader_.expect_keys(file, "constraints as an object with fixed or regions",
                        {"schema", "fixed", "regions"});
    reader_.check_schema(file, "waferloom/constraints/1");
    Constraints constraints;
    if (const JsonValue* fixed = JsonReader::find(file, "fixed")) {
      constraints.fixed = read_fixed(*fixed);
    }
    if (const JsonValue* regions = JsonReader::find(file, "regions")) {
      std::size_t kernels = 0;
      for (const JsonValue& item : reader_.array(*regions, "regions as an array")) {
        constraints.regions.push_back(read_region(item));
        kernels += constraints.regions.back().kernels.size();
        if (constraints.regions.size() <= kMaxRegions && kernels <= kMaxRegionKernels) continue;
        reader_.fail(*regions, "at most " + std::to_string(kMaxRegions) + " regions of together " +
                                   std::to_string(kMaxRegionKernels) + " kernels");
      }
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

  KernelIndex kernel(const JsonValue& value) const {
    return kernel_named(reader_.string(value, "the name of a kernel"), value.position);
  }

  std::vector<FixedKernel> read_fixed(const JsonValue& list) {
    std::map<KernelIndex, FixedEntry> entries;
    for (const JsonValue& item : reader_.array(list, "fixed as an array")) {
      if (item.kind == JsonValue::Kind::string) {
        read_lines(item, entries);
      } else {
        read_object(item, entries);
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
    const std::string where = key + " of '" + problem_.kernels()[kernel].name +
                              "' on the wafer of " + std::to_string(wafer.width) + "x" +
                              std::to_string(wafer.height);
    return reader_.whole(reader_.at(item, key), where, {0, length - 1});
  }

  void set_place(FixedEntry& entry, const FixedKernel& place, TextPosition position) const {
    const std::string& name = problem_.kernels()[place.kernel].name;
    if (entry.place) {
      reader_.fail(position, "expected a kernel that is fixed once, found '" + name + "' again");
    }
    if (!is_on_wafer(place)) {
      reader_.fail(position, "expected a place on the wafer for '" + name + "', found (" +
                                 std::to_string(place.x) + ", " + std::to_string(place.y) + ")");
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
  void read_lines(const JsonValue& item, std::map<KernelIndex, FixedEntry>& entries) const {
    Solution lines;
    try {
      lines = read_solution(item.text, "");
    } catch (const InputError& error) {
      reader_.fail(item.position, error.problems().front().message + " in a solution's line");
    }
    if (lines.kernels.empty() && lines.places.empty()) reader_.fail(item, "a line of a solution");
    for (const SolutionKernel& said : lines.kernels) {
      const KernelIndex index = kernel_named(said.name, item.position);
      const KernelFormal& truth = problem_.kernel(index).formal;
      const bool same = std::holds_alternative<ShapesFormal>(truth)
                            ? said.formal.index() == truth.index()
                            : said.formal == truth;
      if (!same) {
        reader_.fail(item.position, "expected the type and the formal parameters of '" + said.name +
                                        "' in the case, found others");
      }
      set_execution(entry_of(entries, index, item.position), index, said.execution, item.position);
    }
    for (const SolutionPlace& said : lines.places) {
      const KernelIndex index = kernel_named(said.name, item.position);
      set_place(entry_of(entries, index, item.position),
                FixedKernel{index, said.x, said.y, said.rotated, {}}, item.position);
    }
  }

  void read_object(const JsonValue& item, std::map<KernelIndex, FixedEntry>& entries) const {
    reader_.expect_keys(item, "a fixed kernel as an object or as a line of a solution",
                        {"kernel", "x", "y", "orientation", "execution"});
    FixedKernel fixed;
    fixed.kernel = kernel(reader_.at(item, "kernel"));
    fixed.x = read_corner(item, fixed.kernel, "x");
    fixed.y = read_corner(item, fixed.kernel, "y");
    if (const JsonValue* orientation = JsonReader::find(item, "orientation")) {
      const std::string& text = reader_.string(*orientation, "R0 or R90");
      if (text != "R0" && text != "R90") reader_.fail(*orientation, "R0 or R90");
      fixed.rotated = text == "R90";
    }
    FixedEntry& entry = entry_of(entries, fixed.kernel, item.position);
    set_place(entry, fixed, item.position);
    if (const JsonValue* numbers = JsonReader::find(item, "execution")) {
      set_execution(entry, fixed.kernel, read_execution(fixed.kernel, *numbers), numbers->position);
    }
  }

  /// [h w c… k…], or [option] for a list of shapes.
  Execution read_execution(KernelIndex index, const JsonValue& value) const {
    const Kernel& kernel = problem_.kernel(index);
    const std::size_t parts = convolution_total(kernel);
    const std::size_t count = is_shape_list(kernel) ? 1 : 2 + 2 * parts;
    const std::string what = "an array of " + std::to_string(count) + " execution parameters";
    std::vector<std::int64_t> numbers;
    for (const JsonValue& item : reader_.array(value, what)) {
      numbers.push_back(
          reader_.whole(item, "a parameter", NumberRange{-kMaxCoordinate, kMaxCoordinate}));
    }
    if (numbers.size() != count) reader_.fail(value, what);
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

  Region read_region(const JsonValue& item) const {
    reader_.expect_keys(item, "a region as an object with kernels, rectangle and rule",
                        {"kernels", "rectangle", "rule", "weight"});
    Region region;
    region.kernels = read_kernels(reader_.at(item, "kernels"));
    region.area = json_rectangle(reader_, reader_.at(item, "rectangle"), kMaxWaferSide);
    const JsonValue& rule = reader_.at(item, "rule");
    const std::string expected = "the rule inside, outside or prefer";
    const std::string& name = reader_.string(rule, expected);
    if (name == "outside") {
      region.rule = RegionRule::outside;
    } else if (name == "prefer") {
      region.rule = RegionRule::prefer;
    } else if (name != "inside") {
      reader_.fail(rule, expected);
    }
    if (const JsonValue* weight = JsonReader::find(item, "weight")) {
      if (region.rule != RegionRule::prefer) reader_.fail(*weight, "a weight with prefer alone");
      region.weight = reader_.decimal(*weight, "weight", kMaxPreference);
    }
    return region;
  }

  std::vector<std::size_t> read_kernels(const JsonValue& value) const {
    const std::string what = "an array of kernels' names or \"*\" for all";
    std::vector<std::size_t> kernels;
    if (value.kind == JsonValue::Kind::string) {
      if (value.text != "*") reader_.fail(value, what);
      for (std::size_t i = 0; i < problem_.kernel_count(); ++i) kernels.push_back(i);
      return kernels;
    }
    for (const JsonValue& item : reader_.array(value, what)) kernels.push_back(kernel(item));
    std::sort(kernels.begin(), kernels.end());
    const auto twice = std::adjacent_find(kernels.begin(), kernels.end());
    if (twice != kernels.end()) {
      reader_.fail(value.position, "expected each kernel once, found '" +
                                       problem_.kernels()[*twice].name + "' again");
    }
    return kernels;
  }

  JsonReader reader_;
  const Problem& problem_;
  std::unordered_map<std::string_view, KernelIndex> index_of_;
  std::vector<std::string_view> names_;
};

}  // namespace

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
