#include <limits>

#include "model/describe.h"
#include "model/hardware.h"

namespace waferloom {
namespace {

constexpr std::string_view kTotalMeaning =
    "Exact: a number where a double prints it exactly, else its decimal text; null: not known, no "
    "limit, or none.";

constexpr NumberRange kAnyWhole{std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()};
constexpr RealRange kAnyReal{std::numeric_limits<double>::lowest(),
                             std::numeric_limits<double>::max()};

struct ReportedMachine {
  const Hardware* hardware;
  HardwareTotals totals;
};

struct MachinesReport {
  const std::vector<Hardware>* machines;
};

std::vector<ReportedMachine> reported_machines(const MachinesReport& report) {
  std::vector<ReportedMachine> machines;
  for (const Hardware& hardware : *report.machines) {
    machines.push_back({&hardware, hardware_totals(hardware)});
  }
  return machines;
}

void write_figure(const HardwareFigure& figure, ValueSink& sink) {
  const JsonReader reader(std::string(figure.key));
  const JsonValue value = parse_json(figure.value, std::string(figure.key));
  if (value.kind == JsonValue::Kind::string) {
    sink.text(value.text);
  } else if (value.kind != JsonValue::Kind::number) {
    sink.nothing();
  } else if (value.text.find_first_of(".e") == std::string::npos) {
    sink.whole(reader.whole(value, "value", kAnyWhole));
  } else {
    sink.real(reader.real(value, "value", kAnyReal));
  }
}

constexpr OwnForm<HardwareFigure> kFigureValue{
    [](const JsonReader& reader, const JsonValue& value, HardwareFigure& /*into*/) {
      reader.fail(value, "no figures in a file");
    },
    write_figure,
    [](ValueSink& schema) {
      schema.key("type");
      schema.open_list();
      for (const char* type : {"number", "string", "null"}) schema.text(type);
      schema.close();
    }};

}  // namespace

template <>
const TypeRows& rows_of<HardwareFigure>() {
  static const TypeRows rows = report_rows(
      {row("key", &HardwareFigure::key),
       formed("value", kFigureValue, {"As in a hardware file; ports and dead tiles are counted."}),
       row("source", &HardwareFigure::source)});
  return rows;
}

template <>
const TypeRows& rows_of<PortTotals>() {
  static const TypeRows rows = report_rows(
      {row("count", &PortTotals::count, {.range = kCount}),
       row("lost", &PortTotals::lost,
           {"Of them, on tiles that are dead or cut off; the totals leave them out.", kCount}),
       row("bytes_per_s", &PortTotals::bytes_per_s,
           {"In one direction, each at most what one link of its tile takes."}),
       row("own_bytes_per_s", &PortTotals::own_bytes_per_s, {"The same by the ports' own rates."}),
       row("capacity_bytes", &PortTotals::capacity_bytes, {kTotalMeaning})});
  return rows;
}

template <>
const TypeRows& rows_of<ReportedMachine>() {
  using Totals = HardwareTotals;
  const auto hardware = [](const ReportedMachine& at) -> const Hardware& { return *at.hardware; };
  const auto totals = [](const ReportedMachine& at) -> const Totals& { return at.totals; };
  static const TypeRows rows = report_rows(
      joined({through<ReportedMachine>(
                  hardware,
                  {row("name", &Hardware::name), row("topology", &Hardware::topology),
                   computed<Hardware>("columns", [](const Hardware& at) { return at.wafer.width; },
                                      {.range = kPositiveCount}),
                   computed<Hardware>("rows", [](const Hardware& at) { return at.wafer.height; },
                                      {.range = kPositiveCount})}),
              through<ReportedMachine>(
                  totals,
                  {row("tiles", &Totals::tiles, {"Tiles that are not dead.", kCount}),
                   row("dead_tiles", &Totals::dead_tiles, {.range = kCount}),
                   row("cut_off_tiles", &Totals::cut_off_tiles,
                       {"Live, but no way leads to the largest part of the mesh.", kCount}),
                   row("sram_bytes", &Totals::sram_bytes, {kTotalMeaning}),
                   row("dram_bytes", &Totals::dram_bytes, {kTotalMeaning}),
                   row("dram_bytes_per_s", &Totals::dram_bytes_per_s, {kTotalMeaning}),
                   row("peak_flop_per_s", &Totals::peak_flop_per_s, {"By data type."}),
                   row("host_ports", &Totals::host_ports), row("dram_ports", &Totals::dram_ports)}),
              through<ReportedMachine>(
                  hardware, {computed<Hardware>("defaulted", defaulted_keys,
                                                {"Keys of figures that the file does not have."}),
                             computed<Hardware>("figures", hardware_figures)})}));
  return rows;
}

template <>
const TypeRows& rows_of<MachinesReport>() {
  static const TypeRows rows = report_file(
      "waferloom/machines/1",
      {computed<MachinesReport>("machines", reported_machines,
                                {.meaning = "What the tiles that are not dead have together.",
                                 .items = kPositiveCount})});
  return rows;
}

Report machines_report(const std::vector<Hardware>& machines) {
  return described_report(MachinesReport{&machines});
}

std::string machines_schema() {
  return schema_text(rows_of<MachinesReport>(), "Report of waferloom hardware");
}

}  // namespace waferloom
