#include "core/report/SelectionTables.h"

#include "core/analysis/traces/KernelCategory.h"
#include "core/report/RunTables.h"
#include "core/text/Names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::report {

namespace {

using text::inUnit;
using text::Table;
using enum text::Align;

struct AboveRow {
    std::size_t run = 0;
    analysis::KernelAboveLimit kernel;
};

bool standsBefore(const AboveRow& a, const AboveRow& b, RankedBy by) {
    if (by == RankedBy::Time && a.kernel.time != b.kernel.time)
        return a.kernel.time > b.kernel.time;
    return a.kernel.joules > b.kernel.joules;
}

using analysis::DeviceBreakdown;
using analysis::TraceSelection;
using text::inUnit;
using text::Table;
using enum text::Align;
using Selections = std::span<const TraceSelection>;

// Each name once, the most first and those that are not told last; without copies.
std::vector<std::pair<std::string, analysis::PartEnergy>> kernelsByEnergy(
    const analysis::KernelEnergies& kernels) {
    std::map<std::string, analysis::PartEnergy> byName;
    for (const auto& [key, kernel] : kernels) {
        if (!key.first.empty())
            byName[key.first] += kernel.energy;
    }
    std::vector<std::pair<std::string, analysis::PartEnergy>> sorted(byName.begin(), byName.end());
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
        const auto joules
            = [](const auto& one) { return one.second.known ? one.second.known->joules : -1.0; };
        return joules(a) > joules(b);
    });
    return sorted;
}

std::string ofRun(Selections runs, const TraceSelection& run, const std::string& what) {
    if (runs.size() < 2)
        return what;
    std::vector<std::string> names;
    for (const TraceSelection& one : runs)
        names.push_back(one.run);
    return text::tellingNames(names)[static_cast<std::size_t>(&run - runs.data())] + ": " + what;
}

template <typename Device>
std::string gpuName(const TraceSelection& run, const Device& device) {
    const auto ofRank = std::ranges::count_if(
        run.devices, [&](const auto& one) { return one.rank == device.rank; });
    return ofRank > 1 ? fmt::format("rank {}, device {}", device.rank, device.device)
                      : fmt::format("rank {}", device.rank);
}

DurationNs windowsOf(const TraceSelection& run) {
    DurationNs sum;
    for (const DeviceBreakdown& device : run.devices)
        sum = sum + device.traced;
    return sum;
}

DurationNs sumOf(const TraceSelection& run, DurationNs analysis::TimeBreakdown::*part) {
    DurationNs sum;
    for (const DeviceBreakdown& device : run.devices)
        sum = sum + device.*part;
    return sum;
}

struct KernelTotals {
    std::int64_t count = 0;
    DurationNs time;
    std::string category;
};

void count(KernelTotals& totals, std::int64_t calls, DurationNs time) {
    totals.count += calls;
    totals.time = totals.time + time;
}

DurationNs meanOf(DurationNs time, std::int64_t calls) {
    const double mean = static_cast<double>(time.ns) / static_cast<double>(calls);
    return {calls > 0 ? static_cast<std::int64_t>(std::llround(mean)) : 0};
}

using NamedTotals = std::map<std::string, KernelTotals>;

