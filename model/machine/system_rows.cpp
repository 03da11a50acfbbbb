#include <fmt/format.h>

#include <algorithm>

#include "model/describe.h"
#include "model/hardware.h"
#include "model/machine/hardware_rows.h"
#include "model/machine/machine_file.h"
#include "model/text.h"

namespace waferloom {
namespace {

constexpr double kMaxFigure = 1e24;
constexpr RealRange kFigure{0, kMaxFigure};
constexpr RealRange kSomeFigure{1, kMaxFigure};
constexpr RealRange kLatency{0, 1e6};
constexpr NumberRange kAtMostEight{0, 8};

void check_floor(const JsonReader& reader, const JsonValue& value, Efficiency& efficiency) {
  if (efficiency.floor <= efficiency.limit) return;
  reader.fail(reader.at(value, "floor"),
              "floor of at most limit, " + significant_text(efficiency.limit));
}

/// A share of a peak needs that peak. What memory gives element-wise kernels is of no type.
void check_types(const JsonReader& reader, const JsonValue& value, Chip& chip) {
  for (auto& [type, reached] : chip.efficiency_by_type) {
    const JsonValue& own = reader.at(reader.at(value, "efficiency_by_type"), type);
    const bool is_known =
        chip.peak_flop_per_s.empty() ? type == chip.type() : chip.peak_flop_per_s.contains(type);
    if (!is_known) {
      reader.fail(own.position, "efficiency_by_type has " + type + ", of which there is no peak");
    }
    const JsonValue* memory = JsonReader::find(own, "memory");
    if (memory != nullptr && reached.memory != chip.efficiency.memory) {
      reader.fail(memory->position, "memory is told by efficiency, and the same for all types");
    }
    reached.memory = chip.efficiency.memory;
  }
}

/// The peak that the types' peaks are for models that know one.
void check_chip(const JsonReader& reader, const JsonValue& value, Chip& chip) {
  const JsonValue* peaks = JsonReader::find(value, "peak_flop_per_s");
  check_types(reader, value, chip);
  const JsonValue* peak = JsonReader::find(value, "flop_per_s");
  if (peaks == nullptr && chip.flop_per_s == 0) reader.at(value, "flop_per_s");
  if (peaks == nullptr || peaks->keys.empty()) return;
  const double by_type = peak_of_bits(chip);
  if (peak != nullptr && by_type > 0 && chip.flop_per_s != by_type) {
    reader.fail(
        peak->position,
        "flop_per_s is given by peak_flop_per_s, too, and differently; one of both suffices");
  }
  if (peak == nullptr || by_type > 0) chip.flop_per_s = by_type;
  if (chip.flop_per_s == 0) {
    reader.fail(*peaks, fmt::format("a type of {} bits, as matrix_bits says, in peak_flop_per_s",
                                    chip.matrix_bits));
  }
}

std::size_t level_named(const JsonReader& reader, const JsonValue& value, const System& system) {
  const std::string& name = reader.string(value, "the name of a memory");
  if (name == "sram") return kSramLevel;
  for (std::size_t i = 0; i < system.memories.size(); ++i) {
    if (system.memories[i].name == name) return kSramLevel + 1 + i;
  }
  reader.fail(value, "sram or the name of one of the memories");
}

/// Of a file that says nothing.
void set_levels(System& system) {
  system.level_of.fill(system.memories.empty() ? kSramLevel : kSramLevel + 1);
}

/// Where each class of tensors lies that a file names; of the others, where it lies by default.
constexpr OwnForm<System> kLevels{
    [](const JsonReader& reader, const JsonValue& value, System& system) {
      reader.expect_keys(value, "levels as an object",
                         {kTensorClassNames.begin(), kTensorClassNames.end()});
      set_levels(system);
      for (std::size_t kind = 0; kind < kTensorClasses; ++kind) {
        const JsonValue* level = JsonReader::find(value, kTensorClassNames[kind]);
        if (level != nullptr) system.level_of[kind] = level_named(reader, *level, system);
      }
    },
    [](const System& system, ValueSink& sink) {
      sink.open_object();
      for (std::size_t kind = 0; kind < kTensorClasses; ++kind) {
        sink.pair(kTensorClassNames[kind], system.level_name(system.level_of[kind]));
      }
      sink.close();
    },
    [](ValueSink& schema) {
      schema.pair("type", "object");
      schema.pair("additionalProperties", false);
      schema.key("properties");
      schema.open_object();
      for (const std::string_view name : kTensorClassNames) {
        schema.key(name);
        schema.open_object();
        schema.pair("type", "string");
        schema.pair("description", "sram or the name of a memory");
        schema.close();
      }
      schema.close();
    }};

void check_memories(const JsonReader& reader, const JsonValue& file, const System& system) {
  for (std::size_t i = 0; i < system.memories.size(); ++i) {
    const std::string& name = system.memories[i].name;
    const bool is_new = std::none_of(system.memories.begin(),
                                     system.memories.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](const MemoryLevel& other) { return other.name == name; });
    if (is_new && name != "sram" && !name.empty()) continue;
    const JsonValue& memory = reader.at(file, "memories").items[i];
    reader.fail(reader.at(memory, "name"), "a name that no other memory has, and not sram");
  }
}

void check_chips(const JsonReader& reader, const JsonValue& file, const System& system) {
  constexpr std::int64_t kMostChips = 100'000'000;
  std::int64_t chips = 1;
  for (const NetworkDimension& dimension : system.dimensions) {
    if (dimension.size > kMostChips / chips) {
      reader.fail(reader.at(file, "dimensions"),
                  fmt::format("at most {} chips in all", kMostChips));
    }
    chips *= dimension.size;
  }
}

void check_system(const JsonReader& reader, const JsonValue& file, System& system) {
  check_memories(reader, file, system);
  check_chips(reader, file, system);
  if (JsonReader::find(file, "levels") == nullptr) set_levels(system);
}

}  // namespace

