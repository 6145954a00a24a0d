#include "core/analysis/replay/KernelGraph.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/SpanFacts.h"
#include "core/model/Try.h"

#include <nlohmann/json.hpp>

#include <numeric>
#include <tuple>

namespace trainscope::analysis {

namespace {

using Indices = std::vector<std::uint32_t>;
using NamedOperations = std::map<std::string, Indices, std::less<>>; // in order of start

constexpr std::string_view kClip = "optimizer-clip-main-grad";
constexpr std::string_view kSeparate = "separate-grads-all-reduce";

OperationKind operationKindOf(std::string_view name) {
    if (name.ends_with("-send") || name.ends_with("-recv"))
        return OperationKind::Message;
    return name == kClip || KernelCategories::isCommunication(name) ? OperationKind::Collective
                                                                    : OperationKind::Kernel;
}

const Indices& of(const NamedOperations& named, std::string_view name) {
    static const Indices kNone;
    const auto found = named.find(name);
    return found == named.end() ? kNone : found->second;
}

class OperationGraphBuilder {
public:
    explicit OperationGraphBuilder(const RunStudy& study)
        : m_study(study)
        , m_tensor(std::max(study.run.launch.tensorParallel.value_or(1), 1))
        , m_perStage(m_tensor * std::max(study.run.launch.dataParallel.value_or(1), 1))
        , m_stages(std::max(study.run.launch.pipelineParallel.value_or(1), 1)) { }

    Result<StepGraph> build() {
        m_graph.isOfOperations = true;
        ASSIGN_OR_RETURN(const auto iterations, iterationsOf(m_study));
        for (const Iteration& iteration : iterations.iterations) {
            m_iterationOf[iteration.index] = static_cast<std::int16_t>(m_graph.iterations.size());
            m_graph.iterations.push_back({iteration, !iteration.warmup, {}, {}});
        }
        ASSIGN_OR_RETURN(const auto tracks, m_study.store.tracks(m_study.run.id));
        for (const Track& track : tracks) {
            if (track.description.process == kOperationProcess)
                RETURN_IF_ERROR(readTrack(track));
        }
        m_graph.categories = m_graph.names;
        for (const auto& [place, named] : m_places)
            addDependencies(place.first, place.second, named);
        settle();
        addGroups();
        for (std::uint32_t to = 0; to < m_waits.size(); ++to) {
            for (const auto& [from, basis] : m_waits[to])
                m_graph.edges.push_back({from, to, 0, EdgeKind::Dependency, basis});
        }
        addBoundaries();
        finishGraph(m_graph);
        return std::move(m_graph);
    }

private:
    StepOperation& at(std::uint32_t operation) { return m_graph.operations[operation]; }
    TimeNs end(std::uint32_t operation) { return at(operation).start + at(operation).duration; }
    int rankOf(std::uint32_t operation) { return m_graph.tracks[at(operation).track].rank; }

    Status readTrack(const Track& track) {
        const int rank = track.description.rank;
        m_graph.tracks.push_back({rank, track.description.device, rank / m_perStage, track.id,
            track.description.name, rank / m_tensor % (m_perStage / m_tensor)});
        std::map<std::int64_t, std::uint32_t> last; // the track's, by step
        const store::SpanSource source = m_study.store.spanSource(track.id, kAllTime);
        while (true) {
            ASSIGN_OR_RETURN(const auto spans, source());
            for (const Span& span : spans)
                RETURN_IF_ERROR(take(span, rank, last));
            if (spans.empty())
                return {};
        }
    }

