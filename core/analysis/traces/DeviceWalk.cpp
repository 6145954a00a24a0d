#include "core/analysis/traces/DeviceWalk.h"

#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/model/Gather.h"

namespace trainscope::analysis {

namespace {

// Clocks of host and device disagree by microseconds: a launch may seem to come after its kernel.
constexpr DurationNs kHostAhead{10'000'000};
// Longest time before a range at which a launch or an annotation that matters in it may have begun.
constexpr DurationNs kHostLead{5'000'000'000};

class Walk {
public:
    Walk(const store::Store& store, const DeviceTracks& device, TimeRange range,
        std::span<DeviceVisitor* const> visitors)
        : m_store(store)
        , m_device(device)
        , m_range(range)
        , m_visitors(visitors)
        , m_names(store, KernelCategories::builtIn())
        , m_host(store)
        , m_annotations(device.annotations.size())
        , m_isByName(std::ranges::any_of(
              visitors, [](const DeviceVisitor* visitor) { return visitor->asksForNames(); })) {
        for (const Track& stream : device.streams) {
            const auto found = std::ranges::find_if(device.annotations, [&](const Track& track) {
                return track.description.thread == stream.description.thread;
            });
            m_annotationOf.push_back(static_cast<std::size_t>(found - device.annotations.begin()));
        }
    }

    Result<MarkEvidence> run(const Progress& progress, std::optional<TimeNs> hostFrom) {
        SpanMerge merge;
        TimeRange hostRange = m_range;
        if (m_range != kAllTime)
            hostRange = {hostFrom.value_or(m_range.begin - kHostLead), m_range.end + kHostAhead};
        for (const Track& track : m_device.threads)
            merge.add(SpanCursor(m_store, track.id, hostRange), kHostAhead);
        for (const Track& track : m_device.annotations)
            merge.add(SpanCursor(m_store, track.id, m_range));
        for (const Track& track : m_device.streams)
            merge.add(SpanCursor(m_store, track.id, m_range));
        auto status
            = merge.forEach([&](std::size_t track, const Span& span) { return take(track, span); },
                "Following launches", progress);
        if (status.hasValue())
            status = finish();
        if (!status.hasValue())
            return status.error();
        m_evidence.tellsDirections = m_evidence.tellsDirections || m_host.tellsDirections();
        const bool isAsked = std::ranges::any_of(
            m_visitors, [](const DeviceVisitor* visitor) { return visitor->asksForLater(); });
        if (isAsked && m_range != kAllTime)
            RETURN_IF_ERROR(tellLater());
        return m_evidence;
    }

private:
    struct PieceTeller {
        Walk& walk;

        void operator()(
            TimeRange piece, std::span<const ActiveKernels> kernels, bool isCopying) const {
            walk.tellPiece(piece, {kernels, isCopying});
        }
    };
    struct Annotation {
        TimeNs begin;
        TimeNs end;
        Mark mark;
        NameId name;
        bool isPass; // by its numbers
    };
    struct Name {
        Mark mark = Mark::None;
        bool isPass = false;
    };

    Status take(std::size_t track, const Span& span) {
        if (track < m_device.threads.size())
            return m_host.add(track, span);
        track -= m_device.threads.size();
        if (track < m_device.annotations.size())
            return annotate(m_annotations[track], span);
        track -= m_device.annotations.size();
        switch (span.kind) {
        case SpanKind::Kernel:
            return addKernel(track, span);
        case SpanKind::Copy:
        case SpanKind::Set:
            return addCopy(track, span);
        default:
            return {};
        }
    }

    Status annotate(std::vector<Annotation>& open, const Span& span) {
        std::erase_if(open, [&](const Annotation& one) { return one.end <= span.start; });
        auto known = m_marks.find(span.name);
        if (known == m_marks.end()) {
            ASSIGN_OR_RETURN(const auto name, m_store.name(span.name));
            const auto pass = passNameOf(name);
            const Name told{markOfAnnotation(name), pass && pass->isNumbered()};
            known = m_marks.emplace(span.name, told).first;
        }
        const auto [mark, isPass] = known->second;
        if (mark == Mark::None)
            return {};
        m_evidence.tellsDirections = m_evidence.tellsDirections || mark != Mark::Optimizer;
        open.push_back({span.start, span.start + span.duration, mark, span.name, isPass});
        return {};
    }

    Status tell(const DeviceWork& work) {
        for (DeviceVisitor* visitor : m_visitors)
            RETURN_IF_ERROR(visitor->work(work));
        return {};
    }

    Status addKernel(std::size_t stream, const Span& span) {
        ASSIGN_OR_RETURN(const auto kernel, m_names.kernel(span.name));
        ASSIGN_OR_RETURN(const auto category, m_names.category(*kernel, span));
        DeviceWork work{span, stream, kernel, m_host.takeLaunch(span.correlation)};
        const auto [telling, evidence] = tellingOf(work);
        work.telling = telling;
        ActiveKernels active;
        active.category = oneText(category);
        active.isCommunication = kernel->isCommunication;
        if (m_isByName)
            active.name = span.name;
        if (active.isCommunication)
            active.detail = span.detail;
        if (!active.isCommunication) {
            active.mark = telling.mark;
            ++(m_evidence.*evidence);
        } else {
            active.isPipelineTransfer = work.isPipelineTransfer = *active.category == "send_recv";
        }
        RETURN_IF_ERROR(tell(work));
        const TimeRange inside{
            std::max(span.start, m_range.begin), std::min(span.start + span.duration, m_range.end)};
        sweepTo(span.start, inside.end);
        m_sweep->add(inside, active, m_tell);
        return m_failure;
    }

    Status addCopy(std::size_t stream, const Span& span) {
        RETURN_IF_ERROR(tell({span, stream, nullptr, m_host.takeLaunch(span.correlation)}));
        const TimeRange inside = shared({span.start, span.start + span.duration}, m_range);
        sweepTo(span.start, inside.end);
        m_sweep->addCopy(inside, m_tell);
        return m_failure;
    }

    // Kernels of many names have one category: one text of it, whose address tells it.
    const std::string* oneText(const std::string* category) {
        const auto [known, isNew] = m_categories.try_emplace(category, nullptr);
        if (isNew)
            known->second = &*m_texts.insert(*category).first;
        return known->second;
    }

    void sweepTo(TimeNs start, TimeNs end) {
        if (!m_sweep)
            m_sweep.emplace(m_range == kAllTime ? start : m_range.begin);
        m_end = std::max(m_end, end);
    }

    // And what it rests on.
    std::pair<Telling, std::int64_t MarkEvidence::*> tellingOf(const DeviceWork& work) {
        if (work.launch && work.launch->telling.mark != Mark::None)
            return {work.launch->telling, &MarkEvidence::launches};
        if (const Telling told = streamTelling(work.stream, work.span.start);
            told.mark != Mark::None)
            return {told, &MarkEvidence::streamAnnotations};
        if (!m_host.hasLaunches()) {
            if (const Telling told = m_host.annotationAt(work.span.start); told.mark != Mark::None)
                return {told, &MarkEvidence::hostAnnotations};
        }
        const Mark mark = markOf(*work.kernel);
        return {{mark, std::nullopt, {}},
            mark == Mark::None ? &MarkEvidence::none : &MarkEvidence::names};
    }

    Mark markOf(const KernelNames::Kernel& kernel) {
        const auto [known, isNew] = m_kernelMarks.try_emplace(&kernel, Mark::None);
        if (isNew)
            known->second = markOfKernel(kernel.name, kernel.category);
        return known->second;
    }

    [[nodiscard]] Telling streamTelling(std::size_t stream, TimeNs moment) const {
        const std::size_t track = m_annotationOf[stream];
        Telling telling;
        if (track >= m_annotations.size())
            return telling;
        for (const Annotation& one : m_annotations[track]) {
            if (one.end > moment && one.isPass)
                return {one.mark, one.begin, one.name};
        }
        for (const Annotation& one : m_annotations[track]) {
            if (one.end > moment && (one.mark != Mark::Forward || telling.mark == Mark::None))
                telling.mark = one.mark;
        }
        for (const Annotation& one : m_annotations[track]) {
            if (one.end <= moment || one.mark != telling.mark || telling.since)
                continue;
            telling.since = one.begin;
            telling.name = one.name;
        }
        return telling;
    }

    // Between captures nothing is known.
    void tellPiece(TimeRange range, const Running& running) {
        if (!running.isNothing() || m_device.captures.size() < 2)
            return tellTraced(range, running);
        TimeNs begin = range.begin;
        for (std::size_t i = 1; i < m_device.captures.size(); ++i) {
            const TimeRange gap{m_device.captures[i - 1].end, m_device.captures[i].begin};
            if (!gap.overlaps(range))
                continue;
            if (begin < gap.begin)
                tellTraced({begin, gap.begin}, running);
            begin = gap.end;
        }
        if (begin < range.end)
            tellTraced({begin, range.end}, running);
    }

    void tellTraced(TimeRange range, const Running& running) {
        for (DeviceVisitor* visitor : m_visitors) {
            if (!m_failure.hasValue())
                return;
            // Assigned only if it failed: there are many pieces, and an error holds texts.
            if (Status told = visitor->piece(range, running); !told.hasValue())
                m_failure = std::move(told);
        }
    }

    Status finish() {
        if (!m_sweep && m_range != kAllTime)
            m_sweep.emplace(m_range.begin);
        if (m_sweep)
            m_sweep->advance(m_range == kAllTime ? m_end : m_range.end, m_tell);
        return m_failure;
    }

    // A stream from its first work behind the range on.
    struct Later {
        std::size_t stream = 0;
        SpanCursor cursor;

        Status skipTo(TimeNs begin) {
            while (cursor.current() != nullptr
                && (cursor.current()->start < begin || !isDeviceWork(cursor.current()->kind)))
                RETURN_IF_ERROR(cursor.next());
            return {};
        }
    };

    Status tellLater() {
        std::vector<Later> streams;
        for (std::size_t i = 0; i < m_device.streams.size(); ++i) {
            Later later{
                i, SpanCursor(m_store, m_device.streams[i].id, {m_range.end, kAllTime.end})};
            RETURN_IF_ERROR(later.cursor.start());
            RETURN_IF_ERROR(later.skipTo(m_range.end));
            if (later.cursor.current() != nullptr)
                streams.push_back(std::move(later));
        }
        const auto next = std::ranges::min_element(streams, [](const Later& a, const Later& b) {
            return a.cursor.current()->start < b.cursor.current()->start;
        });
        if (next == streams.end())
            return {};
        RETURN_IF_ERROR(readHostTo(next->cursor.current()->start + kHostAhead));
        for (Later& stream : streams)
            RETURN_IF_ERROR(tellLaterOn(stream, &stream == &*next));
        return {};
    }

    // Calls beyond those that were read for the range itself.
    Status readHostTo(TimeNs end) {
        const TimeRange more{m_range.end + kHostAhead, end};
        if (more.isEmpty())
            return {};
        SpanMerge merge;
        for (const Track& track : m_device.threads)
            merge.add(SpanCursor(m_store, track.id, more));
        return merge.forEach(
            [&](std::size_t track, const Span& span) {
                return span.start < more.begin ? Status() : m_host.add(track, span);
            },
            "Following launches", {});
    }

    // A stream starts its work in the order of the launches.
    Status tellLaterOn(Later& stream, bool isNext) {
        while (stream.cursor.current() != nullptr) {
            const Span& span = *stream.cursor.current();
            const auto launch = m_host.takeLaunch(span.correlation);
            const bool wasLaunched = launch && launch->call.begin < m_range.end;
            if (wasLaunched || isNext)
                RETURN_IF_ERROR(tellLater({span, stream.stream, nullptr, launch}, isNext));
            if (!wasLaunched)
                return {};
            isNext = false;
            RETURN_IF_ERROR(stream.cursor.next());
            RETURN_IF_ERROR(stream.skipTo(m_range.end));
        }
        return {};
    }

    Status tellLater(const DeviceWork& work, bool isNext) {
        for (DeviceVisitor* visitor : m_visitors) {
            if (visitor->asksForLater())
                RETURN_IF_ERROR(visitor->later(work, isNext));
        }
        return {};
    }

    const store::Store& m_store;
    const DeviceTracks& m_device;
    TimeRange m_range;
    std::span<DeviceVisitor* const> m_visitors;
    KernelNames m_names;
    HostTimeline m_host;
    std::vector<std::vector<Annotation>> m_annotations; // open ones, as the tracks
    bool m_isByName;
    std::vector<std::size_t> m_annotationOf; // by stream
    std::unordered_map<NameId, Name> m_marks;
    std::unordered_map<const KernelNames::Kernel*, Mark> m_kernelMarks;
    std::unordered_map<const std::string*, const std::string*> m_categories;
    std::set<std::string> m_texts;
    std::optional<WorkSweep<ActiveKernels>> m_sweep;
    const PieceTeller m_tell{*this};
    TimeNs m_end = kAllTime.begin;
    MarkEvidence m_evidence;
    Status m_failure;
};

// The end of the last work that begins in the range. Work that touches its last part holds that
// end, so that growing parts are read until one has some.
Result<std::optional<TimeNs>> lastEnd(
    const store::Store& store, const DeviceTracks& device, TimeRange range) {
    constexpr std::int64_t firstPart = 1'000'000; // ns
    constexpr std::int64_t growth = 16;
    for (std::int64_t ns = firstPart;; ns *= growth) {
        const bool isAll = ns >= range.length().ns;
        std::optional<TimeNs> last;
        for (const Track& stream : device.streams) {
            const TimeRange part{isAll ? range.begin : range.end - DurationNs{ns}, range.end};
            RETURN_IF_ERROR(store.forEachSpan(stream.id, part, [&](std::span<const Span> spans) {
                for (const Span& span : spans) {
                    if (isDeviceWork(span.kind) && range.contains(span.start))
                        last = std::max(last.value_or(span.start), span.start + span.duration);
                }
                return true;
            }));
        }
        if (last || isAll)
            return last;
    }
}

Result<std::optional<TimeNs>> firstBegin(
    const store::Store& store, const DeviceTracks& device, TimeRange range) {
    std::optional<TimeNs> first;
    for (const Track& stream : device.streams) {
        RETURN_IF_ERROR(store.forEachSpan(stream.id, range, [&](std::span<const Span> spans) {
            const auto found = std::ranges::find_if(spans, [&](const Span& span) {
                return isDeviceWork(span.kind) && range.contains(span.start);
            });
            if (found != spans.end())
                first = std::min(first.value_or(found->start), found->start);
            return found == spans.end();
        }));
    }
    return first;
}

// captures: of all ranks. All work of the device lies in one of those found: what begins behind a
// capture and before the next is of the first.
Status findCaptures(
    const store::Store& store, std::span<const Capture> captures, DeviceTracks& device) {
    std::vector<TimeRange> own;
    for (const Capture& capture : captures) {
        if (capture.rank == device.rank)
            own.push_back(capture.range);
    }
    own = united(std::move(own)); // a file may have been read twice
    for (std::size_t i = 0; own.size() > 1 && i < own.size(); ++i) {
        TimeRange range{device.extent.begin, device.extent.end + DurationNs{1}};
        range.begin = i == 0 ? range.begin : own[i].begin;
        range.end = i + 1 == own.size() ? range.end : own[i + 1].begin;
        ASSIGN_OR_RETURN(const auto begin, firstBegin(store, device, range));
        if (!begin)
            continue;
        ASSIGN_OR_RETURN(const auto end, lastEnd(store, device, range));
        device.captures.push_back({*begin, end.value_or(*begin)});
    }
    device.captures = united(std::move(device.captures));
    if (device.captures.size() < 2)
        device.captures = {device.extent};
    return {};
}

// Leaves out the work before that moment, unless there is no other.
Status findEarly(const store::Store& store, const EarlyLimit& limit, DeviceTracks& device) {
    if (device.extent.begin >= limit.before)
        return {};
    std::optional<TimeNs> rest;
    EarlyWork early;
    early.where = kNoTime;
    for (const Track& stream : device.streams) {
        RETURN_IF_ERROR(store.forEachSpan(stream.id, kAllTime, [&](std::span<const Span> spans) {
            for (const Span& span : spans) {
                const TimeRange range{span.start, span.start + span.duration};
                if (!isDeviceWork(span.kind))
                    continue;
                if (range.end >= limit.before) {
                    rest = std::min(rest.value_or(range.begin), range.begin);
                    if (range.begin >= limit.before)
                        return false;
                    continue;
                }
                early.where = spanned(early.where, range);
                ++(span.kind == SpanKind::Kernel ? early.kernels : early.copies);
                early.time = early.time + range.length();
            }
            return true;
        }));
    }
    if (!rest || early.where == kNoTime)
        return {};
    early.gap = limit.first - early.where.end;
    device.early = early;
    device.countedFrom = *rest;
    return {};
}

// By the iterations that the rank marked, else those of the whole run, else those of the first that
// marked some.
std::optional<EarlyLimit> firstIterationOf(const AnnotatedIterations& marked, int rank) {
    if (marked.byRank.empty())
        return std::nullopt;
    auto own = marked.byRank.find(rank);
    own = own != marked.byRank.end() ? own : marked.byRank.begin();
    const std::vector<TimeRange> ranges = vectorOf(own->second, &Iteration::range);
    return earlyLimitOf(ranges);
}

Result<std::vector<DeviceTracks>> findTracedDevices(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    std::map<std::pair<int, int>, DeviceTracks> devices;
    for (const Track& track : tracks) {
        const TrackDescription& description = track.description;
        if (description.kind != TrackKind::Stream)
            continue;
        DeviceTracks& device = devices[{description.rank, description.device}];
        device.rank = description.rank;
        device.device = description.device;
        device.extent = device.streams.empty() ? track.range : spanned(device.extent, track.range);
        device.streams.push_back(track);
    }
    for (const Track& track : tracks) {
        const TrackDescription& description = track.description;
        for (auto& [id, device] : devices) {
            if (description.rank != device.rank)
                continue;
            if (description.kind == TrackKind::Thread)
                device.threads.push_back(track);
            if (description.kind == TrackKind::StreamAnnotation
                && description.device == device.device)
                device.annotations.push_back(track);
        }
    }
    std::vector<DeviceTracks> result;
    ASSIGN_OR_RETURN(const auto captures, study.store.captures(study.run.id));
    ASSIGN_OR_RETURN(const auto marked, annotatedIterations(study.store, study.run.id));
    for (auto& [id, device] : devices) {
        RETURN_IF_ERROR(findCaptures(study.store, captures, device));
        if (const auto limit = firstIterationOf(marked, device.rank))
            RETURN_IF_ERROR(findEarly(study.store, *limit, device));
        result.push_back(std::move(device));
    }
    return result;
}

} // namespace

std::vector<TimeRange> tracedOf(std::span<const DeviceTracks> devices) {
    std::vector<TimeRange> captures;
    for (const DeviceTracks& device : devices)
        captures.insert(captures.end(), device.captures.begin(), device.captures.end());
    return united(std::move(captures));
}

Result<std::vector<DeviceTracks>> tracedDevices(const RunStudy& study) {
    return study.once(findTracedDevices);
}

std::optional<TraceWindow> traceWindow(
    const DeviceTracks& device, TimeRange window, const IterationChoice& choice) {
    if (device.early && window.begin <= device.extent.begin && device.extent.end <= window.end)
        window.begin = device.countedFrom;
    return traceWindow(device.rank, device.captures, window, choice);
}

Result<std::optional<EarlyWork>> earlyWork(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    std::optional<EarlyWork> all;
    for (const DeviceTracks& device : devices) {
        if (!device.early)
            continue;
        const EarlyWork& one = *device.early;
        all = all ? EarlyWork{all->kernels + one.kernels, all->copies + one.copies,
                  all->time + one.time, spanned(all->where, one.where), std::min(all->gap, one.gap)}
                  : one;
    }
    return all;
}

Result<MarkEvidence> walkDevice(const store::Store& store, const DeviceTracks& device,
    TimeRange range, std::span<DeviceVisitor* const> visitors, const Progress& progress,
    std::optional<TimeNs> hostFrom) {
    return Walk(store, device, range, visitors).run(progress, hostFrom);
}

} // namespace trainscope::analysis
