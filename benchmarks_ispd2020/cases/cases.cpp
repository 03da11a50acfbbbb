#include "benchmarks_ispd2020/cases.h"

#include <algorithm>
#include <stdexcept>

#include "benchmarks_ispd2020/cases/families.h"

namespace waferloom::ispd2020 {
namespace {

ResnetParameters resnet50() { return {}; }

ResnetParameters resnet50_twice() {
  ResnetParameters network = resnet50();
  network.copies = 2;
  return network;
}

ResnetParameters resnet50_lean() {
  ResnetParameters network = resnet50();
  network.features /= 16;
  return network;
}

/// 5·3 + 6·3 + 9·3 + 5·3 = 75 layers; its first cblock is declared at half its input's image.
ResnetParameters resnet75() {
  ResnetParameters network;
  network.blocks_per_stage = {5, 6, 9, 5};
  network.first_block_image = 56;
  return network;
}

ResnetParameters as_convolutions(ResnetParameters network) {
  network.form = ResnetForm::convolutions;
  return network;
}

UnetParameters unet() {
  UnetParameters network;
  network.deepest_tensor = TensorShape{8, 1024, 1024};
  return network;
}

FullyConnectedParameters fully_connected() { return {}; }

/// What one unit of distance and one adapter mismatch cost where a unit of time costs 1.
struct Prices {
  std::int64_t distance = 0;
  std::int64_t adapter = 0;
};

ContestCase contest_case(const std::string& name, const NetworkParameters& network,
                         const std::string& title, const Prices& prices) {
  ProblemSettings settings;
  settings.name = title;
  settings.weights = {decimal6(1), decimal6(prices.distance), decimal6(prices.adapter)};
  return {name, network, settings};
}

std::vector<ContestCase> all_cases() {
  const ResnetParameters r50 = resnet50();
  const ResnetParameters r50x2 = resnet50_twice();
  const ResnetParameters lean = resnet50_lean();
  const ResnetParameters r75 = resnet75();
  return {
      contest_case("A", r50, "compact-balanced-router", {1, 0}),
      contest_case("B", r50x2, "2x-compact-balanced-router", {1, 0}),
      contest_case("C", as_convolutions(r50x2), "2x-full-balanced-router", {1, 0}),
      contest_case("D", as_convolutions(r50), "full-balanced-router", {1, 0}),
      contest_case("E", r50, "compact-adapter-router-limited", {10, 100}),
      contest_case("F", r50x2, "2x-compact-adapter-router-limited", {10, 100}),
      contest_case("G", as_convolutions(r50x2), "2x-full-adapter-router-limited", {10, 100}),
      contest_case("H", as_convolutions(r50), "full-adapter-router-limited", {10, 100}),
      contest_case("I", r75, "resnet75-totem-deltat", {4, 0}),
      contest_case("J", as_convolutions(r75), "resnet75-conv-deltat", {4, 0}),
      contest_case("K", lean, "resnet50-lean-totem-deltat", {4, 0}),
      contest_case("L", as_convolutions(lean), "resnet50-lean-conv-deltat", {4, 0}),
      contest_case("M", unet(), "unet-conv-deltat-t", {4, 0}),
      contest_case("N", fully_connected(), "fcnet-lite-deltat", {4, 0}),
      contest_case("O", r75, "resnet75-totem-balanced", {40, 400}),
      contest_case("P", as_convolutions(r75), "resnet75-conv-balanced", {40, 400}),
      contest_case("Q", lean, "resnet50-lean-totem-balanced", {40, 400}),
      contest_case("R", as_convolutions(lean), "resnet50-lean-conv-balanced", {40, 400}),
      contest_case("S", unet(), "unet-conv-balanced", {400, 400}),
      contest_case("T", fully_connected(), "fcnet-lite-balanced", {40, 400}),
  };
}

std::vector<std::string> names_of(const std::vector<ContestCase>& cases) {
  std::vector<std::string> names;
  for (const ContestCase& contest_case : cases) names.push_back(contest_case.name);
  return names;
}

}  // namespace

const std::vector<ContestCase>& contest_cases() {
  static const std::vector<ContestCase> cases = all_cases();
  return cases;
}

const std::vector<std::string>& case_names() {
  static const std::vector<std::string> names = names_of(contest_cases());
  return names;
}

Problem make_case(const std::string& name) {
  const std::vector<ContestCase>& cases = contest_cases();
  const auto found =
      std::find_if(cases.begin(), cases.end(),
                   [&name](const ContestCase& contest_case) { return contest_case.name == name; });
  if (found == cases.end())
    throw std::logic_error("expected a contest case A to T, found \"" + name + "\"");
  return make_network(found->network, found->settings);
}

}  // namespace waferloom::ispd2020
