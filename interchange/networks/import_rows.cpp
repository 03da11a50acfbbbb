#include "interchange/imported_network.h"
#include "model/describe.h"

namespace waferloom {
namespace {

/// What a report says of a network of another program's file.
struct ImportFacts {
  std::string name;
  std::int64_t tokens = 1;
  std::size_t operators = 1;
  std::int64_t parameters = 1;
  std::int64_t active_parameters = 1;
  std::int64_t cache_elements = 0;
  std::vector<std::string> notes;
};

}  // namespace

template <>
const TypeRows& rows_of<ImportFacts>() {
  using Facts = ImportFacts;
  static const TypeRows rows = report_file(
      "waferloom/import/1",
      {row("name", &Facts::name, {"name of the network"}),
       row("tokens", &Facts::tokens, {"tokens of a sample; 1 of images", kPositiveCount}),
       row("operators", &Facts::operators, {"operators of the network", kPositiveCount}),
       row("parameters", &Facts::parameters, {"parameters of the network", kCount}),
       row("active_parameters", &Facts::active_parameters,
           {"parameters that a token goes through", kCount}),
       row("cache_elements", &Facts::cache_elements,
           {"numbers of keys and values of a token in all layers", kCount}),
       row("notes", &Facts::notes, {"what was assumed or left out"})});
  return rows;
}

namespace interchange {

Report import_report(const ImportedNetwork& network, const OperatorCount& counted,
                     std::size_t operators) {
  return described_report(ImportFacts{network.file.name, network.file.tokens, operators,
                                      counted.parameters, counted.active_parameters(),
                                      counted.cache, network.notes});
}

std::string import_schema() { return schema_text(rows_of<ImportFacts>(), "waferloom/import/1"); }

}  // namespace interchange
}  // namespace waferloom
