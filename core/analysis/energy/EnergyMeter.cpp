#include "core/analysis/energy/EnergyMeter.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"

#include <numeric>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostJointClasses = 12; // with which a response is looked for
// Kernels of a category differ in power by this much of what the GPU can draw (standard deviation,
// by operators of H100 and A100 that were run alone: 390 to 700 W within "gemm").
constexpr double kWithinCategory = 0.125;
constexpr double kWithinAnything = 0.5; // for classes without a category

double shareOf(double part, double whole) {
    return whole > 0.0 ? part / whole : 0.0;
}

void addSeconds(std::vector<double>& seconds, std::size_t label, double more) {
    if (seconds.size() <= label)
        seconds.resize(label + 1, 0.0);
    seconds[label] += more;
}

double sumOf(const std::vector<double>& seconds) {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

} // namespace

EnergyMeter::EnergyMeter(const store::Store& store, Parts parts, SampleWalk power)
    : m_store(store)
    , m_parts(std::move(parts))
    , m_power(std::move(power))
    , m_window{m_parts.extent.begin, m_parts.extent.begin}
    , m_times(m_parts.extent)
    , m_namedTimes(m_parts.extent) {
    const auto addBorders = [this](TimeRange range) {
        m_borders.push_back(range.begin);
        m_borders.push_back(range.end);
    };
    for (const Iteration& iteration : m_parts.iterations) {
        m_iterations.push_back({iteration.range, {}});
        m_iterationCovered.push_back(0.0);
        m_windows.add(iteration.range);
        addBorders(iteration.range);
    }
    for (const Capture& capture : m_parts.captures) {
        m_captures.push_back({{}, {}});
        addBorders(capture.range);
    }
    if (m_parts.shown)
        addBorders(*m_parts.shown);
    std::ranges::sort(m_borders);
}

// Cut where iterations and captures begin and end.
Status EnergyMeter::piece(TimeRange range, const Running& running) {
    if (m_isFirst) { // idle before the first work counts where the walk's range begins there
        m_capture = captureAt({range.begin, range.begin});
        m_hasWork = true;
        m_isFirst = false;
    }
    TimeNs begin = range.begin;
    while (m_nextBorder < m_borders.size() && m_borders[m_nextBorder] < range.end) {
        const TimeNs border = m_borders[m_nextBorder++];
        if (border <= begin)
            continue;
        RETURN_IF_ERROR(pieceInside({begin, border}, running));
        begin = border;
    }
    return pieceInside({begin, range.end}, running);
}

std::optional<std::size_t> EnergyMeter::captureAt(TimeRange range) const {
    if (m_parts.captures.empty())
        return 0;
    for (std::size_t i = 0; i < m_parts.captures.size(); ++i) {
        const TimeRange& capture = m_parts.captures[i].range;
        if (capture.begin <= range.begin && range.begin < capture.end)
            return i;
    }
    return std::nullopt;
}

// In a capture the device's time ends with its last work.
Status EnergyMeter::pieceInside(TimeRange range, const Running& running) {
    const auto capture = captureAt(range);
    if (std::exchange(m_capture, capture) != capture) {
        m_idleBefore.reset();
        m_hasWork = false;
    }
    if (m_idleBefore && isShown(*m_idleBefore) != isShown(range)) {
        const TimeRange idle = *std::exchange(m_idleBefore, std::nullopt);
        RETURN_IF_ERROR(take(idle, {}));
    }
    if (!capture)
        return {};
    if (running.isNothing()) {
        if (m_hasWork)
            m_idleBefore = {m_idleBefore ? m_idleBefore->begin : range.begin, range.end};
        return {};
    }
    m_hasWork = true;
    if (m_idleBefore) {
        const TimeRange idle = *std::exchange(m_idleBefore, std::nullopt);
        RETURN_IF_ERROR(take(idle, {}));
    }
    return take(range, running);
}

Status EnergyMeter::take(TimeRange range, const Running& running) {
    RETURN_IF_ERROR(m_power.to(range.begin));
    ASSIGN_OR_RETURN(const auto power, m_power.to(range.end));
    const double seconds = power.line.length().seconds();
    if (!isShown(range))
        return share(range, running, 0.0);
    m_covered = m_covered + power.line.length();
    m_traced = m_traced + range.length();
    if (!m_tracedRanges.empty() && m_tracedRanges.back().end == range.begin)
        m_tracedRanges.back().end = range.end;
    else
        m_tracedRanges.push_back(range);
    m_window = {m_tracedRanges.front().begin, range.end};
    m_windows.forEachTouched(range, [&](std::size_t i) { m_iterationCovered[i] += seconds; });
    if (!m_captures.empty() && m_capture) {
        TimeRange& whole = m_captures[*m_capture].range;
        whole = {whole.isEmpty() ? range.begin : whole.begin, range.end};
    }
    return share(range, running, seconds);
}

