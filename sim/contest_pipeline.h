#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/routes.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// A legal placement as a pipeline. Every kernel is a stage; a sample takes the kernel's time
/// there. Every edge is a channel that carries its tensor from rectangle to rectangle. An input or
/// output of the network is a channel between a rectangle and the ports at the wafer's edge.
///
/// The buffer of an edge holds 2 + (depth(consumer) − depth(producer) − 1) samples, with depths by
/// longest path. So a balanced pipeline never stalls for a skip. An input or output holds 8. The
/// hardware may say another number. An adapter holds a sample for its set-up time and for its bytes
/// at the lanes' rate. In training, backward takes twice as long as forward, and gradients are as
/// large as tensors.
///
/// Throws RequestError where the hardware cannot hold the placement: it is no mesh, a kernel lies
/// beyond it or on a dead tile, or there are inputs or outputs and no live port. Throws it for a
/// graph with a cycle, too.
PipelineSpec contest_pipeline(const Problem& problem, const Placement& placement,
                              const Hardware& hardware, bool training);

/// The tensors that a sample moves in that pipeline, for any routes. They have the names of the
/// pipeline's channels. If several names are equal, " #2" and so on is appended. In training, names
/// of gradients begin with "gradient of ". An input or output may use every live host port, or the
/// port that the hardware gives it. Throws as contest_pipeline.
Traffic contest_traffic(const Problem& problem, const Placement& placement,
                        const Hardware& hardware, bool training);

/// The name of each connection's tensor in that traffic: "PRODUCER -> CONSUMER", with " #2" and so
/// on if several are equal. It works for the stages of a plan too.
std::vector<std::string> connection_tensor_names(const Problem& problem);

/// The pipeline of a placement whose tensors take the given routes. The routes have to pass
/// verify_routes. Kernels keep their part of the links inside them (RoutingSpec).
PipelineSpec contest_pipeline(const Problem& problem, const Placement& placement,
                              const Hardware& hardware, bool training, const Routes& routes);

/// A time of a problem.
struct ProblemTime {
  std::int64_t parts = 0;        ///< of a unit of time
  std::int64_t denominator = 1;  ///< parts that are a unit: the problem's time_denominator
};
/// The same in picoseconds, rounded to the nearest, at least 1. Throws RequestError above 10¹⁷.
Picoseconds service_time(const ProblemTime& at, const Hardware& hardware);

}  // namespace waferloom::sim