template <>
const TypeRows& rows_of<Efficiency>() {
  static const TypeRows rows = rows_for<Efficiency>(
      "efficiency",
      {row("limit", &Efficiency::limit,
           {"share of the peak rate that is reached with very large micro-batches: limit · ub / "
            "(half + ub) of ub samples",
            RealRange{1e-6, 1}}),
       row("half", &Efficiency::half,
           {"samples of a micro-batch with which half of the limit is reached; 0: the same share "
            "for all",
            kFigure}),
       row("floor", &Efficiency::floor,
           {"the least share of the peak rate, at most limit", RealRange{0, 1}}),
       row("memory", &Efficiency::memory,
           {"share of the rate of the chip's memory that kernels of element-wise operations reach, "
            "each of which reads and writes that memory; 0: they take their operations' time alone",
            RealRange{0, 1}})},
      check_floor);
  return rows;
}

template <>
const TypeRows& rows_of<Chip>() {
  constexpr NumberRange kBits{1, 1024};
  constexpr NumberRange kArray{0, 1'000'000};
  static const TypeRows rows = rows_for<Chip>(
      "a chip",
      {row("flop_per_s", &Chip::flop_per_s,
           {"peak of matrix products, FLOP/s; a product and a sum are one FLOP each", kSomeFigure}),
       row("peak_flop_per_s", &Chip::peak_flop_per_s,
           {.meaning = "in place of flop_per_s, the same by the type of the operands, as fp16; "
                       "flop_per_s is then that of a type of matrix_bits",
            .range = NumberRange{1, kMaxRate},
            .item = "peak_flop_per_s"}),
       row("element_flop_per_s", &Chip::element_flop_per_s,
           {"peak of everything else, FLOP/s; 0: as flop_per_s", kFigure}),
       row("sram_bytes", &Chip::sram_bytes, {"bytes of SRAM on a chip", kFigure}),
       row("sram_bytes_per_s", &Chip::sram_bytes_per_s,
           {"bytes a second of a chip's SRAM; 0: it never bounds a kernel", kFigure}),
       row("clock_hz", &Chip::clock_hz, {"cycles a second; 0: not known", RealRange{0, 1e15}}),
       row("cores", &Chip::cores, {"cores of a chip; 0: not known", NumberRange{0, 1'000'000'000}}),
       row("systolic_width", &Chip::systolic_width,
           {"rows of the output that a core's array works on at once; 0: not known", kArray}),
       row("systolic_height", &Chip::systolic_height,
           {"columns of the output that a core's array works on at once; 0: not known", kArray}),
       row("matrix_bits", &Chip::matrix_bits,
           {"bits of an operand of the units for matrix products", kBits}),
       row("element_bits", &Chip::element_bits, {"bits of an operand of the other units", kBits}),
       row("price_usd", &Chip::price_usd, {"US dollars of a chip", kFigure}),
       row("power_w", &Chip::power_w, {"watts of a chip", kFigure}),
       row("efficiency", &Chip::efficiency,
           {"which share of the peak rate is reached, by samples of a micro-batch"}),
       terse({row("efficiency_by_type", &Chip::efficiency_by_type,
                  {.meaning = "by data type: the same of products whose operands have it, in "
                              "place of efficiency",
                   .item = "efficiency_by_type"})})
           .front()},
      check_chip);
  return rows;
}

template <>
const TypeRows& rows_of<MemoryLevel>() {
  static const TypeRows rows = rows_for<MemoryLevel>(
      "a memory",
      {needed("name", &MemoryLevel::name,
              {.meaning = "name of the memory, unlike the others and not sram",
               .items = {1, kCount.most}}),
       needed("bytes", &MemoryLevel::bytes, {"bytes of it for each chip", kFigure}),
       needed("bytes_per_s", &MemoryLevel::bytes_per_s,
              {"bytes a second for each chip", kSomeFigure}),
       row("latency_s", &MemoryLevel::latency_s, {"seconds to begin a transfer", kLatency}),
       row("price_usd", &MemoryLevel::price_usd, {"US dollars for each chip", kFigure}),
       row("power_w", &MemoryLevel::power_w, {"watts for each chip", kFigure})});
  return rows;
}

template <>
const TypeRows& rows_of<NetworkDimension>() {
  static const TypeRows rows = rows_for<NetworkDimension>(
      "a dimension",
      {needed("topology", &NetworkDimension::topology,
              {"how the chips of the dimension are joined"}),
       needed("size", &NetworkDimension::size,
              {"chips along the dimension; the chips of all dimensions are their product",
               NumberRange{1, 10'000'000}}),
       needed("link_bytes_per_s", &NetworkDimension::link_bytes_per_s,
              {"bytes a second of a link in one direction", kSomeFigure}),
       row("latency_s", &NetworkDimension::latency_s,
           {"seconds of a step between two chips", kLatency}),
       row("price_usd", &NetworkDimension::price_usd, {"US dollars of a link", kFigure}),
       row("power_w", &NetworkDimension::power_w, {"watts of a link", kFigure})});
  return rows;
}

template <>
const TypeRows& rows_of<Host>() {
  static const TypeRows rows = rows_for<Host>(
      "host",
      {row("link_bytes_per_s", &Host::link_bytes_per_s,
           {"bytes a second from the host to one chip; 0: loading takes no time", kFigure}),
       row("preprocess_bytes_per_s", &Host::preprocess_bytes_per_s,
           {"bytes a second of samples that the host makes ready for one chip; 0: it takes no time",
            kFigure}),
       row("cpu_flop_per_s", &Host::cpu_flop_per_s,
           {"peak of the host, FLOP/s, to carry times over that were measured on another host; 0: "
            "not known",
            kFigure}),
       row("server_bytes_per_s", &Host::server_bytes_per_s,
           {"bytes a second between one chip and a server of parameters; 0: not known", kFigure})});
  return rows;
}

template <>
const TypeRows& rows_of<Overlap>() {
  static const TypeRows rows = rows_for<Overlap>(
      "overlap", {row("load", &Overlap::load, {"whether samples come while the chip computes"}),
                  row("preprocess", &Overlap::preprocess,
                      {"whether samples are made ready while the chip computes"}),
                  row("communication", &Overlap::communication,
                      {"whether gradients travel while the chip computes"})});
  return rows;
}

template <>
const TypeRows& rows_of<System>() {
  static const TypeRows rows = rows_for<System>(
      "a system",
      {format_row("waferloom/system/1"),
       row("name", &System::name, {"name of the system, for reports"}), remark_row("comment"),
       needed("chip", &System::chip, {"one chip; all are alike"}),
       row("memories", &System::memories,
           {.meaning = "memories of one chip, the nearest first; its SRAM is not among them",
            .items = kAtMostEight}),
       row("dimensions", &System::dimensions,
           {.meaning =
                "how chips are joined, the innermost dimension first; a torus is a ring of rings",
            .items = kAtMostEight}),
       formed("levels", kLevels,
              {"where each class of tensors lies: sram or the name of a memory; by default the "
               "nearest memory, or SRAM where there is none"}),
       row("host", &System::host,
           {"what feeds a chip: link, preparation of samples, server of parameters"}),
       row("overlap", &System::overlap,
           {"which stages of training go on while others work; by default none"}),
       row("sources", &System::sources,
           {.meaning = "by key: where its figure comes from; printed nowhere, kept for readers",
            .item = "a source"})},
      check_system);
  return rows;
}

std::vector<std::string> changed_keys(const System& system) {
  const System plain;
  std::vector<std::string> changed = different_keys(rows_of<Chip>(), &system.chip, &plain.chip);
  // Whoever reads the peak reads it of any type.
  std::erase(changed, "peak_flop_per_s");
  if (!(system.host == plain.host)) changed.emplace_back("host");
  if (!(system.overlap == plain.overlap)) changed.emplace_back("overlap");
  return changed;
}

std::string system_schema() { return schema_text(rows_of<System>(), "waferloom/system/1"); }

}  // namespace waferloom