    Status take(const Span& span, int rank, std::map<std::int64_t, std::uint32_t>& last) {
        ASSIGN_OR_RETURN(const auto name, text(span.name));
        ASSIGN_OR_RETURN(const auto detail, text(span.detail));
        const auto numbers = nlohmann::json::parse(detail, nullptr, false);
        const auto number = [&](const char* key) -> std::int64_t {
            const auto found = numbers.is_object() ? numbers.find(key) : numbers.end();
            const bool isNumber = found != numbers.end() && found->is_number_integer();
            return isNumber ? found->get<std::int64_t>() : -1;
        };
        const std::int64_t step = number("step");
        StepOperation operation;
        operation.start = span.start;
        operation.duration = span.duration;
        operation.track = static_cast<std::uint32_t>(m_graph.tracks.size() - 1);
        operation.name = nameOf(name);
        operation.category = static_cast<std::uint16_t>(operation.name);
        operation.kind = operationKindOf(name);
        operation.phase = operation.kind == OperationKind::Kernel
            ? phaseOf(markOfAnnotation(name)).value_or(Phase::Compute)
            : Phase::CommunicationExposed;
        operation.microBatch = static_cast<std::int16_t>(number("mb_id"));
        if (const auto known = m_iterationOf.find(step); known != m_iterationOf.end())
            operation.iteration = known->second;
        const auto index = static_cast<std::uint32_t>(m_graph.operations.size());
        m_graph.operations.push_back(operation);
        m_chunk.push_back(static_cast<int>(number("model_chunk")));
        m_chunks = std::max(m_chunks, m_chunk.back() + 1);
        m_waits.emplace_back();
        m_places[{step, rank}][name].push_back(index);
        if (name.ends_with("-compute"))
            m_places[{step, rank}]["compute"].push_back(index);
        if (const auto [before, isFirst] = last.try_emplace(step, index); !isFirst)
            wait(index, std::exchange(before->second, index), EdgeBasis::Assumed);
        return {};
    }

    Result<std::string> text(NameId id) {
        const auto [known, isNew] = m_texts.try_emplace(id);
        if (isNew && id.isValid()) {
            ASSIGN_OR_RETURN(known->second, m_study.store.name(id));
        }
        return known->second;
    }

    std::uint32_t nameOf(const std::string& name) {
        const auto found = std::ranges::find(m_graph.names, name);
        const auto index = static_cast<std::uint32_t>(found - m_graph.names.begin());
        if (found == m_graph.names.end())
            m_graph.names.push_back(name);
        return index;
    }

    void wait(std::uint32_t operation, std::uint32_t on, EdgeBasis basis = EdgeBasis::Inferred) {
        m_waits[operation].emplace_back(on, basis);
    }

    void addDependencies(std::int64_t step, int rank, const NamedOperations& named) {
        for (const char* pass : {"forward", "backward"}) {
            addMessages(step, rank, named, pass, true);
            addMessages(step, rank, named, pass, false);
        }
        const Indices& computes = of(named, "compute");
        const Indices& backward = of(named, "backward-compute");
        // The first messages of the backward pass are asked for before the compute ahead of it.
        const auto first = std::ranges::find_first_of(computes, backward) - computes.begin();
        for (const char* name : {"backward-recv", "backward-send"}) {
            if (const Indices& messages = of(named, name); first >= 2 && !messages.empty())
                wait(messages.front(), computes[static_cast<std::size_t>(first - 2)]);
        }
        const auto isOfChunk = [this](std::uint32_t like) {
            return [this, like](std::uint32_t i) { return m_chunk[i] == m_chunk[like]; };
        };
        for (const std::uint32_t gather : of(named, "params-all-gather")) {
            const Indices& forward = of(named, "forward-compute");
            const auto user = std::ranges::find_if(forward, isOfChunk(gather));
            if (user != forward.end())
                wait(*user, gather);
        }
        addTail(named);
        // Gradients may be scattered while others are computed; the rest is then reduced apart.
        const Indices& separate = of(named, kSeparate);
        for (const std::uint32_t scatter : of(named, "grads-reduce-scatter")) {
            if (separate.empty())
                break;
            const auto behind
                = std::find_if(backward.rbegin(), backward.rend(), isOfChunk(scatter));
            if (behind != backward.rend())
                wait(scatter, *behind);
            wait(separate.front(), scatter);
        }
        for (const auto& [name, operations] : named) {
            for (std::size_t i = 0;
                 operationKindOf(name) == OperationKind::Collective && i < operations.size(); ++i)
                m_groups[{step, name, i, firstRankOf(name, rank)}].push_back(operations[i]);
        }
    }

