#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernel.h"
#include "placer/shape_library.h"

namespace waferloom {

/// What a neighbour sees of an execution: its signature, where some edge looks at it, and whether
/// its long side is odd, which decides if two centres can be level (docs/placer.md, parity).
/// Coordinates that no edge looks at are 0.
struct Port {
  Signature ports{0, 0, 0, 0};
  bool odd_length = false;
  bool operator==(const Port&) const = default;
};

/// One way to give a kernel a shape behind a port.
struct PortOption {
  std::uint32_t port = 0;    ///< index in PortOptions::ports
  std::int64_t thin = 0;     ///< shorter side, tiles
  std::int64_t length = 0;   ///< longer side, tiles
  Signature cut{};           ///< all of the signature, seen or not
  std::int64_t c_rest = 1;   ///< c of the convolutions that no neighbour sees, as in KernelCut
  std::int64_t extra_k = 0;  ///< k beyond the least, for the parity of the long side
  std::int64_t number = 0;   ///< of a list of shapes, from 1; 0 for all others
  std::int64_t area() const { return thin * length; }
};

/// All that can matter of a kernel under one time cap. For each port only options that no other
/// one beats in both thin side and area.
struct PortOptions {
  std::vector<Port> ports;
  std::vector<PortOption> options;
};

/// What to list: executions that exist, or outlines for a lower bound.
enum class PortRule {
  /// Cuts at the beginning of their class and one above (for parity); every option exists.
  executions,
  /// Each option stands for all cuts of its class: it has the height of the smallest, the memory
  /// of the largest, and either parity if the class holds both. No execution is cheaper than the
  /// option that stands for it, and executions that agree in h, w or c fall into the same class.
  outlines
};

/// Which coordinates of a kernel's signature some edge looks at.
struct SeenPorts {
  bool input = false;
  bool output = false;
  bool parity = false;
  bool operator==(const SeenPorts&) const = default;
};

/// Classes of h, w and c that all kernel types of a problem cut alike: within a class every
/// ⌈size/cut⌉ of every convolution is the same. Immutable; one per problem.
class PortClasses {
 public:
  explicit PortClasses(const ShapeLibrary& library);

  /// The options of a type under a cap. O(classes of h·w·c), for blocks times the c of the output
  /// and of the rest.
  PortOptions options(std::size_t type, std::int64_t time, const SeenPorts& seen,
                      PortRule rule) const;

  /// The execution of an option that exists; nothing for an outline that does not.
  std::optional<Execution> execution(std::size_t type, std::int64_t time,
                                     const PortOption& option) const;

  /// First members of the classes, ascending from 1.
  const std::vector<std::int64_t>& heights() const { return heights_; }
  const std::vector<std::int64_t>& widths() const { return widths_; }
  const std::vector<std::int64_t>& channels() const { return channels_; }

 private:
  const ShapeLibrary* library_;
  std::vector<std::int64_t> heights_;
  std::vector<std::int64_t> widths_;
  std::vector<std::int64_t> channels_;
};

}  // namespace waferloom
