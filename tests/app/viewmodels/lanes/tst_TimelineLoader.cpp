// There is always something to draw: coarse first, exact when it is read, and what is read does not
// hold up what is wanted now. On a slow disk all readers wait for the test.

#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::LoadRequest;
using app::ReaderPool;
using app::TimelineLoader;
using plot::ViewWindow;
using test::seconds;

namespace {

// Every thread of the pool waits until it may go on.
class SlowDisk {
public:
    explicit SlowDisk(ReaderPool& pool) {
        for (int i = 0; i < ReaderPool::kThreads; ++i)
            pool.post(app::Urgency::Pointer, pool.database(),
                [this](const Result<store::Store>&) { m_go.acquire(); });
    }
    void goOn() { m_go.release(ReaderPool::kThreads); }

private:
    QSemaphore m_go;
};

} // namespace

class tst_TimelineLoader : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    LoadRequest m_request;

    [[nodiscard]] LoadRequest over(double begin, double end) const {
        LoadRequest request = m_request;
        request.window = {seconds(begin), seconds(end)};
        return request;
    }
    static bool covers(const plot::TimelineData& data, const ViewWindow& window) {
        return data.window.begin <= window.begin && window.end <= data.window.end;
    }

private Q_SLOTS:
    void initTestCase() {
        m_path = test::writeTimelineDatabase(m_folder.path().toStdString());
        QVERIFY(!m_path.empty());
        const auto store = store::Store::open(m_path, store::OpenMode::ReadOnly);
        const Run run = store.value().findRun("small").value();
        m_request.runs = {{run.id, run.name, run.range.begin, 0}};
        m_request.catalogue
            = app::loadCatalogue(store.value(), m_request.runs, [] { return false; }).value();
        m_request.arrangement = m_request.catalogue->defaults;
        m_request.limits = {{0}, run.range.length()};
        m_request.columns = 1000;
    }

    void coarseFirstThenExact() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        m_request.readers = &pool;
        TimelineLoader loader;
        std::vector<int> columns;
        connect(&loader, &TimelineLoader::dataChanged, this,
            [&] { columns.push_back(loader.dataFor(over(2, 3).window)->columns); });
        loader.request(over(2, 3));
        QTRY_VERIFY(!loader.isLoading());
        QCOMPARE(columns.size(), std::size_t{3});
        QVERIFY(columns[0] < 1000); // all of the recording
        QCOMPARE(columns[1], 2000); // half a window more on both sides
        const auto data = loader.dataFor(over(2, 3).window);
        QCOMPARE(data->columns, 2000);
        QVERIFY(data->behind != nullptr);
        QVERIFY(covers(*data->behind, m_request.limits));
    }

    void aSlowDiskLeavesNothingBlank() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        m_request.readers = &pool;
        TimelineLoader loader;
        loader.request(over(2, 3));
        QTRY_VERIFY(!loader.isLoading());
        SlowDisk disk(pool);
        for (const double begin : {2.4, 2.9, 4.0, 7.5, 0.0}) {
            const LoadRequest wanted = over(begin, begin + 1.0);
            loader.request(wanted);
            const auto data = loader.dataFor(wanted.window);
            QVERIFY(data != nullptr);
            QVERIFY(covers(*data, wanted.window)
                || (data->behind && covers(*data->behind, wanted.window)));
        }
        disk.goOn();
        QTRY_VERIFY(!loader.isLoading());
        // The last wish counts.
        const auto data = loader.dataFor(over(0, 1).window);
        QVERIFY(covers(*data, over(0, 1).window));
        QCOMPARE(data->columns, 1500); // limited at the start
    }

    void axesStayWhileDataArrives() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        m_request.readers = &pool;
        TimelineLoader loader;
        std::vector<std::vector<std::pair<double, double>>> axes;
        connect(&loader, &TimelineLoader::dataChanged, this, [&] {
            axes.emplace_back();
            for (const auto& lane : loader.dataFor(over(2, 3).window)->lanes)
                axes.back().emplace_back(lane.low, lane.high);
        });
        loader.request(over(2, 3));
        QTRY_VERIFY(!loader.isLoading());
        QVERIFY(axes.size() > 1);
        for (const auto& later : axes)
            QCOMPARE(later, axes.front());
    }

    // A reading under way when the database changes is drawn, and read again.
    void whatChangedMeanwhileIsReadAgain() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        m_request.readers = &pool;
        TimelineLoader loader;
        loader.request(over(2, 3));
        QTRY_VERIFY(!loader.isLoading());
        SlowDisk disk(pool);
        std::vector<int> columns;
        connect(&loader, &TimelineLoader::dataChanged, this,
            [&] { columns.push_back(loader.dataFor(over(8, 8.1).window)->columns); });
        loader.request(over(8, 8.1));
        loader.invalidate();
        loader.request(over(8, 8.1));
        disk.goOn();
        QTRY_VERIFY(!loader.isLoading());
        QCOMPARE(columns, (std::vector{2000, 2000, 2000})); // the third has an overview behind it
        QVERIFY(loader.dataFor(over(8, 8.1).window)->behind != nullptr);
    }

    void whatIsFarFromTheWishIsDropped() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        m_request.readers = &pool;
        TimelineLoader loader;
        loader.request(over(2, 3));
        QTRY_VERIFY(!loader.isLoading());
        SlowDisk disk(pool);
        QSignalSpy arrived(&loader, &TimelineLoader::dataChanged);
        loader.request(over(8, 8.1));
        loader.request(over(5, 5.1)); // nothing of 8 s is in sight
        disk.goOn();
        QTRY_VERIFY(!loader.isLoading());
        QCOMPARE(arrived.size(), 1);
        QVERIFY(covers(*loader.dataFor(over(5, 5.1).window), over(5, 5.1).window));
    }
};

TRAINSCOPE_TEST(tst_TimelineLoader)
#include "tst_TimelineLoader.moc"
