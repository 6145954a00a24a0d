#include "importers/registry/PlanSteps.h"

#include "importers/common/ExecutionTrace.h"
#include "importers/common/RunFolders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace trainscope::importers {

namespace {

constexpr std::size_t kEventsHead = std::size_t{256} << 10; // up to where events name a process

// Components that two folders begin with.
int sharedFolders(std::string_view a, std::string_view b) {
    int shared = 0;
    a = folderPart(a);
    b = folderPart(b);
    while (!a.empty() && !b.empty()) {
        const std::string_view first = a.substr(0, a.find('/'));
        if (first != b.substr(0, b.find('/')))
            break;
        ++shared;
        a.remove_prefix(std::min(a.size(), first.size() + 1));
        b.remove_prefix(std::min(b.size(), first.size() + 1));
    }
    return shared;
}

class Partners {
public:
    Partners(const SourceTree& tree, std::vector<ImportUnit>& units)
        : m_tree(tree)
        , m_units(units) { }

    void join() {
        for (const bool wantsChakra : {false, true}) {
            for (ImportUnit& unit : m_units) {
                const bool isChakra = unit.summary.starts_with("Chakra");
                if (unit.importer == "exectrace" && isChakra == wantsChakra)
                    joinOne(unit);
            }
        }
    }

private:
    void joinOne(ImportUnit& unit) {
        const auto header = executionTraceHead(m_tree, unit.path);
        ImportUnit* best = nullptr;
        int nearest = -1;
        for (ImportUnit& trace : m_units) {
            const bool isOther = trace.importer != "kineto"
                || (trace.rank && unit.rank && trace.rank != unit.rank);
            const int shared = sharedFolders(trace.path, unit.path);
            if (isOther || shared <= nearest || !isOfProcess(trace, header.process, unit))
                continue;
            best = &trace;
            nearest = shared;
        }
        if (best != nullptr)
            joinTo(unit, *best);
    }

    static void joinTo(ImportUnit& unit, ImportUnit& trace) {
        unit.notes.clear();
        unit.runName = trace.runName;
        unit.rank = trace.rank;
        // Its own second of local time is of no use beside the trace's clock.
        unit.clock = ClockKind::None;
        unit.start.reset();
        if (!trace.partner.empty()) {
            unit.enabled = false;
            unit.partner = trace.path;
            unit.notes.push_back("Left out: " + std::string(namePart(trace.partner))
                + " says the same of this process.");
            return;
        }
        unit.partner = trace.path;
        trace.partner = unit.path;
        unit.enabled = unit.enabled && trace.enabled;
        unit.notes.push_back("Shapes and tensors come to the operators of "
            + std::string(namePart(trace.path)) + ".");
        trace.notes.push_back(
            "With shapes and tensors of " + std::string(namePart(unit.path)) + ".");
    }

    // By the process id of its events; without one, by lying in the same folder.
    bool isOfProcess(const ImportUnit& trace, const std::optional<std::int64_t>& process,
        const ImportUnit& unit) {
        if (!process)
            return folderPart(trace.path) == folderPart(unit.path);
        auto known = m_heads.find(trace.path);
        if (known == m_heads.end())
            known
                = m_heads.emplace(trace.path, readHead(m_tree, trace.path, kEventsHead).valueOr({}))
                      .first;
        const std::string& head = known->second;
        const std::string number = std::to_string(*process);
        for (const char* form : {"\"pid\": {}", "\"pid\":{}"}) {
            const std::string wanted = fmt::format(fmt::runtime(form), number);
            for (auto at = head.find(wanted); at != std::string::npos;
                 at = head.find(wanted, at + 1)) {
                const char next = at + wanted.size() < head.size() ? head[at + wanted.size()] : ' ';
                if (next < '0' || next > '9')
                    return true;
            }
        }
        return false;
    }

    const SourceTree& m_tree;
    std::vector<ImportUnit>& m_units;
    std::map<std::string, std::string> m_heads;
};

} // namespace

void joinStructure(const SourceTree& tree, std::vector<ImportUnit>& units) {
    Partners(tree, units).join();
}

} // namespace trainscope::importers
