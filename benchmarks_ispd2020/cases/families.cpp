#include "benchmarks_ispd2020/cases/families.h"

#include "benchmarks_ispd2020/cases.h"

namespace waferloom::ispd2020 {
namespace {

struct Maker {
  const ProblemSettings& settings;
  Problem operator()(const ResnetParameters& network) const {
    return make_resnet(network, settings);
  }
  Problem operator()(const UnetParameters& network) const { return make_unet(network, settings); }
  Problem operator()(const FullyConnectedParameters& network) const {
    return make_fully_connected(network, settings);
  }
};

}  // namespace

Problem make_network(const NetworkParameters& parameters, const ProblemSettings& settings) {
  return std::visit(Maker{settings}, parameters);
}

}  // namespace waferloom::ispd2020
