// The JSON member that says what a container is: manifest.json of a recording, bundle.json of a bundle.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "zip_archive.h"

namespace depscope::replay {

inline constexpr std::string_view kBundleManifest = "bundle.json";
inline constexpr std::string_view kBundleSchemaName = "depscope.bundle/";
inline constexpr std::uint32_t kBundleSchemaMajor = 1;

class ContainerManifest {
 public:
  /// `what` is what the container should be ("recording"), `path` how messages call it. Throws FileError: Unrecognised without
  /// the member or with another schema, Incompatible with another major version, Corrupt if the member is damaged.
  ContainerManifest(const ZipReader& zip, std::string path, std::string_view member, std::string_view what,
                    std::string_view schema_name, std::uint32_t major);

  [[nodiscard]] const nlohmann::json& root() const { return root_; }
  /// The value of a key that must be there with this type. Throws FileError (Corrupt).
  [[nodiscard]] const nlohmann::json& need(const nlohmann::json& object, const char* key, nlohmann::json::value_t type) const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string path_;
  std::string member_;
  nlohmann::json root_;
};

}  // namespace depscope::replay