// By time, most first.
std::vector<std::pair<std::string, KernelTotals>> ordered(const NamedTotals& totals) {
    std::vector<std::pair<std::string, KernelTotals>> rows(totals.begin(), totals.end());
    std::ranges::stable_sort(
        rows, [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
    return rows;
}

Table kernelTable(std::string title, std::string subject) {
    return {std::move(title),
        {{std::move(subject), Left}, {"count"}, {"total"}, {"mean"}, inUnit("share", "%")}};
}

// Named by the function of their keys.
template <typename NameOf>
void addKernels(SourcedTable& made, Selections runs, std::size_t run, const NamedTotals& totals,
    NameOf&& nameOf) {
    const DurationNs all = sumOf(runs[run], &analysis::TimeBreakdown::kernelTime);
    for (const auto& [key, sums] : ordered(totals)) {
        made.table.add({ofRun(runs, runs[run], nameOf(key)), sums.count, sums.time,
            meanOf(sums.time, sums.count), shareOf(sums.time, all)});
        made.sources.push_back({run, key});
    }
}

// For narrow columns.
std::string shortTitle(const TracedTime& part) {
    if (part.time == &analysis::TimeBreakdown::compute)
        return "comp.";
    if (part.time == &analysis::TimeBreakdown::communication)
        return "comm.";
    return part.time == &analysis::TimeBreakdown::exposedCommunication ? "exp." : part.title;
}

// Behind the name of a run, in rows that are cut at their end, no two titles begin alike.
std::string titleIn(Selections runs, const TracedTime& part) {
    const bool isExposed = part.time == &analysis::TimeBreakdown::exposedCommunication;
    return runs.size() > 1 && isExposed ? "exposed" : part.title;
}

// Parts of a device's time as shares of its window, or as they are.
template <typename CellOf>
Table gpuTable(
    Selections runs, std::string title, const char* unit, bool hasWindow, CellOf&& cellOf) {
    Table table{std::move(title), {{"GPU", Left}}};
    if (hasWindow)
        table.columns.push_back({"window"});
    for (const TracedTime& part : kTracedTimes)
        table.columns.push_back(inUnit(hasWindow ? part.title : shortTitle(part), unit));
    for (const TraceSelection& run : runs) {
        for (const DeviceBreakdown& device : run.devices) {
            std::vector<text::Cell> cells{ofRun(runs, run, gpuName(run, device))};
            if (hasWindow)
                cells.emplace_back(device.traced);
            for (const TracedTime& part : kTracedTimes)
                cells.push_back(cellOf(device, device.*part.time));
            table.add(std::move(cells));
        }
    }
    return table;
}

std::optional<DurationNs> wholeNs(const std::optional<double>& ns) {
    return ns ? std::optional(DurationNs{static_cast<std::int64_t>(std::llround(*ns))})
              : std::nullopt;
}

std::string callName(const analysis::CallRow& row) {
    std::string name(analysis::KernelCategories::label(toString(row.kind)));
    if (!row.group.empty())
        name += ", " + row.group;
    return row.ranks > 0 ? fmt::format("{}, {}", name, text::counted(row.ranks, "rank")) : name;
}

} // namespace

std::string limitSourceText(const std::string& source) {
    if (source == "recorded")
        return "the recorded limit";
    if (source == "launch")
        return "the limit it was launched with";
    return source == "inferred" ? "the limit of the model that is inferred"
                                : "the limit of its model";
}

std::string aboveLimitText(const analysis::LimitShare& share) {
    if (share.seconds <= 0.0)
        return fmt::format("never above {} ({}), highest {}", text::rounded(share.limitW, "W"),
            limitSourceText(share.source), text::rounded(share.highestW, "W"));
    return fmt::format("{} above {} ({}), {} of the time, highest {}",
        text::rounded(share.seconds, "s"), text::rounded(share.limitW, "W"),
        limitSourceText(share.source), text::roundedPercent(share.share),
        text::rounded(share.highestW, "W"));
}

Table aboveLimitTable(
    const std::vector<std::pair<std::string, std::optional<analysis::LimitShare>>>& runs) {
    Table table{"Above the power limit",
        {{"run", Left}, inUnit("limit", "W"), {"of", Left}, inUnit("time above, GPUs summed", "s"),
            inUnit("share", "%"), inUnit("highest", "W"), inUnit("energy then", "J")}};
    bool isAnyUnknown = false;
    for (const auto& [name, share] : runs) {
        isAnyUnknown |= !share;
        if (share)
            table.add({name, share->limitW, limitSourceText(share->source), share->seconds,
                share->share, share->highestW, share->joules});
    }
    if (!table.isEmpty() && isAnyUnknown)
        table.notes.emplace_back("The power of GPUs or its limit is not known of the other runs.");
    return table;
}

SourcedTable kernelsAboveLimitTable(
    const std::vector<std::vector<analysis::DeviceAboveLimit>>& runs, RankedBy by) {
    std::vector<AboveRow> rows;
    double joules = 0.0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (auto& kernel : analysis::together(runs[run]))
            rows.push_back({run, std::move(kernel)});
        for (const auto& device : runs[run])
            joules += device.tracedJoules;
    }
    std::ranges::stable_sort(
        rows, [by](const AboveRow& a, const AboveRow& b) { return standsBefore(a, b, by); });
    SourcedTable made;
    made.table = {"Above the power limit",
        {{"kernel", Left}, {"count"}, {"time"}, inUnit("energy", "J"), inUnit("share", "%")}};
    for (const auto& [run, kernel] : rows) {
        const std::optional<double> share
            = joules > 0.0 ? std::optional(kernel.joules / joules) : std::nullopt;
        made.table.add({kernel.name, kernel.count, kernel.time, kernel.joules, share});
        made.sources.push_back({run, kernel.name});
    }
    if (!rows.empty())
        made.table.notes.emplace_back(
            "While the power was above its limit; what runs at once shares it equally.");
    return made;
}

