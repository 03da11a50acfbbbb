#include "cluster/space_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "cluster/space/machine_keys.h"
#include "cluster/task.h"
#include "model/errors.h"
#include "model/hardware.h"
#include "model/text.h"
#include "model/workload.h"

// Problem: from the names and values of a space to command lines that can run anywhere.
// Idea: the table of options of the command says what each axis takes. What names a file is read
// now and becomes part of the run folder under its content, so that points are what was planned.
namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 16;

template <typename List>
bool is_in(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Whether values of an option are files, or names of presets.
bool takes_files(const OptionSpec& option) {
  constexpr std::array<std::string_view, 4> kFiles{"SOL", "PLAN", "ROUTES", "F"};
  return option.value.find("FILE") != std::string::npos || is_in(kFiles, option.value);
}

bool looks_like_path(const std::string& text) {
  return text.find_first_of("./") != std::string::npos;
}

class Resolver {
 public:
  Resolver(const sweep::Space& space, const SweptCommand& command, std::string folder,
           const RunReader& reader)
      : space_(space), command_(command), folder_(std::move(folder)), reader_(reader) {}

  ResolvedSpace resolve() {
    std::vector<std::size_t> places = axes_in_order();
    result_.points.command = space_.command;
    result_.points.program = reader_.program;
    result_.points.exclusions = space_.exclusions;
    result_.points.sampling = space_.sampling;
    for (const std::size_t axis : places) result_.points.axes.push_back(resolved(axis));
    for (std::vector<std::size_t> dimension : sweep::dimensions_of(space_)) {
      const std::vector<std::size_t> as_in_file = dimension;
      for (std::size_t& axis : dimension) {
        axis = static_cast<std::size_t>(std::find(places.begin(), places.end(), axis) -
                                        places.begin());
      }
      check_identities(as_in_file, dimension);
      result_.points.dimensions.push_back(std::move(dimension));
    }
    for (const sweep::SpaceAxis& axis : space_.axes) {
      const std::vector<std::string> columns = sweep::columns_of(axis);
      if (axis.fixed) continue;
      result_.points.columns.insert(result_.points.columns.end(), columns.begin(), columns.end());
    }
    add_own_options();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(TextPosition position, const std::string& message) const {
    throw InputError(space_.source, position, message);
  }

  /// Indices of the axes as a command line has them: operands, then options by name.
  std::vector<std::size_t> axes_in_order() const {
    std::vector<std::size_t> places(space_.axes.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    const auto rank = [&](std::size_t axis) {
      const std::string& name = space_.axes[axis].name;
      const auto& operands = command_.operands;
      const auto at = std::find_if(operands.begin(), operands.end(),
                                   [&](const auto& known) { return known.name == name; });
      return std::pair{at - operands.begin(), name};
    };
    std::sort(places.begin(), places.end(),
              [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    return places;
  }

  const SweptCommand::Operand* operand_named(const std::string& name) const {
    for (const SweptCommand::Operand& operand : command_.operands) {
      if (operand.name == name) return &operand;
    }
    return nullptr;
  }

  const OptionSpec& option_of(const sweep::SpaceAxis& axis) const {
    std::vector<std::string_view> known;
    for (const SweptCommand::Operand& operand : command_.operands) known.push_back(operand.name);
    for (const OptionSpec& option : command_.options) {
      if (option.name == axis.name || option.also == axis.name) return option;
      known.push_back(option.name);
    }
    const std::string hint = suggestion(axis.name, known);
    fail(axis.position,
         "expected an operand or an input of `" + space_.command + "`, found " +
             in_quotes(axis.name) +
             (hint.empty() ? "; `waferloom help " + space_.command + "` lists them" : hint));
  }

  sweep::PointAxis resolved(std::size_t index) {
    const sweep::SpaceAxis& axis = space_.axes[index];
    sweep::PointAxis point_axis{.name = axis.name,
                                .fixed = axis.fixed,
                                .columns = sweep::columns_of(axis),
                                .range = axis.range};
    const SweptCommand::Operand* operand = operand_named(axis.name);
    point_axis.is_operand = operand != nullptr;
    const OptionSpec option =
        operand == nullptr ? option_of(axis) : OptionSpec{.name = axis.name, .value = "FILE"};
    point_axis.is_flag = option.value.empty();
    if (axis.range) check_range(axis, option);
    if (axis.name == "time-limit") result_.repeatable = false;
    for (const sweep::SpaceValue& value : axis.values) {
      const bool may_lack = operand == nullptr ? !option.required : !operand->required;
      check_kind(axis, value, point_axis.is_flag, may_lack);
      sweep::PointValue made = resolved_value(axis, option, value);
      made.cells = sweep::cells_of(point_axis.columns, value);
      point_axis.values.push_back(std::move(made));
    }
    return point_axis;
  }

  void check_range(const sweep::SpaceAxis& axis, const OptionSpec& option) const {
    constexpr double kLast = 1 - 0x1p-53;
    for (const double share : {0.0, kLast}) {
      const std::string fault =
          value_fault(option, *sweep::drawn_value(*axis.range, share).argument);
      if (!fault.empty()) fail(axis.position, axis.name + ": " + fault);
    }
  }

  void check_kind(const sweep::SpaceAxis& axis, const sweep::SpaceValue& value, bool is_flag,
                  bool may_lack) const {
    using Kind = sweep::SpaceValue::Kind;
    if (value.kind == Kind::absent && may_lack) return;
    if (value.kind == Kind::absent) fail(value.position, axis.name + ": expected a value");
    if (is_flag != (value.kind == Kind::flag)) {
      fail(value.position,
           axis.name +
               (is_flag ? ": expected true or false, found " : ": expected a value, found ") +
               in_quotes(value.cell()));
    }
    if (!value.overrides.empty() && !is_machine(axis)) {
      fail(value.position, axis.name + ": only hardware has keys to set");
    }
    if (value.kind == Kind::word && (value.text.empty() || value.text.front() == '-')) {
      fail(value.position, axis.name + ": expected a value, found " + in_quotes(value.text));
    }
  }

  /// Two names for the same would be the same points twice. The axes of a dimension by their places
  /// in the file and in the command line.
  void check_identities(const std::vector<std::size_t>& in_file,
                        const std::vector<std::size_t>& in_line) const {
    const sweep::SpaceAxis& first = space_.axes[in_file.front()];
    std::set<std::vector<std::string>> met;
    for (std::size_t i = 0; i < first.values.size(); ++i) {
      std::vector<std::string> together;
      std::string texts;
      for (std::size_t k = 0; k < in_line.size(); ++k) {
        const sweep::PointValue& value = result_.points.axes[in_line[k]].values[i];
        together.push_back(value.argument ? "=" + value.identity : "");
        texts += (k == 0 ? "" : " with ") + in_quotes(space_.axes[in_file[k]].values[i].cell());
      }
      if (met.insert(std::move(together)).second) continue;
      fail(first.values[i].position, first.name + ": " + texts +
                                         " is the same as another value of this " +
                                         (in_file.size() > 1 ? "zip" : "axis"));
    }
  }

  sweep::PointValue resolved_value(const sweep::SpaceAxis& axis, const OptionSpec& option,
                                   const sweep::SpaceValue& value) {
    using Kind = sweep::SpaceValue::Kind;
    if (value.kind == Kind::absent) return {};
    if (value.kind == Kind::flag) return {"", "true", {}};
    if (!value.overrides.empty()) return machine_with(axis, value);
    const std::string fault = value_fault(option, value.text);
    if (!fault.empty()) fail(value.position, axis.name + ": " + fault);
    if (!takes_files(option)) return {value.text, value.text, {}};
    const fs::path path = fs::path(folder_) / value.text;
    std::error_code ignored;
    if (!is_preset(axis, value) && fs::is_regular_file(path, ignored)) {
      if (is_machine(axis) && has_base(path)) return machine_with(axis, value);
      return file_value({.name = path.filename().string(), .bytes = reader_.read(path.string())});
    }
    check_name(axis, value);
    return {value.text, value.text, {}};
  }

  static bool is_machine(const sweep::SpaceAxis& axis) {
    return axis.name == "hardware" || axis.name == "system";
  }

  /// Whether a file of a machine needs another file.
  bool has_base(const fs::path& path) const {
    const std::optional<JsonValue> json = json_if_any(reader_.read(path.string()));
    return json && json->kind == JsonValue::Kind::object &&
           JsonReader::find(*json, "base") != nullptr;
  }

  static bool is_preset(const sweep::SpaceAxis& axis, const sweep::SpaceValue& value) {
    if (is_machine(axis)) return machine_preset(value.text).has_value();
    return workload_preset(value.text).has_value();
  }

  /// What is no file has to be a preset, as far as is known here.
  void check_name(const sweep::SpaceAxis& axis, const sweep::SpaceValue& value) const {
    if (is_preset(axis, value)) return;
    std::vector<std::string_view> known;
    if (is_machine(axis)) known = machine_preset_names();
    if (axis.name == "WORKLOAD" || axis.name == "NETWORK") known = workload_preset_names();
    if (axis.name == "WORKLOAD") {
      if (is_in(command_.networks, value.text)) return;
      known.insert(known.end(), command_.networks.begin(), command_.networks.end());
    }
    const bool has_presets = !known.empty();
    if (operand_named(axis.name) != nullptr && !has_presets && axis.name != "CASE" &&
        axis.name != "SOL" && !looks_like_path(value.text)) {
      return;
    }
    fail(value.position, axis.name + ": there is no file " + (has_presets ? "or preset " : "") +
                             in_quotes(value.text) + suggestion(value.text, known));
  }

  struct InputFile {
    std::string name;
    std::string bytes;
  };

  sweep::PointValue file_value(InputFile file) {
    const std::string hash = sweep::sha256(file.bytes);
    const std::string place = "inputs/" + hash.substr(0, kHashDigits) + "/" + file.name;
    result_.inputs.emplace(place, std::move(file.bytes));
    return {place, "sha256:" + hash, {}};
  }

  sweep::PointValue machine_with(const sweep::SpaceAxis& axis, const sweep::SpaceValue& value) {
    const fs::path path = fs::path(folder_) / value.text;
    MachineText file{{}, path.string()};
    if (const auto preset = machine_preset(value.text)) {
      file.text = *preset;
    } else if (fs::is_regular_file(path)) {
      file.text = reader_.read(path.string());
    } else {
      fail(value.position, axis.name + ": there is no file or preset " + in_quotes(value.text) +
                               suggestion(value.text, machine_preset_names()));
    }
    const auto find_base = [&](const std::string& base,
                               const std::string& from) -> std::optional<MachineText> {
      if (auto preset = find_preset_base(base, from)) return preset;
      const fs::path beside = (fs::path(from).parent_path() / base).lexically_normal();
      std::error_code ignored;
      if (!fs::is_regular_file(beside, ignored)) return std::nullopt;
      return MachineText{reader_.read(beside.string()), beside.string()};
    };
    return file_value(
        {.name = path.stem().string() + ".json",
         .bytes = machine_with_keys(file, value.overrides, space_.source, find_base)});
  }

  void add_fixed(const std::string& option, const std::string& value) {
    result_.points.axes.push_back(
        {.name = option, .fixed = true, .columns = {option}, .values = {{value, value, {value}}}});
  }

  /// An output that has to be there goes to stdout, which nobody reads. An effort, because with it
  /// repeats give the same bytes.
  void add_own_options() {
    for (const std::string& output : command_.outputs) add_fixed(output, "-");
    // Of plan the file is required by some of its modes alone, which the table does not say.
    if (command_.name == "plan") add_fixed("file", std::string(kScratch) + "/plan.json");
    const bool has_effort =
        std::any_of(space_.axes.begin(), space_.axes.end(),
                    [](const sweep::SpaceAxis& axis) { return axis.name == "effort"; });
    if (has_effort || !command_.effort || !result_.repeatable) {
      if (has_effort) result_.repeatable = true;
      return;
    }
    add_fixed("effort", *command_.effort);
  }

  const sweep::Space& space_;
  const SweptCommand& command_;
  std::string folder_;
  const RunReader& reader_;
  ResolvedSpace result_;
};

}  // namespace

ResolvedSpace resolve_space(const sweep::Space& space, const std::vector<SweptCommand>& commands,
                            const std::string& folder, const RunReader& reader) {
  std::vector<std::string_view> known;
  for (const SweptCommand& command : commands) {
    if (command.name == space.command) return Resolver(space, command, folder, reader).resolve();
    known.push_back(command.name);
  }
  throw InputError(space.source, space.command_position,
                   "expected a command to sweep (" + alternatives(known) + "), found " +
                       in_quotes(space.command) + suggestion(space.command, known));
}

}  // namespace waferloom::cluster
