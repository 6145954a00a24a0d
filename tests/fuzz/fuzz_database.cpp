// A damaged run database, read as the window and the commands read it: values or errors that say
// something, whatever its bytes; and SQL over its samples and spans.

#include "fuzz/DamagedDatabase.h"

#include "core/store/Query.h"

using namespace trainscope;

namespace {

template <typename T>
void heard(const Result<T>& result) {
    if (!result.hasValue() && result.error().message.empty())
        std::abort();
}

void readSeries(const store::Store& store, const Series& series) {
    heard(store.buckets(series.id, kAllTime, 50));
    heard(store.rateBuckets(series.id, {{5'000'000'000}, {90'000'000'000}}, 20));
    heard(store.valueAt(series.id, {77'000'000'000}));
    heard(store.statistics(series.id, kAllTime));
    std::int64_t seen = 0;
    heard(store.forEachSample(series.id, kAllTime, [&seen](auto times, auto values) {
        if (times.size() != values.size())
            std::abort();
        seen += static_cast<std::int64_t>(times.size());
        return seen < 100'000;
    }));
}

void readTrack(const store::Store& store, TrackId track) {
    std::size_t seen = 0;
    heard(store.forEachSpan(track, kAllTime, [&seen](std::span<const Span> spans) {
        seen += spans.size();
        return seen < 100'000;
    }));
    heard(store.spanAt(track, {1'500}, 0));
}

void readRun(const store::Store& store, const Run& run) {
    heard(store.gpus(run.id));
    heard(store.iterations(run.id));
    heard(store.names(run.id));
    heard(store.machine(run.id));
    const auto series = store.series(run.id);
    heard(series);
    if (series.hasValue()) {
        for (std::size_t i = 0; i < std::min<std::size_t>(series.value().size(), 4); ++i)
            readSeries(store, series.value()[i]);
    }
    const auto tracks = store.tracks(run.id);
    heard(tracks);
    if (tracks.hasValue()) {
        for (std::size_t i = 0; i < std::min<std::size_t>(tracks.value().size(), 4); ++i)
            readTrack(store, tracks.value()[i].id);
    }
}

void ask(const store::Store& store, const char* sql) {
    int questions = 0;
    store::QueryOptions options;
    options.proceed = [&questions] { return ++questions < 300; };
    int rows = 0;
    heard(store::query(
        store, sql, {}, [&rows](const auto&) { return ++rows < 2000; }, options));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::span<const std::uint8_t> changes(data, size);
    const auto path = fuzz::folder() / "damaged.trainscope";
    fuzz::writeFile(path, fuzz::damaged(changes));
    const auto opened = store::Store::open(path, store::OpenMode::ReadOnly);
    heard(opened);
    if (!opened.hasValue())
        return 0;
    const store::Store& store = opened.value();
    const auto runs = store.runs();
    heard(runs);
    if (runs.hasValue()) {
        for (std::size_t i = 0; i < std::min<std::size_t>(runs.value().size(), 3); ++i)
            readRun(store, runs.value()[i]);
    }
    heard(store.sources());
    ask(store, "SELECT metric, count(*), avg(value), max(time_ns) FROM samples GROUP BY metric");
    ask(store, "SELECT * FROM samples WHERE rank = 0 AND time_ns > 5000000000");
    ask(store, "SELECT name, sum(duration_ns) FROM spans WHERE kind = 'kernel' GROUP BY name");
    ask(store, "SELECT * FROM run, series, track");
    int questions = 0;
    heard(store.check([&questions](const ProgressState&) { return ++questions < 50; }));
    return 0;
}
