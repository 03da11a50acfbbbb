// check_schema SCHEMA < JSON: exits with 0 if the JSON on stdin is valid under the schema file,
// otherwise prints what is wrong and exits with 1; 2 if either cannot be read.

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

int main(int argc, char** argv) {
  using Adapter = valijson::adapters::NlohmannJsonAdapter;
  if (argc != 2) return 2;
  try {
    std::ifstream file(argv[1]);
    const nlohmann::json schema_json = nlohmann::json::parse(file);
    const nlohmann::json report = nlohmann::json::parse(std::cin);
    valijson::Schema schema;
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(Adapter(schema_json), schema);
    valijson::ValidationResults results;
    if (valijson::Validator().validate(schema, Adapter(report), &results)) return 0;
    for (const auto& error : results) {
      for (const std::string& step : error.context) std::cerr << step;
      std::cerr << ": " << error.description << "\n";
    }
    return 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
