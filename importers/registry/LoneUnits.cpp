#include "importers/registry/LoneUnits.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::int64_t kWeekNs = std::int64_t{7} * 86'400 * 1'000'000'000;
constexpr std::size_t kMostCompared = 256; // sources of a folder whose names are compared
constexpr std::string_view kPartings = "/_-. ";

// The words that two names share in one piece.
struct SharedWords {
    std::size_t count = 0;
    std::string text; // as the first name writes them
};

struct Word {
    std::size_t begin = 0;
    std::string text;
};

std::vector<Word> wordsOf(std::string_view name) {
    std::vector<Word> all;
    for (std::size_t at = name.find_first_not_of(kPartings); at != std::string_view::npos;) {
        const std::size_t end = std::min(name.find_first_of(kPartings, at), name.size());
        all.push_back({at, lowered(name.substr(at, end - at))});
        at = name.find_first_not_of(kPartings, end);
    }
    return all;
}

SharedWords sharedWords(std::string_view a, std::string_view b) {
    const auto left = wordsOf(a);
    const auto right = wordsOf(b);
    SharedWords best;
    for (std::size_t i = 0; i < left.size(); ++i) {
        for (std::size_t j = 0; j < right.size(); ++j) {
            std::size_t count = 0;
            while (i + count < left.size() && j + count < right.size()
                && left[i + count].text == right[j + count].text)
                ++count;
            if (count <= best.count)
                continue;
            const Word& last = left[i + count - 1];
            best.count = count;
            best.text = a.substr(left[i].begin, last.begin + last.text.size() - left[i].begin);
        }
    }
    return best;
}

// Without its suffixes, so that "smi.csv" and "train.csv" share nothing.
std::string_view nameInside(std::string_view path, std::string_view folder) {
    if (!folder.empty())
        path.remove_prefix(std::min(folder.size() + 1, path.size()));
    const std::size_t slash = path.rfind('/');
    const std::size_t dot = path.find('.', slash == std::string_view::npos ? 0 : slash);
    return path.substr(0, dot);
}

bool areFarApart(const ImportUnit& a, const ImportUnit& b) {
    if (!a.start || !b.start)
        return false;
    const std::int64_t apart = (*a.start - *b.start).ns;
    return apart > kWeekNs || apart < -kWeekNs;
}

class LoneUnits {
public:
    LoneUnits(const RunFolders& folders, std::vector<ImportUnit>& units,
        std::vector<std::size_t> lone, MachineEvidence& evidence)
        : m_folders(folders)
        , m_units(units)
        , m_lone(std::move(lone))
        , m_evidence(evidence) { }

    void join() {
        std::set<std::pair<std::size_t, std::string>> order; // by depth
        for (const std::size_t i : m_lone) {
            std::string folder(folderPart(fileOf(i)));
            while (order.emplace(folder.size(), folder).second && !folder.empty())
                folder = folderPart(folder);
        }
        const std::vector<std::pair<std::size_t, std::string>> deepestFirst(
            order.rbegin(), order.rend());
        for (const auto& [depth, folder] : deepestFirst)
            joinIn(folder);
    }

private:
    using Members = std::vector<std::size_t>;

    // The first file: a unit's path may be the folder itself.
    [[nodiscard]] const std::string& fileOf(std::size_t unit) const {
        return m_units[unit].files.front();
    }

    void joinIn(const std::string& folder) {
        Members members;
        for (const std::size_t i : m_lone) {
            if (isInside(fileOf(i), folder))
                members.push_back(i);
        }
        const bool isOneOfEach = areOneRun(members);
        const auto runs = runsInside(folder);
        if (isOneOfEach && runs.size() == 1 && hasNoneOf(*runs.begin(), members)
            && fits(*runs.begin(), members))
            place(members, *runs.begin());
        else if (isOneOfEach && runs.empty() && members.size() > 1)
            place(members, nameOf(folder, members));
        else if (!isOneOfEach && members.size() <= kMostCompared)
            joinByName(folder, members);
    }

