// There is always something to draw: coarse first, exact when it is read, and what is read does not
// hold up what is wanted now. On a slow disk all readers wait for the test.

#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "support/TestProgram.h"

using app::LoadRequest;
using app::ReaderPool;
using app::TimelineLoader;
using plot::ViewWindow;
using test::seconds;

namespace {

// Every thread of the pool waits until it may go on, at the end of the test at the latest.
class SlowDisk {
public:
    explicit SlowDisk(ReaderPool& pool) {
        for (int i = 0; i < ReaderPool::kThreads; ++i)
            pool.post(app::Urgency::Pointer, pool.database(),
                [go = m_go](const Result<store::Store>&) { go->acquire(); });
    }
    SlowDisk(const SlowDisk&) = delete;
    SlowDisk& operator=(const SlowDisk&) = delete;
    ~SlowDisk() { goOn(); }
    void goOn() { m_go->release(ReaderPool::kThreads); }

private:
    std::shared_ptr<QSemaphore> m_go = std::make_shared<QSemaphore>();
};

} // namespace

class tst_TimelineLoader : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    LoadRequest m_request;
    std::unique_ptr<ReaderPool> m_pool;
    std::unique_ptr<TimelineLoader> m_loader;

    [[nodiscard]] LoadRequest over(double begin, double end) const {
        LoadRequest request = m_request;
        request.window = {seconds(begin), seconds(end)};
        return request;
    }
    void read(const LoadRequest& request) {
        m_loader->request(request);
        QTRY_VERIFY(!m_loader->isLoading());
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

    void init() {
        m_pool = std::make_unique<ReaderPool>();
        m_pool->setDatabase(m_path);
        m_request.readers = m_pool.get();
        m_loader = std::make_unique<TimelineLoader>();
    }

    void cleanup() { m_loader.reset(); }

    void coarseFirstThenExact() {
        std::vector<int> columns;
        connect(m_loader.get(), &TimelineLoader::dataChanged, this,
            [&] { columns.push_back(m_loader->dataFor(over(2, 3).window)->columns); });
        read(over(2, 3));
        QCOMPARE(columns.size(), std::size_t{3});
        QVERIFY(columns[0] < 1000); // all of the recording
        QCOMPARE(columns[1], 2000); // half a window more on both sides
        const auto data = m_loader->dataFor(over(2, 3).window);
        QCOMPARE(data->columns, 2000);
        QVERIFY(data->behind != nullptr);
        QVERIFY(covers(*data->behind, m_request.limits));
    }

    void aSlowDiskLeavesNothingBlank() {
        read(over(2, 3));
        SlowDisk disk(*m_pool);
        for (const double begin : {2.4, 2.9, 4.0, 7.5, 0.0}) {
            const LoadRequest wanted = over(begin, begin + 1.0);
            m_loader->request(wanted);
            const auto data = m_loader->dataFor(wanted.window);
            QVERIFY(data != nullptr);
            QVERIFY(covers(*data, wanted.window)
                || (data->behind && covers(*data->behind, wanted.window)));
        }
        disk.goOn();
        QTRY_VERIFY(!m_loader->isLoading());
        // The last wish counts.
        const auto data = m_loader->dataFor(over(0, 1).window);
        QVERIFY(covers(*data, over(0, 1).window));
        QCOMPARE(data->columns, 1500); // limited at the start
    }

    void axesStayWhileDataArrives() {
        std::vector<std::vector<std::pair<double, double>>> axes;
        connect(m_loader.get(), &TimelineLoader::dataChanged, this, [&] {
            axes.emplace_back();
            for (const auto& lane : m_loader->dataFor(over(2, 3).window)->lanes)
                axes.back().emplace_back(lane.low, lane.high);
        });
        read(over(2, 3));
        QVERIFY(axes.size() > 1);
        for (const auto& later : axes)
            QCOMPARE(later, axes.front());
    }

    // A reading under way when the database changes is drawn, and read again.
    void whatChangedMeanwhileIsReadAgain() {
        read(over(2, 3));
        SlowDisk disk(*m_pool);
        std::vector<int> columns;
        connect(m_loader.get(), &TimelineLoader::dataChanged, this,
            [&] { columns.push_back(m_loader->dataFor(over(8, 8.1).window)->columns); });
        m_loader->request(over(8, 8.1));
        m_loader->invalidate();
        m_loader->request(over(8, 8.1));
        disk.goOn();
        QTRY_VERIFY(!m_loader->isLoading());
        QCOMPARE(columns, (std::vector{2000, 2000, 2000})); // the third has an overview behind it
        QVERIFY(m_loader->dataFor(over(8, 8.1).window)->behind != nullptr);
    }

    void whatIsFarFromTheWishIsDropped() {
        read(over(2, 3));
        SlowDisk disk(*m_pool);
        QSignalSpy arrived(m_loader.get(), &TimelineLoader::dataChanged);
        m_loader->request(over(8, 8.1));
        m_loader->request(over(5, 5.1)); // nothing of 8 s is in sight
        disk.goOn();
        QTRY_VERIFY(!m_loader->isLoading());
        QCOMPARE(arrived.size(), 1);
        QVERIFY(covers(*m_loader->dataFor(over(5, 5.1).window), over(5, 5.1).window));
    }
};

TRAINSCOPE_TEST(tst_TimelineLoader)
#include "tst_TimelineLoader.moc"
