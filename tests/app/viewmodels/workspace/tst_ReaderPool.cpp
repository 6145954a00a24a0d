// A late answer never replaces a newer one.
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/workspace/ReaderTask.h"
#include "support/TestProgram.h"

#include <QSemaphore>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <array>
#include <filesystem>

using namespace trainscope;
using app::LatestTask;
using app::ReaderPool;
using app::TaskStage;

class tst_ReaderPool : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_path;

private Q_SLOTS:
    void initTestCase() {
        m_path = test::writeTimelineDatabase(m_folder.path().toStdString());
        QVERIFY(!m_path.empty());
    }
    void onlyTheLastAnswerArrives() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        LatestTask<int> task;
        QSemaphore begun;
        QSemaphore go;
        std::vector<int> answers;
        bool sawCancel = false;
        task.start(
            pool,
            [&](const store::Store&, const TaskStage<int>& stage) {
                begun.release();
                go.acquire();
                sawCancel = stage.isCancelled();
                stage.publish(1);
            },
            [&](Result<int> answer) { answers.push_back(answer.value()); });
        begun.acquire();
        task.start(
            pool, [&](const store::Store&, const TaskStage<int>& stage) { stage.publish(2); },
            [&](Result<int> answer) { answers.push_back(answer.value()); });
        go.release();
        QTRY_COMPARE(answers.size(), std::size_t{1});
        QTest::qWait(20);
        QVERIFY(sawCancel);
        QCOMPARE(answers, std::vector<int>{2});
    }
    void coarseAnswersComeBeforeTheExactOne() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        LatestTask<int> task;
        std::vector<int> answers;
        task.start(
            pool,
            [](const store::Store&, const TaskStage<int>& stage) {
                stage.publish(1);
                stage.publish(2);
            },
            [&](Result<int> answer) { answers.push_back(answer.value()); });
        QTRY_COMPARE(answers, (std::vector<int>{1, 2}));
    }
    void readsOnItsOwnThread() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        LatestTask<std::size_t> task;
        QThread* thread = nullptr;
        std::size_t runs = 0;
        task.start(
            pool,
            [&](const store::Store& store, const TaskStage<std::size_t>& stage) {
                thread = QThread::currentThread();
                stage.publish(store.runs().value().size());
            },
            [&](Result<std::size_t> answer) { runs = answer.value(); });
        QTRY_COMPARE(runs, std::size_t{2});
        QVERIFY(thread != QThread::currentThread());
    }
    void aDatabaseThatIsNotThereIsAnError() {
        ReaderPool pool;
        pool.setDatabase(m_path.parent_path() / "missing.trainscope");
        LatestTask<int> task;
        std::string message;
        task.start(
            pool, [](const store::Store&, const TaskStage<int>& stage) { stage.publish(1); },
            [&](Result<int> answer) {
                if (!answer.hasValue())
                    message = answer.error().describe();
            });
        QTRY_VERIFY(!message.empty());
    }
    // A file that was away for a while: threads that could not open it try again.
    void aDatabaseThatComesBackIsRead() {
        const auto path = m_path.parent_path() / "away.trainscope";
        ReaderPool pool;
        pool.setDatabase(path);
        const auto answers = [&pool] {
            int good = 0;
            int all = 0;
            std::array<LatestTask<int>, 2 * ReaderPool::kThreads> tasks;
            for (auto& task : tasks)
                task.start(
                    pool,
                    [](const store::Store&, const TaskStage<int>& stage) {
                        QThread::msleep(5); // so that all threads take some
                        stage.publish(1);
                    },
                    [&](const Result<int>& answer) {
                        good += answer.hasValue() ? 1 : 0;
                        ++all;
                    });
            const int asked = static_cast<int>(tasks.size());
            return QTest::qWaitFor([&] { return all == asked; }) ? good : -1;
        };
        QCOMPARE(answers(), 0);
        std::filesystem::copy_file(m_path, path);
        QCOMPARE(answers(), 2 * ReaderPool::kThreads);
    }
    void aDroppedTaskAnswersNobody() {
        ReaderPool pool;
        pool.setDatabase(m_path);
        bool answered = false;
        {
            LatestTask<int> task;
            task.start(
                pool, [](const store::Store&, const TaskStage<int>& stage) { stage.publish(1); },
                [&](Result<int>) { answered = true; });
        }
        QTest::qWait(50);
        QVERIFY(!answered);
    }
};

TRAINSCOPE_TEST(tst_ReaderPool)
#include "tst_ReaderPool.moc"
