// What is in a container, read without our own reader.
#pragma once

#include <zip.h>

#include <map>
#include <string>
#include <utility>

#include "dump_directories.h"

namespace depscope::app {

/// Name and bytes of each member, those of archives inside too.
inline std::map<std::string, std::string> members_of(const std::string& path) {
  std::map<std::string, std::string> out;
  int code = 0;
  zip_t* in = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (in == nullptr) return out;
  for (zip_int64_t i = 0; i < zip_get_num_entries(in, 0); ++i) {
    zip_stat_t stat;
    zip_stat_index(in, static_cast<zip_uint64_t>(i), 0, &stat);
    std::string bytes(stat.size, '\0');
    zip_file_t* file = zip_fopen_index(in, static_cast<zip_uint64_t>(i), 0);
    zip_fread(file, bytes.data(), bytes.size());
    zip_fclose(file);
    out[stat.name] = std::move(bytes);
  }
  zip_discard(in);
  const auto recording = out.find("recording.depscope");
  if (recording != out.end()) {
    const std::string inner = path + ".inner";
    write_text(inner, recording->second);
    for (auto& [name, bytes] : members_of(inner)) out["recording.depscope/" + name] = bytes;
  }
  return out;
}

}  // namespace depscope::app
