#pragma once
// NewFiles: which files of a folder came, or changed, since a moment: what a command left there,
// beside what had lain there before.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace trainscope::app {

class NewFiles {
public:
    // As the folder is now, with all folders in it; it need not exist yet.
    explicit NewFiles(std::filesystem::path folder);

    struct Found {
        std::vector<std::string> files; // new or changed, in order of their names
        std::int64_t left = 0; // files that are as they were
    };
    [[nodiscard]] Found sinceThen() const;

private:
    struct Mark {
        std::filesystem::file_time_type changed;
        std::uintmax_t size = 0;
        bool operator==(const Mark&) const = default;
    };
    [[nodiscard]] std::map<std::string, Mark> marks() const;

    std::filesystem::path m_folder;
    std::map<std::string, Mark> m_before;
};

} // namespace trainscope::app
