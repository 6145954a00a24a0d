#include "core/analysis/steps/IterationTable.h"

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <tuple>

namespace trainscope::analysis {

namespace {

constexpr double kNamedPart = 0.25; // share of a difference from which on a part of it is named
constexpr double kNamedWait = 0.5; // share of longer communication that waiting for a rank explains

using Rows = std::vector<const IterationRow*>;

std::optional<double>& valueOf(IterationRow& row, IterationValue value) {
    return row.values[static_cast<std::size_t>(value)];
}

bool counts(const Iteration& one) {
    return !one.warmup && one.range.length().ns > 0;
}

// Tokens/s of each iteration: as the log says of it, or of several up to it; else the tokens of a
// step of the run over its time.
Result<std::vector<std::optional<double>>> tokensPerSOf(
    const RunStudy& study, const std::vector<Iteration>& iterations) {
    std::vector<std::optional<double>> rates(iterations.size());
    ASSIGN_OR_RETURN(const auto all, study.store.series(study.run.id));
    const auto logged = std::ranges::find_if(all, [](const Series& one) {
        return one.description.metric.name == metric::kTokenRate
            && one.description.subject.kind == SubjectKind::Run && one.count > 0;
    });
    if (logged != all.end()) {
        std::size_t next = 0;
        RETURN_IF_ERROR(study.store.forEachSample(logged->id, kAllTime,
            [&](std::span<const TimeNs> times, std::span<const double> values) {
                for (std::size_t i = 0; i < times.size(); ++i) {
                    for (; next < rates.size() && iterations[next].range.end <= times[i]; ++next)
                        rates[next]
                            = std::isnan(values[i]) ? std::nullopt : std::optional(values[i]);
                }
                return true;
            }));
        return rates;
    }
    ASSIGN_OR_RETURN(const auto efficiency, timeEfficiencyOf(study));
    for (std::size_t i = 0; i < rates.size() && efficiency.tokensPerS && efficiency.stepTimeS;
         ++i) {
        if (iterations[i].range.length().ns > 0)
            rates[i] = *efficiency.tokensPerS * *efficiency.stepTimeS
                / iterations[i].range.length().seconds();
    }
    return rates;
}

std::optional<double> medianIn(
    const std::vector<std::optional<double>>& values, std::size_t from, std::size_t end) {
    std::vector<double> known;
    for (; from < end; ++from) {
        if (values[from])
            known.push_back(*values[from]);
    }
    return known.empty() ? std::nullopt : std::optional(medianOf(known));
}

Result<std::vector<IterationChange>> findChanges(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto found, iterationsOf(study));
    std::vector<Iteration> counted;
    std::ranges::copy_if(found.iterations, std::back_inserter(counted), counts);
    std::vector<double> seconds;
    double all = 0.0;
    for (const Iteration& one : counted)
        all += seconds.emplace_back(one.range.length().seconds());
    const auto levels = levelChanges(seconds);
    std::vector<IterationChange> changes;
    if (levels.empty())
        return changes;
    ASSIGN_OR_RETURN(const auto tokens, tokensPerSOf(study, counted));
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const LevelChange& level = levels[i];
        const std::size_t from = i > 0 ? levels[i - 1].at : 0;
        const std::size_t end = i + 1 < levels.size() ? levels[i + 1].at : counted.size();
        const double more = (level.after - level.before) * static_cast<double>(end - level.at);
        changes.push_back({level, counted[level.at].index, counted[level.earliest].index,
            counted[std::min(level.latest, counted.size() - 1)].index,
            {counted[level.at].range.begin, counted[end - 1].range.end}, more / all,
            medianIn(tokens, from, level.at), medianIn(tokens, level.at, end)});
    }
    return changes;
}

