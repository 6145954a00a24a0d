#include "importers/registry/GpuNames.h"

#include "core/catalogue/GpuGuess.h"
#include "importers/common/RunFolders.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::size_t kNamesWithin = std::size_t{64} << 10;
constexpr std::size_t kFilesLookedAt = 24;

bool isUnnamed(const ImportUnit& unit) {
    return !unit.machine && unit.gpuModel.empty() && !unit.files.empty();
}

std::string folderOf(const ImportUnit& unit) {
    return std::string(folderPart(unit.files.front()));
}

struct NameInFile {
    std::string name;
    std::string file;
};

// GPU model that the files of a folder name; none where they name several, or one that is not
// known.
class FolderNames {
public:
    void add(const std::string& name, std::string_view file) {
        if (m_models.insert(catalogue::findGpuModel(name)).second)
            m_first = {name, std::string(namePart(file))};
    }
    [[nodiscard]] const NameInFile* told() const {
        const bool isOne = m_models.size() == 1 && *m_models.begin() != nullptr;
        return isOne ? &m_first : nullptr;
    }

private:
    std::set<const catalogue::GpuModel*> m_models;
    NameInFile m_first;
};

} // namespace

void findGpuNames(const SourceTree& tree, std::vector<ImportUnit>& units) {
    std::map<std::string, FolderNames, std::less<>> folders;
    std::set<std::string, std::less<>> own; // files of the units that are not named
    for (const ImportUnit& unit : units) {
        if (!isUnnamed(unit))
            continue;
        folders.try_emplace(folderOf(unit));
        own.insert(unit.files.begin(), unit.files.end());
    }
    if (folders.empty())
        return;
    for (const ImportUnit& unit : units) {
        if (unit.gpuModel.empty() || unit.files.empty())
            continue;
        if (const auto folder = folders.find(folderOf(unit)); folder != folders.end())
            folder->second.add(unit.gpuModel, unit.files.front());
    }
    std::map<std::string, std::size_t, std::less<>> lookedAt;
    for (const SourceFile& file : tree.files()) {
        const auto folder = folders.find(folderPart(file.path));
        if (folder == folders.end() || !file.problem.empty() || own.contains(file.path)
            || ++lookedAt[folder->first] > kFilesLookedAt)
            continue;
        const auto head = readHead(tree, file.path, kNamesWithin);
        if (!head.hasValue())
            continue;
        for (const std::string& name : catalogue::deviceNamesIn(head.value()))
            folder->second.add(name, file.path);
    }
    for (ImportUnit& unit : units) {
        if (!isUnnamed(unit))
            continue;
        if (const NameInFile* told = folders.find(folderOf(unit))->second.told()) {
            unit.gpuBeside = told->name;
            unit.gpuBesideFile = told->file;
        }
    }
}

} // namespace trainscope::importers
