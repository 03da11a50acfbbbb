#include "model/describe.h"
#include "model/hardware.h"

namespace waferloom {
namespace {

struct ReportedMachine {
  const Machine* machine;
  const Hardware* hardware;
  HardwareTotals totals;
};

struct MachinesReport {
  const std::vector<Machine>* machines;
};

/// A machine of several chips.
struct ReportedChips {
  const Machine* machine;
};

std::vector<ReportedMachine> reported_machines(const MachinesReport& report) {
  std::vector<ReportedMachine> machines;
  for (const Machine& machine : *report.machines) {
    if (machine.fabric)
      machines.push_back({&machine, &*machine.fabric, hardware_totals(*machine.fabric)});
  }
  return machines;
}

std::vector<ReportedChips> reported_chips(const MachinesReport& report) {
  std::vector<ReportedChips> machines;
  for (const Machine& machine : *report.machines) {
    if (!machine.chips.dimensions.empty()) machines.push_back({&machine});
  }
  return machines;
}

std::vector<std::int64_t> simulated_dimensions(const System& chips) {
  std::vector<std::int64_t> known;
  for (std::size_t i = 0; i < chips.dimensions.size(); ++i) {
    if (chips.dimensions[i].is_simulated()) known.push_back(static_cast<std::int64_t>(i));
  }
  return known;
}

/// As it was written into a hardware file.
void write_figure(const HardwareFigure& figure, ValueSink& sink) {
  write_json(parse_json(figure.value, std::string(figure.key)), sink);
}

constexpr OwnForm<HardwareFigure> kFigureValue{
    nullptr, write_figure, [](ValueSink& schema) {
      schema.key("type");
      schema.open_list();
      for (const char* type : {"number", "string", "null"}) schema.text(type);
      schema.close();
    }};

}  // namespace

template <>
const TypeRows& rows_of<HardwareFigure>() {
  static const TypeRows rows = report_rows(
      {row("key", &HardwareFigure::key, {"key of a hardware file"}),
       formed(
           "value", kFigureValue,
           {"its value, as in a hardware file, null included; ports and dead tiles are counted"}),
       row("source", &HardwareFigure::source,
           {"as in sources of the file; given: the file has the key and no source for "
            "it; default: it does not have the key"})});
  return rows;
}

template <>
const TypeRows& rows_of<PortTotals>() {
  static const TypeRows rows = report_rows(
      {row("count", &PortTotals::count, {"ports", kCount}),
       row("lost", &PortTotals::lost,
           {"of them, ports on tiles that are dead or cut off; the other keys leave them out",
            kCount}),
       row("bytes_per_s", &PortTotals::bytes_per_s,
           {"bytes a second in one direction, of each port at most what one link of its tile "
            "takes; null: no limit, or no ports"}),
       row("own_bytes_per_s", &PortTotals::own_bytes_per_s,
           {"bytes a second by the ports' own rates; null: no limit, or no ports"}),
       row("capacity_bytes", &PortTotals::capacity_bytes,
           {"bytes of the memories behind them; null: no limit, or none"})});
  return rows;
}

template <>
const TypeRows& rows_of<Balance>() {
  static const TypeRows rows = report_rows(
      {row("from", &Balance::from,
           {"sram, the name of a memory, host, a dimension's link, or the mesh's bisection"}),
       row("bytes_per_flop", &Balance::bytes_per_flop,
           {"bytes a second over the peak of what it feeds", kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<InstructionPeak>() {
  static const TypeRows rows = report_rows(
      {row("instruction", &InstructionPeak::instruction,
           {"element-wise, or the products of a program of tiles"}),
       row("data_type", &InstructionPeak::data_type, {"type of its operands; empty: not told"}),
       row("flop_per_s", &InstructionPeak::flop_per_s,
           {"operations a second of a tile, or of a chip", kAmount})});
  return rows;
}

namespace {

/// Of a machine, whichever of its views is reported.
template <typename Reported>
Row instructions_row() {
  return computed<Reported>(
      "instructions", [](const Reported& at) { return instruction_peaks(*at.machine); },
      {"what instructions reach that are no matrix products at the peak of their type"});
}

/// Likewise.
template <typename Reported>
Row balance_row() {
  return computed<Reported>(
      "balance", [](const Reported& at) { return machine_balance(*at.machine); },
      {"what feeds a chip for each FLOP of its peak, as far as it is known and has a limit"});
}

}  // namespace

template <>
const TypeRows& rows_of<ReportedMachine>() {
  using Totals = HardwareTotals;
  const auto hardware = [](const ReportedMachine& at) -> const Hardware& { return *at.hardware; };
  const auto totals = [](const ReportedMachine& at) -> const Totals& { return at.totals; };
  static const TypeRows rows = report_rows(joined(
      {through<ReportedMachine>(
           hardware,
           {row("name", &Hardware::name, {"name of the preset or file"}),
            row("topology", &Hardware::topology, {"how tiles are joined"}),
            computed<Hardware>("columns", [](const Hardware& at) { return at.wafer.width; },
                               {"tiles of a row", kPositiveCount}),
            computed<Hardware>("rows", [](const Hardware& at) { return at.wafer.height; },
                               {"rows of tiles", kPositiveCount})}),
       through<ReportedMachine>(
           totals,
           {row("tiles", &Totals::tiles, {"tiles that are not dead", kCount}),
            row("dead_tiles", &Totals::dead_tiles, {"dead tiles", kCount}),
            row("passing_tiles", &Totals::passing_tiles,
                {"of these, tiles whose routers live: routes pass, nothing is laid there", kCount}),
            row("cut_off_tiles", &Totals::cut_off_tiles,
                {"tiles that are not dead, but from which no way leads to the largest part of the "
                 "mesh",
                 kCount}),
            row("bisection_bytes_per_s", &Totals::bisection_bytes_per_s,
                {"bytes a second, in one direction, of the links between the halves of the columns "
                 "or of the rows, whichever have less; null: no limit, or switches"}),
            row("sram_bytes", &Totals::sram_bytes,
                {"bytes of SRAM of all tiles together; null: not known"}),
            row("dram_bytes", &Totals::dram_bytes,
                {"bytes of the memories that are a tile's own, together; null: there are none"}),
            row("dram_bytes_per_s", &Totals::dram_bytes_per_s,
                {"bytes a second of these memories together; null: no limit, or none"}),
            row("peak_flop_per_s", &Totals::peak_flop_per_s,
                {"by data type: FLOP/s of all tiles together"}),
            row("host_ports", &Totals::host_ports, {"ports to the host"}),
            row("dram_ports", &Totals::dram_ports, {"ports to DRAM"})}),
       {instructions_row<ReportedMachine>(), balance_row<ReportedMachine>()},
       through<ReportedMachine>(
           hardware, {computed<Hardware>("defaulted", defaulted_keys,
                                         {"keys of figures that the file does not have"}),
                      computed<Hardware>("figures", hardware_figures,
                                         {"every figure in force, with its source"})})}));
  return rows;
}

template <>
const TypeRows& rows_of<ReportedChips>() {
  const auto chips = [](const ReportedChips& at) -> const System& { return at.machine->chips; };
  static const TypeRows rows = report_rows(joined(
      {through<ReportedChips>(
           chips,
           {row("name", &System::name, {"name of the preset or file"}),
            computed<System>("network", network_text, {"what joins the chips"}),
            row("chips", &System::chips, {"chips of the machine", kPositiveCount}),
            row("chip", &System::chip, {"one of them"}),
            row("memories", &System::memories, {"memories of one of them, the nearest first"}),
            row("dimensions", &System::dimensions,
                {"dimensions of the network, the innermost first"}),
            computed<System>("simulated_dimensions", simulated_dimensions,
                             {"those of them that simulations know, by number from 0; models of "
                              "chips price all"})}),
       {instructions_row<ReportedChips>(), balance_row<ReportedChips>(),
        computed<ReportedChips>(
            "why_not_simulated", [](const ReportedChips& at) { return at.machine->why_no_fabric; },
            {"what of the network no simulation knows; empty: they take the machine"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<MachinesReport>() {
  static const TypeRows rows = report_file(
      "waferloom/machines/1",
      {computed<MachinesReport>("machines", reported_machines,
                                {"the fabric of one machine, or those of all presets: none where "
                                 "no simulation takes the machine"}),
       computed<MachinesReport>("chips", reported_chips, {"machines of several chips"})});
  return rows;
}

Report machines_report(const std::vector<Machine>& machines) {
  return described_report(MachinesReport{&machines});
}

std::string machines_schema() {
  return schema_text(rows_of<MachinesReport>(), "Report of waferloom hardware");
}

}  // namespace waferloom
