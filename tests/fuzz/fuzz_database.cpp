// A damaged run database, read as the window and the commands read it: values or errors that say
// something, whatever its bytes; and SQL over its samples and spans.

#include "fuzz/DamagedDatabase.h"

#include "core/store/KeptSums.h"
#include "core/store/Query.h"
#include "core/store/RunLinks.h"
#include "core/store/RunNotes.h"

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

void readSums(const store::Store& store, RunId run) {
    heard(store::keptSumNames(store, run, 1));
    const store::SumPlace place;
    const auto outlines = store::sumOutlines(store, run, place);
    heard(outlines);
    for (const auto part : {store::SumPart::Sums, store::SumPart::Detail}) {
        heard(store::forEachSum(store, run, place, 0,
            outlines.hasValue() ? outlines.value().size() : 0, part,
            [](store::ByteView) { return Status(); }));
    }
}

void readRun(const store::Store& store, const Run& run) {
    heard(store.gpus(run.id));
    heard(store.iterations(run.id));
    heard(store.names(run.id));
    heard(store.machine(run.id));
    heard(store.enteredLayout(run.id));
    heard(store.airflow(run.id));
    readSums(store, run.id);
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

void readRuns(const store::Store& store) {
    const auto runs = store.runs();
    heard(runs);
    for (std::size_t i = 0; runs.hasValue() && i < std::min<std::size_t>(runs.value().size(), 3);
         ++i)
        readRun(store, runs.value()[i]);
    heard(store.sources());
    heard(store.comparisons());
    heard(store::runLinks(store));
    heard(store::runLabels(store));
    heard(store::sourcePaths(store));
    heard(store::keptFigures(store));
    heard(store::figureBases(store));
}

// The first byte says what is done with it, all together being slow, and whether the sums of its
// pages are those of before: a quarter of them.
constexpr const char* kQuestions[]
    = {"SELECT metric, count(*), avg(value), max(time_ns) FROM samples GROUP BY metric",
        "SELECT * FROM samples WHERE rank = 0 AND time_ns > 5000000000",
        "SELECT name, sum(duration_ns) FROM spans WHERE kind = 'kernel' GROUP BY name",
        "SELECT * FROM run, series, track"};

void readSome(const store::Store& store, std::size_t what) {
    constexpr std::size_t count = std::size(kQuestions);
    what %= count + 3;
    if (what < count)
        return ask(store, kQuestions[what]);
    if (what > count)
        return readRuns(store);
    int questions = 0;
    heard(store.check([&questions](const ProgressState&) { return ++questions < 50; }));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    std::span<const std::uint8_t> changes(data + 1, size - 1);
    const auto sums = data[0] < 64 ? fuzz::Sums::Old : fuzz::Sums::Right;
    static fuzz::DatabaseFile file("damaged.trainscope");
    file.write(fuzz::damaged(changes, sums));
    const auto opened = store::Store::open(file.path(), store::OpenMode::ReadOnly);
    heard(opened);
    if (opened.hasValue())
        readSome(opened.value(), data[0]);
    return 0;
}