Status EnergyMeter::share(TimeRange range, const Running& work, double seconds) {
    const Phase phase = phaseOf(work);
    if (work.kernels.empty()) {
        const std::string& category = work.isCopying ? kCopyCategory : kIdleCategory;
        count(range, phase, category, 1.0, seconds);
        countKernel(range, {}, category, 1.0, seconds);
        return {};
    }
    const std::int64_t compute = work.countOf(false);
    const bool isHidden = compute > 0;
    const std::int64_t sharing = isHidden ? compute : work.countOf(true);
    for (const ActiveKernels& kernel : work.kernels) {
        const bool counts = !isHidden || !kernel.isCommunication;
        const double part
            = counts ? static_cast<double>(kernel.count) / static_cast<double>(sharing) : 0.0;
        if (counts)
            count(range, phase, *kernel.category, part, seconds);
        countKernel(range, kernel, *kernel.category, part, seconds);
    }
    return shareCollectives(work, seconds, isHidden);
}

Status EnergyMeter::shareCollectives(const Running& work, double seconds, bool isHidden) {
    const auto collectives = static_cast<double>(work.countOf(true));
    for (const ActiveKernels& kernel : work.kernels) {
        if (!kernel.isCommunication || seconds <= 0.0)
            continue;
        ASSIGN_OR_RETURN(const auto name, communicator(kernel));
        const auto add = [&](CollectiveTime& sum) {
            sum.category = *kernel.category;
            (isHidden ? sum.hidden : sum.exposed)
                += seconds * static_cast<double>(kernel.count) / collectives;
        };
        add(m_collectives[*kernel.category]);
        if (!name->empty())
            add(m_communicators[*kernel.category + " in " + *name]);
    }
    return {};
}

std::size_t EnergyMeter::labelOf(Phase phase, const std::string& category) {
    const auto [found, isNew] = m_labels.try_emplace({&category, phase}, m_classes.size());
    if (!isNew)
        return found->second;
    const auto same = std::ranges::find_if(m_classes,
        [&](const WorkClass& one) { return one.phase == phase && one.category == category; });
    found->second = static_cast<std::size_t>(same - m_classes.begin());
    if (same == m_classes.end()) {
        m_classes.push_back({phase, category});
        m_seconds.push_back(0.0);
    }
    return found->second;
}

void EnergyMeter::count(
    TimeRange range, Phase phase, const std::string& category, double share, double seconds) {
    const std::size_t label = labelOf(phase, category);
    m_seconds[label] += share * seconds;
    m_times.add(range, label, share);
    m_windows.forEachTouched(
        range, [&](std::size_t i) { addSeconds(m_iterations[i].seconds, label, share * seconds); });
    if (!m_captures.empty() && m_capture && seconds > 0.0)
        addSeconds(m_captures[*m_capture].seconds, label, share * seconds);
}

std::size_t EnergyMeter::namedLabel(NameId name, const std::string& category) {
    const NameId own = m_parts.kernels.contains(name) ? name : NameId{};
    const auto [found, isNew] = m_namedLabels.try_emplace({category, own}, m_namedSeconds.size());
    if (isNew) {
        m_namedSeconds.push_back(0.0);
        m_namedCategories.push_back(category);
    }
    return found->second;
}

void EnergyMeter::countKernel(TimeRange range, const ActiveKernels& alike,
    const std::string& category, double share, double seconds) {
    if (!m_parts.byKernel)
        return;
    const NameId name = alike.name;
    const auto [found, isNew] = m_kernelPlaces.try_emplace({&category, name}, m_kernels.size());
    if (isNew)
        m_kernels.push_back({name, category, namedLabel(name, category), 0.0, 0.0});
    KernelTime& kernel = m_kernels[found->second];
    if (isShown(range))
        kernel.seconds += static_cast<double>(alike.count) * range.length().seconds();
    if (share <= 0.0)
        return;
    kernel.exclusive += share * seconds;
    m_namedSeconds[kernel.label] += share * seconds;
    m_namedTimes.add(range, kernel.label, share);
}