    // The first of the ranks that a collective joins.
    [[nodiscard]] int firstRankOf(std::string_view name, int rank) const {
        if (name == kClip)
            return 0;
        if (name.find("embedding") != name.npos)
            return rank % m_perStage;
        if (name.starts_with("tp-") || name.find("layernorm") != name.npos)
            return rank - rank % m_tensor;
        return rank / m_perStage * m_perStage + rank % m_tensor;
    }

    // Each belongs to a compute and to the message of a neighbour, but for those at the ends of the
    // model, which go nowhere. The first receive of a step, or the last send, may be missing.
    void addMessages(std::int64_t step, int rank, const NamedOperations& named,
        const std::string& pass, bool isSend) {
        const Indices& messages = of(named, pass + (isSend ? "-send" : "-recv"));
        const Indices& computes = of(named, pass + "-compute");
        const std::size_t missing = computes.size() - std::min(computes.size(), messages.size());
        const bool isUp = (pass == "forward") == isSend; // to or from the next stage
        const int world = m_stages * m_perStage;
        const int sender
            = isSend ? rank : (rank + world + (isUp ? m_perStage : -m_perStage)) % world;
        const int endStage = isUp ? m_stages - 1 : 0;
        const int endChunk = isUp ? m_chunks - 1 : 0;
        std::size_t number = 0;
        for (std::size_t i = isSend ? 0 : missing; i < computes.size() - (isSend ? missing : 0);
             ++i) {
            const std::uint32_t message = messages[isSend ? i : i - missing];
            wait(isSend ? message : computes[i], isSend ? computes[i] : message);
            if (!isSend && i > 0)
                wait(message, computes[i - 1]);
            const bool isAtEnd
                = rank / m_perStage == endStage && std::max(m_chunk[computes[i]], 0) == endChunk;
            if (!isAtEnd)
                m_groups[{step, pass + "-pp-comm", number++, sender}].push_back(message);
        }
    }

    void addTail(const NamedOperations& named) {
        const Indices& computes = of(named, "compute");
        Indices chain = computes.empty() ? Indices() : Indices{computes.back()};
        for (const std::string_view name :
            {std::string_view("gc"), std::string_view("layernorm-grads-all-reduce"),
                std::string_view("embedding-grads-all-reduce"),
                std::string_view(named.contains(kSeparate) ? "" : "grads-reduce-scatter"),
                kSeparate, kClip, std::string_view("optimizer")})
            chain.insert(chain.end(), of(named, name).begin(), of(named, name).end());
        for (std::size_t i = 1; i < chain.size(); ++i)
            wait(chain[i], chain[i - 1]);
    }

    // The last end of what it waits for; of nothing: the begin of its step.
    TimeNs waited(std::uint32_t operation) {
        TimeNs latest = m_begins.at(at(operation).iteration);
        for (const auto& [on, basis] : m_waits[operation])
            latest = std::max(latest, end(on));
        return latest;
    }

    // Clocks and rounding let operations begin a little before what they wait for ends.
    void settle() {
        constexpr std::int64_t kNoiseNs = 10'000'000;
        Indices order(m_graph.operations.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [this](std::uint32_t i) { return at(i).start; });
        for (const std::uint32_t i : order)
            m_begins.try_emplace(at(i).iteration, at(i).start);
        for (const std::uint32_t i : order) {
            std::erase_if(m_waits[i],
                [&](const auto& wait) { return (end(wait.first) - at(i).start).ns > kNoiseNs; });
            startAt(i, std::max(at(i).start, waited(i)));
        }
        m_graph.begin = order.empty() ? TimeNs{0} : at(order.front()).start;
    }