void takeWork(const std::vector<DeviceTrace>& devices, IterationTable& table) {
    std::map<std::int64_t, std::vector<std::pair<const IterationBreakdown*, bool>>> byIndex;
    for (const DeviceTrace& device : devices) {
        const int rank = device.breakdown.rank;
        if (table.ranks.empty() || table.ranks.back() != rank)
            table.ranks.push_back(rank);
        for (const IterationBreakdown& one : device.breakdown.iterations) {
            if (table.rank.value_or(rank) == rank)
                byIndex[one.index].emplace_back(&one, device.activity.launches.joined > 0);
        }
    }
    for (IterationRow& row : table.rows) {
        const auto& own = byIndex[row.iteration.index];
        const double share = 1.0 / static_cast<double>(std::max<std::size_t>(own.size(), 1));
        for (const auto& [one, hasCalls] : own) {
            const std::array parts{
                one->compute, one->exposedCommunication, one->copy, one->idle, one->hostBound};
            for (std::size_t i = 0; i < (hasCalls ? parts.size() : parts.size() - 1); ++i)
                row.values[i] = row.values[i].value_or(0.0) + share * parts[i].seconds();
            for (const auto& [category, time] : one->categories) {
                if (fromString<CollectiveKind>(category))
                    row.collectivesS[category] += share * time.time.seconds();
            }
        }
    }
}

// As `summary --detail` has it.
Status takeEnergies(const RunStudy& study, const EnergyByPhase& traced, IterationTable& table) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    const auto gpus = gpuSeriesByRank(series);
    const auto metered = std::ranges::count_if(
        gpus, [](const auto& gpu) { return !energySeriesOf(gpu.second).isNothing(); });
    std::vector<Iteration> iterations;
    for (const IterationRow& row : table.rows)
        iterations.push_back(row.iteration);
    if (metered == 0)
        return {};
    ASSIGN_OR_RETURN(auto figures,
        iterationFigures(
            study.store, iterations, gpus, {}, nullptr, table.rank.has_value(), study.progress));
    takeTraced(traced, static_cast<std::size_t>(metered), figures);
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const auto& own = figures[i].gpuEnergyJ;
        auto& joules = valueOf(table.rows[i], IterationValue::Energy);
        if (!table.rank)
            joules = figures[i].energyJ;
        else if (const auto found = own.find(*table.rank); found != own.end())
            joules = found->second;
    }
    return {};
}

Status takeLastRanks(const RunStudy& study, const RunIterations& run, IterationTable& table) {
    if (table.ranks.size() < 2)
        return {};
    ASSIGN_OR_RETURN(const auto clocks, alignRanks(study));
    std::map<std::int64_t, std::map<int, double>> waits; // by index and rank
    const auto add = [&](const Collective& one) {
        const auto next = std::ranges::upper_bound(run.iterations, one.end, {},
            [](const Iteration& iteration) { return iteration.range.begin; });
        const bool isIn = next != run.iterations.begin() && std::prev(next)->range.contains(one.end)
            && isSynchronising(one.kind);
        for (const CollectiveRank& rank : isIn ? one.ranks : std::vector<CollectiveRank>())
            waits[std::prev(next)->index][one.lastRank] += rank.wait.seconds();
        return true;
    };
    ASSIGN_OR_RETURN([[maybe_unused]] const auto scan, forEachCollective(study, clocks, add));
    for (IterationRow& row : table.rows) {
        for (const auto& [rank, seconds] : waits[row.iteration.index]) {
            if (seconds > row.causedWaitS)
                std::tie(row.lastRank, row.causedWaitS) = std::pair(rank, seconds);
        }
    }
    return {};
}

// By their time, in the middle of those that are not warm-up: as many below as above.
Rows middleFifth(const IterationTable& table) {
    Rows rows;
    for (const IterationRow& row : table.rows) {
        if (counts(row.iteration))
            rows.push_back(&row);
    }
    std::ranges::stable_sort(
        rows, {}, [](const IterationRow* row) { return row->iteration.range.length(); });
    const auto aside = rows.empty() ? 0 : static_cast<std::ptrdiff_t>((rows.size() - 1) * 2 / 5);
    return {rows.begin() + aside, rows.end() - aside};
}

template <typename Of>
double meanOver(const Rows& rows, const Of& of) {
    RunningMean mean;
    for (const IterationRow* row : rows)
        mean.add(of(*row));
    return mean.count > 0 ? mean.value() : 0.0;
}

