#pragma once

#include <string>

namespace waferloom::cli {

/// The bytes of a file that the program wrote itself, empty if it is not there. Unlike an input it
/// is not noted for reports, and it is read after a signal, too.
std::string own_file_text(const std::string& path);

/// Makes a folder, and those above it, where they are not there. Throws Failure::input.
void make_folder(const std::string& path);

}  // namespace waferloom::cli
