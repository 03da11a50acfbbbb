#pragma once

#include "model/workload.h"

namespace waferloom::test {

/// A layer of GPT-3 175B: h = 12288, s = 2048, a = 96.
inline TransformerOperator gpt3_operator() {
  TransformerOperator layer;
  layer.sequence = 2048;
  layer.hidden = 12288;
  layer.heads = 96;
  layer.key_value_heads = 96;
  layer.feed_forward = 49152;
  return layer;
}

}  // namespace waferloom::test
