#pragma once

#include <string>
#include <string_view>

namespace waferloom::cluster {

/// The bytes of a file that the program wrote itself, empty if it is not there. Unlike an input it
/// is not noted for reports, and it is read after a signal, too.
std::string own_file_text(const std::string& path);

/// The file while this process writes it, beside it: ".NAME.HOST.PID", NAME without endings.
std::string temporary_name(const std::string& path);

/// Writes a file that nobody looks for yet, and its folder; it need not survive a power failure.
/// Throws InputError.
void write_plainly(const std::string& path, std::string_view bytes);

/// From now on the bytes of a file survive a power failure; best effort.
void make_lasting(const std::string& path);

/// Makes a file unless one of that name is there, so that of many who try, on machines that share
/// the file system, one succeeds; for all of them there is a whole file afterwards. Throws
/// InputError.
void write_once(const std::string& path, std::string_view bytes);

/// Makes a folder, and those above it, where they are not there. Throws InputError.
void make_folder(const std::string& path);

}  // namespace waferloom::cluster
