#pragma once

#include <string>

#include "interchange/huggingface/config_reader.h"
#include "model/workload.h"

namespace waferloom::interchange {

/// What a quantization_config says of a network's weights and caches.
struct Quantization {
  KeptNumbers kept{};
  std::string note{};  ///< what is assumed or not read; empty without a quantization_config
};

/// Of AWQ, GPTQ, bitsandbytes, fp8, and compressed-tensors with one group of all linear operators.
/// Others are not read, which the note says. Throws InputError for impossible values.
Quantization quantization_of(const ConfigReader& config);

}  // namespace waferloom::interchange
