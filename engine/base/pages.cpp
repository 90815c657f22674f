#include "depscope/base/pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace depscope {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kMappedFrom = static_cast<std::size_t>(-1);  // so that every table is watched
#else
constexpr std::size_t kMappedFrom = std::size_t{1} << 17U;
#endif
constexpr std::size_t kPage = std::size_t{1} << 12U, kHugePage = std::size_t{1} << 21U;

void* checked(void* memory) {
  if (memory == nullptr || memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

/// Fewer faults: a million tasks touch hundreds of megabytes once. Only advice, whatever comes of it.
void* advised(void* memory, std::size_t bytes) {
  if (bytes >= kHugePage) ::madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

std::size_t page_bytes(std::size_t bytes) {
  if (bytes < kMappedFrom) return bytes;
  const std::size_t page = bytes >= kHugePage ? kHugePage : kPage;
  return (bytes + page - 1) / page * page;
}

void* grow_pages(void* old, std::size_t old_bytes, std::size_t bytes) {
  if (bytes < kMappedFrom) return checked(std::realloc(old, bytes));
  if (old != nullptr && old_bytes >= kMappedFrom) return advised(checked(::mremap(old, old_bytes, bytes, MREMAP_MAYMOVE)), bytes);
  void* memory = advised(checked(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), bytes);
  if (old != nullptr) {
    std::memcpy(memory, old, old_bytes);
    std::free(old);
  }
  return memory;
}

void release_pages(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (bytes < kMappedFrom) {
    std::free(memory);
  } else {
    ::munmap(memory, bytes);
  }
}

}  // namespace depscope
