#include "importers/nvsmi/Identity.h"

#include "core/model/AsciiText.h"
#include "importers/nvsmi/Cell.h"

#include <algorithm>
#include <set>

namespace trainscope::importers::nvsmi {

namespace {

using Role = Column::Role;

struct Candidate {
    int column = -1;
    std::size_t distinct = 0;
};

std::size_t countDistinct(const std::vector<Cells>& rows, std::size_t column) {
    std::set<std::string_view> values;
    for (const Cells& row : rows) {
        if (!isMissingCell(row[column]))
            values.insert(row[column]);
    }
    return values.size();
}

bool isIdentity(Role role) {
    return role == Role::Gpu || role == Role::Uuid || role == Role::BusId || role == Role::Serial;
}

// The column with the most different values; an index before a name for the same number of them.
Candidate bestCandidate(const Layout& layout, const std::vector<Cells>& rows) {
    Candidate best;
    for (const bool index : {true, false}) {
        for (std::size_t i = 0; i < layout.columns.size(); ++i) {
            const Role role = layout.columns[i].role;
            if (!isIdentity(role) || (role == Role::Gpu) != index)
                continue;
            const std::size_t distinct = countDistinct(rows, i);
            if (best.column < 0 || distinct > best.distinct)
                best = {static_cast<int>(i), distinct};
        }
    }
    return best;
}

void noteStuckIndex(Layout& layout, const std::vector<Cells>& rows, const Candidate& best) {
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
        const bool other
            = layout.columns[i].role == Role::Gpu && static_cast<int>(i) != best.column;
        if (other && countDistinct(rows, i) < best.distinct) {
            layout.notes.push_back("Column \"" + layout.columns[i].header
                + "\" does not tell the GPUs apart; \""
                + layout.columns[static_cast<std::size_t>(best.column)].header + "\" is used.");
        }
    }
}

void countWideGpus(Layout& layout) {
    std::set<int> gpus;
    for (const Column& column : layout.columns) {
        if (column.gpu >= 0)
            gpus.insert(column.gpu);
    }
    if (gpus.empty())
        return;
    layout.gpusSeen = static_cast<int>(gpus.size());
    layout.highestIndex = *gpus.rbegin();
}

void settleRhythm(Layout& layout, const std::vector<Cells>& rows) {
    std::vector<TimeNs> stamps;
    bool fraction = false;
    for (const Cells& row : rows) {
        const auto stamp = layout.stamp < 0
            ? std::nullopt
            : parseStamp(row[static_cast<std::size_t>(layout.stamp)]);
        if (!stamp)
            continue;
        stamps.push_back(stamp->time);
        fraction = fraction || stamp->hasFraction;
    }
    layout.rhythm = findRhythm(stamps, fraction);
    layout.gpusSeen = layout.rhythm.gpus;
    layout.highestIndex = layout.rhythm.gpus - 1;
    if (layout.rhythm.gpus > 1) {
        layout.notes.push_back("No column names the GPU: rows come in groups of "
            + std::to_string(layout.rhythm.gpus) + " and were dealt out to as many GPUs in order.");
    }
}

void settleClock(Layout& layout, const std::vector<Cells>& rows) {
    if (layout.stamp < 0)
        return;
    for (const Cells& row : rows) {
        if (const auto stamp = parseStamp(row[static_cast<std::size_t>(layout.stamp)])) {
            layout.clock = stamp->kind;
            return;
        }
    }
}

} // namespace

std::optional<int> gpuIndexOf(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && isDigit(text[begin - 1]))
        --begin;
    const std::string_view digits = text.substr(begin);
    if (digits.empty() || digits.size() > 4)
        return std::nullopt;
    const std::string before = lowered(trimmed(text.substr(0, begin)));
    const bool known = before.empty() || before == "gpu" || before == "gpu:" || before == "cuda:"
        || before == "nvidia" || before == "gpu-" || before == "gpu_" || before == "gpu #"
        || before == "#" || before == "/dev/nvidia";
    if (!known)
        return std::nullopt;
    int index = 0;
    for (const char c : digits)
        index = index * 10 + (c - '0');
    return index;
}

void settleIdentity(Layout& layout, const std::vector<Cells>& rows) {
    settleClock(layout, rows);
    if (layout.host >= 0)
        layout.hostsSeen
            = static_cast<int>(countDistinct(rows, static_cast<std::size_t>(layout.host)));
    countWideGpus(layout);
    if (layout.gpusSeen > 0)
        return;
    const Candidate best = bestCandidate(layout, rows);
    if (best.column < 0)
        return settleRhythm(layout, rows);
    layout.gpu = best.column;
    layout.gpusSeen = static_cast<int>(best.distinct);
    noteStuckIndex(layout, rows, best);
    for (const Cells& row : rows) {
        if (const auto index = gpuIndexOf(row[static_cast<std::size_t>(layout.gpu)]))
            layout.highestIndex = std::max(layout.highestIndex, *index);
    }
    if (layout.highestIndex < 0)
        layout.highestIndex = layout.gpusSeen - 1;
}

} // namespace trainscope::importers::nvsmi
