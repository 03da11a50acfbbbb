#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/imported_network.h"
#include "model/problem.h"
#include "model/report.h"

namespace waferloom::interchange {

struct OnnxOptions {
  std::map<std::string, std::int64_t> bindings{};  ///< what symbolic sizes are, from 1
  bool skip_unsupported = false;  ///< operators that nobody knows are left out, not refused
};

/// An operator that was left out, or that a model is refused for.
struct LeftOutOperator {
  std::string name;  ///< "com.example::Silu"
  std::int64_t count = 0;
  std::int64_t elements = 0;  ///< that its nodes make
  std::string node;           ///< the first of them
  std::string inputs;         ///< the sizes of its inputs
};

/// What an ONNX model is.
struct OnnxFacts {
  std::string name;
  std::size_t nodes = 0;
  std::int64_t batch = 1;          ///< samples that the file computes at once
  std::int64_t multiply_adds = 0;  ///< of all of them
  std::int64_t parameters = 0;
  std::int64_t elements = 0;  ///< that all nodes make
  std::vector<LeftOutOperator> left_out{};
  std::vector<std::string> notes{};  ///< what was assumed or left out, a sentence each
};

/// A contest case that was made of a model.
struct OnnxCase {
  Problem problem;
  OnnxFacts facts;
};

/// Whether bytes are an ONNX model, or were meant to be by the name of their file; JSON is none.
bool is_onnx(std::string_view bytes, const std::string& source);

/// The contest case of an ONNX model, for one sample, on the contest's wafer. Convolutions and
/// products of matrices become kernels, all else is merged into those (docs/import.md). Weights are
/// passed over, external data is not opened. Throws InputError: "source: byte N: …" for what is no
/// model, else with the name of a node or a value.
OnnxCase import_onnx_case(std::string_view bytes, const std::string& source,
                          const OnnxOptions& options = {});

/// The network of an ONNX model, for one sample: layers of transformers that are recognised from
/// their parts, convolutions, products, pools and sums (docs/import.md). Throws as
/// import_onnx_case.
ImportedNetwork import_onnx_network(std::string_view bytes, const std::string& source,
                                    const OnnxOptions& options = {});

/// The share of all elements that nodes make which those of left-out operators make, 0 to 1.
double left_out_share(const OnnxFacts& facts);

/// What import reports of a case, and its schema.
Report import_case_report(const OnnxCase& imported);
std::string import_case_schema();

}  // namespace waferloom::interchange
