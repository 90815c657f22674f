#include "raw_zip.h"

#include <zlib.h>

namespace depscope::replay {
namespace {

void put(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
}

constexpr std::uint64_t kWord = 0xffffffffU;

/// The part that local header and directory share, from the needed version to the size of the extra field.
void put_common(std::string& out, const RawMember& m, const std::string& name, std::uint64_t declared, bool wide) {
  put(out, 45, 2);
  put(out, m.flags, 2);
  put(out, m.method, 2);
  put(out, 0, 2);
  put(out, (1U << 5U) | 1U, 2);  // 1980-01-01
  put(out, crc32(0, reinterpret_cast<const Bytef*>(m.bytes.data()), static_cast<uInt>(m.bytes.size())), 4);
  put(out, wide ? kWord : m.bytes.size(), 4);
  put(out, wide ? kWord : declared, 4);
  put(out, name.size(), 2);
  put(out, wide ? 20 : 0, 2);
}

void put_wide(std::string& out, const RawMember& m, std::uint64_t declared) {
  put(out, 1, 2);  // the ZIP64 field
  put(out, 16, 2);
  put(out, declared, 8);
  put(out, m.bytes.size(), 8);
}

}  // namespace

std::string raw_zip(const std::vector<RawMember>& members) {
  std::string out;
  std::string directory;
  std::vector<std::uint64_t> offsets;
  for (const RawMember& m : members) {
    const std::uint64_t declared = m.declared_bytes == ~0U ? m.bytes.size() : m.declared_bytes;
    const bool wide = declared >= kWord;
    if (m.same_data_as >= 0) {
      offsets.push_back(offsets[static_cast<std::size_t>(m.same_data_as)]);
    } else {
      offsets.push_back(out.size());
      const std::string& local = m.local_name.empty() ? m.name : m.local_name;
      put(out, 0x04034b50, 4);
      put_common(out, m, local, declared, wide);
      out += local;
      if (wide) put_wide(out, m, declared);
      out += m.bytes;
    }
    put(directory, 0x02014b50, 4);
    put(directory, (3U << 8U) | 45U, 2);  // made on Unix
    put_common(directory, m, m.name, declared, wide);
    put(directory, 0, 2);  // comment
    put(directory, 0, 2);  // disk
    put(directory, 0, 2);
    put(directory, m.attributes, 4);
    put(directory, offsets.back(), 4);
    directory += m.name;
    if (wide) put_wide(directory, m, declared);
  }
  const std::uint64_t begin = out.size();
  out += directory;
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, members.size(), 2);
  put(out, members.size(), 2);
  put(out, directory.size(), 4);
  put(out, begin, 4);
  put(out, 0, 2);
  return out;
}

}  // namespace depscope::replay
