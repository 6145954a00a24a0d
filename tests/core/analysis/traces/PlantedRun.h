#pragma once
// A run whose collectives are made up, each rank with a clock of its own: what the analysis must
// find again is known.

#include "core/model/Run.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <QTemporaryDir>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace trainscope::test {

struct PlantedClock {
    std::int64_t offsetNs = 0; // at the epoch of the plant
    double driftPpm = 0.0;
};

// Times in true ns since `epoch`.
struct PlantedCall {
    int rank = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::string kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
    std::string detail = {};
    std::string stream = "24";
};

inline constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;

inline std::string collectiveDetail(const std::string& collective, std::int64_t elements,
    const std::string& group, const std::vector<int>& ranks, const std::string& more = {},
    const std::string& dataType = "BFloat16") {
    std::string list;
    for (const int rank : ranks)
        list += (list.empty() ? "" : ", ") + std::to_string(rank);
    return R"({"Collective name":")" + collective + R"(","In msg nelems":)"
        + std::to_string(elements) + R"(,"Out msg nelems":)" + std::to_string(elements)
        + R"(,"Group size":)" + std::to_string(ranks.size()) + R"(,"dtype":")" + dataType
        + R"(","Process Group Name":")" + group + R"(","Process Group Ranks":"[)" + list + "]\""
        + more + "}";
}

class PlantedRun {
public:
    std::map<int, PlantedClock> clocks; // a rank without one has the true clock
    std::vector<PlantedCall> calls;
    Run run; // name, GPU model, launch
    std::vector<Gpu> gpus;
    std::vector<Iteration> iterations; // ranges in true ns since the epoch

    PlantedRun() { run.name = "planted"; }

    [[nodiscard]] std::int64_t local(int rank, std::int64_t time) const {
        const auto found = clocks.find(rank);
        const PlantedClock clock = found == clocks.end() ? PlantedClock{} : found->second;
        return kEpoch + time + clock.offsetNs
            + std::llround(static_cast<double>(time) * clock.driftPpm * 1e-6);
    }

    // A collective that every rank joins at its own time and that ends `transfer` after the last
    // has come, each part `jitter(rank)` later.
    template <typename Jitter>
    void addCollective(const std::vector<int>& ranks, const std::vector<std::int64_t>& starts,
        std::int64_t transfer, const std::string& detail, Jitter&& jitter,
        const std::string& kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL") {
        std::int64_t last = starts.front();
        for (const std::int64_t start : starts)
            last = std::max(last, start);
        for (std::size_t i = 0; i < ranks.size(); ++i)
            calls.push_back(
                {ranks[i], starts[i], last + transfer + jitter(), kernel, detail, "24"});
    }

    [[nodiscard]] store::Store stored() const {
        const auto path = m_folder.filePath(QStringLiteral("%1.trainscope").arg(m_count++));
        auto store = store::Store::openOrCreate(path.toStdString());
        if (!store.hasValue())
            qFatal("%s", store.error().describe().c_str());
        if (const Status status = fill(store.value()); !status.hasValue())
            qFatal("%s", status.error().describe().c_str());
        return std::move(store).value();
    }

private:
    [[nodiscard]] Status fill(store::Store& store) const {
        auto session = store::beginImport(store, {"source", 1, "hash", run.name});
        if (!session.hasValue())
            return session.error();
        Sink& sink = *session.value();
        const auto id = sink.run(run);
        if (!id.hasValue())
            return id.error();
        for (const Gpu& gpu : gpus) {
            if (auto status = sink.gpu(id.value(), gpu); !status.hasValue())
                return status;
        }
        for (Iteration one : iterations) {
            one.range
                = {{local(one.rank, one.range.begin.ns)}, {local(one.rank, one.range.end.ns)}};
            if (auto status = sink.iteration(id.value(), one); !status.hasValue())
                return status;
        }
        std::map<std::pair<int, std::string>, std::vector<Span>> tracks;
        for (const PlantedCall& call : calls) {
            const std::int64_t start = local(call.rank, call.start);
            Span span;
            span.start = {start};
            span.duration = {local(call.rank, call.end) - start};
            span.name = sink.intern(call.kernel).valueOr({});
            span.kind = SpanKind::Kernel;
            span.detail = call.detail.empty() ? NameId{} : sink.intern(call.detail).valueOr({});
            tracks[{call.rank, call.stream}].push_back(span);
        }
        for (const auto& [where, spans] : tracks) {
            const auto track = sink.track(id.value(),
                {TrackKind::Stream, where.first, 0, "0", where.second, "stream " + where.second});
            if (!track.hasValue())
                return track.error();
            if (auto status = sink.spans(track.value(), spans); !status.hasValue())
                return status;
        }
        return session.value()->finish({}, "hash", 1, {});
    }

    QTemporaryDir m_folder;
    mutable int m_count = 0;
};

} // namespace trainscope::test
