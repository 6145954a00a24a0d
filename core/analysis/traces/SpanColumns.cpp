#include "core/analysis/traces/SpanColumns.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/traces/CollectiveKind.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/model/WholeNumber.h"

#include <tuple>

namespace trainscope::analysis {
namespace {

// The phase that each kernel and copy of a device belongs to, by one walk over its trace. Kept as
// the moments at which it changes on each stream, which are few.
struct PhaseChange {
    TimeNs from;
    std::optional<Phase> phase; // absent where nothing tells it
};
using SpanPhases = std::unordered_map<TrackId, std::vector<PhaseChange>>; // in order of time

Mark markOf(const DeviceWork& work) {
    if (work.kernel != nullptr)
        return work.telling.mark;
    return work.launch ? work.launch->telling.mark : Mark::None;
}

// Phases of compute without a mark are known only at the end of the walk.
class PhaseRecorder : public DeviceVisitor {
public:
    explicit PhaseRecorder(std::size_t streams)
        : m_streams(streams) { }

    Status work(const DeviceWork& work) override {
        const bool isCompute = work.kernel != nullptr && !work.kernel->isCommunication;
        const Told told{work.span.start, markOf(work), isCompute};
        auto& all = m_streams[work.stream];
        if (all.empty() || all.back().mark != told.mark || all.back().isCompute != told.isCompute)
            all.push_back(told);
        return {};
    }

    [[nodiscard]] std::vector<PhaseChange> changes(std::size_t stream, Phase unmarked) const {
        std::vector<PhaseChange> result;
        for (const Told& told : m_streams[stream]) {
            auto phase = phaseOf(told.mark);
            if (!phase && told.isCompute)
                phase = unmarked;
            result.push_back({told.from, phase});
        }
        return result;
    }

private:
    struct Told {
        TimeNs from;
        Mark mark = Mark::None;
        bool isCompute = false;
    };
    std::vector<std::vector<Told>> m_streams;
};

Result<SpanPhases> phasesOf(
    const store::Store& store, const DeviceTracks& device, const Progress& progress) {
    PhaseRecorder recorder(device.streams.size());
    ASSIGN_OR_RETURN(
        const auto evidence, DeviceReading{store, device, progress}.walk(kAllTime, recorder));
    SpanPhases phases;
    for (std::size_t i = 0; i < device.streams.size(); ++i)
        phases[device.streams[i].id] = recorder.changes(i, evidence.unmarked());
    return phases;
}

using store::SpanColumn;
using store::SqlCell;
using Type = SpanColumn::Type;

// Each collective may have arguments of its own.
constexpr std::size_t kMostDetails = 100'000;

// Facts that the columns of one query have found so far.
class SpanFacts {
public:
    SpanFacts(const store::Store& store, KernelCategories categories, Progress progress)
        : m_store(store)
        , m_categories(std::move(categories))
        , m_names(store, m_categories)
        , m_progress(std::move(progress))
        , m_studies(store, m_progress) { }
    SpanFacts(const SpanFacts&) = delete; // m_names refers to m_categories
    SpanFacts& operator=(const SpanFacts&) = delete;
    ~SpanFacts() = default;

    Result<SqlCell> category(const Track&, const Span& span) {
        if (span.kind != SpanKind::Kernel)
            return SqlCell();
        ASSIGN_OR_RETURN(const auto kernel, m_names.kernel(span.name));
        if (!kernel->isCommunication || !span.detail.isValid())
            return SqlCell(std::string_view(kernel->category));
        ASSIGN_OR_RETURN(const auto detail, detailOf(span));
        return SqlCell(m_categories.categoryOf(kernel->name, detail->collective));
    }

    Result<SqlCell> iteration(const Track& track, const Span& span) {
        ASSIGN_OR_RETURN(const auto iterations, iterationsOf(track));
        const auto after = std::ranges::upper_bound(
            *iterations, span.start, {}, [](const Iteration& one) { return one.range.begin; });
        if (after == iterations->begin() || !std::prev(after)->range.contains(span.start))
            return SqlCell();
        return SqlCell(std::prev(after)->index);
    }

    Result<SqlCell> phase(const Track& track, const Span& span) {
        if (track.description.kind != TrackKind::Stream)
            return SqlCell();
        ASSIGN_OR_RETURN(const auto phases, phasesOf(track));
        if (phases == nullptr || !phases->contains(track.id))
            return SqlCell();
        const auto& changes = phases->at(track.id);
        const auto after = std::ranges::upper_bound(changes, span.start, {}, &PhaseChange::from);
        const bool isTold = after != changes.begin() && std::prev(after)->phase;
        return isTold ? SqlCell(toString(*std::prev(after)->phase)) : SqlCell();
    }

    Result<SqlCell> bytes(const Track&, const Span& span) {
        ASSIGN_OR_RETURN(const auto detail, detailOf(span));
        return detail->bytes ? SqlCell(*detail->bytes) : SqlCell();
    }

