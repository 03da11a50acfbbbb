#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"
#include "model/workload.h"

namespace waferloom::interchange {

/// A network of another program's file.
struct ImportedNetwork {
  Network file;                      ///< its operators, as network_text writes them
  std::vector<std::string> notes{};  ///< what was assumed or left out, a sentence each
};

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

/// What import reports of a network of so many operators, and its schema.
Report import_report(const ImportedNetwork& network, const OperatorCount& counted,
                     std::size_t operators);
std::string import_schema();

/// The values of model_type that import_config knows: "llama, mistral, …".
std::string config_families();

}  // namespace waferloom::interchange
