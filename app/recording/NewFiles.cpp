#include "app/recording/NewFiles.h"

#include <utility>

namespace trainscope::app {

NewFiles::NewFiles(std::filesystem::path folder)
    : m_folder(std::move(folder))
    , m_before(marks()) { }

NewFiles::Found NewFiles::sinceThen() const {
    Found found;
    for (const auto& [path, mark] : marks()) {
        const auto before = m_before.find(path);
        if (before != m_before.end() && before->second == mark)
            ++found.left;
        else
            found.files.push_back(path);
    }
    return found;
}

// A file that cannot be looked at counts as absent.
std::map<std::string, NewFiles::Mark> NewFiles::marks() const {
    namespace fs = std::filesystem;
    std::map<std::string, Mark> all;
    std::error_code failure;
    constexpr auto options = fs::directory_options::skip_permission_denied;
    auto entry = fs::recursive_directory_iterator(m_folder, options, failure);
    for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
        std::error_code unread;
        if (!entry->is_regular_file(unread))
            continue;
        const Mark mark{entry->last_write_time(unread), entry->file_size(unread)};
        if (!unread)
            all[entry->path().string()] = mark;
    }
    return all;
}

} // namespace trainscope::app
