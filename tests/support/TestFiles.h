#pragma once
// Folders of the tests' files: small stand-ins in tests/standins, written by hand with figures
// worked out by hand, and the real files beside the checkout, where there are any. Both have the
// folders data and research.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace trainscope::test {

inline std::string folderFrom(const char* variable) {
    const char* folder = std::getenv(variable);
    return folder == nullptr ? std::string() : folder;
}
inline std::string standIns() {
    return folderFrom("TRAINSCOPE_SOURCE") + "/tests/standins";
}
// Empty where there are none.
inline std::string realFiles() {
    const std::string folder = folderFrom("TRAINSCOPE_SHARED");
    return !folder.empty() && std::filesystem::exists(folder + "/data") ? folder : std::string();
}
// The stand-ins, and behind them the real files where they are.
inline std::vector<std::string> testRoots() {
    std::vector<std::string> roots{standIns()};
    if (const std::string real = realFiles(); !real.empty())
        roots.push_back(real);
    return roots;
}

} // namespace trainscope::test
