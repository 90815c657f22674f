#include "depscope/base/text_memory.h"

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

}  // namespace depscope
