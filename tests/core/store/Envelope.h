#pragma once
// Samples as clocks and sensors really give them, and what must be true of their buckets.

#include "core/store/Fixture.h"

#include <random>

namespace trainscope::test {

struct Data {
    std::vector<std::int64_t> times;
    std::vector<double> values;
};

// Irregular, with equal time stamps, holes and missing samples.
inline Data irregular(unsigned seed, int count, std::int64_t start, std::int64_t step) {
    std::mt19937_64 random(seed);
    Data data;
    std::int64_t t = start;
    for (int i = 0; i < count; ++i) {
        const auto dice = random() % 1000;
        if (dice == 0)
            t += step * static_cast<std::int64_t>(20 + random() % 5000);
        else if (dice > 20)
            t += static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * step));
        data.times.push_back(t);
        const bool missing = dice > 990 || (i > count / 2 && i < count / 2 + count / 50);
        data.values.push_back(
            missing ? kMissing : static_cast<double>(random() % 700'000) / 1000.0);
    }
    return data;
}

// The column of a time by the definition: floor((t - begin)·n / length).
inline int columnOf(std::int64_t t, TimeRange window, int columns) {
    const auto offset = static_cast<long double>(t - window.begin.ns);
    const auto length = static_cast<long double>(window.length().ns);
    return static_cast<int>(std::floor(offset * columns / length));
}

inline void checkEnvelope(
    const Data& data, double scale, TimeRange window, const std::vector<Bucket>& buckets) {
    const int columns = static_cast<int>(buckets.size());
    std::int64_t inside = 0;
    std::int64_t counted = 0;
    for (const Bucket& bucket : buckets)
        counted += bucket.count;
    for (std::size_t i = 0; i < data.times.size(); ++i) {
        if (!window.contains({data.times[i]}))
            continue;
        const auto at = static_cast<std::size_t>(columnOf(data.times[i], window, columns));
        if (std::isnan(data.values[i])) {
            QVERIFY2(buckets[at].gap, "a missing sample shows as a gap");
            continue;
        }
        ++inside;
        const double si = data.values[i] * scale;
        QVERIFY(buckets[at].count > 0);
        QVERIFY(double{buckets[at].min} <= si);
        QVERIFY(double{buckets[at].max} >= si);
    }
    QCOMPARE(counted, inside);
}

} // namespace trainscope::test
