// Large blocks of memory in huge pages, and freed ones kept for the next: columns of a million rows grow by moving, and most of
// what that costs is the pages that they touch for the first time. Linked into programs, not into the library
// (depscope_large_blocks).
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

#ifndef __SANITIZE_ADDRESS__

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21U;
constexpr std::size_t kLargeFrom = 2 * kHugePage;

/// Blocks are taken from the heap and given back to it, not to the system. Before the first large one.
const bool kKeepsFreed = [] {
  constexpr int kGigabyte = 1 << 30;
  return ::mallopt(M_MMAP_THRESHOLD, kGigabyte) != 0 && ::mallopt(M_TRIM_THRESHOLD, kGigabyte) != 0;
}();

void* large(std::size_t bytes) {
  void* const block = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) / kHugePage * kHugePage);
  if (block != nullptr) ::madvise(block, bytes, MADV_HUGEPAGE);  // only advice, whatever comes of it
  return block;
}

}  // namespace

void* operator new(std::size_t bytes) {
  for (;;) {
    void* const block = bytes >= kLargeFrom && kKeepsFreed ? large(bytes) : std::malloc(bytes == 0 ? 1 : bytes);
    if (block != nullptr) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

#endif
