#include "app/sample/Sample.h"

#include "app/importing/ImportRunner.h"
#include "core/model/Try.h"
#include "importers/registry/Registry.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::app {

namespace {

using namespace importers;

// A tree whose files are shown under another folder than theirs.
class RenamedTree final : public SourceTree {
public:
    RenamedTree(std::unique_ptr<SourceTree> inner, std::string folder)
        : m_inner(std::move(inner))
        , m_folder(std::move(folder)) { }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_inner->files(); }
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override {
        return m_inner->openRaw(path);
    }
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return path.empty() ? m_folder : m_folder + "/" + path;
    }

private:
    std::unique_ptr<SourceTree> m_inner;
    std::string m_folder;
};

// Everything in the folder is of one GPU.
void nameRun(ImportPlan& plan) {
    for (ImportUnit& unit : plan.units) {
        unit.runName = kRecordedRun;
        unit.rank = 0;
    }
}

} // namespace

Status addRecording(const std::filesystem::path& database, const std::filesystem::path& folder) {
    ASSIGN_OR_RETURN(auto disk, openDiskTree(folder.string()));
    const RenamedTree tree(std::move(disk), "resources/recording");
    ASSIGN_OR_RETURN(auto plan, planImport(tree, {}));
    nameRun(plan);
    ASSIGN_OR_RETURN(const auto outcomes,
        runImport(tree, plan, database, [](const ImportProgress&) { return true; }));
    for (const UnitOutcome& outcome : outcomes) {
        if (outcome.error)
            return *outcome.error;
    }
    return {};
}

} // namespace trainscope::app
