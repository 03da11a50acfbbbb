#pragma once

#include <cstddef>
#include <string>

#include "model/hardware.h"
#include "model/workload.h"
#include "tests/support/presets.h"

namespace waferloom::test {

/// Four layers of 64 features in four heads, two of keys and values, and 100 words.
inline Workload small_model() {
  Workload workload;
  workload.name = "small";
  TransformerOperator layer;
  layer.sequence = 32;
  layer.hidden = 64;
  layer.heads = 4;
  layer.key_value_heads = 2;
  layer.feed_forward = 128;
  layer.gated = true;
  workload.operators.push_back({"embedding", EmbeddingOperator{32, 100, 64, 0}, {}});
  for (std::size_t i = 0; i < 4; ++i) {
    workload.operators.push_back({"layer." + std::to_string(i), layer, {i}});
  }
  workload.operators.push_back({"head", HeadOperator{32, 100, 64, false}, {4}});
  return workload;
}

/// A part of a WSE-2 without ports.
inline Hardware serving_wafer(std::int64_t columns, std::int64_t rows) {
  Hardware hardware = preset_hardware("wse2");
  hardware.wafer.width = columns;
  hardware.wafer.height = rows;
  hardware.host_ports.clear();
  return hardware;
}

}  // namespace waferloom::test
