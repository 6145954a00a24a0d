#include "core/catalogue/ConfigFolder.h"

#include <cstdlib>

namespace trainscope::catalogue {

std::filesystem::path configFolder() {
    // The XDG base directory specification: a relative path is to be ignored.
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr) {
        if (const std::filesystem::path path(config); path.is_absolute())
            return path / "Trainscope";
    }
    const char* const home = std::getenv("HOME");
    return home == nullptr || *home == '\0' ? std::filesystem::path()
                                            : std::filesystem::path(home) / ".config/Trainscope";
}

} // namespace trainscope::catalogue
