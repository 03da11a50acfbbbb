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

constexpr std::int64_t kChecksumDigits = 8;

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
  Machine machine;  // its name, which is told beside the checksum, is the same for all
  machine.fabric = hardware;
  return checksum(machine_text(machine));
}

}  // namespace

template <>
const TypeRows& rows_of<MadeFor>() {
  static const TypeRows rows = rows_for<MadeFor>(
      "what a plan was made for",
      {needed("network", &MadeFor::network, {"name of the network"}),
       needed("network_crc32", &MadeFor::network_crc32,
              {.meaning = "checksum of its operators, 8 hexadecimal digits; empty: not told",
               .items = {0, kChecksumDigits},
               .characters = kHexadecimalDigits}),
       needed("machine", &MadeFor::machine, {"name of the machine"}),
       needed("machine_crc32", &MadeFor::machine_crc32,
              {.meaning = "checksum of all that its file says but the name; empty of chips that no "
                          "simulation knows",
               .items = {0, kChecksumDigits},
               .characters = kHexadecimalDigits})});
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
  struct Part {
    std::string_view what;
    std::string MadeFor::*name;
    std::string MadeFor::*crc;
  };
  for (const Part& part : {Part{"network", &MadeFor::network, &MadeFor::network_crc32},
                           Part{"machine", &MadeFor::machine, &MadeFor::machine_crc32}}) {
    const std::string& before = said.*part.name;
    const std::string& after = now.*part.name;
    if ((said.*part.crc).empty() || said.*part.crc == now.*part.crc) continue;
    others.push_back(before == after ? fmt::format("made for another {} of the name {}", part.what,
                                                   in_quotes(before))
                                     : fmt::format("made for the {} {}, not for {}", part.what,
                                                   in_quotes(before), in_quotes(after)));
  }
  return others;
}

}  // namespace waferloom
