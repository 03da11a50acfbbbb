#pragma once

#include <string>
#include <vector>

#include "planner/tile_operators.h"
#include "planner/wafer_serving.h"
#include "planner/wafer_streaming.h"

namespace waferloom::cli {

/// At most 80 columns: rates of the asked requests, where a token's time goes, memory, latency
/// against throughput, and what backs it.
std::string wafer_serving_summary(const planner::WaferServingJob& job,
                                  const planner::WaferServing& found);

/// At most 80 columns: the best batch, where its time goes, all batches, and what backs it.
std::string wafer_streaming_summary(const planner::WaferStreamingJob& job,
                                    const planner::WaferStreaming& found, double simulated_s);

/// "upper bound", where what programs take is not known; else nothing.
std::string upper_bound_line(const Hardware& hardware);

/// A line for each part of a plan: measured with which error, calibrated, assumed, or an upper
/// bound.
std::string trust_lines(const std::vector<planner::TrustRow>& rows);

}  // namespace waferloom::cli
