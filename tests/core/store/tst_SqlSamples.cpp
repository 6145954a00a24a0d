// Aggregates and rows of `samples` against plain loops over what was written: missing samples,
// scales, windows, lists; and the statistics of series.

#include "core/store/Fixture.h"
#include "core/store/Query.h"
#include "support/TestProgram.h"

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

struct Written {
    std::string run;
    std::string metric;
    int rank;
    std::vector<std::int64_t> times;
    std::vector<double> values; // SI
};

constexpr double kScale = 0.5;
constexpr std::int64_t kSampleStep = 100;

// Two runs, two metrics, three ranks; some series of several chunks, one of a single sample, one
// with nothing but missing ones. Source numbers are whole, so that every sum is exact.
std::vector<Written> writeSamples(Store& store) {
    std::vector<Written> all;
    int made = 0;
    for (const char* run : {"a", "b"}) {
        for (const char* metric : {"gpu_power", "sm_clock"}) {
            for (int rank = 0; rank < 3; ++rank) {
                const auto count = static_cast<std::size_t>(made == 1 ? 1
                        : made == 2                                   ? 100
                                                                      : 17'000 + made);
                Written one{run, metric, rank, {}, {}};
                std::vector<double> numbers;
                for (std::size_t i = 0; i < count; ++i) {
                    const auto k = static_cast<std::int64_t>(i);
                    one.times.push_back(1'000 + k * kSampleStep + rank);
                    const bool isMissing = made == 2 || (k * 7 + made) % 11 == 0;
                    const auto number = static_cast<double>((k * 37 + made * 11) % 1009 - 300);
                    numbers.push_back(isMissing ? kMissing : number);
                    one.values.push_back(numbers.back() * kScale);
                }
                addSeries(store, gauge(metric, rank, kScale), one.times, numbers,
                    "/s" + std::to_string(made), run);
                all.push_back(std::move(one));
                ++made;
            }
        }
    }
    return all;
}

// Statistics of some numbers by SQL.
struct Figures {
    std::int64_t rows = 0;
    std::vector<double> present;
    std::int64_t firstTime = std::numeric_limits<std::int64_t>::max();
    std::int64_t lastTime = 0;

    [[nodiscard]] QString text() const {
        const auto number = [this](double value) {
            return present.empty() ? QStringLiteral("NULL") : QString::number(value, 'g', 15);
        };
        const double sum = std::accumulate(present.begin(), present.end(), 0.0);
        const auto [least, most] = std::minmax_element(present.begin(), present.end());
        const auto count = static_cast<double>(present.size());
        return QStringList{QString::number(rows), QString::number(present.size()), number(sum),
            number(sum / std::max(count, 1.0)), number(present.empty() ? 0.0 : *least),
            number(present.empty() ? 0.0 : *most),
            rows == 0 ? QStringLiteral("NULL") : QString::number(firstTime),
            rows == 0 ? QStringLiteral("NULL") : QString::number(lastTime)}
            .join(QLatin1Char(','));
    }
};
constexpr const char* kFigures = "count(*), count(value), sum(value), avg(value), min(value), "
                                 "max(value), min(time_ns), max(time_ns)";

using Choice = std::function<bool(const Written&, std::int64_t time, double value)>;
using KeyOf = std::function<std::string(const Written&)>;

QStringList counted(const std::vector<Written>& all, const Choice& isWanted, const KeyOf& keyOf) {
    std::map<std::string, Figures> groups;
    for (const Written& one : all) {
        for (std::size_t i = 0; i < one.times.size(); ++i) {
            if (!isWanted(one, one.times[i], one.values[i]))
                continue;
            Figures& figures = groups[keyOf(one)];
            ++figures.rows;
            if (!std::isnan(one.values[i]))
                figures.present.push_back(one.values[i]);
            figures.firstTime = std::min(figures.firstTime, one.times[i]);
            figures.lastTime = std::max(figures.lastTime, one.times[i]);
        }
    }
    QStringList lines;
    for (const auto& [key, figures] : groups)
        lines.append(QString::fromStdString(key) + QLatin1Char(',') + figures.text());
    return lines;
}

QString cellText(const SqlValue& value) {
    switch (value.type) {
    case SqlValue::Type::Null:
        return QStringLiteral("NULL");
    case SqlValue::Type::Integer:
        return QString::number(value.integer);
    case SqlValue::Type::Real:
        return QString::number(value.real, 'g', 15);
    default:
        return QString::fromStdString(value.text);
    }
}

QStringList linesOf(const Store& store, const QString& sql) {
    QStringList lines;
    ok(store.query(sql.toStdString(), {}, [&lines](const std::vector<SqlValue>& row) {
        QStringList cells;
        for (const SqlValue& value : row)
            cells.append(cellText(value));
        lines.append(cells.join(QLatin1Char(',')));
        return true;
    }));
    return lines;
}

bool isAny(const Written&, std::int64_t, double) {
    return true;
}

} // namespace

class tst_SqlSamples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        Store store = m_fixture.create();
        m_all = writeSamples(store);
    }

    void groups_data() {
        columns<QString, QString>("key", "where");
        const char* const wheres[] = {"1", "metric='gpu_power'", "run='b' AND rank>=1",
            "rank IN (0,2)", "metric IN ('sm_clock','nothing')",
            "time_ns BETWEEN 700000 AND 2000000", "time_ns>=1638400.5 AND time_ns<1638700",
            "time_ns='1000'", "value>=100 AND value<150.25", "value IS NOT NULL", "value>'text'",
            "value<'text' AND rank<1.5", "time_ns>NULL", "value>354", "value=0.5 AND time_ns>5000",
            "time_ns>3*1000*1000 OR rank=1", "metric LIKE 'GPU%'", "series=1",
            "time_ns>(SELECT min(begin_ns)+500 FROM series)"};
        for (const char* key : {"", "run", "metric", "rank"}) {
            for (const char* where : wheres)
                QTest::addRow("%s|%s", key, where)
                    << QString::fromUtf8(key) << QString::fromUtf8(where);
        }
    }
    // The same by rows: a limit keeps SQLite from seeing the table behind the inner SELECT.
    void groups() {
        QFETCH(QString, key);
        QFETCH(QString, where);
        const Store store = m_fixture.view();
        const QString by = key.isEmpty() ? QString() : QStringLiteral(" GROUP BY ") + key;
        const QString what = key.isEmpty() ? QStringLiteral("'all'") : key;
        const QString one = QStringLiteral("SELECT %1, %2 FROM samples WHERE %3%4")
                                .arg(what, QLatin1String(kFigures), where, by);
        const QString rows
            = QStringLiteral("SELECT %1, %2 FROM (SELECT * FROM samples WHERE %3 LIMIT -1)%4")
                  .arg(what, QLatin1String(kFigures), where, by);
        QCOMPARE(linesOf(store, one), linesOf(store, rows));
    }

    void wholeTable() {
        const Store store = m_fixture.view();
        const auto ask = [&](const char* key) {
            return linesOf(store,
                QStringLiteral("SELECT %1, %2 FROM samples GROUP BY 1")
                    .arg(QLatin1String(key), QLatin1String(kFigures)));
        };
        QCOMPARE(ask("run"), counted(m_all, isAny, [](const Written& one) { return one.run; }));
        QCOMPARE(
            ask("metric"), counted(m_all, isAny, [](const Written& one) { return one.metric; }));
        QCOMPARE(ask("rank"),
            counted(m_all, isAny, [](const Written& one) { return std::to_string(one.rank); }));
    }

    void windowsAndValues() {
        const Store store = m_fixture.view();
        const auto byMetric = [](const Written& one) { return one.metric; };
        const auto ask = [&](const char* where) {
            return linesOf(store,
                QStringLiteral("SELECT metric, %1 FROM samples WHERE %2 GROUP BY metric")
                    .arg(QLatin1String(kFigures), QLatin1String(where)));
        };
        QCOMPARE(ask("time_ns>=1639300 AND time_ns<3277800"),
            counted(
                m_all,
                [](const Written&, std::int64_t time, double) {
                    return time >= 1'639'300 && time < 3'277'800;
                },
                byMetric));
        QCOMPARE(ask("value>100 AND value<=200 AND rank<>1"),
            counted(
                m_all,
                [](const Written& one, std::int64_t, double value) {
                    return value > 100 && value <= 200 && one.rank != 1;
                },
                byMetric));
    }

    void ordersOfTheParts() {
        const Store store = m_fixture.view();
        QCOMPARE(linesOf(store,
                     QStringLiteral("SELECT DISTINCT metric, rank FROM samples WHERE run='a' ORDER "
                                    "BY metric DESC, rank DESC")),
            texts("sm_clock,2", "sm_clock,1", "sm_clock,0", "gpu_power,2", "gpu_power,1",
                "gpu_power,0"));
        QCOMPARE(linesOf(store,
                     QStringLiteral("SELECT rank, count(*) FROM samples WHERE run='a' GROUP BY "
                                    "rank ORDER BY rank DESC")),
            texts("2,17105", "1,17005", "0,34003"));
        // Ranks that were sampled together alternate in time.
        QCOMPARE(linesOf(store,
                     QStringLiteral("SELECT time_ns, rank FROM samples WHERE run='b' AND "
                                    "metric='gpu_power' ORDER BY time_ns LIMIT 4")),
            texts("1000,0", "1001,1", "1002,2", "1100,0"));
    }

    // By the definition: each sample holds until the next.
    void statistics() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {1'000'000'000, 3'000'000'000, 4'000'000'000},
            {100, 400, 200}, "/a", "a");
        addSeries(store, gauge("gpu_power", 1), {1'000'000'000, 2'000'000'000}, {50, kMissing},
            "/b", "a");
        const auto ask = [&store](const char* sql) { return linesOf(store, QLatin1String(sql)); };
        QCOMPARE(ask("SELECT rank, count, missing, mean, min, max, integral, seconds FROM "
                     "sample_statistics WHERE run='a'"),
            texts("0,3,0,200,100,400,600,3", "1,2,1,50,50,50,50,1"));
        QCOMPARE(ask("SELECT s.rank, t.mean, t.seconds FROM series s, sample_statistics(s.id, "
                     "2000000000, 3500000000) t ORDER BY 1 DESC"),
            texts("1,NULL,0", "0,200,1.5"));
        QCOMPARE(ask("SELECT t.max FROM (SELECT 3000000000 AS b) w, sample_statistics t WHERE "
                     "t.begin_ns=w.b AND t.series=1"),
            texts("400"));
        QCOMPARE(ask("SELECT count(*) FROM sample_statistics WHERE rank=7"), texts("0"));
    }

    void statisticsOfMany() {
        const Store store = m_fixture.view();
        QCOMPARE(linesOf(store,
                     QStringLiteral("SELECT run, sum(count), sum(count)-sum(missing), min(min), "
                                    "max(max) FROM sample_statistics GROUP BY run")),
            linesOf(store,
                QStringLiteral("SELECT run, count(*), count(value), min(value), max(value) FROM "
                               "samples GROUP BY run")));
    }

    void joins() {
        const Store store = m_fixture.view();
        const auto of = [&](const char* from) {
            return linesOf(store,
                QStringLiteral("SELECT run.name, count(samples.value), sum(value) FROM %1 GROUP BY "
                               "run.name ORDER BY 1")
                    .arg(QLatin1String(from)));
        };
        const auto rows
            = of("run JOIN (SELECT * FROM samples LIMIT -1) samples ON samples.run=run.name");
        QCOMPARE(of("run JOIN samples ON samples.run=run.name"), rows);
        QCOMPARE(of("samples JOIN run ON samples.run=run.name"), rows);
        QCOMPARE(linesOf(store,
                     QStringLiteral("SELECT count(*) FROM run LEFT JOIN samples ON "
                                    "samples.run=run.name AND samples.metric='none'")),
            texts("2"));
    }

    void stopsWithinAChunk() {
        const Store store = m_fixture.view();
        for (const char* sql : {"SELECT avg(value) FROM samples",
                 "SELECT sum(value*2) FROM samples", "SELECT * FROM samples ORDER BY value"}) {
            int asked = 0;
            const auto status = query(store, sql, {}, {}, {{}, [&asked] { return ++asked < 3; }});
            QVERIFY(!status.hasValue());
            QCOMPARE(static_cast<int>(status.error().code), static_cast<int>(ErrorCode::Cancelled));
        }
    }

private:
    Fixture m_fixture;
    std::vector<Written> m_all;
};

TRAINSCOPE_TEST(tst_SqlSamples)
#include "tst_SqlSamples.moc"
