#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/routes.h"
#include "model/traffic.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// A legal placement as a pipeline: every kernel is a stage whose service is its time, every edge a
/// channel of its tensor between the two rectangles, every edge of a network input or output one
/// between the rectangle and ports on the wafer's edge.
///
/// Buffers of an edge hold 2 + (depth(consumer) − depth(producer) − 1) samples, by longest path, so
/// that a balanced pipeline never stalls for a skip, unless the hardware says another number. An
/// adapter holds a sample for its set-up and its bytes at the lanes' rate. Training: backward takes
/// twice as long as forward, gradients are as large as tensors.
///
/// Throws RequestError where the hardware cannot hold it: another mesh than the problem's
/// wafer, a stage on a dead tile, or inputs and outputs without a port.
PipelineSpec contest_pipeline(const Problem& problem, const Placement& placement,
                              const Hardware& hardware, bool training);

/// What a sample moves in that pipeline, whatever the routes. Its tensors have the names of the
/// pipeline's channels, with " #2" and so on where several are alike; gradients (training) begin
/// with "gradient of ". An input or output may use every live host port, or the one that the
/// hardware gives it. Throws as contest_pipeline.
Traffic contest_traffic(const Problem& problem, const Placement& placement,
                        const Hardware& hardware, bool training);

/// By connection of a problem the name of its tensor in that traffic: "PRODUCER -> CONSUMER", and
/// " #2" and so on where several are alike. Of a plan's stages likewise.
std::vector<std::string> connection_tensor_names(const Problem& problem);

/// The pipeline of a placement whose tensors go by given routes, which verify_routes has nothing
/// against. Kernels keep their part of the links inside them (RoutingSpec).
PipelineSpec contest_pipeline(const Problem& problem, const Placement& placement,
                              const Hardware& hardware, bool training, const Routes& routes);

/// A time of a problem (in units of 1/time_denominator) in picoseconds, rounded to the nearest, at
/// least 1.
Picoseconds service_time(std::int64_t time, std::int64_t denominator, const Hardware& hardware);

}  // namespace waferloom::sim