Table deviceTimesTable(Selections runs) {
    Table table{"Time of the GPUs", {{"part", Left}, {"time"}, inUnit("of traced", "%")}};
    for (const TraceSelection& run : runs) {
        if (run.devices.empty())
            continue;
        const DurationNs all = windowsOf(run);
        std::vector<std::string> none;
        for (const TracedTime& part : kTracedTimes) {
            const DurationNs time = sumOf(run, part.time);
            if (time.ns == 0)
                none.emplace_back(part.title);
            else
                table.add({ofRun(runs, run, titleIn(runs, part)), time, shareOf(time, all)});
        }
        std::string note = fmt::format("{} traced of {}{}.", text::duration(all),
            text::counted(std::ssize(run.devices), "GPU"),
            run.devices.size() > 1 ? ", summed" : "");
        if (sumOf(run, &analysis::TimeBreakdown::exposedCommunication).ns > 0)
            note += " Exposed: no compute ran beside it.";
        if (!none.empty())
            note += " None: " + text::joined(none) + ".";
        table.notes.push_back(ofRun(runs, run, note));
    }
    return table;
}

Table gpuTimesTable(Selections runs) {
    return gpuTable(runs, "Time per GPU", "", true,
        [](const DeviceBreakdown&, DurationNs part) { return text::Cell(part); });
}

Table gpuSharesTable(Selections runs) {
    return gpuTable(
        runs, "Shares per GPU", "%", false, [](const DeviceBreakdown& device, DurationNs part) {
            return text::Cell(shareOf(part, device.traced));
        });
}

