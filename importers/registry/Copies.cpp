#include "importers/registry/PlanSteps.h"

#include "core/model/AsciiText.h"
#include "importers/common/FileLines.h"
#include "importers/common/RunFolders.h"
#include "importers/registry/Registry.h"
#include "importers/trace/TraceName.h"

#include <deque>

namespace trainscope::importers {

namespace {

constexpr std::size_t kCompared = std::size_t{1} << 20; // bytes at once
constexpr std::size_t kHeadOfHeld = std::size_t{64} << 10; // its lines are looked for
constexpr std::size_t kHeadOfHolder = std::size_t{1} << 20;
// Bytes by which a line is known, whatever stands before; many lines of one log end alike.
constexpr std::array<std::size_t, 3> kEndsOfLine{256, 128, 32};
constexpr std::size_t kKnownLines = 64;
constexpr std::size_t kFewestLines = 3;

bool haveSameBytes(const SourceTree& tree, const std::string& a, const std::string& b) {
    const auto first = tree.openRaw(a);
    const auto second = tree.openRaw(b);
    if (!first.hasValue() || !second.hasValue())
        return false;
    while (true) {
        std::string left;
        std::string right;
        if (!readUpTo(*first.value(), kCompared, left).hasValue()
            || !readUpTo(*second.value(), kCompared, right).hasValue() || left != right)
            return false;
        if (left.size() < kCompared)
            return true;
    }
}

// The ends of a log's first lines that are long enough to be told by them: all that a line has, or
// its longest alone.
std::set<std::size_t> lineEnds(const SourceTree& tree, const std::string& path, std::size_t bytes,
    std::size_t most, bool isLongestAlone) {
    std::set<std::size_t> ends;
    const std::string head = readHead(tree, path, bytes).valueOr(std::string());
    LineReader lines(memoryStream(head));
    while (ends.size() < most) {
        const auto line = lines.next();
        if (!line.hasValue() || !line.value())
            break;
        const std::string_view text = trimmed(*line.value());
        for (const std::size_t end : kEndsOfLine) {
            if (text.size() < end)
                continue;
            ends.insert(std::hash<std::string_view>()(text.substr(text.size() - end)));
            if (isLongestAlone)
                break;
        }
    }
    return ends;
}

// Two logs line by line.
class LinesOfTwo {
public:
    LinesOfTwo(std::unique_ptr<ByteStream> held, std::unique_ptr<ByteStream> holder)
        : m_held(std::move(held))
        , m_holder(std::move(holder)) { }

    // True where all but a few lines of the one stand in the other, in their order, each at the end
    // of a line.
    bool areHeld() {
        constexpr std::size_t kMissing = 2;
        constexpr std::size_t kOneOf = 50;
        std::size_t found = 0;
        std::size_t missing = 0;
        while (true) {
            const auto line = m_held.next();
            if (!line.hasValue())
                return false;
            if (!line.value())
                return found >= kFewestLines && missing <= found / 2;
            const std::string_view text = endOf(*line.value());
            if (text.empty())
                continue;
            if (find(text))
                ++found;
            else if (++missing > kMissing + found / kOneOf)
                return false;
        }
    }

private:
    static constexpr std::size_t kWindow = 2048; // lines
    static constexpr std::size_t kEnd = 1024; // bytes of a line

    static std::string_view endOf(std::string_view line) {
        line = trimmed(line);
        return line.substr(line.size() - std::min(line.size(), kEnd));
    }

    bool find(std::string_view text) {
        for (std::size_t i = 0; i < kWindow && (i < m_window.size() || readOn()); ++i) {
            if (!m_window[i].ends_with(text))
                continue;
            m_window.erase(m_window.begin(), m_window.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            return true;
        }
        return false;
    }

    bool readOn() {
        const auto line = m_holder.next();
        if (!line.hasValue() || !line.value())
            return false;
        m_window.emplace_back(endOf(*line.value()));
        return true;
    }

    LineReader m_held;
    LineReader m_holder;
    std::deque<std::string> m_window; // lines of the holder that were read and not found yet
};

bool holdsLines(const SourceTree& tree, const std::string& holder, const std::string& held) {
    auto inner = tree.open(held);
    auto outer = tree.open(holder);
    return inner.hasValue() && outer.hasValue()
        && LinesOfTwo(std::move(inner).value(), std::move(outer).value()).areHeld();
}

class Copies {
public:
    Copies(const SourceTree& tree, ImportPlan& plan, const Progress& progress)
        : m_tree(tree)
        , m_plan(plan)
        , m_progress(progress) { }

    bool leaveOut() {
        leaveOutOtherForms();
        return leaveOutSameBytes() && leaveOutHeldLogs();
    }

private:
    // A unit, or an attempt.
    struct Log {
        std::string path;
        std::uint64_t bytes = 0;
        ImportUnit* unit = nullptr;
        Unrecognised* attempt = nullptr;
        std::set<std::size_t> ends = {}; // ends of its first lines
        bool isCopy = false;
    };

    [[nodiscard]] bool goesOn() const {
        return !m_progress || m_progress({"Looking for copies", 0, 0});
    }

    static bool isComparable(const ImportUnit& unit) {
        return unit.enabled && unit.files.size() == 1 && unit.part.empty() && !unit.machine;
    }

    static bool isOther(const ImportUnit& a, const ImportUnit& b) {
        return a.rank && b.rank && a.rank != b.rank;
    }

    static void leaveOut(ImportUnit& copy, const std::string& of) {
        copy.enabled = false;
        copy.copyOf = of;
        copy.notes = {"A copy of " + of + ": it is one source with it."};
    }

