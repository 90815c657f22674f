// A contiguous table of plain values that grows to hundreds of megabytes without being copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "depscope/base/pages.h"

namespace depscope {

/// As a std::vector of trivially copyable values, but for growing: small tables move, large ones keep their pages and only get a
/// larger stretch of addresses, in huge pages where the system has them. References and iterators end with a growth all the same.
/// Throws std::bad_alloc.
template <class T>
class GrowingTable {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  GrowingTable() = default;
  GrowingTable(const GrowingTable& other) { *this = other; }
  GrowingTable(GrowingTable&& other) noexcept { swap(other); }
  GrowingTable& operator=(const GrowingTable& other) {
    if (this == &other) return *this;
    clear();
    reserve(other.size_);
    if (other.size_ != 0) std::memcpy(static_cast<void*>(rows_), other.rows_, other.size_ * sizeof(T));
    size_ = other.size_;
    return *this;
  }
  GrowingTable& operator=(GrowingTable&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowingTable() { release_pages(rows_, bytes_); }
  void swap(GrowingTable& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(bytes_, other.bytes_);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t row) { return rows_[row]; }
  [[nodiscard]] const T& operator[](std::size_t row) const { return rows_[row]; }
  [[nodiscard]] T* begin() { return rows_; }
  [[nodiscard]] T* end() { return rows_ + size_; }
  [[nodiscard]] const T* begin() const { return rows_; }
  [[nodiscard]] const T* end() const { return rows_ + size_; }
  [[nodiscard]] T& back() { return rows_[size_ - 1]; }
  [[nodiscard]] const T& back() const { return rows_[size_ - 1]; }

  void clear() { size_ = 0; }
  void pop_back() { --size_; }
  void reserve(std::size_t rows) {
    if (rows > capacity_) grow(rows);
  }
  void push_back(const T& value) {
    if (size_ == capacity_) {
      const T kept = value;  // it may lie in the table
      grow(size_ + 1);
      new (rows_ + size_++) T(kept);
      return;
    }
    new (rows_ + size_++) T(value);
  }
  /// New rows are copies of `value`.
  void resize(std::size_t rows, const T& value = T{}) {
    if (rows > capacity_) {
      const T kept = value;
      grow(rows);
      std::uninitialized_fill(rows_ + size_, rows_ + rows, kept);
    } else if (rows > size_) {
      std::uninitialized_fill(rows_ + size_, rows_ + rows, value);
    }
    size_ = rows;
  }
  void assign(std::size_t rows, const T& value) {
    clear();
    resize(rows, value);
  }

 private:
  void grow(std::size_t rows) {
    const std::size_t wanted = std::max({rows, capacity_ * 2, std::size_t{16}});
    if (wanted > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = page_bytes(wanted * sizeof(T));
    rows_ = static_cast<T*>(grow_pages(rows_, bytes_, bytes));
    bytes_ = bytes;
    capacity_ = bytes / sizeof(T);
  }

  T* rows_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0, bytes_ = 0;
};

}  // namespace depscope
