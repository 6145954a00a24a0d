#include "app/viewmodels/importing/DroppedTree.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

namespace trainscope::app {

namespace {

using importers::ByteStream;
using importers::SourceFile;
using importers::SourceTree;

struct Member {
    std::string prefix; // of its paths in the joined tree: "sweep/", empty for a single file
    std::unique_ptr<SourceTree> tree;
};

class JoinedTree final : public SourceTree {
public:
    // `unopened`: what was dropped but cannot be read, each with its problem.
    JoinedTree(std::vector<Member> members, std::vector<SourceFile> unopened)
        : m_members(std::move(members))
        , m_files(std::move(unopened)) {
        for (const auto& member : m_members) {
            for (const auto& file : member.tree->files())
                m_files.push_back({member.prefix + file.path, file.size, file.problem});
        }
        std::sort(m_files.begin(), m_files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_files; }

    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override {
        const auto* member = memberOf(path);
        if (member == nullptr)
            return Error{ErrorCode::NotFound, "This file is not among the dropped ones.", path};
        return member->tree->openRaw(path.substr(member->prefix.size()));
    }

    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        const auto* member = memberOf(path);
        if (member != nullptr)
            return member->tree->displayPath(path.substr(member->prefix.size()));
        const auto* folder = memberOf(path + "/");
        return folder != nullptr ? folder->tree->displayPath({}) : commonFolder();
    }
    [[nodiscard]] std::string localPath(const std::string& path) const override {
        const auto* member = memberOf(path);
        return member == nullptr ? std::string()
                                 : member->tree->localPath(path.substr(member->prefix.size()));
    }
    [[nodiscard]] importers::Allowance allowanceOf(const std::string& path) const override {
        const auto* member = memberOf(path);
        return member == nullptr ? importers::Allowance()
                                 : member->tree->allowanceOf(path.substr(member->prefix.size()));
    }

private:
    // Name of the joined tree itself, and of runs that lie directly in it.
    [[nodiscard]] std::string commonFolder() const {
        auto common = folderOf(m_members.front());
        for (const auto& member : m_members) {
            const auto folder = folderOf(member);
            const auto [end, unused]
                = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
            std::filesystem::path shared;
            for (auto part = common.begin(); part != end; ++part)
                shared /= *part;
            common = shared;
        }
        return common.string();
    }

    static std::filesystem::path folderOf(const Member& member) {
        const std::filesystem::path root = member.tree->displayPath({});
        return member.prefix.empty() ? root : root.parent_path();
    }

    [[nodiscard]] const Member* memberOf(const std::string& path) const {
        const auto holds = [&path](const Member& member) {
            if (!member.prefix.empty())
                return path.compare(0, member.prefix.size(), member.prefix) == 0;
            // One file, or the members of the archive that it is.
            return member.tree->lists(path);
        };
        const auto found = std::find_if(m_members.begin(), m_members.end(), holds);
        return found == m_members.end() ? nullptr : &*found;
    }

    std::vector<Member> m_members;
    std::vector<SourceFile> m_files;
};

// Two folders of the same name get their parents' names as well, until they differ.
std::string uniqueName(std::filesystem::path path, std::set<std::string>& taken) {
    std::string name = path.filename().string();
    while (!taken.insert(name).second) {
        path = path.parent_path();
        name = path.has_relative_path() ? path.filename().string() + "/" + name : name + "_";
    }
    return name;
}

} // namespace

Result<std::unique_ptr<SourceTree>> openDropped(
    const std::vector<std::filesystem::path>& paths, const Progress& progress) {
    if (paths.empty())
        return Error{ErrorCode::Usage, "Nothing was given to import.", {}};
    if (paths.size() == 1)
        return importers::openDiskTree(paths.front().string(), progress);
    std::vector<Member> members;
    std::vector<SourceFile> unopened;
    std::set<std::string> taken;
    for (const auto& path : paths) {
        auto tree = importers::openDiskTree(path.string(), progress);
        if (!tree.hasValue() && tree.error().code == ErrorCode::Cancelled)
            return tree.error();
        if (!tree.hasValue()) {
            if (unopened.size() + 1 == paths.size())
                return tree.error();
            unopened.push_back({path.string(), 0, tree.error().message});
            continue;
        }
        std::error_code failure;
        const bool folder = std::filesystem::is_directory(path, failure);
        auto clean = path.lexically_normal();
        if (!clean.has_filename())
            clean = clean.parent_path();
        // A second file of the same name becomes a folder's only file.
        const bool alone = !folder && taken.insert(clean.filename().string()).second;
        const auto prefix
            = alone ? std::string() : uniqueName(folder ? clean : clean.parent_path(), taken) + "/";
        members.push_back({prefix, std::move(tree).value()});
    }
    return std::unique_ptr<SourceTree>(
        std::make_unique<JoinedTree>(std::move(members), std::move(unopened)));
}

} // namespace trainscope::app