    Result<SqlCell> communicator(const Track&, const Span& span) {
        ASSIGN_OR_RETURN(const auto detail, detailOf(span));
        return detail->communicator.empty() ? SqlCell()
                                            : SqlCell(std::string_view(detail->communicator));
    }

private:
    struct Detail {
        std::string collective;
        std::string communicator;
        std::optional<std::int64_t> bytes;
    };

    // Detail of kernels, copies and sets; empty for all other spans.
    Result<const Detail*> detailOf(const Span& span) {
        static const Detail nothing;
        const bool isCopy = span.kind == SpanKind::Copy || span.kind == SpanKind::Set;
        if ((span.kind != SpanKind::Kernel && !isCopy) || !span.detail.isValid())
            return &nothing;
        if (span.kind == SpanKind::Kernel) {
            ASSIGN_OR_RETURN(const auto kernel, m_names.kernel(span.name));
            if (!kernel->isCommunication)
                return &nothing;
        }
        if (const auto known = m_details.find(span.detail); known != m_details.end())
            return &known->second;
        if (m_details.size() >= kMostDetails)
            m_details.clear();
        ASSIGN_OR_RETURN(auto detail, readDetail(span.detail, isCopy));
        return &m_details.emplace(span.detail, std::move(detail)).first->second;
    }

    Result<Detail> readDetail(NameId id, bool isCopy) const {
        ASSIGN_OR_RETURN(const auto text, m_store.name(id));
        if (isCopy)
            return Detail{{}, {}, movedBytes(text)};
        const CollectiveDetail told = parseCollectiveDetail(text);
        const auto size = bytesOf(told);
        return Detail{told.collective, groupText(told),
            size ? wholeNumber<std::int64_t>(*size) : std::nullopt};
    }

    Result<const Run*> runOf(RunId id) {
        if (m_runs.empty())
            RETURN_IF_ERROR(assign(m_store.runs(), m_runs));
        const auto found = std::ranges::find(m_runs, id, &Run::id);
        return found == m_runs.end() ? nullptr : &*found;
    }

    Result<const std::vector<Iteration>*> iterationsOf(const Track& track) {
        const std::pair key{track.run, track.description.rank};
        if (const auto known = m_ofRank.find(key); known != m_ofRank.end())
            return &known->second;
        ASSIGN_OR_RETURN(const auto run, runOf(track.run));
        std::vector<Iteration> own;
        if (run != nullptr) {
            ASSIGN_OR_RETURN(const auto all, analysis::iterationsOf(m_studies.of(*run)));
            own = iterationsOfRank(all.everyOne(), key.second);
        }
        return &m_ofRank.emplace(key, std::move(own)).first->second;
    }

    // nullptr: the track is none of a traced device.
    Result<const SpanPhases*> phasesOf(const Track& track) {
        const std::tuple key{track.run, track.description.rank, track.description.device};
        if (const auto known = m_phases.find(key); known != m_phases.end())
            return &known->second;
        ASSIGN_OR_RETURN(const auto run, runOf(track.run));
        if (run == nullptr)
            return nullptr;
        ASSIGN_OR_RETURN(const auto devices, tracedDevices(m_studies.of(*run)));
        const auto device = std::ranges::find_if(devices, [&track](const DeviceTracks& one) {
            return one.rank == track.description.rank && one.device == track.description.device;
        });
        if (device == devices.end())
            return nullptr;
        ASSIGN_OR_RETURN(auto phases, analysis::phasesOf(m_store, *device, m_progress));
        return &m_phases.emplace(key, std::move(phases)).first->second;
    }

    const store::Store& m_store;
    KernelCategories m_categories;
    KernelNames m_names;
    Progress m_progress;
    RunStudies m_studies;
    std::unordered_map<NameId, Detail> m_details;
    std::vector<Run> m_runs;
    std::map<std::pair<RunId, int>, std::vector<Iteration>> m_ofRank;
    std::map<std::tuple<RunId, int, int>, SpanPhases> m_phases;
};

} // namespace

std::vector<SpanColumn> spanColumns(
    const store::Store& store, KernelCategories categories, const Progress& progress) {
    const auto facts = std::make_shared<SpanFacts>(store, std::move(categories), progress);
    const auto of = [&facts](auto member) {
        return [facts, member](const Track& track, const Span& span) {
            return (facts.get()->*member)(track, span);
        };
    };
    return {{Type::Text, "category", "Kind of kernel: gemm, attention, all_reduce, …",
                of(&SpanFacts::category)},
        {Type::Integer, "iteration", "Number of the iteration in which it begins",
            of(&SpanFacts::iteration)},
        {Type::Text, "phase", "Of kernels and copies: forward, backward, optimizer or compute",
            of(&SpanFacts::phase)},
        {Type::Integer, "bytes", "What a collective or copy moves, where the trace says it",
            of(&SpanFacts::bytes)},
        {Type::Text, "communicator", "Process group of a collective, with its ranks",
            of(&SpanFacts::communicator)}};
}

} // namespace trainscope::analysis
