#include "core/model/InteractiveThread.h"
#include "core/model/Try.h"
#include "core/store/database/StoreFile.h"
#include "importers/common/ArchiveTree.h"
#include "importers/common/Source.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <system_error>

namespace trainscope::importers {

namespace {

constexpr mode_t kReadableByAll = S_IRUSR | S_IRGRP | S_IROTH;

std::string systemMessage(int code) {
    return std::generic_category().message(code);
}

bool isOfRunDatabase(const std::string& name) {
    const auto dot = name.rfind(".trainscope");
    const std::string rest = dot == std::string::npos ? "?" : name.substr(dot + 11);
    return rest.empty() || std::ranges::find(store::kSideFiles, rest) != store::kSideFiles.end();
}

struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
};

// The files below a folder, sorted by path. Links to folders are followed once, after everything
// real, so that a folder that is both real and linked is listed by its real path; links that lead
// back, unreadable folders, pipes and devices are listed with a problem. Fails when the folder
// itself cannot be opened.
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
        std::ranges::sort(
            m_files, [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
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
        else if (isOfRunDatabase(name) || m_inUse.contains({info.st_dev, info.st_ino}))
            problem(path, "A run database is merged only where it is named itself.");
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
    // Opening and closing one of them would give up the locks of this process on it.
    const std::set<store::FileIdentity> m_inUse = store::filesInUse();
    int m_rootError = 0;
};

constexpr off_t kSmall = off_t{1} << 20; // bytes that need no reading ahead

Error unreadable(const std::string& path, int code) {
    return {code == ENOENT ? ErrorCode::NotFound : ErrorCode::Unreadable,
        "The file cannot be opened (" + systemMessage(code) + "). Check its name and permissions.",
        path};
}

class FileStream final : public ByteStream {
public:
    FileStream(int descriptor, std::string path)
        : m_descriptor(descriptor)
        , m_path(std::move(path)) { }
    ~FileStream() override { close(m_descriptor); }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        ssize_t count = -1;
        do {
            count = ::read(m_descriptor, buffer.data(), buffer.size());
        } while (count < 0 && errno == EINTR);
        if (count < 0)
            return Error{ErrorCode::Unreadable,
                "Reading failed after " + std::to_string(m_consumed) + " bytes ("
                    + systemMessage(errno) + ").",
                m_path};
        m_consumed += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
    }
    Result<std::uint64_t> skip(std::uint64_t count) override {
        struct stat info { };
        if (fstat(m_descriptor, &info) != 0)
            return ByteStream::skip(count);
        const auto size = static_cast<std::uint64_t>(info.st_size);
        count = std::min(count, size - std::min(size, m_consumed));
        if (lseek(m_descriptor, static_cast<off_t>(count), SEEK_CUR) < 0)
            return ByteStream::skip(count);
        m_consumed += count;
        return count;
    }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_consumed; }

private:
    int m_descriptor;
    std::string m_path;
    std::uint64_t m_consumed = 0;
};

class DiskTree final : public SourceTree {
public:
    DiskTree(std::string root, std::vector<SourceFile> files)
        : m_root(std::move(root))
        , m_files(std::move(files)) { }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_files; }

    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override {
        const std::string full = displayPath(path);
        // Without O_NONBLOCK a pipe put in a file's place after listing would hang here.
        assertMayBlock("opens a file to read");
        const int descriptor = ::open(full.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor < 0)
            return unreadable(full, errno);
        auto stream = std::make_unique<FileStream>(descriptor, full);
        struct stat info { };
        if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
            return Error{ErrorCode::Unreadable, "This is not a regular file.", full};
        if (info.st_size > kSmall)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
        return std::unique_ptr<ByteStream>(std::move(stream));
    }

    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        if (path.empty())
            return m_root;
        return m_root == "/" ? m_root + path : m_root + "/" + path;
    }
    [[nodiscard]] std::string localPath(const std::string& path) const override {
        return displayPath(path);
    }

private:
    std::string m_root;
    std::vector<SourceFile> m_files;
};

// Absolute, without "." and "..", without a slash at the end.
Result<std::string> absolutePath(const std::string& path) {
    try {
        std::string text = std::filesystem::absolute(path).lexically_normal().string();
        while (text.size() > 1 && text.back() == '/')
            text.pop_back();
        return text;
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Unreadable, failure.what(), path};
    }
}

} // namespace

Result<std::unique_ptr<SourceTree>> openDiskTree(
    const std::string& path, const Progress& progress) {
    if (path.empty())
        return Error{ErrorCode::Usage, "The name of a file or folder is missing.", {}};
    ASSIGN_OR_RETURN(auto full, absolutePath(path));
    struct stat info { };
    if (stat(full.c_str(), &info) != 0)
        return unreadable(full, errno);
    if (S_ISDIR(info.st_mode)) {
        ASSIGN_OR_RETURN(auto files, FolderWalk(full).run());
        return withArchives(std::make_unique<DiskTree>(full, std::move(files)), progress);
    }
    if (!S_ISREG(info.st_mode))
        return Error{ErrorCode::Unreadable, "This is neither a file nor a folder.", full};
    const std::size_t slash = full.rfind('/');
    SourceFile file{full.substr(slash + 1), static_cast<std::uint64_t>(info.st_size), {}};
    if (faccessat(AT_FDCWD, full.c_str(), R_OK, AT_EACCESS) != 0)
        return unreadable(full, errno);
    return withArchives(std::make_unique<DiskTree>(
                            slash == 0 ? "/" : full.substr(0, slash), std::vector{std::move(file)}),
        progress);
}

} // namespace trainscope::importers
