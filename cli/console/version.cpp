#include "cli/console/version.h"

#include <cairo.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <zlib.h>

#include <boost/version.hpp>

#include "model/report.h"

#ifndef WAFERLOOM_STD_THREADS
#include <tbb/version.h>
#endif

namespace waferloom::cli {
namespace {

std::string dotted(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

std::string thread_library() {
#ifdef WAFERLOOM_STD_THREADS
  return "std::thread (built without oneTBB)";
#else
  return "oneTBB " + dotted(TBB_VERSION_MAJOR, TBB_VERSION_MINOR, TBB_VERSION_PATCH);
#endif
}

}  // namespace

std::string program_version() { return WAFERLOOM_VERSION; }

std::string version_text() {
  std::string text = "waferloom " + program_version() + "\n";
  text += "Boost " +
          dotted(BOOST_VERSION / 100'000, BOOST_VERSION / 100 % 1'000, BOOST_VERSION % 100) + "\n";
  text += thread_library() + "\n";
  text += std::string("Cairo ") + cairo_version_string() + "\n";
  text += fmt::format("fmt {}\n",
                      dotted(FMT_VERSION / 10'000, FMT_VERSION / 100 % 100, FMT_VERSION % 100));
  text += json_library() + "\n";
  text += std::string("OpenSSL ") + OpenSSL_version(OPENSSL_VERSION_STRING) + "\n";
  text += std::string("SQLite ") + sqlite3_libversion() + "\n";
  text += std::string("zlib ") + zlibVersion() + "\n";
  return text;
}

}  // namespace waferloom::cli