Result<const std::string*> EnergyMeter::communicator(const ActiveKernels& kernel) {
    if (const auto known = m_communicatorNames.find(kernel.detail);
        known != m_communicatorNames.end())
        return &known->second;
    std::string text;
    if (kernel.detail.isValid()) {
        ASSIGN_OR_RETURN(const auto detail, collectiveDetail(m_store, kernel.detail));
        text = groupText(detail);
    }
    return &m_communicatorNames.emplace(kernel.detail, std::move(text)).first->second;
}

void EnergyMeter::completeIteration(std::size_t number, TimeRange range, DurationNs covered) {
    Stretch& stretch = m_iterations[number];
    const double idle = covered.seconds() - sumOf(stretch.seconds);
    stretch.range = range;
    m_iterationCovered[number] = covered.seconds();
    if (idle > 0.0)
        addSeconds(stretch.seconds, labelOf(Phase::Idle, kIdleCategory), idle);
}

std::vector<double> EnergyMeter::ofPhase(Phase phase, std::vector<double> seconds) const {
    seconds.resize(m_classes.size(), 0.0);
    for (std::size_t label = 0; label < seconds.size(); ++label)
        seconds[label] *= named(m_classes[label].phase) == phase ? 1.0 : 0.0;
    return seconds;
}

std::vector<double> EnergyMeter::ofCategory(const std::string& category) const {
    std::vector<double> seconds = m_seconds;
    for (std::size_t label = 0; label < seconds.size(); ++label)
        seconds[label] *= m_classes[label].category == category ? 1.0 : 0.0;
    return seconds;
}

Status EnergyMeter::estimate(const MarkEvidence& evidence, std::span<const PowerReading> readings,
    SensorFacts facts, const CountedEnergies& counted, GpuEnergy& result) {
    if (m_idleBefore) // the walk's range ends behind it
        RETURN_IF_ERROR(take(*m_idleBefore, {}));
    m_idleBefore.reset();
    m_unmarked = evidence.unmarked();
    const auto isIdle = [](const WorkClass& one) { return one.phase == Phase::Idle; };
    const auto idle = std::ranges::find_if(m_classes, isIdle);
    if (idle != m_classes.end())
        facts.idle = static_cast<std::size_t>(idle - m_classes.begin());
    ClassTimes phaseTimes = m_times;
    std::vector<std::size_t> firstOfPhase(kPhases, m_classes.size());
    for (std::size_t label = 0; label < m_classes.size(); ++label) {
        std::size_t& first = firstOfPhase[static_cast<std::size_t>(named(m_classes[label].phase))];
        first = std::min(first, label);
        phaseTimes.merge(label, first);
    }
    phaseTimes.finish(m_classes.size());
    m_times.finish(m_classes.size());
    const bool isFew = m_classes.size() <= kMostJointClasses;
    const auto responses = findResponses(isFew ? m_times : phaseTimes, readings, facts);
    const auto powers = PowerEstimate::of(m_times, readings, responses, facts);
    m_counterLag = result.lag ? result.lag->lag : DurationNs{};
    if (powers.isUsable()) {
        const SensorResponse& response = powers.response();
        result.sensor = GpuEnergy::Sensor{
            response.windowNs * 1e-9, response.delayNs * 1e-9, powers.readings()};
        if (result.lag) // the sensor's delay is a part of the lag
            m_counterLag = m_counterLag
                + DurationNs{std::llround(response.delayNs - response.windowNs / 2.0)};
    }
    RETURN_IF_ERROR(estimateTotal(powers, counted, result));
    estimateParts(powers, result.energy);
    RETURN_IF_ERROR(estimateStretches(powers, counted, result.energy));
    estimateCollectives(m_collectives, result.energy, result.energy.collectives);
    estimateCollectives(m_communicators, result.energy, result.energy.communicators);
    return estimateKernels(readings, responses, facts, result.energy);
}

Status EnergyMeter::estimateTotal(
    const PowerEstimate& powers, const CountedEnergies& counted, GpuEnergy& result) {
    ASSIGN_OR_RETURN(auto parts, counted(m_tracedRanges, m_counterLag));
    result.isCounted = !parts.empty()
        && std::ranges::all_of(parts, [](const auto& part) { return part.has_value(); });
    if (!result.isCounted) {
        parts.clear();
        for (const TimeRange& range : m_tracedRanges) {
            std::vector<double> seconds(m_classes.size(), 0.0);
            m_times.addUntil(behindBegin(range.begin), -1e-9, seconds);
            m_times.addUntil(behindBegin(range.end), 1e-9, seconds);
            if (m_tracedRanges.size() == 1) // the only range: all seconds with power
                seconds = m_seconds;
            parts.push_back(powers.of(seconds, behindBegin(range.begin), behindBegin(range.end)));
        }
    }
    for (const auto& part : parts)
        result.energy.total += PartEnergy::of(part, NoEnergy::TooFewReadings);
    return {};
}

