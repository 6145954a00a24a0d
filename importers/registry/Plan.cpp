// The first step of an import: what is in this folder?
#include "importers/registry/Registry.h"

#include "importers/registry/FileKind.h"
#include "importers/registry/Joining.h"

#include <algorithm>
#include <exception>
#include <map>
#include <set>

namespace trainscope::importers {

namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;
constexpr Confidence kSure = 90; // no other format needs to be asked

class Planner {
public:
    Planner(const SourceTree& tree, const Progress& progress, std::string_view onlyFormat)
        : m_tree(tree)
        , m_progress(progress)
        , m_onlyFormat(onlyFormat) { }

    Result<ImportPlan> run() {
        for (const SourceFile& file : m_tree.files())
            m_bytesTotal += file.size;
        for (const SourceFile& file : m_tree.files()) {
            if (m_progress && !m_progress({"Looking at files", m_bytesDone, m_bytesTotal}))
                return cancelled();
            sort(file);
            m_bytesDone += file.size;
        }
        for (const auto& importer : registry())
            planWith(*importer);
        joinLogsToRuns(m_tree, m_plan.units);
        forgetUsed();
        std::sort(m_plan.unrecognised.begin(), m_plan.unrecognised.end(),
            [](const Unrecognised& a, const Unrecognised& b) { return a.path < b.path; });
        return std::move(m_plan);
    }

private:
    void leaveOut(const SourceFile& file, std::string reason) {
        m_plan.unrecognised.push_back({file.path, std::move(reason)});
    }

    // A launch YAML is no telemetry of its own, but belongs to the run that reads it.
    void forgetUsed() {
        std::set<std::string> used;
        for (const ImportUnit& unit : m_plan.units)
            used.insert(unit.files.begin(), unit.files.end());
        std::erase_if(m_plan.unrecognised,
            [&used](const Unrecognised& one) { return used.contains(one.path); });
    }

    void sort(const SourceFile& file) {
        if (!file.problem.empty())
            return leaveOut(file, file.problem);
        const auto head = readHead(m_tree, file.path, kHead);
        if (!head.hasValue())
            return leaveOut(file, head.error().message);
        Confidence best = 0;
        const Importer* owner = nullptr;
        for (const auto& importer : registry()) {
            if (!m_onlyFormat.empty() && importer->id() != m_onlyFormat)
                continue;
            const Confidence confidence = judge(*importer, head.value(), file.path);
            if (confidence > best) {
                best = confidence;
                owner = importer.get();
            }
            if (best >= kSure)
                break;
        }
        if (owner != nullptr)
            m_mine[owner].push_back(file);
        else
            leaveOut(file, file.size == 0 ? "empty" : describeFile(head.value(), file.path));
    }

    static Confidence judge(
        const Importer& importer, std::string_view head, std::string_view path) {
        try {
            return importer.sniff(head, path);
        } catch (const std::exception&) {
            return 0; // a file that breaks the judge is none of its own; it is listed as
                      // unrecognised
        }
    }

    void planWith(const Importer& importer) {
        const auto mine = m_mine.find(&importer);
        if (mine == m_mine.end())
            return;
        std::set<std::string> used;
        try {
            for (ImportUnit& unit : importer.plan(m_tree, mine->second)) {
                used.insert(unit.files.begin(), unit.files.end());
                m_plan.units.push_back(std::move(unit));
            }
        } catch (const std::exception& problem) {
            for (const SourceFile& file : mine->second)
                leaveOut(file, std::string("cannot be planned: ") + problem.what());
            return;
        }
        for (const SourceFile& file : mine->second) {
            if (!used.contains(file.path))
                leaveOut(file, "a " + std::string(importer.label()) + " that belongs to no run");
        }
    }

    const SourceTree& m_tree;
    const Progress& m_progress;
    std::string_view m_onlyFormat;
    std::map<const Importer*, std::vector<SourceFile>> m_mine;
    ImportPlan m_plan;
    std::uint64_t m_bytesDone = 0;
    std::uint64_t m_bytesTotal = 0;
};

Error unknownFormat(std::string_view format) {
    std::string known;
    for (const auto& importer : registry())
        known += (known.empty() ? "" : ", ") + std::string(importer->id());
    return {ErrorCode::Usage,
        "There is no format \"" + std::string(format) + "\"; known ones are " + known + ".", {}};
}

} // namespace

Result<ImportPlan> planImport(
    const SourceTree& tree, const Progress& progress, std::string_view onlyFormat) {
    if (!onlyFormat.empty() && findImporter(onlyFormat) == nullptr)
        return unknownFormat(onlyFormat);
    return Planner(tree, progress, onlyFormat).run();
}

} // namespace trainscope::importers
