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

ContestCase contest_case(const std::string& name, const std::string& title,
                         const NetworkParameters& network, const Prices& prices) {
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
      contest_case("A", "compact-balanced-router", r50, {1, 0}),
      contest_case("B", "2x-compact-balanced-router", r50x2, {1, 0}),
      contest_case("C", "2x-full-balanced-router", as_convolutions(r50x2), {1, 0}),
      contest_case("D", "full-balanced-router", as_convolutions(r50), {1, 0}),
      contest_case("E", "compact-adapter-router-limited", r50, {10, 100}),
      contest_case("F", "2x-compact-adapter-router-limited", r50x2, {10, 100}),
      contest_case("G", "2x-full-adapter-router-limited", as_convolutions(r50x2), {10, 100}),
      contest_case("H", "full-adapter-router-limited", as_convolutions(r50), {10, 100}),
      contest_case("I", "resnet75-totem-deltat", r75, {4, 0}),
      contest_case("J", "resnet75-conv-deltat", as_convolutions(r75), {4, 0}),
      contest_case("K", "resnet50-lean-totem-deltat", lean, {4, 0}),
      contest_case("L", "resnet50-lean-conv-deltat", as_convolutions(lean), {4, 0}),
      contest_case("M", "unet-conv-deltat-t", unet(), {4, 0}),
      contest_case("N", "fcnet-lite-deltat", fully_connected(), {4, 0}),
      contest_case("O", "resnet75-totem-balanced", r75, {40, 400}),
      contest_case("P", "resnet75-conv-balanced", as_convolutions(r75), {40, 400}),
      contest_case("Q", "resnet50-lean-totem-balanced", lean, {40, 400}),
      contest_case("R", "resnet50-lean-conv-balanced", as_convolutions(lean), {40, 400}),
      contest_case("S", "unet-conv-balanced", unet(), {400, 400}),
      contest_case("T", "fcnet-lite-balanced", fully_connected(), {40, 400}),
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