SourcedTable kernelNamesTable(Selections runs) {
    SourcedTable made{kernelTable("Kernels by name", "kernel"), {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        NamedTotals totals;
        for (const DeviceBreakdown& device : runs[i].devices) {
            for (const auto& kernel : device.kernels)
                count(totals[kernel.name], kernel.count, kernel.time);
        }
        addKernels(made, runs, i, totals, [](const std::string& name) { return name; });
    }
    return made;
}

SourcedTable kernelCategoriesTable(Selections runs) {
    SourcedTable made{kernelTable("Kernels by category", "category"), {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        NamedTotals totals;
        for (const DeviceBreakdown& device : runs[i].devices) {
            for (const auto& [category, sums] : device.categories)
                count(totals[category], sums.count, sums.time);
        }
        addKernels(made, runs, i, totals, [](const std::string& key) {
            return std::string(analysis::KernelCategories::label(key));
        });
    }
    return made;
}

Table launchTable(Selections runs) {
    Table table{"Launches",
        {{"GPU", Left}, {"launched"}, {"delay"}, {"p99"}, inUnit("for host", "%"), {"queue"}}};
    std::int64_t unjoined = 0;
    for (const TraceSelection& run : runs) {
        for (const auto& device : run.launches) {
            const auto& launches = device.launches;
            unjoined += launches.unjoined;
            if (launches.joined == 0)
                continue;
            std::optional<std::int64_t> deepest;
            for (const auto& queue : launches.queues)
                deepest = std::max(deepest.value_or(0), queue.maxDepth);
            const auto delay = launches.delay;
            table.add({ofRun(runs, run, gpuName(run, device)), launches.joined,
                wholeNs(delay ? std::optional(delay->medianNs) : std::nullopt),
                wholeNs(delay ? std::optional(delay->p99Ns) : std::nullopt),
                shareOf(launches.hostBound, device.traced), deepest});
        }
    }
    if (table.isEmpty())
        return table;
    table.notes.push_back("Delay: median from the call to the start of the kernel. For host: "
                          "nothing ran, and the next work was not yet launched. Queue: the most "
                          "that waited on a stream at once.");
    if (unjoined > 0)
        table.notes.push_back(
            text::counted(unjoined, "kernel has", "kernels have") + " no call in the trace.");
    return table;
}

SourcedTable operatorTable(Selections runs) {
    SourcedTable made{
        {"Host operators", {{"operator", Left}, {"count"}, {"total"}, {"mean"}, {"self"}}}, {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const auto& row : runs[i].operators) {
            made.table.add({ofRun(runs, runs[i], row.name), row.count, row.time,
                meanOf(row.time, row.count), row.self});
            made.sources.push_back({i, row.name});
        }
    }
    if (!made.table.isEmpty())
        made.table.notes.push_back("Self: without the operators that they call.");
    return made;
}

Table callTable(Selections runs) {
    Table table{"Collectives",
        {{"collective", Left}, {"calls"}, {"time"}, inUnit("bytes", "B"),
            inUnit("bandwidth", "B/s"), {"waits"}}};
    bool isAlone = false;
    std::vector<std::string> bounds;
    for (const TraceSelection& run : runs) {
        for (const auto& row : run.calls) {
            const auto waits = row.matched > 0 ? wholeNs(row.waitS * 1e9) : std::nullopt;
            isAlone = isAlone || row.matched < row.count;
            if (row.bandwidth && row.isLowerBound)
                bounds.push_back(ofRun(runs, run, callName(row)));
            table.add({ofRun(runs, run, callName(row)), row.count, row.time, row.bytes,
                row.bandwidth, waits});
        }
    }
    if (table.isEmpty())
        return table;
    table.notes.push_back("Calls of all ranks that start in the stretch, whole. Bandwidth: bytes "
                          "over the time of the calls without their waits for the last rank.");
    if (isAlone)
        table.notes.push_back("Waits are known only where the other ranks were traced.");
    if (!bounds.empty())
        table.notes.push_back(
            fmt::format("The bandwidth of {} is a lower bound: some of the ranks were not traced, "
                        "and the time holds what is waited for these.",
                fmt::join(bounds, "; ")));
    return table;
}

SourcedTable tracedEnergyTable(std::span<const analysis::EnergyByPhase> runs) {
    SourcedTable made;
    made.table = {"Energy of the traced GPUs",
        {{"part", Left}, inUnit("energy", "J"), inUnit("from", "J"), inUnit("to", "J"),
            inUnit("share", "%")}};
    const auto add = [&](std::size_t run, const std::string& name,
                         const analysis::PartEnergy& energy, bool isKernel) {
        const auto& whole = runs[run].sum.total.known;
        const auto share = whole && whole->joules > 0.0
            ? std::optional(energy.known->joules / whole->joules)
            : std::nullopt;
        made.table.add({name, energy.known->joules, energy.known->low, energy.known->high, share});
        made.sources.push_back({run, isKernel ? name : std::string()});
    };
    std::set<std::string> untold;
    std::int64_t untoldKernels = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const auto phase : analysis::kAllPhases) {
            const analysis::PartEnergy& energy = runs[run].sum.phases[phase];
            if (energy.known)
                add(run, phaseTitle(phase), energy, false);
            else if (energy.unknown)
                untold.insert(phaseTitle(phase) + ": " + std::string(reasonOf(*energy.unknown)));
        }
        for (const auto& [rank, why] : runs[run].unknown)
            untold.insert(fmt::format("rank {}: {}", rank, reasonOf(why)));
        for (const auto& [name, energy] : kernelsByEnergy(runs[run].sum.kernels)) {
            if (energy.known)
                add(run, name, energy, true);
            else
                ++untoldKernels;
        }
    }
    for (const std::string& one : untold)
        made.table.notes.push_back(one + ".");
    if (untoldKernels > 0)
        made.table.notes.push_back(
            fmt::format("Left out: {}, whose energy the readings do not tell.",
                text::counted(untoldKernels, "kernel name")));
    if (!made.table.isEmpty())
        made.table.notes.emplace_back("From, to: the bounds of the 90 % interval.");
    return made;
}

std::vector<Table> selectionTables(Selections runs) {
    std::vector<Table> tables{deviceTimesTable(runs), gpuTimesTable(runs),
        kernelNamesTable(runs).table, kernelCategoriesTable(runs).table, callTable(runs),
        launchTable(runs), operatorTable(runs).table};
    std::erase_if(tables, [](const Table& table) { return table.isEmpty(); });
    return tables;
}

} // namespace trainscope::report
