#include <algorithm>

#include "model/machine/hardware_rows.h"

// What a machine's programs take, by program and data type: measured figures of a hardware file.

namespace waferloom {
namespace {

/// The program of the same data type, before program `at`, whose figures hold where none is given.
std::size_t program_before(const JsonReader& reader, const JsonValue& name,
                           const TilePrograms& known, std::size_t at, const std::string& type) {
  const std::string expected = "like as an earlier program with figures of " + type;
  const std::string& text = reader.string(name, expected);
  for (std::size_t other = 0; other < at; ++other) {
    if (kTileProgramNames[other] == text && known.known[other]) return other;
  }
  reader.fail(name, expected);
}

/// `like` is read before the figures, whose defaults it sets.
constexpr OwnForm<TileCycles> kLike{
    [](const JsonReader& /*reader*/, const JsonValue& /*value*/, TileCycles& /*cycles*/) {},
    [](const TileCycles& /*cycles*/, ValueSink& sink) { sink.nothing(); },
    [](ValueSink& schema) { describe_words(kTileProgramNames, schema); }};

const TypeRows& program_rows() {
  static const TypeRows rows = [] {
    Row like = formed("like", kLike,
                      {"the program of the same data type whose figures hold where none is given; "
                       "without it 0, and 1 for an issue"});
    like.is_written = false;
    return rows_for<TileCycles>("the figures of a program",
                                joined({rows_of<TileCycles>().rows, {std::move(like)}}));
  }();
  return rows;
}

void read_program(const JsonReader& reader, const JsonValue& types, std::size_t at,
                  Hardware& hardware) {
  reader.expect_object(types, "a program as an object of data types");
  for (std::size_t i = 0; i < types.keys.size(); ++i) {
    TilePrograms& known = hardware.programs[types.keys[i]];
    if (const JsonValue* like = JsonReader::find(types.items[i], "like")) {
      known.cycles[at] = known.cycles[program_before(reader, *like, known, at, types.keys[i])];
    }
    read_rows(reader, types.items[i], program_rows().noun, program_rows(), &known.cycles[at]);
    known.known.set(at);
  }
}

void read_programs(const JsonReader& reader, const JsonValue& value, Hardware& hardware) {
  std::vector<std::string_view> names(kTileProgramNames.begin(), kTileProgramNames.end());
  names.push_back(kTrainingName);
  reader.expect_keys(value, "programs as an object of measured programs", names);
  for (std::size_t at = 0; at < kTilePrograms; ++at) {
    const JsonValue* program = JsonReader::find(value, kTileProgramNames[at]);
    if (program != nullptr) read_program(reader, *program, at, hardware);
  }
  const JsonValue* training = JsonReader::find(value, kTrainingName);
  if (training == nullptr) return;
  reader.expect_object(*training, "training as an object of data types");
  for (std::size_t i = 0; i < training->keys.size(); ++i) {
    hardware.training[training->keys[i]] =
        read_described<TrainingFigures>(reader, training->items[i]);
  }
}

/// Data types by program, of those that the hardware knows.
void write_programs(const Hardware& hardware, ValueSink& sink) {
  sink.open_object();
  for (std::size_t at = 0; at < kTilePrograms; ++at) {
    const auto knows = [&](const auto& entry) { return bool{entry.second.known[at]}; };
    if (std::none_of(hardware.programs.begin(), hardware.programs.end(), knows)) continue;
    sink.key(kTileProgramNames[at]);
    sink.open_object();
    for (const auto& [type, programs] : hardware.programs) {
      if (!programs.known[at]) continue;
      sink.key(type);
      write_rows(rows_of<TileCycles>(), &programs.cycles[at], sink);
    }
    sink.close();
  }
  if (!hardware.training.empty()) {
    sink.key(kTrainingName);
    type_of<decltype(hardware.training)>().write(&hardware.training, sink);
  }
  sink.close();
}

void describe_by_type(std::string_view name, std::string_view meaning, const TypeRows& figures,
                      ValueSink& schema) {
  schema.key(name);
  schema.open_object();
  schema.pair("description", meaning);
  schema.pair("type", "object");
  schema.key("additionalProperties");
  schema.open_object();
  describe_rows(figures, schema);
  schema.close();
  schema.close();
}

void describe_programs(ValueSink& schema) {
  schema.pair("type", "object");
  schema.pair("additionalProperties", false);
  schema.key("properties");
  schema.open_object();
  for (const std::string_view name : kTileProgramNames) {
    describe_by_type(name, "by data type: cycles of this program", program_rows(), schema);
  }
  describe_by_type(kTrainingName, "by data type: what training programs take",
                   rows_of<TrainingFigures>(), schema);
  schema.close();
}

constexpr OwnForm<Hardware> kPrograms{read_programs, write_programs, describe_programs};

constexpr OwnForm<Hardware> kTileCycles{
    [](const JsonReader& reader, const JsonValue& value, Hardware& hardware) {
      read_program(reader, value, 0, hardware);
    },
    [](const Hardware& /*hardware*/, ValueSink& sink) { sink.nothing(); },
    [](ValueSink& schema) {
      schema.pair("type", "object");
      schema.key("additionalProperties");
      schema.open_object();
      describe_rows(program_rows(), schema);
      schema.close();
    }};

}  // namespace

Row programs_row() {
  return formed("programs", kPrograms,
                {"cycles that measured programs of tiles take for their steps; without them steps "
                 "cost nothing, and plans are upper bounds"});
}

Row tile_cycles_row() {
  Row row =
      formed("tile_cycles", kTileCycles, {"by data type: an earlier name of programs.waferllm"});
  row.is_written = false;
  return row;
}

}  // namespace waferloom
