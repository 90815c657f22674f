#include "depscope/base/text_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace depscope {

void give_back_memory(std::string_view text) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(text.data()) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(text.data()) + text.size()) / page * page;
  // Where the system does not want to, nothing is lost.
  if (first < last) static_cast<void>(::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED));
}

std::string digest_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace depscope