    // The one with the shorter path is the original.
    bool leaveOutSameBytes() {
        std::map<std::pair<std::string, std::uint64_t>, std::vector<ImportUnit*>> alike;
        for (ImportUnit& unit : m_plan.units) {
            if (isComparable(unit) && unit.bytes > 0)
                alike[{unit.importer, unit.bytes}].push_back(&unit);
        }
        for (auto& [key, units] : alike) {
            std::ranges::sort(units, {},
                [](const ImportUnit* unit) { return std::pair(unit->path.size(), unit->path); });
            std::vector<const ImportUnit*> originals;
            for (ImportUnit* unit : units) {
                if (!goesOn())
                    return false;
                const auto original = std::ranges::find_if(originals, [&](const ImportUnit* one) {
                    return !isOther(*one, *unit) && haveSameBytes(m_tree, one->path, unit->path);
                });
                if (original == originals.end())
                    originals.push_back(unit);
                else
                    leaveOut(*unit, (*original)->path);
            }
        }
        return true;
    }

    // A trace may lie there in two formats: the one whose format is asked first is read.
    void leaveOutOtherForms() {
        constexpr DurationNs kAtOnce{1'000'000'000};
        std::map<std::string, const ImportUnit*> first; // by folder and name
        for (const Importer* importer : registry()) {
            for (ImportUnit& unit : m_plan.units) {
                if (unit.importer != importer->format.id || !isComparable(unit) || !unit.start
                    || hasGpuReadings(unit) || tellsSteps(unit))
                    continue;
                const std::string name
                    = std::string(folderPart(unit.path)) + "/" + std::string(traceStem(unit.path));
                const ImportUnit& other = *first.try_emplace(name, &unit).first->second;
                const DurationNs apart = *unit.start - *other.start;
                if (other.importer == unit.importer || isOther(other, unit) || apart > kAtOnce
                    || apart < DurationNs{-kAtOnce.ns})
                    continue;
                leaveOut(unit, other.path);
                unit.notes = {"Left out: " + std::string(namePart(other.path))
                    + " holds the same trace in another format."};
            }
        }
    }

    void collectLogs() {
        for (ImportUnit& unit : m_plan.units) {
            const Importer* importer = findImporter(unit.importer);
            if (isComparable(unit) && importer != nullptr && importer->format.isOutput)
                m_logs.push_back({unit.path, unit.bytes, &unit});
        }
        for (Unrecognised& file : m_plan.unrecognised) {
            if (file.isAttempt)
                m_logs.push_back({file.path, m_tree.sizeOf(file.path), nullptr, &file});
        }
        std::ranges::sort(
            m_logs, {}, [](const Log& log) { return std::pair(log.bytes, log.path); });
        for (Log& log : m_logs)
            log.ends = lineEnds(m_tree, log.path, kHeadOfHeld, kKnownLines, true);
    }

    bool leaveOutHeldLogs() {
        collectLogs();
        if (m_logs.size() < 2)
            return true;
        for (Log& holder : m_logs) {
            if (!goesOn())
                return false;
            const auto ends = lineEnds(m_tree, holder.path, kHeadOfHolder, SIZE_MAX, false);
            for (Log& held : m_logs) {
                if (&held == &holder)
                    break; // those behind it are larger
                if (!held.isCopy && !holder.isCopy && mayHold(holder, ends, held)
                    && holdsLines(m_tree, holder.path, held.path))
                    leaveOut(held, holder);
            }
        }
        return true;
    }

    // Attempts that stop for one reason print the same: only names tell a copy of one then.
    static bool mayHold(const Log& holder, const std::set<std::size_t>& ends, const Log& held) {
        const bool isNamedAlike = folderPart(holder.path) == folderPart(held.path)
            && namePart(holder.path).starts_with(withoutSuffixes(namePart(held.path)));
        if ((held.unit == nullptr || holder.unit == nullptr) && !isNamedAlike)
            return false;
        const auto count = static_cast<std::size_t>(std::ranges::count_if(
            held.ends, [&ends](std::size_t end) { return ends.contains(end); }));
        return count >= kFewestLines && 4 * count >= 3 * held.ends.size();
    }

    // A runtime's own lines tell nothing more of the training, unless it kept more of it. An
    // attempt is no source: what was read of the other one stays.
    void leaveOut(Log& held, Log& holder) {
        const bool tellsMore = holder.unit != nullptr
            && (held.unit == nullptr || readingsOf(*holder.unit) > readingsOf(*held.unit));
        Log& copy = tellsMore ? held : holder;
        const Log& original = tellsMore ? holder : held;
        copy.isCopy = true;
        if (copy.unit == nullptr) {
            copy.attempt->isAttempt = false;
            copy.attempt->copyOf = original.path;
            copy.attempt->reason = "a copy of " + original.path;
            return;
        }
        // Its name says what it is, and not who kept the lines.
        if (folderPart(copy.path) == folderPart(original.path)
            && copy.unit->runName.size() < original.unit->runName.size())
            original.unit->runName = copy.unit->runName;
        leaveOut(*copy.unit, original.path);
    }

    std::int64_t readingsOf(ImportUnit& unit) {
        return MachineEvidence({{&m_tree, &unit}}, m_progress).readingsOf(unit);
    }

    const SourceTree& m_tree;
    ImportPlan& m_plan;
    const Progress& m_progress;
    std::vector<Log> m_logs; // by size
};

} // namespace

bool leaveOutCopies(const SourceTree& tree, ImportPlan& plan, const Progress& progress) {
    return Copies(tree, plan, progress).leaveOut();
}

} // namespace trainscope::importers
