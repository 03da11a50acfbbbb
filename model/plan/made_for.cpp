#include "model/plan/made_for.h"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <string>

#include "model/hardware.h"
#include "model/text.h"

// Problem: a plan is read beside a network and a machine, which may be others than it was made for.
// Idea: it names both, with a checksum of all of them that plans depend on, whatever file or preset
// they come from. Source: ours. Cost: O(operators + ports).
namespace waferloom {
namespace {

std::string checksum(const std::string& text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return fmt::format("{:08x}", crc.checksum());
}

std::string checksum(const Workload& workload) {
  std::string text = std::to_string(workload.tokens) + line_text([&](ValueSink& sink) {
                       write_rows(rows_of<KeptNumbers>(), &workload.kept, sink);
                     });
  for (const Operator& op : workload.operators) {
    const OperatorCount counted = count(op.kind);
    text += fmt::format("\n{} {}", op.name, op.kind.index());
    for (const std::int64_t size :
         {counted.matrix_flop, counted.element_flop, counted.parameters, counted.matrix_parameters,
          counted.idle_parameters, counted.cache, counted.input, counted.output, counted.saved,
          counted.saved_attention, counted.saved_whole, counted.moved, counted.moved_whole}) {
      text += " " + std::to_string(size);
    }
    for (const std::int64_t size : shape_of(op.kind)) text += " " + std::to_string(size);
    for (const std::size_t before : op.after) text += " " + std::to_string(before);
  }
  return checksum(text);
}

std::string checksum(const Hardware& hardware) {
  Machine machine;
  machine.fabric = hardware;
  machine.fabric->name.clear();  // told beside it
  return checksum(machine_text(machine));
}

}  // namespace

template <>
const TypeRows& rows_of<MadeFor>() {
  static const TypeRows rows = rows_for<MadeFor>(
      "what a plan was made for",
      {row("network", &MadeFor::network, {"name of the network"}),
       row("network_crc32", &MadeFor::network_crc32,
           {"checksum of its operators, 8 hexadecimal digits"}),
       row("machine", &MadeFor::machine, {"name of the machine"}),
       row("machine_crc32", &MadeFor::machine_crc32,
           {"checksum of all that its file says but the name; empty of chips that no simulation "
            "knows"})});
  return rows;
}

MadeFor made_for(const Workload& workload, const Hardware& hardware) {
  return {workload.name, checksum(workload), hardware.name, checksum(hardware)};
}

std::vector<std::string> made_for_others(const MadeFor& said, const Workload& workload,
                                         const Hardware& hardware) {
  std::vector<std::string> others;
  if (!said.is_known()) return others;
  const MadeFor now = made_for(workload, hardware);
  const auto compare = [&](std::string_view what, const std::string& name, const std::string& crc,
                           const std::string& name_now, const std::string& crc_now) {
    if (crc.empty() || crc == crc_now) return;
    others.push_back(name == name_now
                         ? fmt::format("made for another {} of the name {}", what, in_quotes(name))
                         : fmt::format("made for the {} {}, not for {}", what, in_quotes(name),
                                       in_quotes(name_now)));
  };
  compare("network", said.network, said.network_crc32, now.network, now.network_crc32);
  compare("machine", said.machine, said.machine_crc32, now.machine, now.machine_crc32);
  return others;
}

}  // namespace waferloom
