#include "importers/common/FolderWalk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr mode_t kReadableByAll = S_IRUSR | S_IRGRP | S_IROTH;

std::string systemMessage(int code) {
    return std::generic_category().message(code);
}

struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
};

class FolderWalk {
public:
    explicit FolderWalk(std::string root)
        : m_root(std::move(root)) { }

    Result<std::vector<SourceFile>> run() {
        m_folders.emplace_back();
        visitFolders();
        if (m_rootError != 0)
            return Error{ErrorCode::Unreadable,
                "The folder cannot be opened (" + systemMessage(m_rootError)
                    + "). Check its permissions.",
                m_root};
        while (!m_links.empty()) {
            m_folders.push_back(std::move(m_links.front()));
            m_links.pop_front();
            visitFolders();
        }
        std::sort(m_files.begin(), m_files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
        return std::move(m_files);
    }

private:
    [[nodiscard]] std::string full(const std::string& path) const {
        return path.empty() ? m_root : m_root + "/" + path;
    }

    void visitFolders() {
        while (!m_folders.empty()) {
            const std::string folder = std::move(m_folders.back());
            m_folders.pop_back();
            visit(folder);
        }
    }

    void visit(const std::string& folder) {
        struct stat info { };
        const bool known = stat(full(folder).c_str(), &info) == 0;
        if (known && !m_visited.emplace(info.st_dev, info.st_ino).second) {
            problem(folder, "A link to a folder that is already in the list; it was not followed.");
            return;
        }
        const std::unique_ptr<DIR, CloseFolder> open(opendir(full(folder).c_str()));
        if (!open && folder.empty())
            m_rootError = errno;
        else if (!open)
            problem(folder, "The folder cannot be opened (" + systemMessage(errno) + ").");
        if (!open)
            return;
        // Calls belong to this walk's own DIR, which is all that readdir shares.
        while (const dirent* entry = readdir(open.get())) { // NOLINT(concurrency-mt-unsafe)
            const std::string name = static_cast<const char*>(entry->d_name);
            if (name != "." && name != "..")
                add(dirfd(open.get()), name, folder.empty() ? name : folder + "/" + name);
        }
    }

    // Asks the system about `name` in the open folder: once for a file that all may read.
    void add(int folder, const std::string& name, std::string path) {
        struct stat info { };
        bool isFound = fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
        const bool isLink = isFound && S_ISLNK(info.st_mode);
        if (isLink)
            isFound = fstatat(folder, name.c_str(), &info, 0) == 0;
        if (!isFound)
            problem(path,
                isLink ? "A link that leads nowhere (" + systemMessage(errno) + ")."
                       : "Cannot be examined (" + systemMessage(errno) + ").");
        else if (S_ISDIR(info.st_mode))
            isLink ? m_links.push_back(path) : m_folders.push_back(path);
        else if (!S_ISREG(info.st_mode))
            problem(path, "Not a regular file: a pipe, socket or device is not read.");
        else if ((info.st_mode & kReadableByAll) != kReadableByAll
            && faccessat(folder, name.c_str(), R_OK, AT_EACCESS) != 0)
            problem(path, "The file cannot be opened (" + systemMessage(errno) + ").");
        else
            m_files.push_back({std::move(path), static_cast<std::uint64_t>(info.st_size), {}});
    }

    void problem(const std::string& path, std::string text) {
        m_files.push_back({path, 0, std::move(text)});
    }

    std::string m_root;
    std::vector<SourceFile> m_files;
    std::vector<std::string> m_folders;
    std::deque<std::string> m_links;
    std::set<std::pair<dev_t, ino_t>> m_visited;
    int m_rootError = 0;
};

} // namespace

Result<std::vector<SourceFile>> walkFolder(const std::string& root) {
    return FolderWalk(root).run();
}

} // namespace trainscope::importers
