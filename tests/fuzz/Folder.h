#pragma once
// A folder of a fuzzer's own.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace trainscope::fuzz {

// In memory where there is such a place; gone with the process.
class Folder {
public:
    Folder() {
        std::string name = std::filesystem::exists("/dev/shm") ? "/dev/shm/trainscope-fuzz-XXXXXX"
                                                               : "/tmp/trainscope-fuzz-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr)
            std::abort();
        m_path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored; // files that stay lie in memory
        std::filesystem::remove_all(m_path, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

inline const std::filesystem::path& folder() {
    static const Folder made;
    return made.path();
}

} // namespace trainscope::fuzz
