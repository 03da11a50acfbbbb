#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// Stages in a row with so much room between them, tensors of no bytes.
inline PipelineSpec row_of_stages(const std::vector<Picoseconds>& services, std::int64_t room) {
  PipelineSpec spec;
  for (std::size_t i = 0; i < services.size(); ++i) {
    spec.stages.push_back({"s" + std::to_string(i), services[i]});
    if (i == 0) continue;
    ChannelSpec channel;
    channel.name = "c" + std::to_string(i);
    channel.producer = i - 1;
    channel.consumer = i;
    channel.buffer_samples = room;
    spec.channels.push_back(channel);
  }
  return spec;
}

}  // namespace waferloom::sim
