#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "interchange/imported_network.h"

namespace waferloom::interchange {

struct ImportOptions {
  std::optional<std::int64_t>
      sequence{};  ///< tokens of a sample; nothing: as kLongestSequence says
};
/// Without a length a sample has as many tokens as the model has positions, but no more than this.
inline constexpr std::int64_t kLongestSequence = 8192;

/// Whether a text is a JSON object as Hugging Face's configurations are: with model_type or
/// architectures, without operators.
bool is_config(std::string_view text, const std::string& source);

/// The network of a Hugging Face config.json. `source` names it in messages, and where the file
/// does not name its model. Throws InputError with source:line:column for what is no such file, for
/// families that are not known (encoder-decoders by that word), and for keys that are missing or
/// have impossible values.
ImportedNetwork import_config(std::string_view text, const std::string& source,
                              const ImportOptions& options = {});

/// The values of model_type that import_config knows: "llama, mistral, …".
std::string config_families();

}  // namespace waferloom::interchange
