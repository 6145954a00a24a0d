#include "app/importing/GivenPaths.h"

#include "core/model/Try.h"
#include "core/store/database/StoreFile.h"
#include "importers/common/RunFolders.h"
#include "importers/registry/RunNames.h"

#include <system_error>
#include <unordered_map>

namespace trainscope::app {

namespace {

using importers::ImportUnit;
using importers::SourceFile;
using importers::SourceTree;
using std::filesystem::path;

struct Member {
    path root; // absolute
    std::unique_ptr<SourceTree> tree;
};

// "a/b/" of "/x/a/b" below "/x"; empty for the folder itself.
std::string prefixOf(const path& root, const path& folder) {
    const std::string text = folder.lexically_relative(root).string();
    return text == "." ? std::string() : text + "/";
}

class GivenTree final : public SourceTree {
public:
    GivenTree(path root, std::vector<Member> members)
        : m_root(std::move(root))
        , m_members(std::move(members)) {
        for (const Member& member : m_members) {
            const std::string prefix = prefixOf(m_root, member.root);
            for (const SourceFile& file : member.tree->files()) {
                const Place place{member.tree.get(), prefix.size()};
                // A file that is given twice is one.
                if (m_places.emplace(prefix + file.path, place).second)
                    m_files.push_back({prefix + file.path, file.size, file.problem});
            }
        }
        std::ranges::sort(m_files, {}, &SourceFile::path);
    }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_files; }
    [[nodiscard]] Result<std::unique_ptr<importers::ByteStream>> openRaw(
        const std::string& path) const override {
        const auto place = m_places.find(path);
        if (place == m_places.end())
            return Error{ErrorCode::NotFound, "This file is not among the given ones.", path};
        return place->second.tree->openRaw(path.substr(place->second.prefix));
    }
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return path.empty() ? m_root.string() : (m_root / path).string();
    }
    [[nodiscard]] std::string localPath(const std::string& path) const override {
        const auto place = m_places.find(path);
        return place == m_places.end()
            ? std::string()
            : place->second.tree->localPath(path.substr(place->second.prefix));
    }
    [[nodiscard]] importers::Allowance allowanceOf(const std::string& path) const override {
        const auto place = m_places.find(path);
        return place == m_places.end()
            ? importers::Allowance()
            : place->second.tree->allowanceOf(path.substr(place->second.prefix));
    }

private:
    struct Place {
        const SourceTree* tree = nullptr;
        std::size_t prefix = 0; // characters of the path above that tree
    };

    path m_root;
    std::vector<Member> m_members;
    std::unordered_map<std::string, Place> m_places;
    std::vector<SourceFile> m_files;
};

// Absolute, without a slash at the end.
path absoluteOf(const std::string& text) {
    std::error_code failure;
    path whole = std::filesystem::absolute(text, failure).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
}

path commonOf(const std::vector<path>& folders) {
    path common = folders.empty() ? path("/") : folders.front();
    for (const path& folder : folders) {
        const auto [end, unused]
            = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
        path shared;
        for (auto part = common.begin(); part != end; ++part)
            shared /= *part;
        common = shared;
    }
    return common;
}

GivenDatabase databaseAt(const path& file) {
    GivenDatabase database;
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file, failure);
    database.bytes = failure ? 0 : bytes;
    const auto store = store::Store::open(file, store::OpenMode::ReadOnly);
    if (!store.hasValue()) {
        database.problem = store.error().message;
        return database;
    }
    const auto runs = store.value().runs();
    if (!runs.hasValue())
        database.problem = runs.error().message;
    for (const Run& run : runs.valueOr({}))
        database.runs.push_back(run.name);
    return database;
}

// Opens one path after the other, and then joins them.
class Opening {
public:
    // Fails when it is stopped; what else cannot be opened is among the failures.
    Status add(const std::string& text, const Progress& progress) {
        const path whole = absoluteOf(text);
        if (store::StoreFile(text).isRunDatabase()) {
            m_databases.push_back(whole);
            m_above.push_back(whole.parent_path());
            return {};
        }
        auto tree = importers::openDiskTree(text, progress);
        if (!tree.hasValue() && tree.error().code == ErrorCode::Cancelled)
            return tree.error();
        if (!tree.hasValue()) {
            m_given.failures.push_back(tree.error());
            return {};
        }
        std::error_code failure;
        const bool isFolder = std::filesystem::is_directory(whole, failure);
        m_above.push_back(whole.parent_path());
        m_members.push_back({isFolder ? whole : whole.parent_path(), std::move(tree).value()});
        m_paths.emplace_back(whole, isFolder);
        return {};
    }

    GivenPaths join() {
        const bool isAlone = m_members.size() == 1 && m_databases.empty();
        const path root = isAlone ? m_members.front().root : commonOf(m_above);
        for (const auto& [whole, isFolder] : m_paths) {
            std::string inTree = prefixOf(root, whole);
            if (!inTree.empty())
                inTree.pop_back();
            m_given.paths.push_back({std::move(inTree), isFolder});
        }
        for (const path& file : m_databases) {
            m_given.databases.push_back(databaseAt(file));
            m_given.databases.back().path = file.lexically_relative(root).string();
        }
        if (isAlone)
            m_given.tree = std::move(m_members.front().tree);
        else
            m_given.tree = std::make_shared<GivenTree>(root, std::move(m_members));
        return std::move(m_given);
    }

private:
    GivenPaths m_given;
    std::vector<Member> m_members;
    std::vector<std::pair<path, bool>> m_paths; // the members'; true: a folder
    std::vector<path> m_databases;
    std::vector<path> m_above; // folders that they all lie in
};

// Folders that were given, and those of given files; longer ones first.
std::vector<std::string> givenFolders(const GivenPaths& given) {
    std::set<std::string> folders;
    for (const GivenPath& one : given.paths)
        folders.emplace(one.isFolder ? one.path : importers::folderPart(one.path));
    folders.erase(std::string());
    std::vector<std::string> sorted(folders.begin(), folders.end());
    std::ranges::stable_sort(
        sorted, [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    return sorted;
}

int partsOf(std::string_view path) {
    return static_cast<int>(std::ranges::count(path, '/')) + 1;
}

// Parts of a run's name below the path that was given. `folders`: longer ones first.
int partsBelow(const std::vector<std::string>& folders, const std::string& name) {
    for (const std::string& folder : folders) {
        if (importers::isInside(name, folder))
            return partsOf(name) - partsOf(folder);
        // The run is the given folder, or one above it.
        if (name == folder || importers::isInside(folder, name))
            return 1;
    }
    return partsOf(name);
}

} // namespace

Result<GivenPaths> openGiven(const std::vector<std::string>& paths, const Progress& progress) {
    if (paths.empty())
        return Error{ErrorCode::Usage, "Nothing was given to import.", {}};
    Opening opening;
    for (const std::string& one : paths)
        RETURN_IF_ERROR(opening.add(one, progress));
    return opening.join();
}

void nameBelowGiven(const GivenPaths& given, std::vector<ImportUnit>& units) {
    if (given.paths.size() + given.databases.size() == 1)
        return;
    const std::vector<std::string> folders = givenFolders(given);
    std::map<std::string, int> parts;
    for (const ImportUnit& unit : units)
        parts.emplace(unit.runName, partsBelow(folders, unit.runName));
    importers::shortenNames(units, std::move(parts));
}

} // namespace trainscope::app