// Idle time is without what waits for the host.
double secondsIn(const IterationRow& row, IterationValue part) {
    const double host = row.of(IterationValue::Host).value_or(0.0);
    return row.of(part).value_or(0.0) - (part == IterationValue::Idle ? host : 0.0);
}

// " (AllReduce)": the collective that differs most that way.
std::string collectiveText(const IterationRow& row, const Rows& others, double way) {
    std::pair<double, std::string> most;
    for (const auto& [category, seconds] : row.collectivesS) {
        const double other = meanOver(others, [&key = category](const IterationRow& one) {
            const auto found = one.collectivesS.find(key);
            return found == one.collectivesS.end() ? 0.0 : found->second;
        });
        most = std::max(most, {(seconds - other) * way, category});
    }
    return most.first > 0.0 ? fmt::format(" ({})", KernelCategories::label(most.second)) : "";
}

// "53 ms more"
std::string differenceText(double seconds) {
    return text::seconds(std::abs(seconds)) + (seconds < 0.0 ? " less" : " more");
}

struct NamedValue {
    const char* title;
    const char* unit;
    const char* part; // a part of an iteration, in a sentence
};
constexpr std::array kValues{NamedValue{"Compute", "s", "compute"},
    NamedValue{"Exposed", "s", "exposed communication"}, NamedValue{"Copies", "s", "copies"},
    NamedValue{"Idle", "s", "idle"}, NamedValue{"Host", "s", "waiting for the host"},
    NamedValue{"Energy", "J", nullptr}, NamedValue{"Tokens/s", "1/s", nullptr}};

} // namespace

Result<std::vector<IterationChange>> iterationChangesOf(const RunStudy& study) {
    return study.once(findChanges);
}

std::string changeText(const IterationChange& change) {
    const LevelChange& level = change.seconds;
    std::string text = fmt::format("From iteration {}", change.index);
    if (change.earliest != change.latest)
        text += fmt::format(" ({} to {})", change.earliest, change.latest);
    text += fmt::format(" on, {}, each takes {}, {} ± {} ({})", text::moment(change.range.begin),
        text::seconds(level.after), differenceText(level.after - level.before),
        text::seconds(level.margin), text::signedPercent(level.ratio() - 1.0));
    if (change.tokensPerSBefore && change.tokensPerSAfter) {
        const auto unit = text::shownCount(*change.tokensPerSBefore);
        text += fmt::format("; {} to {} {}tokens/s",
            text::number(*change.tokensPerSBefore * unit.scale),
            text::number(*change.tokensPerSAfter * unit.scale), unit.unit);
    }
    return text + ".";
}

std::string IterationTable::title() const {
    return fmt::format("{}, {} in the median ({} to {})",
        text::counted(std::ssize(rows), "iteration"), text::seconds(medianS), text::seconds(lowS),
        text::seconds(highS));
}

Result<IterationTable> iterationTableOf(const RunStudy& study, std::optional<int> rank,
    const std::function<void(IterationTable)>& tell) {
    ASSIGN_OR_RETURN(const auto found, iterationsOf(study));
    const auto& iterations = rank ? found.of(*rank) : found.iterations;
    IterationTable table;
    table.run = study.run;
    table.rank = rank;
    table.origin = found.origin;
    ASSIGN_OR_RETURN(const auto tokens, tokensPerSOf(study, iterations));
    std::vector<double> seconds;
    for (std::size_t i = 0; i < iterations.size(); ++i) {
        table.rows.push_back({iterations[i]});
        valueOf(table.rows.back(), IterationValue::TokensPerS) = tokens[i];
        if (counts(iterations[i]))
            seconds.push_back(table.rows.back().seconds());
    }
    if (!seconds.empty()) {
        table.medianS = medianOf(seconds);
        std::ranges::sort(seconds);
        table.lowS = seconds[seconds.size() / 20];
        table.highS = seconds[seconds.size() - 1 - seconds.size() / 20];
    }
    ASSIGN_OR_RETURN(table.changes, iterationChangesOf(study));
    if (tell) {
        table.isPartial = true;
        tell(table);
        table.isPartial = false;
    }
    EnergyOptions options;
    options.iterations.all = found.everyOne();
    ASSIGN_OR_RETURN(
        const auto traced, tracesWithEnergy(study, KernelCategories::builtIn(), options));
    takeWork(traced.devices, table);
    RETURN_IF_ERROR(takeEnergies(study, traced.energy, table));
    RETURN_IF_ERROR(takeLastRanks(study, found, table));
    return table;
}

