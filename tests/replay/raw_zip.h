// ZIP archives byte by byte, with claims that no honest writer makes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depscope::replay {

struct RawMember {
  std::string name;
  std::string bytes;                   ///< stored as they are
  std::uint64_t declared_bytes = ~0U;  ///< uncompressed size that the headers claim; ~0U = the true one
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint32_t attributes = 0100644U << 16U;
  std::string local_name{};  ///< name in the local header if it is another one
  int same_data_as = -1;     ///< index of an earlier member whose local header this one points to
};

[[nodiscard]] std::string raw_zip(const std::vector<RawMember>& members);

}  // namespace depscope::replay
