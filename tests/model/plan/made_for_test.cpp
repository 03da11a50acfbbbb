#include <doctest/doctest.h>

#include "model/hardware.h"
#include "model/plan.h"
#include "tests/support/presets.h"

namespace waferloom {
namespace {

TEST_CASE("a plan knows another network and another machine from its own, whatever their names") {
  const Workload network = test::preset_workload("ResNet-50");
  const Hardware machine = test::preset_hardware("grayskull");
  const MadeFor made = made_for(network, machine);
  CHECK(made.network == "ResNet-50");
  CHECK(made.machine == "grayskull");
  CHECK(made_for_others(made, network, machine).empty());
  CHECK(made_for_others({}, network, machine).empty());
  using Texts = std::vector<std::string>;

  Hardware faster = machine;
  faster.clock_hz += 1;
  CHECK(made_for_others(made, network, faster) ==
        Texts{"made for another machine of the name 'grayskull'"});
  Hardware less = machine;
  less.wafer.dead.push_back({0, 0, 1, 1});
  CHECK(made_for_others(made, network, less).size() == 1);
  faster.name = "fast";
  CHECK(made_for_others(made, network, faster) ==
        Texts{"made for the machine 'grayskull', not for 'fast'"});
  // The name alone is no difference.
  Hardware renamed = machine;
  renamed.name = "mine";
  CHECK(made_for_others(made, network, renamed).empty());

  Workload of_bits = network;
  of_bits.kept.weights = NumberFormat{4, 128};
  CHECK(made_for_others(made, of_bits, machine).size() == 1);
  Workload shorter = network;
  shorter.operators.pop_back();
  CHECK(made_for_others(made, shorter, machine) ==
        Texts{"made for another network of the name 'ResNet-50'"});
  Workload cut = network;
  cut.operators.back().after.clear();
  CHECK(made_for_others(made, cut, machine).size() == 1);
}

}  // namespace
}  // namespace waferloom