    void startAt(std::uint32_t operation, TimeNs start) {
        at(operation).duration.ns = std::max<std::int64_t>((end(operation) - start).ns, 0);
        at(operation).start = start;
    }

    void addGroups() {
        const auto startOf = [this](std::uint32_t i) { return at(i).start; };
        const auto isAtOnce = [&](const auto& group) {
            const auto [first, last] = std::ranges::minmax(group.second, {}, startOf);
            return at(last).start - at(first).start < DurationNs{100'000};
        };
        std::erase_if(m_groups, [](const auto& group) { return group.second.size() < 2; });
        const auto atOnce = static_cast<std::size_t>(std::ranges::count_if(m_groups, isAtOnce));
        const bool hasTransfersAlone = !m_groups.empty() && 20 * atOnce >= 19 * m_groups.size();
        if (hasTransfersAlone)
            m_graph.notes.emplace_back(
                "The trace has transfers alone: ranks are taken to arrive at "
                "each as soon after their own work as the last one did.");
        for (const auto& [key, parts] : m_groups) {
            const auto gapOf = [this](std::uint32_t i) { return at(i).start - waited(i); };
            const DurationNs gap = gapOf(std::ranges::min(parts, {}, gapOf));
            for (const std::uint32_t part : parts) {
                at(part).group = static_cast<std::uint32_t>(m_graph.groups.size());
                if (hasTransfersAlone)
                    startAt(part, std::min(at(part).start, waited(part) + gap));
            }
            m_graph.groups.push_back({static_cast<std::uint32_t>(m_graph.members.size()),
                static_cast<std::uint32_t>(parts.size()), nameOf(std::get<std::string>(key))});
            m_graph.members.insert(m_graph.members.end(), parts.begin(), parts.end());
        }
    }

    // A step begins with a rank's first operation, and ends with its last.
    void addBoundaries() {
        std::map<std::pair<std::int16_t, int>, std::pair<std::uint32_t, std::uint32_t>> found;
        for (std::uint32_t i = 0; i < m_graph.operations.size(); ++i) {
            auto& [first, last]
                = found.try_emplace({at(i).iteration, rankOf(i)}, i, i).first->second;
            first = at(i).start < at(first).start ? i : first;
            last = end(i) > end(last) ? i : last;
        }
        for (const auto& [key, boundary] : found) {
            if (key.first < 0)
                continue;
            StepIteration& iteration = m_graph.iterations[static_cast<std::size_t>(key.first)];
            iteration.begins.push_back({boundary.first, 0, key.second});
            iteration.ends.push_back({boundary.second, 0, key.second, true});
        }
        for (StepIteration& iteration : m_graph.iterations)
            iteration.counts = iteration.counts && !iteration.begins.empty();
    }

    const RunStudy& m_study;
    const int m_tensor; // ranks
    const int m_perStage;
    const int m_stages;
    int m_chunks = 1;
    StepGraph m_graph;
    std::map<std::int64_t, std::int16_t> m_iterationOf; // by step
    std::unordered_map<NameId, std::string> m_texts;
    std::map<std::pair<std::int64_t, int>, NamedOperations> m_places; // by step and rank
    std::vector<int> m_chunk; // part of the model, by operation
    std::vector<std::vector<std::pair<std::uint32_t, EdgeBasis>>> m_waits; // by operation
    // By step, name, number, and the first rank of a collective or the sender.
    std::map<std::tuple<std::int64_t, std::string, std::size_t, int>, Indices> m_groups;
    std::map<std::int16_t, TimeNs> m_begins; // by iteration
};

} // namespace

bool isOfOperations(const std::vector<Track>& tracks) {
    return std::ranges::any_of(
        tracks, [](const Track& track) { return track.description.process == kOperationProcess; });
}

Result<StepGraph> operationGraph(const RunStudy& study) {
    return OperationGraphBuilder(study).build();
}

} // namespace trainscope::analysis
