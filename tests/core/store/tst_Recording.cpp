// A recording: what was committed is whole at every moment, for readers beside it, after a program
// that died and after a disk that was full; its end is the same as an import of the same samples.

#include "core/store/Connection.h"
#include "core/store/Envelope.h"
#include "core/store/KeptSums.h"
#include "core/store/Recording.h"
#include "core/store/RunNotes.h"
#include "support/TestProgram.h"

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kStart = 1'700'000'000'000'000'000;
constexpr double kPowerScale = 0.1;
constexpr std::int64_t kStep = 50'000'000; // ns

// 20 samples a second with a little jitter; a counter of 32 bits that wraps every 40 samples.
struct Readings {
    Data power = irregular(7, 60'000, kStart, kStep);
    Data bytes;
    Data slow;

    Readings() {
        for (int i = 0; i < 60'000; ++i) {
            const std::int64_t t = kStart + i * kStep + (i * 7919) % 1000;
            bytes.times.push_back(t);
            bytes.values.push_back(std::fmod(i * 1e8, 4294967296.0));
            if (i % 20 == 0) {
                slow.times.push_back(t);
                slow.values.push_back(i / 20);
            }
        }
    }
};

struct Taken {
    std::unique_ptr<Recording> recording;
    SeriesId power;
    SeriesId bytes;
    SeriesId slow;
};

Taken begin(Store& store) {
    Taken taken;
    taken.recording
        = got(Recording::begin(store, {"record:node0:1", 0, "", "job"}, runNamed("job")));
    ok(taken.recording->gpu({0, 0, 0, "H100", "GPU-0"}));
    taken.power = got(taken.recording->series(gauge("gpu_power", 0, kPowerScale)));
    taken.bytes = got(taken.recording->series(counter("pcie_tx", 0, 32)));
    taken.slow = got(taken.recording->series(gauge("power_limit", 0)));
    return taken;
}

void add(Recording& recording, SeriesId id, const Data& data, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, data.times.size()); ++i)
        recording.sample(id, {data.times[i]}, data.values[i]);
}

Data firstOf(const Data& data, std::size_t count) {
    Data first = data;
    first.times.resize(std::min(count, first.times.size()));
    first.values.resize(first.times.size());
    return first;
}

// In SI.
void compareSamples(
    const Store& store, SeriesId id, const Data& expected, double scale = kPowerScale) {
    std::size_t at = 0;
    ok(store.forEachSample(id, kAllTime, [&](auto times, auto values) {
        for (std::size_t i = 0; i < times.size(); ++i, ++at) {
            if (at >= expected.times.size() || times[i].ns != expected.times[at]
                || (values[i] != expected.values[at] * scale
                    && !(std::isnan(values[i]) && std::isnan(expected.values[at])))) {
                QTest::qFail("a sample differs", __FILE__, __LINE__);
                return false;
            }
        }
        return true;
    }));
    QCOMPARE(at, expected.times.size());
}

} // namespace