void EnergyMeter::estimateParts(const PowerEstimate& powers, AttributedEnergy& energy) const {
    const NoEnergy why = powers.isUsable() ? NoEnergy::NotTold : NoEnergy::TooFewReadings;
    const auto split = [&](const auto& keys, const auto& secondsOf, auto& energies) {
        std::vector<std::vector<double>> parts;
        for (const auto& key : keys)
            parts.push_back(secondsOf(key));
        std::vector<std::optional<EstimatedEnergy>> found(parts.size());
        if (energy.total.known)
            found = powers.split(parts, energy.total.known->joules);
        for (std::size_t i = 0; const auto& key : keys) {
            if (sumOf(parts[i]) > 0.0)
                energies[key] = PartEnergy::of(found[i], why);
            ++i;
        }
    };
    split(
        kAllPhases, [&](Phase phase) { return ofPhase(phase, m_seconds); }, energy.phases);
    const std::set<std::string> categories = setOf(m_classes, &WorkClass::category);
    split(
        categories, [&](const std::string& one) { return ofCategory(one); }, energy.categories);
}

Result<std::vector<PartEnergy>> EnergyMeter::energiesOf(const std::vector<Stretch>& stretches,
    const PowerEstimate& powers, const CountedEnergies& counted) const {
    const std::vector<TimeRange> ranges = vectorOf(stretches, &Stretch::range);
    ASSIGN_OR_RETURN(const auto found, counted(ranges, m_counterLag));
    std::vector<PartEnergy> result;
    for (std::size_t i = 0; i < stretches.size(); ++i) {
        std::optional<EstimatedEnergy> one = i < found.size() ? found[i] : std::nullopt;
        std::vector<double> seconds = stretches[i].seconds;
        seconds.resize(m_classes.size(), 0.0);
        if (!one)
            one = powers.of(seconds, behindBegin(ranges[i].begin), behindBegin(ranges[i].end));
        result.push_back(
            PartEnergy::of(one, powers.isUsable() ? NoEnergy::NotTold : NoEnergy::TooFewReadings));
    }
    return result;
}

Status EnergyMeter::estimateStretches(
    const PowerEstimate& powers, const CountedEnergies& counted, AttributedEnergy& energy) const {
    ASSIGN_OR_RETURN(const auto captures, energiesOf(m_captures, powers, counted));
    for (std::size_t i = 0; i < captures.size(); ++i) {
        if (!m_captures[i].range.isEmpty())
            energy.captures[m_parts.captures[i].name] += captures[i];
    }
    ASSIGN_OR_RETURN(const auto iterations, energiesOf(m_iterations, powers, counted));
    for (std::size_t i = 0; i < iterations.size(); ++i) {
        IterationEnergy iteration;
        iteration.index = m_parts.iterations[i].index;
        iteration.total = iterations[i];
        iteration.gpus = 1;
        iteration.coverage
            = shareOf(m_iterationCovered[i], m_iterations[i].range.length().seconds());
        std::vector<double> seconds = m_iterations[i].seconds;
        seconds.resize(m_classes.size(), 0.0);
        if (iteration.total.known && powers.isUsable()) {
            const double whole = powers.joules(seconds);
            for (const Phase phase : kAllPhases)
                iteration.phases[phase] = iteration.total.known->joules
                    * shareOf(powers.joules(ofPhase(phase, seconds)), whole);
        }
        energy.iterations.push_back(iteration);
    }
    return {};
}

void EnergyMeter::estimateCollectives(const Collectives& times, const AttributedEnergy& energy,
    std::map<std::string, CollectiveEnergy>& collectives) const {
    const double hidden = sumOf(ofPhase(Phase::CommunicationHidden, m_seconds));
    for (const auto& [name, time] : times) {
        CollectiveEnergy& collective = collectives[name];
        if (time.exposed > 0.0)
            collective.exposed = energy.categories.at(time.category)
                                     .part(shareOf(time.exposed, sumOf(ofCategory(time.category))));
        if (time.hidden > 0.0)
            collective.hidden
                = energy.phases[Phase::CommunicationHidden].part(shareOf(time.hidden, hidden));
    }
}