    // One of each format at most, of about the same time.
    [[nodiscard]] bool areOneRun(const Members& members) const {
        for (std::size_t i = 0; i < members.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                const ImportUnit& a = m_units[members[i]];
                const ImportUnit& b = m_units[members[k]];
                if (a.importer == b.importer || areFarApart(a, b) || m_evidence.contradict(a, b))
                    return false;
            }
        }
        return !members.empty();
    }

    [[nodiscard]] bool fits(const std::string& run, const Members& members) const {
        return std::none_of(m_units.begin(), m_units.end(), [&](const ImportUnit& unit) {
            return unit.runName == run
                && std::any_of(members.begin(), members.end(), [&](std::size_t i) {
                       return &m_units[i] != &unit && m_evidence.contradict(m_units[i], unit);
                   });
        });
    }

    // True where the run has no source yet of a format that is among the members'.
    [[nodiscard]] bool hasNoneOf(const std::string& run, const Members& members) const {
        return std::none_of(m_units.begin(), m_units.end(), [&](const ImportUnit& unit) {
            return unit.runName == run
                && std::any_of(members.begin(), members.end(),
                    [&](std::size_t i) { return m_units[i].importer == unit.importer; });
        });
    }

    [[nodiscard]] std::set<std::string> runsInside(const std::string& folder) const {
        std::set<std::string> names;
        for (std::size_t i = 0; i < m_units.size(); ++i) {
            const ImportUnit& unit = m_units[i];
            const bool isLone = std::find(m_lone.begin(), m_lone.end(), i) != m_lone.end();
            if (!isLone && !unit.machine && !unit.isUndated && !unit.files.empty()
                && isInside(unit.files.front(), folder))
                names.insert(unit.runName);
        }
        return names;
    }

    [[nodiscard]] std::string nameOf(const std::string& folder, const Members& members) const {
        // Files that were named one by one lie in a folder of which nothing is known.
        const auto shared = sharedWords(nameInside(m_units[members[0]].path, folder),
            nameInside(m_units[members[1]].path, folder));
        return folder.empty() && shared.count > 1 ? freeName({}, shared.text)
                                                  : m_folders.nameOf(folder);
    }

    [[nodiscard]] std::string freeName(const std::string& folder, const std::string& name) const {
        std::string full = folder.empty() ? name : folder + "/" + name;
        const auto isTaken = [&](const std::string& wanted) {
            return std::any_of(m_units.begin(), m_units.end(),
                [&](const ImportUnit& unit) { return unit.runName == wanted; });
        };
        for (int i = 2; isTaken(full); ++i)
            full = (folder.empty() ? name : folder + "/" + name) + " " + std::to_string(i);
        return full;
    }

    void joinByName(const std::string& folder, const Members& members) {
        struct Pair {
            std::size_t a = 0;
            std::size_t b = 0;
            SharedWords shared;
        };
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i < members.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                const std::size_t a = members[k];
                const std::size_t b = members[i];
                if (m_units[a].importer == m_units[b].importer
                    || areFarApart(m_units[a], m_units[b])
                    || m_evidence.contradict(m_units[a], m_units[b]))
                    continue;
                auto shared = sharedWords(
                    nameInside(m_units[a].path, folder), nameInside(m_units[b].path, folder));
                if (shared.count >= leastWords(a, b))
                    pairs.push_back({a, b, std::move(shared)});
            }
        }
        std::map<std::pair<std::size_t, std::string>, std::pair<std::size_t, int>> best;
        for (const Pair& pair : pairs) {
            noteBest(best[{pair.a, m_units[pair.b].importer}], pair.shared.count);
            noteBest(best[{pair.b, m_units[pair.a].importer}], pair.shared.count);
        }
        const auto isBest = [&](std::size_t of, std::size_t with, std::size_t count) {
            return best[{of, m_units[with].importer}] == std::pair(count, 1);
        };
        std::map<std::size_t, Members> groups; // by their first
        std::map<std::size_t, std::string> names;
        std::map<std::size_t, std::size_t> groupOf;
        for (const Pair& pair : pairs) {
            if (!isBest(pair.a, pair.b, pair.shared.count)
                || !isBest(pair.b, pair.a, pair.shared.count))
                continue;
            const std::size_t first = groupOf.contains(pair.a) ? groupOf[pair.a] : pair.a;
            Members wanted = groups.contains(first) ? groups[first] : Members{first};
            if (groupOf.contains(pair.b))
                continue;
            wanted.push_back(pair.b);
            if (!areOneRun(wanted))
                continue;
            groupOf[first] = first;
            groupOf[pair.b] = first;
            names.try_emplace(first, pair.shared.text);
            groups[first] = std::move(wanted);
        }
        for (const auto& [first, group] : groups)
            place(group, freeName(folder, names[first]));
    }

    // Names that lie far apart must agree in more.
    [[nodiscard]] std::size_t leastWords(std::size_t a, std::size_t b) const {
        const auto left = folderPart(fileOf(a));
        const auto right = folderPart(fileOf(b));
        if (left == right)
            return 1;
        return isInside(fileOf(a), right) || isInside(fileOf(b), left) ? 2 : 3;
    }

    static void noteBest(std::pair<std::size_t, int>& best, std::size_t count) {
        if (count > best.first)
            best = {count, 1};
        else if (count == best.first)
            ++best.second;
    }

    void place(const Members& members, const std::string& run) {
        for (const std::size_t i : members) {
            m_units[i].runName = run;
            m_units[i].notes.push_back(
                "Proposed as part of run \"" + run + "\", together with what lies beside it.");
            std::erase(m_lone, i);
        }
    }

    const RunFolders& m_folders;
    std::vector<ImportUnit>& m_units;
    std::vector<std::size_t> m_lone;
    MachineEvidence& m_evidence;
};

} // namespace

void joinLoneUnits(const RunFolders& folders, std::vector<ImportUnit>& units,
    std::vector<std::size_t> lone, MachineEvidence& evidence) {
    LoneUnits(folders, units, std::move(lone), evidence).join();
}

} // namespace trainscope::importers