class tst_Recording : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Readers see all of each commit, at every zoom.
    void grows() {
        const Readings source;
        Fixture fixture;
        Store store = fixture.create();
        Taken taken = begin(store);
        const Store view = fixture.view();
        std::mt19937_64 random(1);
        std::size_t done = 0;
        for (int commit = 0; done < source.power.times.size(); ++commit) {
            const std::size_t more = commit % 100 == 99 ? 3000 : 20 + random() % 100;
            const std::size_t to = std::min(done + more, source.power.times.size());
            add(*taken.recording, taken.power, source.power, done, to);
            add(*taken.recording, taken.bytes, source.bytes, done, to);
            add(*taken.recording, taken.slow, source.slow, (done + 19) / 20, (to + 19) / 20);
            done = to;
            ok(taken.recording->commit({}));
            if (commit % 61 != 0)
                continue;
            const Data power = firstOf(source.power, done);
            compareSamples(view, taken.power, power);
            compareSamples(view, taken.slow, firstOf(source.slow, (done + 19) / 20), 1.0);
            const std::int64_t length = power.times.back() - kStart + 1;
            for (const int columns : {1, 100, 1920}) {
                const TimeRange all{{kStart}, {kStart + length}};
                const TimeRange late{{kStart + length - length / 3}, {kStart + length + 1000}};
                checkEnvelope(
                    power, kPowerScale, all, got(view.buckets(taken.power, all, columns)));
                checkEnvelope(
                    power, kPowerScale, late, got(view.buckets(taken.power, late, columns)));
            }
            if (QTest::currentTestFailed())
                return;
        }
        QVERIFY(got(view.check()).damage.empty());
        QVERIFY(got(view.findRun("job")).status == RunStatus::Partial);
    }

    // 1e8 B every 50 ms are 2 GB/s, at every moment.
    void ratesOfACounterThatGrows() {
        const Readings source;
        Fixture fixture;
        Store store = fixture.create();
        Taken taken = begin(store);
        const Store view = fixture.view();
        for (std::size_t done = 0; done < 60'000; done += 250) {
            add(*taken.recording, taken.bytes, source.bytes, done, done + 250);
            ok(taken.recording->commit({}));
            if (done % 5000 != 0)
                continue;
            const TimeRange all{{kStart}, {source.bytes.times[done + 249]}};
            for (const Bucket& bucket : got(view.rateBuckets(taken.bytes, all, 10)))
                VERIFY_NEAR(bucket.mean, 2e9F, 2e5F);
        }
    }

    // The end leaves the same as an import.
    void endsAsAnImport() {
        const Readings source;
        FreshStore store;
        Taken taken = begin(store);
        for (std::size_t done = 0; done < 60'000; done += 500) {
            add(*taken.recording, taken.power, source.power, done, done + 500);
            add(*taken.recording, taken.bytes, source.bytes, done, done + 500);
            ok(taken.recording->commit({}));
        }
        Iteration iteration;
        iteration.index = 1;
        iteration.range = {{kStart}, {kStart + 10 * kStep}};
        taken.recording->iteration(iteration);
        ok(taken.recording->finish({}, {}));
        taken.recording.reset();
        Fixture other;
        Store imported = other.create();
        const SeriesId power = addSeries(
            imported, gauge("gpu_power", 0, kPowerScale), source.power.times, source.power.values);
        const SeriesId bytes = addSeries(imported, counter("pcie_tx", 0, 32), source.bytes.times,
            source.bytes.values, "/data/b.csv");
        const TimeRange window{{kStart + 12345}, {kStart + 50'000 * kStep}};
        for (const int columns : {1, 64, 1920}) {
            const auto mine = got(store.buckets(taken.power, window, columns));
            const auto theirs = got(imported.buckets(power, window, columns));
            const auto rates = got(store.rateBuckets(taken.bytes, window, columns));
            const auto others = got(imported.rateBuckets(bytes, window, columns));
            for (std::size_t i = 0; i < mine.size(); ++i) {
                QCOMPARE(mine[i].count, theirs[i].count);
                QCOMPARE(mine[i].min, theirs[i].min);
                QCOMPARE(mine[i].mean, theirs[i].mean);
                QCOMPARE(rates[i].mean, others[i].mean);
            }
        }
        const auto mine = got(store.statistics(taken.power, kAllTime));
        const auto theirs = got(imported.statistics(power, kAllTime));
        QCOMPARE(mine.mean, theirs.mean);
        QCOMPARE(mine.max, theirs.max);
        const Series kept = got(store.series(got(store.findRun("job")).id)).front();
        QCOMPARE(kept.mean, got(imported.series(got(imported.findRun("run")).id)).front().mean);
        QCOMPARE(kept.description.metric.unit, findMetric("gpu_power")->unit);
        QVERIFY(got(store.check()).damage.empty());
        QVERIFY(got(store.findRun("job")).status == RunStatus::Ok);
        QCOMPARE(got(store.iterations(got(store.findRun("job")).id)).size(), 1U);
    }

    // Readings that a device renews with every second sample, 16 random bits each: of their
    // differences, 17 bits wide, half are zero. A plane of 8 bits then takes 1 bit for a zero and 9
    // for another, 5 in the mean, two of them and one of the last bit 12, and their tables half a
    // bit: 1.6 bytes, where each sample by itself takes two. One that never changes takes next to
    // nothing. No byte is left of the levels of blocks that were made while it was recorded.
    void repeatsAreSmall() {
        constexpr std::int64_t count = 65'536;
        std::mt19937_64 random(5);
        Data power;
        Data limit;
        double value = 0.0;
        for (std::int64_t i = 0; i < count; ++i) {
            value = i % 2 == 0 ? static_cast<double>(random() & 0xFFFFU) : value;
            power.times.push_back(kStart / 100'000 * 100'000 + i * kStep);
            power.values.push_back(value);
            limit.times.push_back(power.times.back());
            limit.values.push_back(7000.0);
        }
        FreshStore store;
        Taken taken = begin(store);
        const SeriesId same = got(taken.recording->series(gauge("mem_power", 0, kPowerScale)));
        for (std::size_t done = 0; done < count; done += 512) {
            add(*taken.recording, taken.power, power, done, done + 512);
            add(*taken.recording, same, limit, done, done + 512);
            ok(taken.recording->commit({}));
        }
        ok(taken.recording->finish({}, {}));
        taken.recording.reset();
        compareSamples(store, taken.power, power);
        compareSamples(store, same, limit);
        const auto number = [&store](const std::string& sql) {
            std::int64_t answer = -1;
            ok(store.query(sql, {}, [&answer](const std::vector<SqlValue>& row) {
                answer = row.front().integer;
                return true;
            }));
            return answer;
        };
        const std::string sizes = "SELECT sum(values_size) FROM sample_chunk WHERE series=";
        const std::int64_t ofPower = number(sizes + std::to_string(taken.power.value));
        QVERIFY2(ofPower < count * 16 / 10, qPrintable(QString::number(ofPower)));
        const std::int64_t ofLimit = number(sizes + std::to_string(same.value));
        QCOMPARE(ofLimit, std::int64_t{16 * 37}); // 5 bytes, and 2 for each of 16 blocks of 256
        const std::int64_t held = number("SELECT sum(length(data)) FROM sample_data");
        const std::int64_t used
            = number("SELECT (SELECT sum(values_size) FROM sample_chunk) + (SELECT sum(size) FROM "
                     "(SELECT DISTINCT times_at, times_size AS size FROM sample_chunk)) + (SELECT "
                     "sum(data_size) FROM bucket_page)");
        QCOMPARE(held, used);
    }

    // A program that dies loses what no commit held, and nothing else.
    void dies() {
        const Readings source;
        Fixture fixture;
        {
            Store store = fixture.create();
            Taken taken = begin(store);
            add(*taken.recording, taken.power, source.power, 0, 5000);
            ok(taken.recording->commit({}));
            add(*taken.recording, taken.power, source.power, 5000, 6000);
        }
        Store store = fixture.create();
        const Run run = got(store.findRun("job"));
        QVERIFY(run.status == RunStatus::Partial);
        compareSamples(store, got(store.series(run.id)).front().id, firstOf(source.power, 5000));
        QVERIFY(got(store.check()).damage.empty());
    }

    // Goes on behind what a recording left that died, and behind one that ended: the same series,
    // a missing sample behind each part, nothing held in the holes.
    void resumes() {
        const Readings source;
        Fixture fixture;
        Data expected;
        const std::size_t parts[]{5000, 9000, 20'000, 30'000};
        std::size_t done = 0;
        SeriesId first;
        for (std::size_t part = 0; part < 4; ++part) {
            Store store = fixture.create();
            Taken taken = part == 0 ? begin(store) : Taken{};
            if (part > 0) {
                taken.recording = got(Recording::resume(store, "record:node0:1", runNamed("job")));
                ok(taken.recording->gpu({0, 0, 0, "H100", "GPU-0"}));
                taken.power = got(taken.recording->series(gauge("gpu_power", 0, kPowerScale)));
                taken.bytes = got(taken.recording->series(counter("pcie_tx", 0, 32)));
                expected.times.push_back(source.power.times[done - 1] + kStep);
                expected.values.push_back(kMissing);
                done += 1000; // nothing of these is recorded
            } else {
                first = taken.power;
            }
            QCOMPARE(taken.power, first);
            for (; done < parts[part]; done += 250) {
                add(*taken.recording, taken.power, source.power, done, done + 250);
                add(*taken.recording, taken.bytes, source.bytes, done, done + 250);
                for (std::size_t i = done; i < done + 250; ++i) {
                    expected.times.push_back(source.power.times[i]);
                    expected.values.push_back(source.power.values[i]);
                }
                ok(taken.recording->commit({}));
            }
            if (part % 2 == 1)
                ok(taken.recording->finish({}, {}));
        }
        const Store store = fixture.view();
        const Run run = got(store.findRun("job"));
        QVERIFY(run.status == RunStatus::Ok);
        QCOMPARE(got(store.series(run.id)).size(), 3U); // `slow` is of the first part alone
        QCOMPARE(got(store.sources()).size(), 1U);
        const Series power = got(store.series(run.id)).front();
        // The median lies a little off a step, so that the time of the missing sample does too.
        std::size_t at = 0;
        std::size_t missing = 0;
        ok(store.forEachSample(power.id, kAllTime, [&](auto times, auto values) {
            for (std::size_t i = 0; i < times.size(); ++i, ++at) {
                const bool isMissing = std::isnan(values[i]);
                missing += isMissing ? 1 : 0;
                const double wanted = expected.values.at(at) * kPowerScale;
                if ((isMissing ? !std::isnan(wanted) && !std::isnan(expected.values[at])
                               : values[i] != wanted || times[i].ns != expected.times[at]))
                    QTest::qFail("a sample differs", __FILE__, __LINE__);
            }
            return true;
        }));
        QCOMPARE(at, expected.times.size());
        QCOMPARE(power.count, static_cast<std::int64_t>(at));
        QVERIFY(static_cast<std::int64_t>(missing) == power.missing);
        // Nothing is held in the hole of 1000 samples behind the first part.
        const TimeRange hole{
            {source.power.times[4999] + 3 * kStep}, {source.power.times[6000] - kStep}};
        QVERIFY(std::isnan(got(store.statistics(power.id, hole)).mean));
        for (const Bucket& bucket : got(store.buckets(power.id, hole, 7)))
            QCOMPARE(bucket.count, std::int64_t{0});
        for (const int columns : {1, 100, 1920})
            checkEnvelope(expected, kPowerScale, power.range,
                got(store.buckets(power.id, power.range, columns)));
        QVERIFY(got(store.check()).damage.empty());
    }

    // Started again at once: the first sample comes before the next one was due.
    void resumesWithinAPeriod() {
        const Readings source;
        FreshStore store;
        Taken taken = begin(store);
        add(*taken.recording, taken.power, source.power, 0, 1000);
        ok(taken.recording->commit({}));
        taken = {};
        Data expected = firstOf(source.power, 1000);
        const std::int64_t next = expected.times.back() + 1'000'000;
        expected.times.insert(expected.times.end(), {next, next});
        expected.values.insert(expected.values.end(), {kMissing, 7.0});
        taken.recording = got(Recording::resume(store, "record:node0:1", runNamed("job")));
        taken.power = got(taken.recording->series(gauge("gpu_power", 0, kPowerScale)));
        taken.recording->sample(taken.power, {next}, 7.0);
        ok(taken.recording->finish({}, {}));
        compareSamples(store, taken.power, expected);
        QCOMPARE(got(store.lastBefore(taken.power, {next + 1}))->value, 7.0 * kPowerScale);
    }

    // One second back, half a second on.
    void aClockIsSetBack() {
        FreshStore store;
        Taken taken = begin(store);
        const std::int64_t second = 1'000'000'000;
        Data expected{{kStart, kStart, kStart + second / 2}, {1.0, 2.0, 3.0}};
        taken.recording->sample(taken.power, {kStart}, 1.0);
        ok(taken.recording->commit({}));
        taken.recording->sample(taken.power, {kStart - second}, 2.0);
        taken.recording->sample(taken.power, {kStart + second / 2}, 3.0);
        ok(taken.recording->finish({}, {}));
        compareSamples(store, taken.power, expected);
    }

    // Whoever computes while it goes on keeps nothing of an earlier moment.
    void figuresOfAnEarlierMomentAreStale() {
        const Readings source;
        FreshStore store;
        Taken taken = begin(store);
        add(*taken.recording, taken.power, source.power, 0, 100);
        ok(taken.recording->commit({}));
        const RunId run = got(store.findRun("job")).id;
        const auto basis = got(figureBases(store)).front().second;
        const auto state = got(sourceState(store, run));
        add(*taken.recording, taken.power, source.power, 100, 200);
        ok(taken.recording->commit({}));
        QVERIFY(got(figureBases(store)).front().second != basis);
        QVERIFY(got(sourceState(store, run)) != state);
    }

    void resumesNothing() {
        FreshStore store;
        QVERIFY(Recording::resume(store, "record:node0:1", runNamed("job")).error().code
            == ErrorCode::NotFound);
        QCOMPARE(got(store.runs()).size(), 0U);
    }

    // While the disk is full nothing gets through; then everything does.
    void diskIsFull() {
        const Readings source;
        FreshStore store;
        Taken taken = begin(store);
        add(*taken.recording, taken.power, source.power, 0, 3000);
        ok(taken.recording->commit({}));
        Database& database = store.connection().database;
        const auto pages = got(database.number("PRAGMA page_count"));
        ok(database.script("PRAGMA max_page_count=" + std::to_string(pages)));
        int failed = 0;
        for (std::size_t done = 3000; done < 40'000; done += 100) {
            add(*taken.recording, taken.power, source.power, done, done + 100);
            add(*taken.recording, taken.bytes, source.bytes, done, done + 100);
            failed += taken.recording->commit({}).hasValue() ? 0 : 1;
        }
        QVERIFY(failed > 300);
        ok(database.script("PRAGMA max_page_count=1000000"));
        ok(taken.recording->commit({}));
        compareSamples(store, taken.power, firstOf(source.power, 40'000));
        ok(taken.recording->finish({}, {}));
        compareSamples(store, taken.power, firstOf(source.power, 40'000));
        QVERIFY(got(store.check()).damage.empty());
    }

    void refusals() {
        Fixture fixture;
        Store store = fixture.create();
        Taken taken = begin(store);
        QVERIFY(
            beginImport(store, {"/data/a.csv", 0, "", "run"}).error().code == ErrorCode::Refused);
        QVERIFY(Recording::begin(store, {"record:2", 0, "", "job"}, runNamed("job")).error().code
            == ErrorCode::Refused);
        taken.recording.reset();
        Store view = fixture.view();
        QVERIFY(Recording::begin(view, {"record:2", 0, "", "job"}, runNamed("job")).error().code
            == ErrorCode::Refused);
    }
};

TRAINSCOPE_TEST(tst_Recording)
#include "tst_Recording.moc"