// Powers of the kernels that have one of their own and of the rest of each category, told by the
// same readings; around the power of the category, of which kernels differ by so much.
EnergyMeter::NamedPowers EnergyMeter::namedPowers(std::span<const PowerReading> readings,
    std::span<const SensorResponse> responses, SensorFacts facts, const AttributedEnergy& energy) {
    NamedPowers result;
    const std::size_t labels = m_namedSeconds.size();
    for (std::size_t label = 0; label < labels; ++label)
        result.categorySeconds[m_namedCategories[label]] += m_namedSeconds[label];
    if (!energy.total.known)
        return result;
    const double meanW = shareOf(energy.total.known->joules, m_covered.seconds());
    PowerPrior prior{std::vector<double>(labels, meanW),
        std::vector<double>(labels, kWithinAnything * facts.highestW)};
    facts.idle.reset();
    for (std::size_t label = 0; label < labels; ++label) {
        const std::string& category = m_namedCategories[label];
        const auto found = energy.categories.find(category);
        if (found != energy.categories.end() && found->second.known) {
            prior.meanW[label]
                = shareOf(found->second.known->joules, result.categorySeconds[category]);
            prior.spreadW[label] = kWithinCategory * facts.highestW;
        }
        if (category == kIdleCategory)
            facts.idle = label;
    }
    m_namedTimes.finish(labels);
    // Kernels that differ within a category tell more of the sensor than their category does.
    std::vector<SensorResponse> seen;
    if (labels > m_classes.size() && labels <= kMostJointClasses)
        seen = findResponses(m_namedTimes, readings, facts);
    result.powers = PowerEstimate::of(m_namedTimes, readings,
        seen.empty() ? responses : std::span<const SensorResponse>(seen), facts, &prior);
    return result;
}

// The energies of a category's kernels sum to the category's.
std::vector<PartEnergy> EnergyMeter::namedEnergies(
    const NamedPowers& named, const AttributedEnergy& energy) const {
    const std::size_t labels = m_namedSeconds.size();
    std::vector<double> joules(labels, 0.0);
    std::map<std::string, double> categoryJoules;
    std::map<std::string, int> categoryLabels;
    const auto secondsOf = [&](std::size_t label) {
        std::vector<double> seconds(labels, 0.0);
        seconds[label] = m_namedSeconds[label];
        return seconds;
    };
    for (std::size_t label = 0; label < labels; ++label) {
        if (named.powers.isUsable())
            joules[label] = named.powers.joules(secondsOf(label));
        categoryJoules[m_namedCategories[label]] += joules[label];
        categoryLabels[m_namedCategories[label]] += m_namedSeconds[label] > 0.0 ? 1 : 0;
    }
    std::vector<PartEnergy> result(labels);
    for (std::size_t label = 0; label < labels; ++label) {
        const std::string& name = m_namedCategories[label];
        const auto category = energy.categories.find(name);
        const PartEnergy whole
            = category == energy.categories.end() ? PartEnergy() : category->second;
        if (categoryLabels[name] == 1) {
            result[label] = whole;
            continue;
        }
        const double scale = whole.known ? shareOf(whole.known->joules, categoryJoules[name]) : 1.0;
        const double scaled = scale * joules[label];
        result[label] = PartEnergy::of(
            named.powers.around(scaled, std::abs(scaled - joules[label]), secondsOf(label)),
            whole.unknown.value_or(NoEnergy::NotTold));
    }
    return result;
}

Status EnergyMeter::estimateKernels(std::span<const PowerReading> readings,
    std::span<const SensorResponse> responses, const SensorFacts& facts, AttributedEnergy& energy) {
    if (!m_parts.byKernel)
        return {};
    const auto energies = namedEnergies(namedPowers(readings, responses, facts, energy), energy);
    for (const KernelTime& kernel : m_kernels) {
        if (kernel.category == kIdleCategory || kernel.seconds <= 0.0)
            continue;
        std::string name;
        if (kernel.name.isValid()) {
            ASSIGN_OR_RETURN(name, m_store.name(kernel.name));
        }
        KernelEnergy& row = energy.kernels[{name, kernel.category}];
        row.seconds += kernel.seconds;
        if (kernel.exclusive <= 0.0)
            continue;
        const double share = shareOf(kernel.exclusive, m_namedSeconds[kernel.label]);
        PartEnergy own = energies[kernel.label].part(share);
        if (own.known && share < 1.0) { // beside kernels of its category that may draw less or more
            const double half = kNormal90 * kWithinCategory * facts.highestW * kernel.exclusive;
            own.known->low = std::max(0.0, own.known->low - half);
            own.known->high = std::min(facts.highestW * kernel.exclusive, own.known->high + half);
        }
        row.energy += own;
    }
    return {};
}

} // namespace trainscope::analysis
