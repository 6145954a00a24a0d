#include "app/cli/options/SourceList.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

namespace trainscope::cli {

namespace {

using importers::ByteStream;
using importers::SourceFile;
using importers::SourceTree;

// Some files of one folder. Any of their single-file trees has that folder as its root.
class SelectedFiles final : public SourceTree {
public:
    explicit SelectedFiles(std::vector<std::unique_ptr<SourceTree>> singles)
        : m_singles(std::move(singles)) {
        for (const auto& single : m_singles)
            m_files.insert(m_files.end(), single->files().begin(), single->files().end());
        const auto byPath
            = [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; };
        const auto samePath
            = [](const SourceFile& a, const SourceFile& b) { return a.path == b.path; };
        std::sort(m_files.begin(), m_files.end(), byPath);
        m_files.erase(std::unique(m_files.begin(), m_files.end(), samePath), m_files.end());
    }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_files; }
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override {
        return treeOf(path).openRaw(path);
    }
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return m_singles.front()->displayPath(path);
    }
    [[nodiscard]] std::string localPath(const std::string& path) const override {
        return treeOf(path).localPath(path);
    }
    [[nodiscard]] importers::Allowance allowanceOf(const std::string& path) const override {
        return treeOf(path).allowanceOf(path);
    }

private:
    // Files of an archive are known to its own tree alone.
    [[nodiscard]] const SourceTree& treeOf(const std::string& path) const {
        for (const auto& single : m_singles) {
            if (single->lists(path))
                return *single;
        }
        return *m_singles.front();
    }

    std::vector<std::unique_ptr<SourceTree>> m_singles;
    std::vector<SourceFile> m_files;
};

} // namespace

Result<SourceList> openSources(const std::vector<std::string>& paths, const Progress& progress) {
    SourceList list;
    std::map<std::string, std::vector<std::unique_ptr<SourceTree>>> filesByFolder;
    for (const auto& path : paths) {
        auto tree = importers::openDiskTree(path, progress);
        if (!tree.hasValue() && tree.error().code == ErrorCode::Cancelled)
            return tree.error();
        if (!tree.hasValue()) {
            list.failures.push_back(tree.error());
            continue;
        }
        std::error_code problem;
        if (std::filesystem::is_directory(path, problem)) {
            list.sources.push_back({std::move(tree).value(), false});
            continue;
        }
        const std::string folder = tree.value()->displayPath({});
        filesByFolder[folder].push_back(std::move(tree).value());
    }
    for (auto& [folder, singles] : filesByFolder) {
        if (singles.size() == 1)
            list.sources.push_back({std::move(singles.front()), true});
        else
            list.sources.push_back({std::make_unique<SelectedFiles>(std::move(singles)), true});
    }
    return list;
}

} // namespace trainscope::cli
