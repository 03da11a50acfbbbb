#include "planner/centimani.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostChips = 100'000'000;

}  // namespace

Options<CentimaniChoice> centimani_options() {
  const auto plain = [](const Option<CentimaniOptions>& row) {
    return option_inside(&CentimaniChoice::options, row);
  };
  const Options<MachineChoice> machine = machine_options(
      {.name = "hardware",
       .value = "NAME|FILE",
       .help = "{fallback} (default), sn30, bow_ipu, cs2, gaudi2, another preset, or a JSON file.",
       .fallback = CentimaniChoice{}.machine.name.value()});
  // --chips says how many of the machine's chips train.
  return {
      option_inside(&CentimaniChoice::machine, machine[0]),
      option_inside(&CentimaniChoice::machine, machine[1]),
      option(&CentimaniChoice::batches,
             {"batches", '\0', "N,N,...",
              "Candidates, samples of a replica at once (default 1,2,4,...,4096)."}),
      plain(option(&CentimaniOptions::chips, {.name = "chips",
                                              .value = "N",
                                              .help = "Chips that train together {default}.",
                                              .range = WholeRange{1, kMostChips}})),
      plain(
          option(&CentimaniOptions::stages, {.name = "stages",
                                             .value = "N",
                                             .help = "Parts of the network, a chip each {default}.",
                                             .range = WholeRange{1, kMostChips}})),
      plain(option(&CentimaniOptions::learning,
                   {"learning", '\0', "sync|async",
                    "All-reduce of gradients (default), or a server of parameters."})),
      option(&CentimaniChoice::compress,
             {.name = "compress",
              .value = "BITS[,DENSITY[,INDEX]]",
              .help = "Gradients in so many bits, of this part of the elements, with an index of "
                      "INDEX (default " +
                      fallback_text(Compression{}.index_bits) + ") bits each."}),
      plain(option(&CentimaniOptions::optimizer,
                   {.name = "optimizer",
                    .value = "adam|sgd",
                    .help = "Whose states are kept (default {fallback}: 12 bytes).",
                    .choices = {{"adam"}, {"sgd"}}}))};
}

}  // namespace waferloom::planner
