// same_schema OLD NEW JSON…: exits with 0 if both schema files say the same of all these files, and
// of 200 faults put into each, one at a time; prints where they differ and exits with 1; 2 if a
// file cannot be read. For a schema kept by hand that gives way to one that rows make.

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace {

using Json = nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

Json parsed(const char* path) {
  std::ifstream file(path);
  return Json::parse(file);
}

struct Judge {
  explicit Judge(const char* path) : text(parsed(path)) {
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(text), schema);
  }
  bool accepts(const Json& json) {
    return valijson::Validator().validate(schema, Adapter(json), nullptr);
  }
  Json text;
  valijson::Schema schema;
};

/// Every value of a JSON, by its path.
void collect(const Json& json, const Json::json_pointer& at, std::vector<Json::json_pointer>& all) {
  all.push_back(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) collect(value, at / key, all);
  } else if (json.is_array()) {
    // Items of a list are alike: the first and the last stand for all.
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (i < 2 || i + 1 == json.size()) collect(json[i], at / i, all);
    }
  }
}

/// A fault at a place, and what it is.
std::string put_fault(Json& json, const Json::json_pointer& at, std::mt19937& chance) {
  static const Json values[] = {nullptr,        -1,     0,         1.5,  17,
                                1e30,           "x",    "",        true, Json::array(),
                                Json::object(), {1, 2}, {{"x", 1}}};
  Json& value = json[at];
  if (value.is_object() && chance() % 3 == 0) {
    value["unknown_key"] = 1;
    return "a key more";
  }
  if (!at.empty() && json[at.parent_pointer()].is_object() && chance() % 3 == 0) {
    json[at.parent_pointer()].erase(at.back());
    return "left out";
  }
  value = values[chance() % std::size(values)];
  return value.dump();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  try {
    Judge old_judge(argv[1]);
    Judge new_judge(argv[2]);
    int differences = 0;
    int refused = 0;
    for (int i = 3; i < argc; ++i) {
      const Json json = parsed(argv[i]);
      if (!old_judge.accepts(json) || !new_judge.accepts(json)) {
        std::cout << argv[i] << ": accepted by the old one: " << old_judge.accepts(json)
                  << ", by the new one: " << new_judge.accepts(json) << "\n";
        ++differences;
      }
      std::vector<Json::json_pointer> places;
      collect(json, Json::json_pointer(), places);
      std::mt19937 chance(20201130);
      for (int fault = 0; fault < 200; ++fault) {
        const Json::json_pointer& at = places[chance() % places.size()];
        Json changed = json;
        const std::string what = put_fault(changed, at, chance);
        const bool before = old_judge.accepts(changed);
        const bool after = new_judge.accepts(changed);
        refused += before ? 0 : 1;
        if (before == after) continue;
        std::cout << argv[i] << " " << at.to_string() << ": " << what
                  << ", accepted by the old one: " << before << ", by the new one: " << after
                  << "\n";
        ++differences;
      }
    }
    std::cout << argc - 3 << " files, " << 200 * (argc - 3) << " faults, " << refused
              << " refused, " << differences << " differences\n";
    return differences > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