text::Table wordsOf(const IterationTable& table) {
    text::Table words;
    words.columns = {text::inUnit("Iteration", ""), text::inUnit("Time", "s"),
        text::inUnit("Against median", "s")};
    const auto isAny = [&table](const auto& has) { return std::ranges::any_of(table.rows, has); };
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < kValues.size(); ++i) {
        if (!isAny([i](const IterationRow& row) { return row.values[i].has_value(); }))
            continue;
        known.push_back(i);
        words.columns.push_back(text::inUnit(kValues[i].title, kValues[i].unit));
    }
    const bool hasLast = isAny([](const IterationRow& row) { return row.lastRank >= 0; });
    if (hasLast)
        words.columns.push_back(text::inUnit("Came last", ""));
    for (const IterationRow& row : table.rows) {
        auto& cells = words.rows.emplace_back(std::vector<text::Cell>{
            row.iteration.index, row.seconds(), row.seconds() - table.medianS});
        for (const std::size_t i : known)
            cells.emplace_back(row.values[i]);
        if (hasLast)
            cells.push_back(row.lastRank < 0 ? text::Cell() : fmt::format("rank {}", row.lastRank));
    }
    return words;
}

IterationComparison compareIterations(
    const IterationTable& table, std::size_t at, std::optional<std::size_t> other) {
    const IterationRow& row = table.rows[at];
    const Rows others = other ? Rows{&table.rows[*other]} : middleFifth(table);
    const std::string against = other
        ? fmt::format("iteration {}", table.rows[*other].iteration.index)
        : std::string("the median");
    IterationComparison made{fmt::format("Iteration {} against {}", row.iteration.index, against),
        {}, row.seconds() - (other ? table.rows[*other].seconds() : table.medianS), {}};
    made.text = fmt::format(
        "{}, {} than {}", text::seconds(row.seconds()), differenceText(made.differenceS), against);
    for (std::size_t i = 0; kValues[i].part != nullptr; ++i) {
        const auto part = static_cast<IterationValue>(i);
        const double own = secondsIn(row, part);
        const double mean
            = meanOver(others, [part](const IterationRow& one) { return secondsIn(one, part); });
        if (row.values[i] && (own > 0.0 || mean > 0.0))
            made.parts.push_back({kValues[i].part, own, own - mean});
    }
    std::ranges::stable_sort(made.parts, std::greater<>(),
        [](const PartDifference& part) { return std::abs(part.differenceS); });
    const double way = made.differenceS < 0.0 ? -1.0 : 1.0;
    const PartDifference most = made.parts.empty() ? PartDifference() : made.parts.front();
    const double part = most.differenceS * way;
    if (part > 0.0 && part >= kNamedPart * std::abs(made.differenceS)) {
        // Other parts may make up for some of it.
        const bool isPart = part <= 1.01 * std::abs(made.differenceS);
        made.text += fmt::format(": {} in {}",
            isPart ? text::seconds(part) + " of it" : differenceText(most.differenceS), most.name);
        if (most.name == kValues[1].part) {
            made.text += collectiveText(row, others, way);
            const auto waiting
                = static_cast<double>(std::max<std::ptrdiff_t>(std::ssize(table.ranks) - 1, 1));
            if (way > 0.0 && row.causedWaitS > kNamedWait * part * waiting)
                made.text += fmt::format(", waiting for rank {}", row.lastRank);
        }
    }
    made.text += ".";
    return made;
}

} // namespace trainscope::analysis
